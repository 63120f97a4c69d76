"""The Coriolis matrix and what is made of it, on every robot: Pinocchio, identities, couplings."""

import numpy as np
import pinocchio as pin
import pytest

import armdyn
from oracles.cases import CASES, Case
from oracles.coupled import coupled, with_armature
from oracles.short_run import short_run
from oracles.states import assert_close, random_states
from oracles.trees import random_tree, slides_between_turns, to_armdyn, to_pinocchio

EPS = np.finfo(float).eps


def times(matrices: np.ndarray, vectors: np.ndarray) -> np.ndarray:
    return np.einsum("...ij,...j->...i", matrices, vectors)


def transposed(matrices: np.ndarray) -> np.ndarray:
    return np.swapaxes(matrices, -1, -2)


def test_it_gives_the_velocity_forces(case: Case) -> None:
    s, robot = random_states(case.n, 20, seed=201), case.robot
    assert_close(times(robot.coriolis_matrix(s.q, s.qd), s.qd), robot.velocity_forces(s.q, s.qd))


def test_velocity_forces_are_pinocchios(case: Case) -> None:
    """Pinocchio's own matrix is another one: C qd agrees, and C + C^T."""
    s, robot = random_states(case.n, 10, seed=202), case.robot
    C = robot.coriolis_matrix(s.q, s.qd)
    for ours, q, qd in zip(C, s.q, s.qd, strict=True):
        theirs = pin.computeCoriolisMatrix(case.pin, case.data, case.pin_q(q), case.to_pin(qd))
        theirs = theirs[np.ix_(case.column, case.column)]
        assert_close((ours @ qd)[None], (theirs @ qd)[None])
        assert_close((ours + ours.T)[None], (theirs + theirs.T)[None])


def test_rate_of_the_mass_matrix_less_twice_it_is_skew(case: Case) -> None:
    """Element by element, to rounding (Modern Robotics, Proposition 8.1)."""
    s, robot = random_states(case.n, 20, seed=203), case.robot
    C, Mdot = robot.coriolis_matrix(s.q, s.qd), robot.mass_matrix_dot(s.q, s.qd)
    N = Mdot - 2.0 * C
    scale = np.abs(N).max(axis=(1, 2), keepdims=True)
    assert (np.abs(N + transposed(N)) <= 64 * EPS * scale).all()
    np.testing.assert_array_equal(Mdot, transposed(Mdot))


def test_by_christoffel_symbols_it_is_symmetric_in_the_two_velocities(case: Case) -> None:
    """C(q, u) v = C(q, v) u, which no other factorisation does."""
    s, C = random_states(case.n, 20, seed=204), case.robot.coriolis_matrix
    assert_close(times(C(s.q, s.qd), s.qdd), times(C(s.q, s.qdd), s.qd))


def test_it_is_half_the_derivative_of_the_velocity_forces(case: Case) -> None:
    from armdyn.program import interpret

    s, robot = random_states(case.n, 5, seed=205), case.robot
    (derivative,) = interpret(robot.velocity_forces.program().derivative(wrt=["qd"]), s.q, s.qd)
    assert_close(robot.coriolis_matrix(s.q, s.qd), 0.5 * derivative)


def test_transposed_without_the_matrix(case: Case) -> None:
    s, robot = random_states(case.n, 20, seed=206), case.robot
    C = robot.coriolis_matrix(s.q, s.qd)
    assert_close(robot.transposed_coriolis_forces(s.q, s.qd, s.tau), times(transposed(C), s.tau))
    assert_close(robot.transposed_coriolis_forces(s.q, s.qd), times(transposed(C), s.qd))


def test_transposed_and_itself_meet_in_the_power_of_the_changing_mass(case: Case) -> None:
    """v . C qd = qd . C^T v."""
    s, robot = random_states(case.n, 20, seed=207), case.robot
    one = np.einsum("ki,ki->k", s.tau, robot.velocity_forces(s.q, s.qd))
    other = np.einsum("ki,ki->k", s.qd, robot.transposed_coriolis_forces(s.q, s.qd, s.tau))
    assert np.abs(one - other).max() <= 1e-12 * np.abs(one).max()


@pytest.mark.parametrize("name", short_run(["ur5", "random_tree", "right_angled_tree"], "random_tree"))
def test_coupled_joints(name: str) -> None:
    """With q_joints = A q + b and A constant, C = A^T C_joints A, and so on."""
    some = coupled(CASES[name]().robot, 4, seed=1)
    s = random_states(4, 10, seed=208)
    at = some.joints(s.q), some.rates(s.qd)
    C, Mdot = some.free.coriolis_matrix(*at), some.free.mass_matrix_dot(*at)
    assert_close(some.robot.coriolis_matrix(s.q, s.qd), some.A.T @ C @ some.A)
    assert_close(some.robot.mass_matrix_dot(s.q, s.qd), some.A.T @ Mdot @ some.A)
    transposed_forces = some.free.transposed_coriolis_forces(*at, some.rates(s.tau))
    assert_close(some.robot.transposed_coriolis_forces(s.q, s.qd, s.tau), transposed_forces @ some.A)
    assert_close(times(some.robot.coriolis_matrix(s.q, s.qd), s.qd), some.robot.velocity_forces(s.q, s.qd))


def test_rotors_and_gravity_do_not_count(tree: Case) -> None:
    s = random_states(tree.n, 5, seed=209)
    other = with_armature(tree.robot.with_gravity([1.0, 2.0, 3.0]))
    for name in ("coriolis_matrix", "mass_matrix_dot", "transposed_coriolis_forces"):
        np.testing.assert_array_equal(getattr(other, name)(s.q, s.qd), getattr(tree.robot, name)(s.q, s.qd))


@pytest.mark.slow
@pytest.mark.parametrize("right_angled", [False, True])
def test_tree_of_twelve_joints(right_angled: bool) -> None:
    robot = armdyn.Robot(to_armdyn(random_tree(77, 12, right_angled=right_angled)))
    s = random_states(12, 5, seed=210)
    C = robot.coriolis_matrix(s.q, s.qd)
    assert_close(times(C, s.qd), robot.velocity_forces(s.q, s.qd))
    assert_close(C + transposed(C), robot.mass_matrix_dot(s.q, s.qd))
    assert_close(times(transposed(C), s.tau), robot.transposed_coriolis_forces(s.q, s.qd, s.tau))


def test_branches_do_not_meet() -> None:
    """Joints of different arms on one base: exact zeros, and not one operation for them."""
    robot = armdyn.Robot(to_armdyn(random_tree(78, 6)))
    apart = robot.mass_matrix(np.full(6, 0.3)) == 0.0
    assert apart.any()
    assert (robot.coriolis_matrix(np.full(6, 0.3), np.ones(6))[apart] == 0.0).all()


def test_operation_counts_stay_what_they_are(ur5: Case, panda: Case) -> None:
    """Multiplications and additions; a change that makes them more has to say why."""
    most = {
        "coriolis_matrix": (349, 1192),
        "mass_matrix_dot": (314, 810),
        "transposed_coriolis_forces": (126, 331),
        "christoffel": (164, 870),
        "generalized_momentum": (136, 310),
        "inverse_mass_matrix": (320, 720),
    }
    for name, limits in most.items():
        for case, limit in zip((ur5, panda), limits, strict=True):
            counts = getattr(case.robot, name).op_counts
            assert counts.multiplications + counts.additions <= limit, f"{name} of {case.name}: {counts}"


def test_a_slide_between_links_that_turn() -> None:
    """What it carries turns, and so moves the moments of all that carry it: Pinocchio's C + C^T and C qd."""
    tree = slides_between_turns()
    case = Case(tree.name, armdyn.Robot(to_armdyn(tree)), to_pinocchio(tree))
    s = random_states(case.n, 5, seed=219)
    for q, qd in zip(s.q, s.qd, strict=True):
        C = pin.computeCoriolisMatrix(case.pin, case.data, case.pin_q(q), case.to_pin(qd))
        C = C[np.ix_(case.column, case.column)]
        assert_close(case.robot.mass_matrix_dot(q, qd)[None], (C + C.T)[None])
        ours = case.robot.coriolis_matrix(q, qd)
        assert_close((ours + ours.T)[None], (C + C.T)[None])
        assert_close((ours @ qd)[None], (C @ qd)[None])
