"""A path by its length: a path without its original timing."""

from __future__ import annotations

import numpy as np
from numpy.polynomial.legendre import leggauss
from numpy.typing import ArrayLike

from armdyn.spatial.rotations import Array
from armdyn.trajectory.checks import MotionError, times_within
from armdyn.trajectory.joint_path import JointPath, JointStates

PANELS = 2048
"""Number of equal parts of the path's duration, each of which is integrated by one quadrature."""

NODES, WEIGHTS = (0.5 * part for part in leggauss(5))
"""Gauss and Legendre's quadrature on an interval of length 1 about 0; exact for polynomials of degree 9."""

RESTING = 1e-6
"""The path counts as resting if its speed is below this part of its greatest speed: directions lose digits there."""

CORNER = 0.3
"""A turn, rad, of the direction within one part of the path above which it is examined: a bend or a corner."""

LAST_STEP = 1e-8
"""A step of Newton's method below this fraction of a part of the path leaves an error of its square."""

BISECTIONS, NEWTON_STEPS = 40, 60


class ByLength(JointPath):
    """A path whose time is its arc length: |qd| = 1 everywhere, for every timing of the path.

    The length is the integral of |dq/dt| over the path's own time t, rad or m; rad and m are added as numbers if a path
    has both. Rests of the path drop out, also those at its ends. Two timings of one path give the same `ByLength`.

    Args:
        path: a path, resting or not, without corners.

    Raises:
        MotionError: a path that goes nowhere, or one with a corner or a reversal, at which no direction is defined.

    >>> law = armdyn.trajectory.Quintic(1.0, duration=3.0)
    >>> path = armdyn.trajectory.point_to_point([0.0, 0.0], [3.0, -4.0], law)
    >>> way = armdyn.trajectory.ByLength(path)
    >>> round(way.duration, 12), way.evaluate(2.5).q.round(12), way.evaluate(2.5).qd.round(12)
    (5.0, array([ 1.5, -2. ]), array([ 0.6, -0.8]))
    """

    def __init__(self, path: JointPath) -> None:
        self.path, self.dof = path, path.dof
        self._times = np.linspace(0.0, path.duration, PANELS + 1)
        velocity = path.evaluate(self._times).qd
        self._speeds = np.linalg.norm(velocity, axis=1)
        panels = self._lengths_to(self._times[:-1], self._times[1:])
        self._lengths = np.concatenate([[0.0], np.cumsum(panels)])
        self.duration = float(self._lengths[-1])
        if not self.duration > 0.0:
            raise MotionError("the path goes nowhere: its joints rest all the time")
        self._moving = np.flatnonzero(self._speeds > RESTING * self._speeds.max())
        self._refuse_corners(velocity)

    def times(self, lengths: ArrayLike) -> Array:
        """Times of the path after which the joints have moved by these lengths, s, of the shape of the lengths.

        Args:
            lengths: rad or m, from 0 to the duration of this path.

        Raises:
            MotionError: a length outside the path.
        """
        lengths_within = times_within(lengths, self.duration)
        flat = np.minimum(lengths_within.ravel(), self._lengths[-1])
        k = np.clip(np.searchsorted(self._lengths, flat, side="right") - 1, 0, PANELS - 1)
        return self._solved(flat - self._lengths[k], k).reshape(lengths_within.shape)

    def _solved(self, lengths: Array, k: Array) -> Array:
        """The times in panels k at which these lengths, rad or m, are covered, by Newton's method within brackets."""
        start, low, high = self._times[k], self._times[k].copy(), self._times[k + 1].copy()
        t = np.clip(self._guessed(lengths, k), low, high)
        accuracy, active = 4e-16 * self._lengths[-1], np.arange(len(t))
        for _ in range(NEWTON_STEPS):
            here = t[active]
            error = self._lengths_to(start[active], here) - lengths[active]
            remaining = np.abs(error) > accuracy
            active, here, error = active[remaining], here[remaining], error[remaining]
            if not active.size:
                break
            high[active] = np.where(error > 0.0, here, high[active])
            low[active] = np.where(error > 0.0, low[active], here)
            with np.errstate(divide="ignore", invalid="ignore"):
                step = error / np.linalg.norm(self.path.evaluate(here).qd, axis=-1)
            inside = (here - step > low[active]) & (here - step < high[active])  # not at zero speed
            following = np.where(inside, here - step, 0.5 * (low[active] + high[active]))
            t[active] = following
            active = active[~inside | (np.abs(step) > LAST_STEP * self._times[1])]
        return t

    def _guessed(self, lengths: Array, k: Array) -> Array:
        """Times by the cubic through both ends of the panels, with the slopes 1/|dq/dt| of time by length."""
        whole, width = self._lengths[k + 1] - self._lengths[k], self._times[1]
        with np.errstate(divide="ignore", invalid="ignore"):
            x = np.where(whole > 0.0, lengths / whole, 0.0)
            a, b = (np.minimum(3.0 * width, whole / self._speeds[j]) for j in (k, k + 1))  # monotone up to a slope of 3
        a, b = (np.where(np.isfinite(slope), slope, width) for slope in (a, b))
        times: Array = self._times[k] + x * (a + x * (3 * width - 2 * a - b + x * (a + b - 2 * width)))
        return times

    def _lengths_to(self, start: Array, end: Array) -> Array:
        """The lengths from some times to others shortly after them, each of shape (m,)."""
        width = end - start
        t = 0.5 * (start + end)[:, None] + width[:, None] * NODES
        speed = np.linalg.norm(self.path.evaluate(np.clip(t, 0.0, self.path.duration)).qd, axis=-1)
        result: Array = width * (speed @ WEIGHTS)
        return result

    def _at(self, t: Array) -> JointStates:
        times = self.times(t)
        q, qd, qdd = self.path.evaluate(times)
        resting = np.linalg.norm(qd, axis=-1) <= RESTING * self._speeds.max()
        if not resting.any():
            return JointStates(q, *_by_length(qd, qdd))
        beside = self._beside(times[resting])
        qd[resting], qdd[resting] = self.path.evaluate(beside)[1:]
        direction, bend = _by_length(qd, qdd)
        start = np.minimum(times[resting], beside)
        way = self._lengths_to(start, np.maximum(times[resting], beside)) * np.sign(times[resting] - beside)
        direction[resting] += bend[resting] * way[:, None]  # a direction at rest, from one nearby
        direction /= np.linalg.norm(direction, axis=-1, keepdims=True)
        return JointStates(q, direction, bend)

    def _beside(self, times: Array) -> Array:
        """The nearest times at which the path moves, by bisection, of times at which it rests."""
        moving = self._times[self._moving]
        k = np.clip(np.searchsorted(moving, times), 1, len(moving) - 1)
        resting, beside = times, np.where(times - moving[k - 1] < moving[k] - times, moving[k - 1], moving[k])
        for _ in range(BISECTIONS):
            middle = 0.5 * (resting + beside)
            moves = np.linalg.norm(self.path.evaluate(middle).qd, axis=-1) > RESTING * self._speeds.max()
            resting, beside = np.where(moves, resting, middle), np.where(moves, middle, beside)
        return np.asarray(beside)

    def _refuse_corners(self, velocity: Array) -> None:
        """Raise a MotionError at a jump of the direction of the path."""
        times, direction = self._times[self._moving], velocity[self._moving] / self._speeds[self._moving, None]
        for j in np.flatnonzero(angles(direction[:-1], direction[1:]) > CORNER):
            corner = self._corner(times[j], times[j + 1], direction[j], direction[j + 1])
            if corner is not None:
                raise MotionError(
                    f"the path itself rests at {corner / self.path.duration:.0%} of its time and goes on in another "
                    "direction, or it has a corner there; expected a path without corners. Scale the parts between the "
                    "stops one by one"
                )

    def _corner(self, a: float, b: float, from_a: Array, from_b: Array) -> float | None:
        """The time between a and b at which the direction jumps, by bisection; None for a narrow bend."""
        for _ in range(BISECTIONS):
            middle = 0.5 * (a + b)
            qd = self.path.evaluate(middle).qd
            speed = float(np.linalg.norm(qd))
            if speed <= RESTING * self._speeds.max():
                return middle
            here = qd / speed
            if angles(from_a, here) > angles(here, from_b):
                b, from_b = middle, here
            else:
                a, from_a = middle, here
            if angles(from_a, from_b) <= 0.5 * CORNER:
                return None
        return 0.5 * (a + b)


def _by_length(qd: Array, qdd: Array) -> tuple[Array, Array]:
    """q' and q'' along the length: q' = qd/|qd| and q'' = (qdd - q' (q'.qdd))/|qd|^2."""
    speed = np.linalg.norm(qd, axis=-1, keepdims=True)
    direction = qd / speed
    along = np.sum(direction * qdd, axis=-1, keepdims=True)
    return direction, (qdd - direction * along) / speed**2


def angles(a: Array, b: Array) -> Array:
    """Angles between unit vectors, rad."""
    result: Array = 2.0 * np.arcsin(np.minimum(0.5 * np.linalg.norm(a - b, axis=-1), 1.0))
    return result
