"""The fastest way through a path within torque and velocity limits."""

import sys

import numpy as np
import pytest

import armdyn
from armdyn import MissingLibrary
from armdyn.trajectory import MotionError, Quintic, cubic_spline, fastest_along, point_to_point

pytest.importorskip("toppra")


def two_masses(gravity: float = 0.0) -> armdyn.Robot:
    """A slide of 2 kg along x that carries one of 3 kg along y: two double integrators."""
    from armdyn.model import Inertia
    from armdyn.model.assembly import assemble
    from armdyn.model.parts import JointPart, LinkPart
    from armdyn.model.selection import Selection

    links = [LinkPart("base"), LinkPart("a", Inertia(2.0)), LinkPart("b", Inertia(3.0))]
    joints = [
        JointPart("x", "prismatic", "base", "a", np.eye(4), np.array([1.0, 0, 0])),
        JointPart("y", "prismatic", "a", "b", np.eye(4), np.array([0, 1.0, 0])),
    ]
    return armdyn.Robot(assemble("masses", links, joints, Selection(tip="b", gravity=[0.0, -gravity, 0.0])))


def test_a_double_integrator_takes_the_time_of_the_closed_form() -> None:
    """Full force forwards, then backwards: T = 2 sqrt(m d / f); both joints move, x is the one that lasts longer."""
    path = point_to_point([0.0, 0.0], [1.2, 0.3], armdyn.trajectory.ConstantVelocity(1.0, 1.0))
    motion = fastest_along(two_masses(), path, torque=[4.0, 90.0], velocity=[99.0, 99.0])
    assert motion.duration == pytest.approx(2 * np.sqrt(5.0 * 1.2 / 4.0), rel=1e-5)


def test_gravity_and_tip_wrench_count() -> None:
    """Upwards 3 (g + a) <= 40 speeds up, 3 (a - g) <= 40 brakes, whatever else is limited."""
    path = point_to_point([0.0, 0.0], [0.0, 0.7], armdyn.trajectory.ConstantVelocity(1.0, 1.0))
    up, down = 40.0 / 3 - 10.0, 40.0 / 3 + 10.0
    peak = np.sqrt(2 * 0.7 * up * down / (up + down))
    motion = fastest_along(two_masses(10.0), path, torque=[1.0, 40.0], velocity=[99.0, 99.0])
    assert motion.duration == pytest.approx(peak / up + peak / down, rel=1e-5)
    pressed = fastest_along(
        two_masses(), path, torque=[1.0, 40.0], velocity=[99.0, 99.0], f_tip=[0, 0, 0, 0, 30.0, 0]
    )  # 30 N pushed away is weight
    assert pressed.duration == pytest.approx(motion.duration, rel=1e-9)


def test_velocity_limits_make_a_trapezoid() -> None:
    path = point_to_point([0.0, 0.0], [1.2, 0.0], armdyn.trajectory.ConstantVelocity(1.0, 1.0))
    motion = fastest_along(two_masses(), path, torque=[4.0, 1.0], velocity=[0.5, 1.0], grid=2000)
    assert motion.duration == pytest.approx(1.2 / 0.5 + 0.5 / 0.8, rel=1e-3)
    assert np.abs(motion.sampled(2001)[1].qd).max() <= 0.5 * (1 + 1e-9)


def test_ur5_keeps_its_torques_and_uses_them() -> None:
    robot = armdyn.load("ur5")
    q = np.array([[0, -1.5, 1, 0, 1, 0], [1, -1, 0.5, 0.5, 0, 1], [1.5, -2, 1.5, -0.5, -1, 2]], dtype=float)
    path = cubic_spline([0, 1, 2], q, start_velocity=q[1] - q[0], end_velocity=q[2] - q[1])
    motion = fastest_along(robot, path)
    _, states = motion.sampled(5001)
    limits = np.array([(joint.limits.effort, joint.limits.velocity) for joint in robot.joints]).T
    used = np.maximum(np.abs(robot.inverse_dynamics(*states)) / limits[0], np.abs(states.qd) / limits[1])
    assert used.max() < 1.02  # between grid points the path curves a little
    assert (used.max(axis=1) > 0.97).mean() > 0.95  # nearly always something is at its limit: no faster way
    np.testing.assert_allclose(states.q[[0, -1]], q[[0, -1]], rtol=0, atol=1e-12)
    np.testing.assert_allclose(states.qd[[0, -1]], 0.0, rtol=0, atol=1e-9)
    slower = fastest_along(robot, path, torque=limits[0] * 0.7)
    assert slower.duration > motion.duration * 1.03


def test_the_path_is_kept() -> None:
    robot = armdyn.load("ur5")
    q = np.array([[0, -1.5, 1, 0, 1, 0], [1, -1, 0.5, 0.5, 0, 1.0]])
    path = point_to_point(*q, armdyn.trajectory.ConstantVelocity(1.0, 1.0))
    motion = fastest_along(robot, path, grid=100)
    s = motion.law.evaluate(np.linspace(0, motion.duration, 77)).s
    assert (np.diff(s) > 0).all()
    np.testing.assert_array_equal(motion.evaluate(np.linspace(0, motion.duration, 77)).q, path.evaluate(s).q)


def test_an_arm_too_weak_is_told_where() -> None:
    path = point_to_point([0.0, 0.0], [0.0, 0.7], armdyn.trajectory.ConstantVelocity(1.0, 1.0))
    with pytest.raises(MotionError, match="joint 'y' of 'masses' needs 30 N m or N to hold the arm at 0% of"):
        fastest_along(two_masses(10.0), path, torque=[1.0, 29.0], velocity=[9.0, 9.0])


def test_a_path_that_rests_on_the_way_is_refused() -> None:
    path = armdyn.trajectory.rest_to_rest([[0, 0], [1, 1], [0, 1]], [Quintic(1.0, 1.0)] * 2)
    middle = armdyn.trajectory.Cubic(1.0, 1.0, start_velocity=2.0), armdyn.trajectory.Cubic(1.0, 1.0, end_velocity=2.0)
    stops = armdyn.trajectory.rest_to_rest([[0, 0], [1, 1], [0, 1]], middle)
    with pytest.raises(MotionError, match="the path itself rests at 50%"):
        fastest_along(two_masses(), stops, torque=[4.0, 9.0], velocity=[9.0, 9.0])
    with pytest.raises(MotionError, match="the path itself rests at 0%"):
        fastest_along(two_masses(), path, torque=[4.0, 9.0], velocity=[9.0, 9.0], grid=100)


def test_limits_are_needed() -> None:
    path = point_to_point([0.0, 0.0], [0.0, 0.7], Quintic(1.0, 1.0))
    with pytest.raises(MotionError, match="'masses' has no torque limit; give torque="):
        fastest_along(two_masses(), path)
    with pytest.raises(MotionError, match="expected limits above zero"):
        fastest_along(two_masses(), path, torque=[1.0, 0.0])
    with pytest.raises(armdyn.ShapeError, match="the path has 2 joints, 'ur5' has 6"):
        fastest_along(armdyn.load("ur5"), path)


def test_without_the_library_it_says_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "toppra", None)
    path = point_to_point([0.0, 0.0], [0.0, 0.7], armdyn.trajectory.ConstantVelocity(1.0, 1.0))
    with pytest.raises(MissingLibrary, match="needs the library toppra; install it with: pip install toppra"):
        fastest_along(two_masses(), path, torque=[4.0, 9.0])
