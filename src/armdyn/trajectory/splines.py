"""Smooth joint motions through waypoints at given times: splines, and straight lines with blends."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike
from scipy.interpolate import BSpline, CubicSpline, PPoly, make_interp_spline

from armdyn.base.errors import ShapeError
from armdyn.base.threads import cached_property
from armdyn.spatial.rotations import Array
from armdyn.trajectory.checks import MotionError, fixed, limit_of_each, number, rising, times_within
from armdyn.trajectory.joint_path import JointPath, JointRates, JointStates, Retimed


class SplinePath(JointPath):
    """Piecewise polynomials in time; made by `cubic_spline`, `quintic_spline` and `blended_lines`.

    Args:
        polynomials: q(t) from t = 0, of shape (n,) at one time.
    """

    def __init__(self, polynomials: PPoly) -> None:
        self.polynomials = polynomials
        self.duration, self.dof = float(polynomials.x[-1]), int(polynomials.c.shape[2])
        self._derivatives = tuple(polynomials.derivative(order) for order in range(5))

    @cached_property
    def largest(self) -> JointStates:
        """The largest |q|, |qd| and |qdd| of each joint during the motion, exact, each of shape (n,)."""
        return JointStates(*(_largest(derivative) for derivative in self._derivatives[:3]))

    def within(self, *, velocity: ArrayLike, acceleration: ArrayLike) -> Retimed:
        """The motion in the least duration that satisfies limits: stretched or shortened as a whole.

        Args:
            velocity: limit of each joint, or one for all, rad/s or m/s.
            acceleration: limit of each joint, or one for all, rad/s^2 or m/s^2.

        >>> path = armdyn.trajectory.cubic_spline([0, 1, 2], [[0.0], [1.0], [0.0]])
        >>> path.within(velocity=0.75, acceleration=9.0).duration
        4.0
        """
        v, a = limit_of_each("velocity", velocity, self.dof), limit_of_each("acceleration", acceleration, self.dof)
        factor = max((self.largest.qd / v).max(), np.sqrt((self.largest.qdd / a).max()))
        if factor == 0.0:
            raise MotionError(
                "the joints rest all the time; limits determine no duration of a motion without a distance"
            )
        return self.stretched(self.duration * float(factor))

    def _at(self, t: Array) -> JointStates:
        return JointStates(*(derivative(t) for derivative in self._derivatives[:3]))

    def jerk_and_snap(self, t: ArrayLike) -> JointRates:
        """The third and fourth derivative at times t, each of shape (..., n); without jumps at waypoints."""
        times = times_within(t, self.duration)
        return JointRates(*(derivative(times) for derivative in self._derivatives[3:]))


def cubic_spline(
    times: ArrayLike,
    waypoints: ArrayLike,
    *,
    start_velocity: ArrayLike | None = None,
    end_velocity: ArrayLike | None = None,
) -> SplinePath:
    """Joint motion q(t) through waypoints, rad or m, with continuous accelerations: the cubic spline.

    Args:
        times: of the waypoints, s, rising, shape (m,); the motion begins at the first, which becomes t = 0.
        waypoints: q at each, rad or m, shape (m, n).
        start_velocity: qd at the first, (n,); at rest if None.
        end_velocity: qd at the last, (n,); at rest if None.

    >>> path = armdyn.trajectory.cubic_spline([0, 1, 2], [[0, 0], [1, -1], [0, 3]])
    >>> path.evaluate(1.0).q
    array([ 1., -1.])
    """
    t, q = _waypoints(times, waypoints)
    ends = [_end("start_velocity", start_velocity, q.shape[1]), _end("end_velocity", end_velocity, q.shape[1])]
    return SplinePath(CubicSpline(t, q, bc_type=((1, ends[0]), (1, ends[1]))))


def quintic_spline(
    times: ArrayLike,
    waypoints: ArrayLike,
    *,
    start_velocity: ArrayLike | None = None,
    end_velocity: ArrayLike | None = None,
    start_acceleration: ArrayLike | None = None,
    end_acceleration: ArrayLike | None = None,
) -> SplinePath:
    """Joint motion q(t) through waypoints, rad or m, with four continuous derivatives: the quintic spline.

    Args:
        times: of the waypoints, s, rising, shape (m,); the motion begins at the first, which becomes t = 0.
        waypoints: q at each, rad or m, shape (m, n).
        start_velocity: qd at the first, (n,); zero if None.
        end_velocity: qd at the last, (n,); zero if None.
        start_acceleration: qdd at the first, (n,); zero if None.
        end_acceleration: qdd at the last, (n,); zero if None.

    >>> path = armdyn.trajectory.quintic_spline([0, 1, 2], [[0, 0], [1, -1], [0, 3]])
    >>> path.evaluate([0.0, 2.0]).qdd.round(9) + 0.0
    array([[0., 0.],
           [0., 0.]])
    """
    t, q = _waypoints(times, waypoints)
    n = q.shape[1]
    start = [(1, _end("start_velocity", start_velocity, n)), (2, _end("start_acceleration", start_acceleration, n))]
    end = [(1, _end("end_velocity", end_velocity, n)), (2, _end("end_acceleration", end_acceleration, n))]
    return SplinePath(_piecewise(make_interp_spline(t, q, k=5, bc_type=(start, end))))


def blended_lines(times: ArrayLike, waypoints: ArrayLike, *, blend: float) -> SplinePath:
    """Joint motion q(t) on straight lines between waypoints, rad or m, with parabolic blends, from rest to rest.

    Velocities are constant between blends and accelerations constant in them. The motion begins and ends in the first
    and last waypoint, and passes the others at a distance of blend / 8 times the change of velocity.

    Args:
        times: of the waypoints, s, rising, shape (m,); each is the middle of a blend, so the motion begins half a
            blend before the first, which becomes t = 0, and ends half a blend after the last.
        waypoints: q at each, rad or m, shape (m, n).
        blend: duration of the blends, s; at most the shortest time between waypoints.

    >>> path = armdyn.trajectory.blended_lines([0, 1, 2], [[0.0], [1.0], [0.0]], blend=0.2)
    >>> path.duration, path.evaluate(1.1).q
    (2.2, array([0.95]))
    """
    t, q = _waypoints(times, waypoints)
    blend = number("blend", blend, above=0.0, unit="s")
    if blend > np.diff(t).min():
        raise MotionError(f"blend={blend:g} s is longer than the shortest way, which takes {np.diff(t).min():g} s")
    zero = np.zeros((1, q.shape[1]))
    velocities = np.concatenate([zero, np.diff(q, axis=0) / np.diff(t)[:, None], zero])
    breaks, coefficients, here = [0.0], [], q[0]
    for k in range(len(t)):
        before, after = velocities[k], velocities[k + 1]
        coefficients.append([(after - before) / (2 * blend), before, here])
        breaks.append(t[k] + blend)
        here = here + (before + after) / 2 * blend
        cruise = t[k + 1] - breaks[-1] if k + 1 < len(t) else 0.0
        if cruise > 0.0:
            coefficients.append([0 * after, after, here])
            breaks.append(t[k + 1])
            here = here + after * cruise
    return SplinePath(PPoly(np.array(coefficients).swapaxes(0, 1), breaks))


def _waypoints(times: ArrayLike, waypoints: ArrayLike) -> tuple[Array, Array]:
    t, q = rising(times), fixed("waypoints", waypoints, ("m", "n"))
    if len(q) != len(t):
        raise ShapeError(f"{len(q)} waypoints at {len(t)} times; expected one time for each waypoint")
    return t - t[0], q


def _end(name: str, value: ArrayLike | None, n: int) -> Array:
    return np.zeros(n) if value is None else fixed(name, value, (n,))


def _piecewise(spline: BSpline) -> PPoly:
    """A spline by its Taylor coefficients at its breaks."""
    breaks = np.unique(spline.t)
    powers = range(spline.k, -1, -1)
    factorials = np.cumprod([1.0, *range(1, spline.k + 1)])
    return PPoly(np.array([spline.derivative(p)(breaks[:-1]) / factorials[p] for p in powers]), breaks)


def _largest(polynomials: PPoly) -> Array:
    """The largest absolute value of each joint: at a break, from either side, or at zeros of the derivative."""
    breaks, n = polynomials.x, polynomials.c.shape[2]
    ends = np.abs(polynomials(breaks)).max(axis=0)
    from_the_left = np.abs(_left_ends(polynomials)).max(axis=0)
    result: Array = np.maximum(ends, from_the_left)
    for joint in range(n):
        of_joint = PPoly(polynomials.c[:, :, joint], breaks)
        places = of_joint.derivative().roots(extrapolate=False)
        inside = places[np.isfinite(places)]
        if len(inside):
            result[joint] = max(result[joint], np.abs(of_joint(inside)).max())
    return result


def _left_ends(polynomials: PPoly) -> Array:
    """The final value of each segment."""
    steps = np.diff(polynomials.x)
    value = np.zeros(polynomials.c.shape[1:])
    for coefficient in polynomials.c:
        value = value * steps[:, None] + coefficient
    return value
