"""Errors of adaptive motions beside SciPy's, and times of events beside elliptic functions."""

from typing import Any

import mpmath
import numpy as np
import pytest
import scipy.integrate

import armdyn
from armdyn.simulation import Adaptive, Crossing, JointLimit, SaveAt, Stops

TIGHT = Adaptive(rtol=1e-13, atol=1e-15)


@pytest.mark.parametrize(("name", "duration"), [("planar_2r", 2.0), ("ucl_2r", 2.0), ("ur5", 1.0)])
def test_errors_are_at_most_those_of_scipy_at_the_same_tolerance(name: str, duration: float) -> None:
    """Over 20 random starts: the median error, and the mean of the logarithms of the ratios."""
    robot = armdyn.load(name)
    n, random = robot.dof, np.random.default_rng(3)
    q, qd = random.uniform(-1.0, 1.0, (2, 20, n))

    def rates(t: float, y: np.ndarray) -> np.ndarray:
        return np.concatenate([y[n:], robot.forward_dynamics(y[:n], y[n:], np.zeros(n))])

    def by_scipy(rtol: float, atol: float) -> np.ndarray:
        options: dict[str, Any] = {"method": "DOP853", "rtol": rtol, "atol": atol}
        starts = np.concatenate([q, qd], axis=1)
        return np.array([scipy.integrate.solve_ivp(rates, (0.0, duration), y, **options).y[:, -1] for y in starts])

    exact, theirs = by_scipy(3e-14, 1e-15), by_scipy(1e-10, 1e-10)
    motion = armdyn.simulate(robot, q, qd, duration=duration, save=SaveAt(every=duration))
    own = np.concatenate([motion.q[-1], motion.qd[-1]], axis=1)
    errors = [np.abs(ends - exact).max(axis=1) for ends in (own, theirs)]
    assert np.median(errors[0]) < np.median(errors[1])
    assert np.log(errors[0] / errors[1]).mean() < 0.0


MASS, LENGTH, INERTIA, GRAVITY = 1.7, 0.6, 0.23, 9.81
START = 1.9
"""The angle from the vertical at which the pendulum is let go, rad."""


def pendulum() -> armdyn.Robot:
    """A body on a horizontal axis that hangs down at q = 0."""
    body = armdyn.Inertia(MASS, [0, 0, -LENGTH], np.diag([INERTIA, INERTIA, 0.1]))
    part = armdyn.Part("bob", "base", "revolute", axis=(0, 1, 0), inertia=body, joint="swing")
    return armdyn.Robot.from_links([part], gravity=(0, 0, -GRAVITY), tip="bob")


def time_of(angle: float, start: float = START) -> float:
    """The time from rest at ``start`` to an angle on the way down, by elliptic integrals, s.

    theta'^2 = 4 w^2 (k^2 - sin^2(theta / 2)), so that w t = K(k) - F(asin(sin(theta / 2) / k), k).
    """
    with mpmath.workdps(40):
        w = mpmath.sqrt(mpmath.mpf(MASS) * GRAVITY * LENGTH / (INERTIA + mpmath.mpf(MASS) * mpmath.mpf(LENGTH) ** 2))
        k = mpmath.sin(mpmath.mpf(start) / 2)
        phi = mpmath.asin(mpmath.sin(mpmath.mpf(angle) / 2) / k)
        return float((mpmath.ellipk(k**2) - mpmath.ellipf(phi, k**2)) / w)


def test_times_of_crossings_are_those_of_elliptic_integrals() -> None:
    """Three angles, and the same on the way back: a period is four times that to the vertical."""
    angles = (1.3, 0.41, -0.77)
    events = [Crossing(lambda t, q, qd, angle=angle: q[0] - angle, f"{angle}") for angle in angles]
    period = 4.0 * time_of(0.0)
    motion = armdyn.simulate(pendulum(), [START], duration=period, method=TIGHT, events=events)
    for angle in angles:
        found = [one.t for one in motion.events if one.name == f"{angle}"]
        there = time_of(angle)
        np.testing.assert_allclose(found, [there, period - there], rtol=0, atol=1e-12)


def test_times_of_joint_limits_and_impacts_are_those_of_elliptic_integrals() -> None:
    """At a stop that takes half the speed the pendulum turns back, and meets it again after a swing of less height."""
    robot, stop = pendulum().with_limits({"swing": (-0.5, 5.0)}), -0.5
    first = time_of(stop)
    free = armdyn.simulate(robot, [START], duration=1.1 * first, method=TIGHT, events=[JointLimit("swing")])
    assert abs(free.events[0].t - first) < 1e-12
    with mpmath.workdps(40):
        k, there = mpmath.sin(mpmath.mpf(START) / 2), mpmath.sin(mpmath.mpf(stop) / 2)
        height = 2 * mpmath.asin(mpmath.sqrt(there**2 + (k**2 - there**2) / 4))  # of the next swing
    back = 2.0 * time_of(stop, float(height))
    motion = armdyn.simulate(robot, [START], duration=first + 1.1 * back, method=TIGHT, elements=[Stops(0.5)])
    found = [one.t for one in motion.events if one.kind == "impact"]
    np.testing.assert_allclose(found[:2], [first, first + back], rtol=0, atol=1e-12)
