"""Joint velocities and accelerations from the tip's, against Pinocchio, differences of paths, and linear algebra."""

import numpy as np
import pinocchio as pin
import pytest

import armdyn
from armdyn.base.errors import ArmdynError, ShapeError, UnknownName
from armdyn.functions import CompiledFunction
from armdyn.kinematics import TaskError
from armdyn.kinematics.motion import frame_motion
from armdyn.kinematics.singular import Decomposition
from kinematics.arms import chain
from oracles.cases import ANGULAR_FIRST, Case
from oracles.states import assert_close, random_states

WAYS = {
    "body": pin.ReferenceFrame.LOCAL,
    "space": pin.ReferenceFrame.WORLD,
    "world": pin.ReferenceFrame.LOCAL_WORLD_ALIGNED,
}


def drift_by_pinocchio(case: Case, q: np.ndarray, qd: np.ndarray, way: str) -> np.ndarray:
    """Jdot qd, from Pinocchio's own time derivative of the frame's Jacobian."""
    pin.computeJointJacobiansTimeVariation(case.pin, case.data, case.pin_q(q), case.to_pin(qd))
    pin.updateFramePlacements(case.pin, case.data)
    frame = case.pin.getFrameId(case.robot.tip)
    return (pin.getFrameJacobianTimeVariation(case.pin, case.data, frame, WAYS[way]) @ case.to_pin(qd))[ANGULAR_FIRST]


@pytest.mark.parametrize("way", WAYS)
def test_jacobian_and_drift(case: Case, way: str) -> None:
    s = random_states(case.n, 10, seed=1)
    J, drift = CompiledFunction(case.robot, frame_motion)(s.q, s.qd, expressed_in=way)
    assert_close(J, case.robot.jacobian(s.q, expressed_in=way))
    expected = np.array([drift_by_pinocchio(case, q, qd, way) for q, qd in zip(s.q, s.qd, strict=True)])
    size = np.abs(J).max() * np.square(s.qd).sum(axis=1, keepdims=True)  # of the terms, which may cancel
    assert (np.abs(drift - expected) <= 1e-13 * size).all()
    dot = np.einsum("kij,kj->ki", case.robot.jacobian_dot(s.q, s.qd, expressed_in=way), s.qd)
    assert (np.abs(drift - dot) <= 1e-13 * size).all()


def test_drift_of_a_point_is_that_of_a_frame_there(panda: Case) -> None:
    """v and its derivative at a point p of the frame: v + w x p, dv + dw x p in the frame's own axes."""
    s, p = random_states(panda.n, 10, seed=2), np.array([0.3, -0.2, 0.5])
    motion = CompiledFunction(panda.robot, frame_motion)
    (J0, d0), (J1, d1) = motion(s.q, s.qd), motion(s.q, s.qd, point=tuple(p))
    assert_close(J1[:, 3:], J0[:, 3:] + np.cross(J0[:, :3], p[None, :, None], axis=1))
    assert_close(d1[:, 3:], d0[:, 3:] + np.cross(d0[:, :3], p))


@pytest.mark.parametrize("way", WAYS)
def test_rates_and_accelerations_are_recovered(ur5: Case, way: str) -> None:
    """Square and regular: from qd and qdd to the tip and back."""
    s = random_states(6, 200, seed=3)
    twist = np.einsum("kij,kj->ki", ur5.robot.jacobian(s.q, expressed_in=way), s.qd)
    rates = ur5.robot.joint_rates(s.q, twist, expressed_in=way)
    regular = rates.condition < 1e3
    assert regular.sum() > 150
    assert not rates.near_singular[regular].any()
    assert_close(rates.values[regular], s.qd[regular], 1e-11)
    drift = np.array([drift_by_pinocchio(ur5, q, qd, way) for q, qd in zip(s.q, s.qd, strict=True)])
    acceleration = np.einsum("kij,kj->ki", ur5.robot.jacobian(s.q, expressed_in=way), s.qdd) + drift
    found = ur5.robot.joint_accelerations(s.q, s.qd, acceleration, expressed_in=way)
    assert_close(found.values[regular], s.qdd[regular], 1e-10)
    assert np.abs(found.missed[regular]).max() < 1e-11 * np.abs(acceleration).max()


def test_path_of_inverse_kinematics() -> None:
    """Along a screw motion of the tip: rates and accelerations are the derivatives of the joint path."""
    from scipy.linalg import expm

    robot = armdyn.load("ur5")
    start = robot.forward_kinematics([0.3, -1.2, 1.4, -0.7, 1.1, 0.2])
    twist = np.array([0.4, -0.3, 0.5, 0.1, 0.2, -0.15])  # constant in the tip's axes
    h, k = 2e-3, np.arange(-4, 5)
    generator = np.zeros((4, 4))
    w, v = twist[:3], twist[3:]
    generator[:3, :3] = [[0, -w[2], w[1]], [w[2], 0, -w[0]], [-w[1], w[0], 0]]
    generator[:3, 3] = v
    T = np.array([start @ expm(generator * h * i) for i in k])
    for i in range(len(T)):  # the product of exponentials leaves 1e-16
        u, _, vt = np.linalg.svd(T[i, :3, :3])
        T[i, :3, :3] = u @ vt
    q = robot.inverse_kinematics(T, [0.3, -1.2, 1.4, -0.7, 1.1, 0.2], tolerance=1e-14, iterations=200, starts=1)
    path = q.q
    assert np.maximum(q.position_error, q.angle_error).max() < 1e-13
    first = np.array([1 / 280, -4 / 105, 1 / 5, -4 / 5, 0, 4 / 5, -1 / 5, 4 / 105, -1 / 280]) / h
    second = np.array([-1 / 560, 8 / 315, -1 / 5, 8 / 5, -205 / 72, 8 / 5, -1 / 5, 8 / 315, -1 / 560]) / h**2
    qd = robot.joint_rates(path[4], twist).values
    np.testing.assert_allclose(first @ path, qd, atol=1e-9)
    qdd = robot.joint_accelerations(path[4], qd, np.zeros(6)).values  # the body twist is constant
    np.testing.assert_allclose(second @ path, qdd, atol=1e-6)


def test_redundant_arms_take_the_least_rates(panda: Case) -> None:
    s = random_states(7, 50, seed=4)
    J = panda.robot.jacobian(s.q)
    twist = s.f_tip / 10
    rates = panda.robot.joint_rates(s.q, twist)
    assert_close(rates.values, np.einsum("kij,kj->ki", np.linalg.pinv(J), twist), 1e-10)
    assert np.abs(rates.missed).max() < 1e-11
    assert (rates.rank == 6).all()


def test_some_components_leave_the_others_free(ur5: Case) -> None:
    s = random_states(6, 20, seed=5)
    rates = ur5.robot.joint_rates(s.q, s.f_tip, expressed_in="world", components=["vz", "vx"])
    got = np.einsum("kij,kj->ki", ur5.robot.jacobian(s.q, expressed_in="world"), rates.values)
    assert_close(got[:, [3, 5]], s.f_tip[:, [3, 5]], 1e-11)
    assert np.abs(rates.missed[:, [0, 1, 2, 4]]).max() == 0.0
    expected = np.einsum(
        "kij,kj->ki", np.linalg.pinv(ur5.robot.jacobian(s.q, expressed_in="world")[:, [3, 5]]), s.f_tip[:, [3, 5]]
    )
    assert_close(rates.values, expected, 1e-11)


def test_deficient_arms_miss_the_least(tree: Case) -> None:
    """Two joints, six components: the least squares of what is missed, lengths in the arm's own length."""
    robot = armdyn.load("planar_2r")
    q, twist = np.array([0.4, 0.7]), np.array([0.3, -0.2, 0.5, 0.7, 0.1, -0.4])
    rates = robot.joint_rates(q, twist)
    scale = np.array([1, 1, 1, 1 / rates.length, 1 / rates.length, 1 / rates.length])
    J = robot.jacobian(q)
    expected = np.linalg.lstsq(J * scale[:, None], twist * scale, rcond=None)[0]
    np.testing.assert_allclose(rates.values, expected, rtol=1e-12)
    np.testing.assert_allclose(rates.missed, twist - J @ expected, rtol=1e-11)
    assert rates.rank == 2
    assert "2 joints cannot give all 6 components" in rates.statement()
    assert "is missed" in rates.statement()


def test_prismatic_joints() -> None:
    robot = chain(1, 7)
    s = random_states(7, 20, seed=6)
    twist = np.einsum("kij,kj->ki", robot.jacobian(s.q), s.qd)
    rates = robot.joint_rates(s.q, twist)
    unit = np.array([1.0 if j.kind == "revolute" else rates.length for j in robot.joints])
    np.testing.assert_allclose(rates.missed, 0, atol=1e-10)
    own = np.linalg.norm(rates.values / unit, axis=1)
    assert (own <= np.linalg.norm(s.qd / unit, axis=1) + 1e-12).all()


def test_wrist_singularity_is_stated(ur5: Case) -> None:
    """With q5 = 0 axes 4 and 6 of the UR5 are parallel: rank 5; the weak direction is the one J^T annuls."""
    robot, q = ur5.robot, np.array([0.3, -1.2, 1.4, -0.7, 0.0, 0.2])
    rates = robot.joint_rates(q, [0.1, 0.2, 0.3, 0.1, 0.1, 0.1])
    assert rates.rank == 5
    assert np.isinf(rates.condition)
    assert rates.near_singular
    assert np.isfinite(rates.values).all()
    scale = np.array([1, 1, 1, rates.length, rates.length, rates.length])
    weak = rates.weak / scale**2  # the wrench (in the measure of lengths) that does no work on any joint
    assert np.abs(robot.jacobian(q).T @ weak).max() < 1e-12
    assert rates.statement().startswith("singular: the joints cannot make the motion along w = ")
    np.testing.assert_allclose(
        robot.jacobian(q) @ rates.values + rates.missed, [0.1, 0.2, 0.3, 0.1, 0.1, 0.1], atol=1e-13
    )


def test_damping_near_a_singularity(ur5: Case) -> None:
    """Bounded where the exact answer grows without bound, exact along all other directions and away from it."""
    robot, twist = ur5.robot, np.array([0.1, 0.2, 0.3, 0.1, 0.1, 0.1])
    angles = np.array([1e-1, 1e-3, 1e-5, 1e-7, 0.0])
    q = np.array([[0.3, -1.2, 1.4, -0.7, angle, 0.2] for angle in angles])
    exact, damped = (robot.joint_rates(q, twist, threshold=1e-2, damping=d) for d in (0.0, 1e-2))
    np.testing.assert_array_equal(exact.values[0], damped.values[0])
    assert exact.near_singular.tolist() == [False, True, True, True, True]
    assert np.abs(exact.values[3]).max() > 1e5
    bound = np.linalg.norm(twist) / (2 * 1e-2 * damped.singular_values[:, 0])
    assert (np.linalg.norm(damped.values, axis=1) <= bound + np.abs(exact.values[0]).max() * 10).all()
    # What is missed is along the weak direction alone.
    scale = np.array([1, 1, 1, *[damped.length] * 3])
    for missed, weak in zip(damped.missed[1:] / scale, damped.weak[1:] / scale, strict=True):
        np.testing.assert_allclose(missed, weak * (weak @ missed), atol=1e-12)
    assert "followed less than asked for" in damped.statement(2)
    assert "followed exactly, at high joint rates" in exact.statement(2)
    assert exact.statement(0).startswith("regular (singular values ")


def test_batches_broadcast_and_bad_states_stay_alone(ur5: Case) -> None:
    s = random_states(6, 4, seed=7)
    rates = ur5.robot.joint_rates(s.q[:, None], s.f_tip[None, :3])
    assert rates.values.shape == (4, 3, 6)
    assert rates.rank.shape == (4, 3)
    one = ur5.robot.joint_rates(s.q[2], s.f_tip[1])
    assert_close(rates.values[2, 1], one.values)
    q = s.q.copy()
    q[1, 2] = np.nan
    holed = ur5.robot.joint_rates(q, s.f_tip)
    assert np.isnan(holed.values[1]).all()
    assert holed.statement(1).startswith("not a number")
    assert_close(np.delete(holed.values, 1, 0), np.delete(ur5.robot.joint_rates(s.q, s.f_tip).values, 1, 0))
    assert holed.near_singular[1]


REFUSED = [
    ({"twist": np.zeros(5)}, ShapeError, r"twist has shape \(5,\); expected \(\.\.\., 6\), angular part first: wx"),
    ({"q": np.zeros(5)}, ShapeError, r"q has shape \(5,\); expected \(\.\.\., 6\), one value per joint of 'ur5'"),
    (
        {"q": np.zeros((2, 6)), "twist": np.zeros((3, 6))},
        ShapeError,
        r"do not broadcast .*: q \(2,\), twist \(3,\)",
    ),
    ({"expressed_in": "tool"}, UnknownName, "no way 'tool'"),
    ({"components": ["vx", "va"]}, UnknownName, "no component 'va'"),
    ({"components": []}, TaskError, "each once"),
    ({"components": ["vx", "vx"]}, TaskError, "each once"),
    ({"frame": "base_link"}, TaskError, "welded to the base"),
    ({"frame": "nothing"}, UnknownName, "no frame 'nothing'"),
    ({"damping": -1.0}, TaskError, "damping is -1.0"),
    ({"threshold": np.nan}, TaskError, "threshold is nan"),
    ({"point": (0, 0, 1), "expressed_in": "space"}, TaskError, "point= has no meaning with expressed_in='space'"),
]


@pytest.mark.parametrize(("changes", "error", "message"), REFUSED)
def test_refused(changes: dict, error: type[ArmdynError], message: str) -> None:
    with pytest.raises(error, match=message):
        armdyn.load("ur5").joint_rates(**({"q": np.zeros(6), "twist": np.zeros(6)} | changes))


def test_accelerations_name_their_own_arguments() -> None:
    robot = armdyn.load("ur5")
    with pytest.raises(ShapeError, match=r"acceleration has shape \(3,\)"):
        robot.joint_accelerations(np.zeros(6), np.zeros(6), np.zeros(3))
    with pytest.raises(ShapeError, match=r"qd has shape \(7,\)"):
        robot.joint_accelerations(np.zeros(6), np.zeros(7), np.zeros(6))


def test_rows_that_no_joint_moves_are_rounding_beside_the_whole_jacobian():
    J = np.random.default_rng(0).normal(size=(1, 6, 3))
    J[0, 3] = [1e-17, -3e-17, 2e-17]
    parts = Decomposition.of(J, [3])
    assert parts.rank == 0
    assert np.isinf(parts.condition)
    assert not parts.solve(np.array([[0.1]]), 1e-3, 0.0).any()
    np.testing.assert_allclose(J[:, [2, 3]] @ Decomposition.of(J, [2, 3]).solve(np.array([[0.1, 0.0]]), 1e-3, 0.0)[0],
                               [[0.1, 0.0]], rtol=0, atol=1e-15)  # fmt: skip
