"""Third and fourth derivatives of laws and paths: against differences of what they already tell."""

import numpy as np
import pytest

import armdyn
from armdyn.trajectory import Cycloidal, MotionError, Nonic, Quintic, cubic_spline, point_to_point, quintic_spline

TIMES = np.array([0.0, 0.7, 1.5, 2.0])
POINTS = np.array([[0.0, 1.0], [0.4, -0.3], [1.1, 0.2], [0.9, 0.6]])
START, END = np.array([0.2, -1.0]), np.array([1.4, 0.5])

PATHS = {
    "nonic": point_to_point(START, END, Nonic(1.0, duration=2.0)),
    "stretched": point_to_point(START, END, Quintic(1.0, duration=0.5).stretched(2.0)),
    "quintic spline": quintic_spline(TIMES, POINTS),
}


@pytest.mark.parametrize("name", PATHS)
def test_they_are_the_rates_of_the_accelerations(name: str) -> None:
    path, t, h = PATHS[name], np.array([0.3, 0.9, 1.7]), 1e-3
    before, at, after = (path.evaluate(t + k * h).qdd for k in (-1, 0, 1))
    found = path.jerk_and_snap(t)
    np.testing.assert_allclose(found.jerk, (after - before) / (2 * h), rtol=1e-4)
    np.testing.assert_allclose(found.snap, (after - 2 * at + before) / h**2, rtol=1e-4, atol=1e-5)


def test_the_nonic_begins_and_ends_without_jumps() -> None:
    law, ends = Nonic(1.7, duration=0.8), np.array([0.0, 0.8])
    progress = law.evaluate(ends)
    np.testing.assert_allclose(progress.s, [0.0, 1.7], atol=1e-14)
    for rate, size in ((progress.sd, 1e0), (progress.sdd, 1e1), (progress.sddd, 1e2), (law.snap(ends), 1e3)):
        np.testing.assert_allclose(rate, 0.0, atol=1e-11 * size)


def test_what_does_not_tell_them_says_so() -> None:
    with pytest.raises(MotionError, match="Cycloidal does not have its snap"):
        point_to_point(START, END, Cycloidal(1.0, 0.5, 0.5, 0.5)).jerk_and_snap(0.1)
    with pytest.raises(MotionError, match="jerk and snap"):
        cubic_spline(TIMES, POINTS).stretched(3.0).jerk_and_snap(0.1)
    with pytest.raises(MotionError):
        PATHS["nonic"].jerk_and_snap(2.5)


def test_the_motors_of_flexible_joints_follow_it_from_rest_to_rest() -> None:
    from armdyn.actuators import Actuator, Motor, Spring

    drive = Actuator(Motor(0.2), spring=Spring(600.0))
    arm = armdyn.load("planar_2r").with_actuators({"joint_1": drive, "joint_2": drive})
    path, t = PATHS["nonic"], np.array([0.0, 2.0])
    found = arm.flexible_inverse_dynamics(*path.evaluate(t), *path.jerk_and_snap(t))
    np.testing.assert_allclose(found.thetad, 0.0, atol=1e-9)
    np.testing.assert_allclose(found.tau, arm.gravity_forces(np.array([START, END])), atol=1e-9)
