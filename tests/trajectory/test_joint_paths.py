"""Joint paths: through their waypoints, within limits, with derivatives that are derivatives."""

import modern_robotics as mr
import numpy as np
import pytest

import armdyn
from armdyn.trajectory import (
    ConstantVelocity,
    Cubic,
    Cycloidal,
    JointPath,
    JointPathSequence,
    MotionError,
    PointToPoint,
    Quintic,
    SCurve,
    Trapezoidal,
    blended_lines,
    cubic_spline,
    fastest,
    point_to_point,
    quintic_spline,
    rest_to_rest,
)
from oracles.integrals import assert_is_derivative

RNG = np.random.default_rng(5)
T = np.array([0.3, 1.0, 1.9, 3.2, 3.9])
Q = RNG.normal(size=(5, 3))
V0, V1, A0, A1 = RNG.normal(size=(4, 3))
PATHS: dict[str, tuple[JointPath, np.ndarray]] = {}
"""A path, and the times between which it is smooth."""


def add(name: str, path: JointPath, switches: np.ndarray) -> None:
    PATHS[name] = path, np.asarray(switches)


add("cubic", cubic_spline(T, Q, start_velocity=V0, end_velocity=V1), T - T[0])
QUINTIC = quintic_spline(T, Q, start_velocity=V0, end_velocity=V1, start_acceleration=A0, end_acceleration=A1)
add("quintic", QUINTIC, T - T[0])
BLENDS = blended_lines(T, Q, blend=0.4)
add("blended", BLENDS, BLENDS.polynomials.x)
add("retimed", QUINTIC.along(Cycloidal(3.6, 0.8, 0.5, 1.0)), [0.0, 0.8, 1.3, 2.3])
LAW = SCurve(1.0, duration=2.9, ramp=1.1, rounding=0.3)
add("point to point", point_to_point(Q[0], Q[1], LAW), LAW.switches)
STOPS = rest_to_rest(Q[:3], [LAW, Quintic(1.0, 0.7)])
add("rest to rest", STOPS, [*LAW.switches, 3.6])


def smooth_stretches(name: str) -> np.ndarray:
    """Switches of the retimed spline's own knots lie where the law reaches them."""
    path, switches = PATHS[name]
    if name != "retimed":
        return switches
    fine = np.linspace(0, path.duration, 200_001)
    s = path.law.evaluate(fine).s
    return np.unique(np.concatenate([switches, np.interp(T[1:-1] - T[0], s, fine)]))


@pytest.mark.parametrize("name", PATHS)
def test_each_is_the_derivative_of_the_one_before(name: str) -> None:
    path, _ = PATHS[name]
    # A quintic spline's knots show first in the fifth derivative, so where they are to rounding is all that counts.
    tolerance = 1e-10 if name == "retimed" else 5e-13
    for order in range(2):
        assert_is_derivative(
            lambda t, k=order: path.evaluate(t)[k], lambda t, k=order: path.evaluate(t)[k + 1],
            smooth_stretches(name), tolerance=tolerance,
        )  # fmt: skip


@pytest.mark.parametrize("name", PATHS)
def test_shapes(name: str) -> None:
    path, _ = PATHS[name]
    assert path.dof == 3
    t = np.linspace(0, path.duration, 12).reshape(3, 4)
    for whole, one in zip(path.evaluate(t), path.evaluate(float(t[2, 1])), strict=True):
        assert whole.shape == (3, 4, 3)
        assert one.shape == (3,)
        np.testing.assert_allclose(whole[2, 1], one, rtol=1e-13, atol=1e-13)
    times, motion = path.sampled(7)
    np.testing.assert_array_equal(motion.q, path.evaluate(times).q)


@pytest.mark.parametrize("name", ["cubic", "quintic"])
def test_splines_pass_their_waypoints_and_keep_their_ends(name: str) -> None:
    path, _ = PATHS[name]
    motion = path.evaluate(T - T[0])
    np.testing.assert_allclose(motion.q, Q, rtol=0, atol=1e-13)
    np.testing.assert_allclose(motion.qd[[0, -1]], [V0, V1], rtol=0, atol=1e-12)
    if name == "quintic":
        np.testing.assert_allclose(motion.qdd[[0, -1]], [A0, A1], rtol=0, atol=1e-11)


@pytest.mark.parametrize(("name", "continuous"), [("cubic", 2), ("quintic", 4)])
def test_splines_are_as_smooth_as_they_say(name: str, continuous: int) -> None:
    polynomials = PATHS[name][0].polynomials
    for order in range(continuous + 2):
        c, steps = polynomials.derivative(order).c, np.diff(polynomials.x)
        from_left = sum(c[-1 - p] * steps[:, None] ** p for p in range(len(c)))[:-1]
        jump = np.abs(from_left - c[-1, 1:]).max()
        assert (jump < 1e-10 * max(1, np.abs(c).max())) == (order <= continuous)


def test_splines_are_at_rest_at_their_ends_by_themselves() -> None:
    for path in (cubic_spline(T, Q), quintic_spline(T, Q)):
        np.testing.assert_allclose(path.evaluate([0.0, path.duration]).qd, 0.0, rtol=0, atol=1e-12)
    np.testing.assert_allclose(quintic_spline(T, Q).evaluate([0.0, 3.6]).qdd, 0.0, rtol=0, atol=1e-11)


def test_joint_trajectory_of_modern_robotics() -> None:
    for method, law in ((3, Cubic(1.0, 2.3)), (5, Quintic(1.0, 2.3))):
        expected = np.array(mr.JointTrajectory(Q[0], Q[1], 2.3, 11, method))
        np.testing.assert_allclose(point_to_point(Q[0], Q[1], law).sampled(11)[1].q, expected, rtol=0, atol=1e-14)


def test_blends_are_lines_between_and_pass_at_the_distance_they_say() -> None:
    blend, velocities = 0.4, np.diff(Q, axis=0) / np.diff(T)[:, None]
    t = T - T[0]
    for k in range(1, len(T) - 1):
        at_middle = BLENDS.evaluate(t[k] + blend / 2).q
        np.testing.assert_allclose(at_middle - Q[k], (velocities[k] - velocities[k - 1]) * blend / 8, atol=1e-14)
    for k in range(len(T) - 1):
        when = (t[k] + blend + t[k + 1]) / 2  # in the middle of the line
        motion = BLENDS.evaluate(when)
        np.testing.assert_allclose(motion.q, Q[k] + velocities[k] * (when - blend / 2 - t[k]), rtol=0, atol=1e-14)
        np.testing.assert_allclose(motion.qd, velocities[k], rtol=0, atol=1e-14)
    ends = BLENDS.evaluate([0.0, BLENDS.duration])
    np.testing.assert_allclose(ends.q, Q[[0, -1]], rtol=0, atol=1e-14)
    np.testing.assert_allclose(ends.qd, 0.0, rtol=0, atol=1e-14)


def test_largest_values_are_the_largest() -> None:
    for name in ("cubic", "quintic", "blended"):
        path = PATHS[name][0]
        dense = path.evaluate(np.linspace(0, path.duration, 400_001))
        for exact, sampled in zip(path.largest, dense, strict=True):
            over = exact - np.abs(sampled).max(axis=0)
            assert (over > -1e-12).all()
            assert (over < 1e-4).all()


def test_within_limits_one_binds() -> None:
    v, a = np.array([1.0, 2.0, 0.7]), np.array([3.0, 2.0, 1.0])
    for path in (cubic_spline(T, Q), quintic_spline(T, Q)):
        dense = path.within(velocity=v, acceleration=a).sampled(200_001)[1]
        use = max((np.abs(dense.qd) / v).max(), (np.abs(dense.qdd) / a).max())
        assert 1 - 1e-6 < use <= 1 + 1e-12


@pytest.mark.parametrize("jerk", [None, [9.0, 4.0, 7.0]])
@pytest.mark.parametrize("together", ["phase", "time"])
def test_synchronised_motion_keeps_every_joints_limits(jerk, together) -> None:
    v, a = np.array([1.0, 0.5, 2.0]), np.array([4.0, 3.0, 0.5])
    start, end = np.array([0.3, -1.0, 2.0]), np.array([1.9, -1.4, 0.7])
    path = fastest(start, end, velocity=v, acceleration=a, jerk=jerk, together=together)
    _, motion = path.sampled(20_001)
    np.testing.assert_allclose(motion.q[[0, -1]], [start, end], rtol=0, atol=1e-14)
    np.testing.assert_allclose(motion.qd[[0, -1]], 0.0, rtol=0, atol=1e-12)
    use = [np.abs(motion.qd).max(axis=0) / v, np.abs(motion.qdd).max(axis=0) / a]
    assert np.max(use) <= 1 + 1e-9
    assert np.max(use) > 0.999  # one of them binds
    on_line = (motion.q - start) / (end - start)
    assert (np.ptp(on_line, axis=1).max() < 1e-13) == (together == "phase")
    alone = [
        Trapezoidal.from_limits(e - s, velocity=v[i], acceleration=a[i]).duration if jerk is None else
        SCurve.from_limits(e - s, velocity=v[i], acceleration=a[i], jerk=jerk[i]).duration
        for i, (s, e) in enumerate(zip(start, end, strict=True))
    ]  # fmt: skip
    if together == "time":
        assert path.duration == pytest.approx(max(alone), rel=1e-13)
    else:
        assert path.duration >= max(alone) * (1 - 1e-13)


def test_joints_that_stay_stay() -> None:
    for together in ("phase", "time"):
        motion = fastest([0, 1], [0, 3], velocity=1, acceleration=1, together=together).sampled(9)[1]
        assert (motion.q[:, 0] == 0).all()
        assert (motion.qdd[:, 0] == 0).all()


def test_motions_go_straight_into_inverse_dynamics() -> None:
    robot = armdyn.load("ur5")
    path = quintic_spline(T, RNG.normal(size=(5, 6)))
    motion = path.evaluate(np.linspace(0, path.duration, 11))
    tau = robot.inverse_dynamics(*motion)
    np.testing.assert_array_equal(tau[3], robot.inverse_dynamics(motion.q[3], motion.qd[3], motion.qdd[3]))


BAD = [
    (lambda: cubic_spline([0, 1], Q), "5 waypoints at 2 times"),
    (lambda: cubic_spline([0, 2, 1], Q[:3]), "each after the one before"),
    (lambda: cubic_spline([0, 1], [[0, np.nan], [1, 1]]), "waypoints[0, 1] is nan"),
    (lambda: quintic_spline([0, 1], Q[:2], end_velocity=[1, 2]), "end_velocity has shape (2,); expected (3,)"),
    (lambda: blended_lines(T, Q, blend=0.71), "blend=0.71 s is longer than the shortest way, which takes 0.7 s"),
    (lambda: point_to_point([0, 1], [1, 2, 3], Cubic(1.0, 1.0)), "start has 2 values, end has 3"),
    (lambda: point_to_point([0], [1], Cubic(2.0, 1.0)), "the law covers 2, but the way from start to end ends at 1"),
    (lambda: PointToPoint([0, 0], [1, 1], [Cubic(1.0, 1.0), Cubic(1.0, 2.0)]), "laws of different durations"),
    (lambda: PointToPoint([0, 0, 0], [1, 1, 1], [Cubic(1.0, 1.0)] * 2), "2 laws for 3 joints"),
    (lambda: PointToPoint([0, 0, 0], [1, 1, 1], "quintic"), "laws is 'quintic'; expected such as"),
    (lambda: rest_to_rest(Q, [Cubic(1.0, 1.0)]), "1 laws for 5 waypoints; expected 4"),
    (lambda: rest_to_rest(Q[:3], [Cubic(1.0, 1.0), ConstantVelocity(1.0, 1.0)]), "qd jumps between path 0 and path 1"),
    (lambda: JointPathSequence([]), "the sequence is empty"),
    (lambda: fastest([0], [0], velocity=1, acceleration=1), "a motion without a distance"),
    (lambda: fastest([0, 0], [1, 1], velocity=[1, 0], acceleration=1), "expected limits above zero"),
    (lambda: fastest([0, 0], [1, 1], velocity=[1, 1, 1], acceleration=1), "one for each of 2 joints"),
    (lambda: fastest([0], [1], velocity=1, acceleration=1, together="fase"), "Did you mean 'phase'?"),
    (lambda: QUINTIC.along(Cubic(3.5, 1.0)), "the law covers 3.5, but the path lasts 3.6"),
    (lambda: QUINTIC.evaluate(3.7), "t = 3.7 s is outside the motion"),
    (lambda: cubic_spline([0, 1], [[1], [1]]).within(velocity=1, acceleration=1), "the joints rest all the time"),
]


@pytest.mark.parametrize(("wrong", "message"), BAD, ids=[m for _, m in BAD])
def test_what_makes_no_sense_is_refused(wrong, message: str) -> None:
    with pytest.raises(armdyn.ArmdynError) as caught:
        wrong()
    assert message in str(caught.value)


def test_laws_that_run_backwards_out_of_a_path_are_refused() -> None:
    path = QUINTIC.along(Cubic(3.6, 1.0, start_velocity=-20.0))
    with pytest.raises(MotionError, match="outside the motion"):
        path.evaluate(0.1)
