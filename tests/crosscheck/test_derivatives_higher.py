"""Second derivatives and those by model parameters, against differences in 50 digits."""

from functools import cache

import numpy as np
import pytest
from mpmath import mpf

import armdyn
from armdyn import algorithms
from oracles.cases import Case, grown
from oracles.differences import first, second
from oracles.newton_euler_mp import ExactTree, exact, motion_transform, spatial_inertia
from oracles.short_run import each_once
from oracles.states import assert_close, random_states


@cache
def small_tree(seed: int) -> tuple[Case, ExactTree]:
    case = grown(seed, 4, False)
    return case, ExactTree.of_urdf(case.urdf, case.robot.joint_names, case.robot.gravity)


def state(case: Case, seed: int) -> dict[str, np.ndarray]:
    s = random_states(case.n, 1, seed=seed)
    return {"q": s.q[0], "qd": s.qd[0], "qdd": s.qdd[0]}


SEEDS = [81, 84]


def test_the_small_trees_have_slides_and_branches() -> None:
    robots = [small_tree(seed)[0].robot for seed in SEEDS]
    assert any(j.kind == "prismatic" for r in robots for j in r.joints)
    assert any(j.kind == "revolute" for r in robots for j in r.joints)
    assert any(sum(j.parent == link for j in r.joints) > 1 for r in robots for link in r.link_names)


@pytest.mark.short_run("pair4-81")
@pytest.mark.parametrize(("pair", "seed"), each_once([("q", "q"), ("qd", "q"), ("qdd", "q"), ("qd", "qd")], SEEDS))
def test_second_derivatives_of_inverse_dynamics(pair: tuple[str, str], seed: int) -> None:
    """d2 tau_i / dx_j dy_k, shape (n, n, n), of the differentiated program and of the recursion differentiated once."""
    case, tree = small_tree(seed)
    s = state(case, seed)
    x, y = pair

    def tau(a: np.ndarray, b: np.ndarray) -> np.ndarray:
        at = dict(s)
        if x == y:  # both move the same array: a - x + b
            at[x] = a + b - exact(s[x])
        else:
            at[x], at[y] = a, b
        return tree.inverse_dynamics(**at)

    expected = second(tau, s[x], s[y])
    twice = case.robot.inverse_dynamics.derivative(x).derivative(y)(**s)
    once = getattr(case.robot.inverse_dynamics_derivatives.derivative(y)(**s), f"d_{x}_d_{y}")
    assert expected.shape == (case.n,) * 3
    assert_close(twice[None], expected[None])
    assert_close(once[None], expected[None])


@pytest.mark.slow
def test_second_derivatives_are_symmetric(ur5: Case) -> None:
    s = random_states(6, 5, seed=82)
    twice = ur5.robot.inverse_dynamics.derivative("q", "qd").derivative("q", "qd")
    by = twice(s.q, s.qd, s.qdd)
    assert by._fields == ("d_q_d_q", "d_q_d_qd", "d_qd_d_q", "d_qd_d_qd")
    assert_close(by.d_q_d_q, np.swapaxes(by.d_q_d_q, 2, 3))
    assert_close(by.d_qd_d_qd, np.swapaxes(by.d_qd_d_qd, 2, 3))
    assert_close(by.d_q_d_qd, np.swapaxes(by.d_qd_d_q, 2, 3))


@pytest.mark.slow
def test_derivative_along_a_direction_is_the_tensor_times_it(ur5: Case) -> None:
    s = random_states(6, 5, seed=83)
    tensor = ur5.robot.inverse_dynamics.derivative("q").derivative("q")(s.q, s.qd, s.qdd)
    first_ones = ur5.robot.inverse_dynamics.derivative("q", "qd")
    along = first_ones.jvp("q")(s.q, s.qd, s.qdd, tangent_q=s.tau)
    assert along._fields == ("d_q", "d_qd")
    assert_close(along.d_q, np.einsum("sijk,sk->sij", tensor, s.tau))


def test_directions_of_several_arrays_add_up(tree: Case) -> None:
    s = random_states(tree.n, 5, seed=84)
    u, v, w = (np.random.default_rng(85).normal(size=(5, tree.n)) for _ in range(3))
    by = tree.robot.inverse_dynamics_derivatives(s.q, s.qd, s.qdd)
    expected = sum(np.einsum("sij,sj->si", J, x) for J, x in zip(by, (u, v, w), strict=True))
    rate = tree.robot.inverse_dynamics.jvp("q", "qd", "qdd")
    assert_close(rate(s.q, s.qd, s.qdd, tangent_q=u, tangent_qd=v, tangent_qdd=w), expected)


def test_hessian_times_vector_of_the_energy_costs_little_more_than_the_gradient(ur5: Case) -> None:
    gradient = ur5.robot.kinetic_energy.derivative("q")
    product, tensor = gradient.jvp("q"), gradient.derivative("q")
    totals = [f.op_counts.multiplications + f.op_counts.additions for f in (gradient, product, tensor)]
    assert totals[1] < 3 * totals[0]
    assert totals[1] < totals[2]
    s = random_states(6, 5, seed=86)
    expected = np.einsum("sij,sj->si", tensor(s.q, s.qd), s.tau)
    assert_close(product(s.q, s.qd, tangent_q=s.tau), expected)


@cache
def link_and_body(seed: int) -> tuple[str, int]:
    """A link in the middle of the tree, and its number among the bodies of the exact tree."""
    case, tree = small_tree(seed)
    k = next(b.parent for b in tree.bodies if b.parent >= 0)
    return case.robot.model.joints[tree.bodies[k].joint].child, k


def changed(tree: ExactTree, k: int, own: armdyn.Inertia, mass=None, com=None, inertia=None) -> ExactTree:
    """The tree with another inertia of body k."""
    import dataclasses

    def G(m, c, tensor) -> np.ndarray:
        return spatial_inertia(mpf(m), exact(c), exact(tensor))

    of_own = G(own.mass, own.com, own.tensor)
    other = G(
        own.mass if mass is None else mass,
        own.com if com is None else com,
        own.tensor if inertia is None else inertia,
    )
    bodies = list(tree.bodies)
    bodies[k] = dataclasses.replace(bodies[k], G=bodies[k].G + other - of_own)
    return ExactTree(bodies, tree.gravity)


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("quantity", ["mass", "com", "inertia"])
def test_by_the_inertia_of_a_link(seed: int, quantity: str) -> None:
    case, tree = small_tree(seed)
    s, (link, k) = state(case, seed), link_and_body(seed)
    own = case.robot.model.link(link).inertia
    at = {"mass": own.mass, "com": own.com, "inertia": own.tensor}[quantity]

    def of(value: np.ndarray) -> np.ndarray:
        return changed(tree, k, own, **{quantity: value}).inverse_dynamics(**s)

    expected = first(of, np.asarray(at))
    name = f"{link}.{quantity}"
    at_the_models_own = case.robot.inverse_dynamics.derivative(name)(**s)
    assert at_the_models_own.shape == (case.n, *np.shape(at))
    assert_close(at_the_models_own[None], expected[None])
    as_input = case.robot.compile(algorithms.inverse_dynamics, parameters=[name])
    assert_close(as_input.derivative(name)(**s, **{name: at})[None], expected[None])


def test_inertia_and_velocity_together(ur5: Case) -> None:
    """d2 tau / d mass d qd: the parameter as an input with another value than the model's."""
    s, name = random_states(6, 5, seed=87), "forearm_link.mass"
    function = ur5.robot.compile(algorithms.inverse_dynamics, parameters=[name])
    by = function.derivative(name, "qd")
    one, two = (by(s.q, s.qd, s.qdd, **{name: m}) for m in (1.0, 3.0))
    assert by.function.result._fields == ("d_forearm_link_mass", "d_qd")
    assert_close(one.d_forearm_link_mass, two.d_forearm_link_mass)  # tau is linear in the mass
    mixed = by.derivative(name)(s.q, s.qd, s.qdd, **{name: 2.0})
    assert_close(mixed.d_qd_d_forearm_link_mass, (two.d_qd - one.d_qd) / 2.0)


@pytest.mark.parametrize("seed", SEEDS)
def test_by_gravity(seed: int) -> None:
    case, tree = small_tree(seed)
    s = state(case, seed)
    expected = first(lambda g: tree.inverse_dynamics(**s, gravity=g), case.robot.gravity)
    assert_close(case.robot.inverse_dynamics.derivative("gravity")(**s)[None], expected[None])


@pytest.mark.parametrize("seed", SEEDS)
def test_accelerations_by_the_mass_they_move(seed: int) -> None:
    case, tree = small_tree(seed)
    s, (link, k) = random_states(case.n, 1, seed=88), link_and_body(seed)
    own = case.robot.model.link(link).inertia
    q, qd, tau = s.q[0], s.qd[0], s.tau[0]
    expected = first(lambda m: changed(tree, k, own, mass=m).forward_dynamics(q, qd, tau), np.asarray(own.mass))
    actual = case.robot.forward_dynamics.derivative(f"{link}.mass")(q, qd, tau)
    condition = np.linalg.cond(case.robot.mass_matrix(q))
    assert_close(actual[None], expected[None], relative=max(1e-12, 1e-15 * condition))


def test_by_the_tip_wrench_it_is_the_transposed_jacobian(tree: Case) -> None:
    s = random_states(tree.n, 5, seed=89)
    by_wrench = tree.robot.inverse_dynamics.derivative("f_tip")(s.q, s.qd, s.qdd, s.f_tip)
    assert_close(by_wrench, np.swapaxes(tree.robot.jacobian(s.q), 1, 2))


def test_the_oracle_moves_wrenches_as_it_should() -> None:
    """The differences see what they should: d/dq of a pure turn's transform."""
    turn = first(
        lambda a: motion_transform(exact(np.eye(3)) * mpf(1), np.array([a, 0, 0], dtype=object)), np.array(0.3)
    )
    assert turn.shape == (6, 6)
    assert np.abs(turn).sum() == 2.0
