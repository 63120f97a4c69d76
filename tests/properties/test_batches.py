"""A batch is its states one by one, in any shape, precision, layout and number of threads."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from armdyn import Robot, algorithms
from armdyn.algorithms import Function
from oracles.cases import CASES, Case
from oracles.short_run import short_run
from oracles.states import as_tuple, assert_close, general_arguments, random_states

DECLARED = {name: f for name in algorithms.__all__ if isinstance(f := getattr(algorithms, name), Function)}
FUNCTIONS = {name: f for name, f in DECLARED.items() if not f.required_options}
TYPICAL = ("inverse_dynamics", "mass_matrix", "forward_dynamics", "forward_kinematics", "kinetic_energy", "link_poses")


def arguments(name: str, robot: Robot, count: int) -> list[np.ndarray]:
    return list(general_arguments(FUNCTIONS[name], robot, count, seed=111).values())


def assert_same(one: object, other: object) -> None:
    """To the last bit, result by result."""
    for a, b in zip(as_tuple(one), as_tuple(other), strict=True):
        np.testing.assert_array_equal(a, b)


@pytest.mark.short_run(
    without=(
        "ur5-closed_form",
        "random_tree-closed_form",
        "ur5-forward_dynamics_derivatives",
        "ur5-lagrangian_gradient_regressor",
        "ur5-regressor",
        "ur5-inverse_dynamics_derivatives",
        "ur5-momentum_regressor",
        "random_tree-forward_dynamics_derivatives",
        "random_tree-lagrangian_gradient_regressor",
        "random_tree-regressor",
    )
)
@pytest.mark.parametrize("name", FUNCTIONS)
def test_batch_is_its_states(case: Case, name: str) -> None:
    method, arrays = getattr(case.robot, name), arguments(name, case.robot, 9)
    one_by_one = [as_tuple(method(*x)) for x in zip(*arrays, strict=True)]
    assert_same(method(*arrays), tuple(map(np.array, zip(*one_by_one, strict=True))))


@pytest.mark.parametrize("name", short_run(FUNCTIONS, *TYPICAL))
def test_single_precision(ur5: Case, name: str) -> None:
    """float32 in, float32 out, and its values to float32's rounding of a few hundred operations."""
    method, arrays = getattr(ur5.robot, name), arguments(name, ur5.robot, 50)
    single = [a.astype(np.float32) for a in arrays]
    solves = name.startswith(("forward_dynamics", "constrained"))
    amplification = np.linalg.cond(ur5.robot.mass_matrix(arrays[0])).max() / 10 if solves else 1.0
    for low, high in zip(
        as_tuple(method(*single)), as_tuple(method(*(a.astype(np.float64) for a in single))), strict=True
    ):
        assert low.dtype == np.float32
        assert high.dtype == np.float64
        # single values of an energy may cross zero: relative to the largest
        scale = np.abs(high.reshape(50, -1)).max(axis=1) if high.ndim > 1 else np.abs(high).max()
        error = np.abs(low.astype(float) - high).reshape(50, -1).max(axis=1)
        assert (error <= 1e-5 * max(1.0, amplification) * scale).all()


@pytest.mark.parametrize("name", short_run(FUNCTIONS, *TYPICAL))
def test_workers_change_nothing(tree: Case, name: str) -> None:
    method, arrays = getattr(tree.robot, name), arguments(name, tree.robot, 303)
    serial = method(*arrays)
    for workers in (2, -1, 5, 1):
        assert_same(method(*arrays, workers=workers), serial)


def test_workers_with_broadcasting_and_out(ur5: Case) -> None:
    s = random_states(6, 5000, seed=112)
    out = np.empty((3, 5000, 6))
    q = s.q[:3, None, :]
    result = ur5.robot.inverse_dynamics(q, s.qd, s.qdd[0], s.f_tip, out=out, workers=2)
    assert result is out
    np.testing.assert_array_equal(out, ur5.robot.inverse_dynamics(q, s.qd, s.qdd[0], s.f_tip))


@pytest.mark.parametrize("shape", [(), (1,), (7,), (2, 3), (2, 1, 4)], ids=str)
def test_any_batch_shape(ur5: Case, shape: tuple[int, ...]) -> None:
    q = np.random.default_rng(113).normal(size=(*shape, 6))
    M = ur5.robot.mass_matrix(q)
    assert M.shape == (*shape, 6, 6)
    flat = np.array([ur5.robot.mass_matrix(x) for x in q.reshape(-1, 6)])
    np.testing.assert_array_equal(M.reshape(-1, 6, 6), flat)


def test_leading_axes_broadcast(ur5: Case) -> None:
    s = random_states(6, 4, seed=114)
    tau = ur5.robot.inverse_dynamics(s.q[:, None, :], s.qd[None, :3, :], s.qdd[0])
    assert tau.shape == (4, 3, 6)
    for i in range(4):
        for j in range(3):
            np.testing.assert_array_equal(tau[i, j], ur5.robot.inverse_dynamics(s.q[i], s.qd[j], s.qdd[0]))


def test_out_is_filled_and_returned(ur5: Case) -> None:
    s, out = random_states(6, 10, seed=115), np.full((10, 6), np.nan)
    assert ur5.robot.gravity_forces(s.q, out=out) is out
    np.testing.assert_array_equal(out, ur5.robot.gravity_forces(s.q))


def test_lists_and_integers_are_numbers(ur5: Case) -> None:
    q = [1, 0, 2, -1, 0, 1]
    expected = ur5.robot.mass_matrix(np.array(q, dtype=float))
    for same in (q, tuple(q), np.array(q), np.array(q, dtype=np.int32), [float(x) for x in q]):
        result = ur5.robot.mass_matrix(same)
        assert result.dtype == np.float64
        np.testing.assert_array_equal(result, expected)


def test_inputs_are_not_written_to(ur5: Case) -> None:
    s = random_states(6, 10, seed=116)
    before = [a.copy() for a in s]
    for a in s:
        a.setflags(write=False)
    ur5.robot.inverse_dynamics(s.q, s.qd, s.qdd, s.f_tip)
    ur5.robot.forward_dynamics(s.q, s.qd, s.tau, s.f_tip, workers=2)
    for a, b in zip(s, before, strict=True):
        np.testing.assert_array_equal(a, b)


def test_keywords_are_positions(ur5: Case) -> None:
    s = random_states(6, 3, seed=117)
    expected = ur5.robot.inverse_dynamics(s.q, s.qd, s.qdd, s.f_tip)
    np.testing.assert_array_equal(ur5.robot.inverse_dynamics(s.q, f_tip=s.f_tip, qdd=s.qdd, qd=s.qd), expected)


layouts = st.sampled_from(["C", "F", "reversed", "strided", "offset", "big-endian"])


def laid_out(a: np.ndarray, layout: str) -> np.ndarray:
    """The same numbers elsewhere in memory."""
    if layout == "F":
        return np.asfortranarray(a)
    if layout == "reversed":
        return a[::-1, ::-1].copy()[::-1, ::-1]
    if layout == "strided":
        wide = np.full((a.shape[0] * 2, a.shape[1] * 3), np.nan)
        wide[::2, ::3] = a
        return wide[::2, ::3]
    if layout == "offset":
        return np.frombuffer(b"\0" * 4 + a.tobytes(), dtype=float, offset=4).reshape(a.shape)
    return a.astype(">f8") if layout == "big-endian" else a


@settings(max_examples=40, deadline=None, derandomize=True)
@given(st.integers(0, 40), layouts, layouts, layouts)
def test_any_count_and_memory_layout(count: int, a: str, b: str, c: str) -> None:
    robot = CASES["ur5"]().robot
    s = random_states(6, max(count, 1), seed=118)
    q, qd, qdd = s.q[:count], s.qd[:count], s.qdd[:count]
    expected = np.array([robot.inverse_dynamics(*x) for x in zip(q, qd, qdd, strict=True)]).reshape(count, 6)
    np.testing.assert_array_equal(robot.inverse_dynamics(laid_out(q, a), laid_out(qd, b), laid_out(qdd, c)), expected)


angles = st.floats(-1e3, 1e3)


@settings(max_examples=100, deadline=None, derandomize=True)
@given(*(st.lists(angles, min_size=6, max_size=6) for _ in range(3)))
def test_any_finite_state_of_the_ur5_obeys_its_equations(q: list[float], qd: list[float], qdd: list[float]) -> None:
    robot = CASES["ur5"]().robot
    tau = robot.inverse_dynamics(q, qd, qdd)
    parts = robot.mass_matrix(q) @ qdd + robot.bias_forces(q, qd)
    size = np.abs(tau).max() + np.abs(robot.velocity_forces(q, qd)).max() + np.abs(robot.gravity_forces(q)).max()
    assert np.abs(tau - parts).max() <= 1e-12 * max(size, np.abs(qdd).max())


@settings(max_examples=60, deadline=None, derandomize=True)
@given(st.lists(angles, min_size=5, max_size=5))
def test_mass_matrix_of_any_position_is_positive_definite(q: list[float]) -> None:
    M = CASES["random_tree"]().robot.mass_matrix(q)
    np.testing.assert_array_equal(M, M.T)
    np.linalg.cholesky(M)


def test_single_is_bit_for_bit_a_batch_of_one(ur5: Case) -> None:
    q = random_states(6, 1).q
    np.testing.assert_array_equal(assert_is_array(ur5.robot.mass_matrix(q[0])), ur5.robot.mass_matrix(q)[0])


def assert_is_array(a: np.ndarray) -> np.ndarray:
    assert isinstance(a, np.ndarray)
    return a


def test_scalar_results_are_numbers(ur5: Case) -> None:
    s = random_states(6, 2)
    assert np.ndim(ur5.robot.kinetic_energy(s.q[0], s.qd[0])) == 0
    assert float(ur5.robot.kinetic_energy(s.q[0], s.qd[0])) == ur5.robot.kinetic_energy(s.q, s.qd)[0]
    assert_close(np.atleast_1d(ur5.robot.potential_energy(s.q[0])), ur5.robot.potential_energy(s.q)[:1])
