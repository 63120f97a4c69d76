"""First derivatives of inverse and forward dynamics: Pinocchio, 50 digits, program differentiation.

Comparisons with Pinocchio are of the bare body, without damping and friction.
"""

from functools import cache

import numpy as np
import pinocchio as pin
import pytest

import armdyn
from armdyn import algorithms
from armdyn.program import derivative
from oracles.cases import CASES, Case, grown
from oracles.differences import first
from oracles.newton_euler_mp import ExactTree
from oracles.plain import compiled_unless_large
from oracles.short_run import short_run
from oracles.states import States, assert_close, random_states
from oracles.trees import random_tree, to_armdyn


def states(n: int, count: int = 10, seed: int = 301) -> States:
    return random_states(n, count, seed=seed)


def in_order(case: Case, matrix: np.ndarray) -> np.ndarray:
    return matrix[np.ix_(case.column, case.column)]


def pinocchio_inverse(case: Case, q, qd, qdd, f_tip=None) -> list[np.ndarray]:
    arguments = [case.pin_q(q), case.to_pin(qd), case.to_pin(qdd)]
    arguments += [] if f_tip is None else [case.external(f_tip)]
    by_q, by_qd, by_qdd = pin.computeRNEADerivatives(case.pin, case.data, *arguments)
    M = np.triu(by_qdd) + np.triu(by_qdd, 1).T
    return [in_order(case, m) for m in (by_q, by_qd, M)]


def pinocchio_forward(case: Case, q, qd, tau, f_tip=None) -> list[np.ndarray]:
    arguments = [case.pin_q(q), case.to_pin(qd), case.to_pin(tau)]
    arguments += [] if f_tip is None else [case.external(f_tip)]
    by_q, by_qd, by_tau = pin.computeABADerivatives(case.pin, case.data, *arguments)
    inverse = np.triu(by_tau) + np.triu(by_tau, 1).T
    return [in_order(case, m) for m in (by_q, by_qd, inverse)]


def stacked(rows: list[list[np.ndarray]]) -> list[np.ndarray]:
    return [np.array(column) for column in zip(*rows, strict=True)]


@pytest.mark.parametrize("with_tip", [False, True])
def test_inverse_dynamics_against_pinocchio(case: Case, with_tip: bool) -> None:
    s = states(case.n)
    arrays = (s.q, s.qd, s.qdd, s.f_tip) if with_tip else (s.q, s.qd, s.qdd)
    actual = compiled_unless_large(case.robot.inverse_dynamics_derivatives, *arrays)
    expected = stacked([pinocchio_inverse(case, *x) for x in zip(*arrays, strict=True)])
    assert actual._fields == ("d_q", "d_qd", "d_qdd")
    for ours, theirs in zip(actual, expected, strict=True):
        assert_close(ours, theirs)


@pytest.mark.short_run("random_tree-False")
@pytest.mark.parametrize("with_tip", [False, True])
def test_forward_dynamics_against_pinocchio(case: Case, with_tip: bool) -> None:
    s = states(case.n)
    arrays = (s.q, s.qd, s.tau, s.f_tip) if with_tip else (s.q, s.qd, s.tau)
    actual = compiled_unless_large(case.robot.forward_dynamics_derivatives, *arrays)
    expected = stacked([pinocchio_forward(case, *x) for x in zip(*arrays, strict=True)])
    assert actual._fields == ("d_q", "d_qd", "d_tau")
    condition = max(np.linalg.cond(M) for M in case.robot.mass_matrix(s.q))
    for ours, theirs in zip(actual, expected, strict=True):
        assert_close(ours, theirs, relative=max(1e-12, 1e-15 * condition))


@cache
def small_tree(seed: int, right_angled: bool) -> tuple[Case, ExactTree]:
    """Five joints, some of them slides, on branches."""
    case = grown(seed, 5, right_angled)
    return case, ExactTree.of_urdf(case.urdf, case.robot.joint_names, case.robot.gravity)


TREES = [(71, False), (72, True), (73, False), (74, False)]


def test_the_small_trees_have_slides_and_branches() -> None:
    robots = [small_tree(*which)[0].robot for which in TREES]
    assert any(j.kind == "prismatic" for r in robots for j in r.joints)
    assert any(sum(j.parent == link for j in r.joints) > 1 for r in robots for link in r.link_names[1:])


@pytest.mark.slow
@pytest.mark.parametrize("which", TREES)
def test_inverse_dynamics_in_50_digits(which: tuple[int, bool]) -> None:
    case, exact = small_tree(*which)
    s = states(case.n, 2, seed=which[0])
    actual = case.robot.inverse_dynamics_derivatives(s.q, s.qd, s.qdd)
    for k in range(2):
        q, qd, qdd = s.q[k], s.qd[k], s.qdd[k]
        expected = (
            first(lambda x: exact.inverse_dynamics(x, qd, qdd), q),  # noqa: B023
            first(lambda x: exact.inverse_dynamics(q, x, qdd), qd),  # noqa: B023
            first(lambda x: exact.inverse_dynamics(q, qd, x), qdd),  # noqa: B023
        )
        for ours, theirs in zip(actual, expected, strict=True):
            assert_close(ours[k : k + 1], theirs[None])


@pytest.mark.short_run("which0")
@pytest.mark.parametrize("which", TREES[:2])
def test_forward_dynamics_in_50_digits(which: tuple[int, bool]) -> None:
    case, exact = small_tree(*which)
    s = states(case.n, 1, seed=which[0])
    q, qd, tau = s.q[0], s.qd[0], s.tau[0]
    actual = case.robot.forward_dynamics_derivatives(q, qd, tau)
    expected = (
        first(lambda x: exact.forward_dynamics(x, qd, tau), q),
        first(lambda x: exact.forward_dynamics(q, x, tau), qd),
        first(lambda x: exact.forward_dynamics(q, qd, x), tau),
    )
    condition = np.linalg.cond(case.robot.mass_matrix(q))
    for ours, theirs in zip(actual, expected, strict=True):
        assert_close(ours[None], theirs[None], relative=max(1e-12, 1e-15 * condition))


def general_arrays(robot: armdyn.Robot, seed: int) -> dict[str, np.ndarray]:
    """All arrays that inverse dynamics takes, the base in motion and wrenches on all links."""
    rng, s = np.random.default_rng(seed), states(robot.dof, 10, seed=seed)
    return {
        "q": s.q, "qd": s.qd, "qdd": s.qdd, "f_tip": s.f_tip,
        "base_twist": rng.normal(0.0, 1.5, (10, 6)), "base_twist_rate": rng.normal(0.0, 4.0, (10, 6)),
        "f_ext": rng.normal(0.0, 8.0, (10, len(robot.link_names), 6)),
    }  # fmt: skip


def armatures(seed: int) -> armdyn.Robot:
    """A tree of turns and slides whose joints have rotors."""
    import dataclasses

    model = to_armdyn(random_tree(seed, 6))
    joints = tuple(dataclasses.replace(j, armature=0.1 + 0.2 * k) for k, j in enumerate(model.joints))
    return armdyn.Robot(model.replace(joints=joints))


ROBOTS = {
    **{name: (lambda name=name: CASES[name]().robot) for name in ("ur5", "panda_fingers", "random_tree")},
    "armatures": lambda: armatures(75),
    "bundled stanford": lambda: armdyn.load("stanford", gravity=(1.0, -2.0, 3.0)),
}


@pytest.mark.short_run("random_tree")
@pytest.mark.parametrize("name", short_run(ROBOTS, "ur5", "random_tree", "armatures"))
def test_inverse_dynamics_against_its_own_program_differentiated(name: str) -> None:
    """With everything that inverse dynamics takes: Pinocchio's derivatives know no moving base."""
    robot = ROBOTS[name]()
    arrays = general_arrays(robot, seed=302)
    actual = robot.inverse_dynamics_derivatives(**arrays)
    expected = robot.inverse_dynamics.derivative("q", "qd", "qdd")(**arrays)
    for ours, theirs in zip(actual, expected, strict=True):
        assert_close(ours, theirs)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["ur5", "random_tree", "armatures"])
def test_forward_dynamics_against_its_own_program_differentiated(name: str) -> None:
    robot = ROBOTS[name]()
    arrays = general_arrays(robot, seed=303)
    arrays["tau"] = arrays.pop("qdd") * 4.0
    actual = robot.forward_dynamics_derivatives(**arrays)
    expected = robot.forward_dynamics.derivative("q", "qd", "tau")(**arrays)
    condition = max(np.linalg.cond(M) for M in robot.mass_matrix(arrays["q"]))
    for ours, theirs in zip(actual, expected, strict=True):
        assert_close(ours, theirs, relative=max(1e-12, 1e-14 * condition))


@pytest.mark.short_run("random_tree")
def test_they_undo_each_other(case: Case) -> None:
    """At matching states d tau/d qdd d qdd/d x + d tau/d x = 0, and d tau/d qdd d qdd/d tau = 1."""
    s = states(case.n, 5, seed=304)
    tau = case.robot.inverse_dynamics(s.q, s.qd, s.qdd)
    inverse = compiled_unless_large(case.robot.inverse_dynamics_derivatives, s.q, s.qd, s.qdd)
    forward = compiled_unless_large(case.robot.forward_dynamics_derivatives, s.q, s.qd, tau)
    condition = max(np.linalg.cond(M) for M in inverse.d_qdd)
    relative = max(1e-12, 1e-14 * condition)
    assert_close(-inverse.d_qdd @ forward.d_q, inverse.d_q, relative)
    assert_close(-inverse.d_qdd @ forward.d_qd, inverse.d_qd, relative)
    assert_close(inverse.d_qdd @ forward.d_tau, np.broadcast_to(np.eye(case.n), (5, case.n, case.n)), relative)


def test_velocity_derivative_is_twice_the_coriolis_matrix(case: Case) -> None:
    """Its product with qd is twice the velocity forces, its sum with its transpose twice Mdot."""
    s = states(case.n, 5, seed=305)
    by_qd = case.robot.inverse_dynamics_derivatives(s.q, s.qd, s.qdd).d_qd
    assert_close(np.einsum("kij,kj->ki", by_qd, s.qd), 2.0 * case.robot.velocity_forces(s.q, s.qd))
    Mdot = case.robot.mass_matrix.jvp("q")(s.q, tangent_q=s.qd)
    assert_close(by_qd + np.swapaxes(by_qd, 1, 2), 2.0 * Mdot)


def test_on_plain_numbers(tree: Case) -> None:
    """The algorithms themselves, on floats."""
    s = states(tree.n, 1, seed=306)
    for own, arrays in (
        (algorithms.inverse_dynamics_derivatives, (s.q[0], s.qd[0], s.qdd[0])),
        (algorithms.forward_dynamics_derivatives, (s.q[0], s.qd[0], s.tau[0])),
    ):
        plain = own(tree.robot.mechanism, *arrays)
        for actual, expected in zip(plain, getattr(tree.robot, own.name)(*arrays), strict=True):
            assert_close(np.asarray(actual, dtype=float)[None], expected[None])


def test_differentiating_the_recursion_on_plain_numbers(tree: Case) -> None:
    s, model = states(tree.n, 1, seed=307), tree.robot.mechanism
    q, qd, qdd = s.q[0], s.qd[0], s.qdd[0]
    actual = derivative(lambda x: algorithms.inverse_dynamics(model, x, qd, qdd), q)
    assert_close(actual[None], pinocchio_inverse(tree, q, qd, qdd)[0][None])


COUNTS = {  # multiplications and additions of all first derivatives, gravity along the first axis
    ("ur5", "inverse_dynamics_derivatives"): "647m + 560a + 10t",
    ("panda_locked", "inverse_dynamics_derivatives"): "1282m + 1141a + 12t",
}
AT_MOST = {"ur5": 2400, "panda_locked": 5000}


@pytest.mark.short_run("ur5-inverse_dynamics_derivatives")
@pytest.mark.parametrize(("name", "function"), COUNTS)
def test_operation_counts(name: str, function: str) -> None:
    counts = getattr(CASES[name]().robot.with_gravity([0.0, 0.0, -9.81]), function).op_counts
    assert str(counts) == COUNTS[name, function]
    assert counts.multiplications + counts.additions <= AT_MOST[name]


@pytest.mark.parametrize("name", ["ur5", "panda_locked", "random_tree"])
def test_the_recursion_is_shorter_than_the_differentiated_program(name: str) -> None:
    robot = CASES[name]().robot
    by_hand, by_program = (
        f.op_counts for f in (robot.inverse_dynamics_derivatives, robot.inverse_dynamics.derivative("q", "qd", "qdd"))
    )
    assert by_hand.multiplications + by_hand.additions < by_program.multiplications + by_program.additions
