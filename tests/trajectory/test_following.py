"""Joints that follow a path of the tip, and differences where only positions are known."""

import modern_robotics as mr
import numpy as np
import pytest

import armdyn
from armdyn.trajectory import (
    Arc,
    CurvePath,
    Line,
    MotionError,
    Quintic,
    Screw,
    differentiated,
    follow,
    quintic_spline,
)
from oracles.integrals import assert_is_derivative

UR5 = armdyn.load("ur5")
Q0 = np.array([0.3, -1.0, 1.5, -0.8, -1.3, 0.4])
START = UR5.forward_kinematics(Q0)


def arc_path(duration: float = 4.0) -> CurvePath:
    arc = Arc(START, center=START[:3, 3] + [0, 0.02, 0.1], axis=[1.0, 0, 0], orientation="fixed")
    return CurvePath(arc, Quintic(2 * np.pi, duration))


def test_the_tip_is_on_the_path_and_moves_with_it() -> None:
    path = arc_path()
    t = np.linspace(0, 4.0, 81)
    motion, tip = follow(UR5, path, t, near=Q0 + 0.1), path.evaluate(t)
    np.testing.assert_allclose(UR5.forward_kinematics(motion.q), tip.pose, rtol=0, atol=1e-14)
    J = UR5.jacobian(motion.q, expressed_in="world")
    np.testing.assert_allclose(np.einsum("tij,tj->ti", J, motion.qd), tip.twist, rtol=0, atol=1e-13)
    np.testing.assert_allclose(motion.q[0], Q0, rtol=0, atol=1e-13)
    np.testing.assert_allclose(motion.q[-1], Q0, rtol=0, atol=1e-12)


def test_rates_and_accelerations_are_derivatives() -> None:
    path = arc_path()

    def at(t: np.ndarray):
        """The times asked for, on a chain of others close enough to be followed."""
        times = np.unique(np.concatenate([np.linspace(0, 4.0, 41), t]))
        motion = follow(UR5, path, times, near=Q0)
        return [x[np.searchsorted(times, t)] for x in motion]

    for order in range(2):
        assert_is_derivative(
            lambda t, k=order: at(t)[k], lambda t, k=order: at(t)[k + 1], [0.0, 1.3, 4.0], tolerance=1e-12
        )


@pytest.mark.parametrize("curve", [Line, Screw])
def test_lines_and_screws(curve) -> None:
    end = UR5.forward_kinematics(Q0 + np.array([0.4, -0.2, 0.3, 0.2, -0.3, 0.6]))
    path = CurvePath(curve(START, end), Quintic(1.0, 2.0))
    t, tip = path.sampled(41)
    np.testing.assert_allclose(UR5.forward_kinematics(follow(UR5, path, t, near=Q0).q), tip.pose, rtol=0, atol=1e-14)


def test_another_frame_follows() -> None:
    frame = "wrist_2_link"
    robot = armdyn.load("planar_2r")
    with pytest.raises(armdyn.UnknownName):
        follow(UR5, arc_path(), [0.0], near=Q0, frame="wrist_9_link")
    with pytest.raises(MotionError, match="singular"):  # nothing the last joint does moves that frame
        follow(UR5, arc_path(), [0.0], near=Q0, frame=frame)
    assert robot.dof == 2


def test_a_planar_arm_follows_two_components() -> None:
    robot = armdyn.load("planar_2r")
    q0 = np.array([0.3, 1.1])
    start = robot.forward_kinematics(q0)
    end = start.copy()
    end[:2, 3] += [-0.5, 0.2]
    path = CurvePath(Line(start, end), Quintic(1.0, 2.0))
    t, tip = path.sampled(41)
    motion = follow(robot, path, t, near=q0, components=("vx", "vy"))
    np.testing.assert_allclose(robot.forward_kinematics(motion.q)[:, :2, 3], tip.pose[:, :2, 3], rtol=0, atol=1e-14)
    J = robot.jacobian(motion.q, expressed_in="world")[:, 3:5]
    np.testing.assert_allclose(np.einsum("tij,tj->ti", J, motion.qd), tip.twist[:, 3:5], rtol=0, atol=1e-13)
    swapped = follow(robot, path, t, near=q0, components=("vy", "vx"))
    np.testing.assert_allclose(swapped.qdd, motion.qdd, rtol=0, atol=1e-12)


def test_out_of_reach() -> None:
    far = START.copy()
    far[:3, 3] += [0.0, 0.0, 3.0]
    path = CurvePath(Line(START, far), Quintic(1.0, 2.0))
    with pytest.raises(MotionError, match=r"t = .* s") as caught:
        follow(UR5, path, np.linspace(0, 2, 101), near=Q0)
    assert any(word in str(caught.value) for word in ("does not reach", "singular", "jumps"))


def test_few_times_miss_nothing() -> None:
    """The start and the end alone: the joints end where they do when followed closely, a large turn included."""
    first = np.eye(6)[0]
    via, end = UR5.forward_kinematics(Q0 + 1.4 * first)[:3, 3], UR5.forward_kinematics(Q0 + 2.9 * first)
    arc = Arc.through(START, via, end)  # the first joint's own circle
    path = CurvePath(arc, Quintic(arc.extent, 2.0))
    motion = follow(UR5, path, [0.0, 2.0], near=Q0)
    np.testing.assert_allclose(motion.q, [Q0, Q0 + 2.9 * first], rtol=0, atol=1e-12)


def test_jump_near_a_singular_position() -> None:
    """The wrist goes almost through its stretched position, where joint 4 would have to turn over in no time."""
    q0, q1 = Q0.copy(), Q0.copy()
    q0[4], q1[4] = 0.4, -0.4
    end = UR5.forward_kinematics(q1)
    end[:3, :3] = end[:3, :3] @ mr.MatrixExp3(mr.VecToso3([1e-3, 0, 0]))
    path = CurvePath(Line(UR5.forward_kinematics(q0), end), Quintic(1.0, 2.0))
    with pytest.raises(
        MotionError,
        match=r"joint 'wrist_1_joint' of 'ur5' jumps by [\d.]+ rad at t = .* passes near a singular position",
    ):
        follow(UR5, path, np.linspace(0, 2, 101), near=q0)


def test_singular_start_is_named() -> None:
    q = np.array([0.3, -1.0, 0.0, 0.4, -1.3, 0.4])  # the elbow is stretched
    path = CurvePath(Line(UR5.forward_kinematics(q), START), Quintic(1.0, 2.0))
    with pytest.raises(MotionError, match=r"'ur5' is singular at t = 0 s, q = \(0.3, -1, 0, 0.4, -1.3, 0.4\)"):
        follow(UR5, path, [0.0, 0.01], near=q)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"near": Q0[:5]}, "near has shape (5,); expected (6,)"),
        ({"near": Q0, "components": ("vx", "vy")}, "'ur5' has 6 joints, and 2 components are followed"),
        ({"near": Q0, "components": ("vx", "q")}, "no component 'q' in a twist"),
        ({"near": Q0, "components": ("vx", "vx")}, "names one more than once"),
    ],
)
def test_what_makes_no_sense_is_refused(arguments, message: str) -> None:
    with pytest.raises(armdyn.ArmdynError) as caught:
        follow(UR5, arc_path(), [0.0, 0.01], **arguments)
    assert message in str(caught.value)


@pytest.mark.parametrize("times", [[], [0.0, 0.0], [0.1, 0.0]])
def test_times_must_rise(times: list[float]) -> None:
    with pytest.raises(MotionError, match="each after the one before"):
        follow(UR5, arc_path(), times, near=Q0)


# Differences


def sampled(samples: int, uneven: bool):
    """q, qd, qdd of a smooth motion at even or uneven times."""
    x = np.linspace(0.0, 1.0, samples)
    t = 2.0 * (x + 0.05 * np.sin(6 * x) if uneven else x)
    phase, rate = np.array([0.3, 1.0, -0.7]), np.array([1.3, 2.1, 1.7])
    angle = t[:, None] * rate + phase
    return t, (np.sin(angle), rate * np.cos(angle), -(rate**2) * np.sin(angle))


@pytest.mark.parametrize("uneven", [False, True])
@pytest.mark.parametrize("order", [2, 4, 6, 8])
def test_order_of_accuracy_is_the_stated_one_everywhere(order: int, uneven: bool) -> None:
    errors = []
    for samples in (21, 41):
        t, (q, qd, qdd) = sampled(samples, uneven)
        motion = differentiated(t, q, order=order)
        np.testing.assert_array_equal(motion.q, q)
        errors.append([np.abs(motion.qd - qd).max(), np.abs(motion.qdd - qdd).max()])
    observed = np.log2(np.divide(*errors))
    assert (observed > order - 0.5).all(), observed


def test_polynomials_up_to_the_order_are_exact_at_the_ends_too() -> None:
    t = np.sort(np.random.default_rng(3).uniform(0, 1, 15))
    for order in (2, 4, 6):
        c = np.random.default_rng(4).normal(size=order + 1)
        p = np.polynomial.Polynomial(c)
        motion = differentiated(t, p(t)[:, None], order=order)
        scale = 1e-16 / np.diff(t).min() ** 2 * 100
        np.testing.assert_allclose(motion.qd[:, 0], p.deriv(1)(t), rtol=0, atol=scale)
        np.testing.assert_allclose(motion.qdd[:, 0], p.deriv(2)(t), rtol=0, atol=10 * scale / np.diff(t).min())


def test_weights_of_the_textbook() -> None:
    from armdyn.trajectory.differencing import difference_weights

    central = np.arange(-2.0, 3.0)[None]
    np.testing.assert_allclose(difference_weights(central, 1)[0] * 12, [1, -8, 0, 8, -1], rtol=0, atol=1e-14)
    np.testing.assert_allclose(difference_weights(central, 2)[0] * 12, [-1, 16, -30, 16, -1], rtol=0, atol=1e-13)
    one_sided = np.arange(0.0, 3.0)[None]
    np.testing.assert_allclose(difference_weights(one_sided, 1)[0] * 2, [-3, 4, -1], rtol=0, atol=1e-14)


def test_exercise_8_14_torques_from_positions_alone() -> None:
    """InverseDynamicsTrajectory without rates: similar to the one with them, and better the closer the samples."""
    rng = np.random.default_rng(8)
    path = quintic_spline(np.arange(5.0), rng.normal(size=(5, 6)))
    off = []
    for samples in (201, 801):
        t, motion = path.sampled(samples)
        tau = UR5.inverse_dynamics(*motion)
        off.append(np.abs(UR5.inverse_dynamics(*differentiated(t, motion.q)) - tau).max() / np.abs(tau).max())
    assert off[0] < 2e-2
    assert off[1] < 2e-3


def test_too_few_samples() -> None:
    with pytest.raises(MotionError, match="6 samples; differences of order 4 need 7 at least"):
        differentiated(np.arange(6.0), np.zeros((6, 2)))
    with pytest.raises(MotionError, match="order=3; expected 2, 4, 6 or 8"):
        differentiated(np.arange(9.0), np.zeros((9, 2)), order=3)
    with pytest.raises(armdyn.ShapeError, match="9 positions at 8 times"):
        differentiated(np.arange(8.0), np.zeros((9, 2)))


def test_velocity_of_the_pose_by_modern_robotics() -> None:
    """The twist that follow() was given is the one its joint rates have by another library's Jacobian."""
    path = CurvePath(Screw(START, UR5.forward_kinematics(Q0 + 0.2)), Quintic(1.0, 2.0))
    motion = follow(UR5, path, np.linspace(0, 2, 21), near=Q0)
    J = UR5.jacobian(Q0, expressed_in="space")  # columns: twists of the axes where they are at Q0
    S = np.stack([mr.Adjoint(mr.TransInv(_product(J, Q0, k))) @ J[:, k] for k in range(6)], axis=1)
    V = path.evaluate(1.0, expressed_in="space").twist
    np.testing.assert_allclose(mr.JacobianSpace(S, motion.q[10]) @ motion.qd[10], V, rtol=0, atol=1e-12)


def _product(J: np.ndarray, q: np.ndarray, k: int) -> np.ndarray:
    """The motion that joints 0 ... k-1 made from home to q, found from the axes at q, outermost last."""
    T = np.eye(4)
    for i in range(k):
        home = mr.Adjoint(mr.TransInv(T)) @ J[:, i]
        T = T @ mr.MatrixExp6(mr.VecTose3(home * q[i]))
    return T
