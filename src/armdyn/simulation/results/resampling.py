"""A motion at other times than it was kept: parts of it, and interpolation between its states."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, TypeVar

import numpy as np

from armdyn.base.checks import array, number
from armdyn.simulation.drivers.grid import ROUNDING, refuse_more_than_memory
from armdyn.simulation.errors import SettingError
from armdyn.simulation.results.dense import Dense, of_batch
from armdyn.simulation.results.motion_data import MotionData
from armdyn.spatial.rotations import Array

Motion = TypeVar("Motion", bound=MotionData)
"""The class of the motion that is given."""


def part(trajectory: Motion, start: Any, end: Any) -> Motion:
    """The states kept from ``start`` to ``end``; times that rounding moved by a billionth of the motion count too."""
    start, end = (number(name, t, unit="s", error=SettingError) for name, t in (("start", start), ("end", end)))
    t, slack = trajectory.t, _slack(trajectory.t)
    rows = np.flatnonzero((t >= start - slack) & (t <= end + slack))
    if not rows.size:
        raise SettingError(
            f"no state is kept from start={start:g} s to end={end:g} s; {len(t)} are, from {t[0]:g} to {t[-1]:g} s. "
            "trajectory.resample(times) gives states between them"
        )
    kept = slice(rows[0], rows[-1] + 1)
    events = tuple(one for one in trajectory.events if t[kept][0] <= one.t <= t[kept][-1])
    notes = trajectory.notes
    if notes and kept != slice(0, len(t)):
        notes = (*notes, f"these notes are on the whole motion, from {t[0]:g} to {t[-1]:g} s")
    return replace(trajectory.changed(lambda values: values[kept], t=t[kept]), events=events, notes=notes)


@np.errstate(all="ignore")  # diverged motions are NaN or infinite
def resampled(trajectory: Motion, times: Any, rate: Any) -> Motion:
    """The motion at ``times``, or at ``rate`` times per second, interpolated as `Trajectory.resample` describes."""
    t = _checked_times(trajectory.t, times, rate)
    interval = Interval(trajectory.t, t)
    q, qd, qdd = quintic(interval, trajectory.q, trajectory.qd, trajectory.qdd)
    if trajectory.dense is not None:
        states = of_batch(trajectory.dense, t, trajectory.q.shape[1:], Dense.at)
        q, qd = (interval.exact_at_ends(x, kept) for x, kept in zip(states, (trajectory.q, trajectory.qd), strict=True))
    return trajectory.changed(interval.linear, t=t, q=q, qd=qd, qdd=qdd)


class Interval:
    """The two kept times around each of some times, and its relative position between them.

    Args:
        kept: rising, s, shape (m,).
        t: from the first kept time to the last, s, shape (T,).
    """

    def __init__(self, kept: Array, t: Array) -> None:
        last = len(kept) - 1
        self.left = np.clip(np.searchsorted(kept, t, side="right") - 1, 0, max(last - 1, 0))
        self.right = np.minimum(self.left + 1, last)
        self.length = np.where(self.right > self.left, kept[self.right] - kept[self.left], 1.0)
        self.s = (t - kept[self.left]) / self.length
        self.at_left, self.at_right = t == kept[self.left], t == kept[self.right]

    def ends(self, values: Array) -> tuple[Array, Array]:
        """The kept values at both ends of each interval, shape (T, ...)."""
        return values[self.left], values[self.right]

    def along(self, numbers: Array, values: Array) -> Array:
        """Numbers a time, shape (T,), with as many axes as ``values``."""
        return numbers.reshape(-1, *(1,) * (values.ndim - 1))

    def linear(self, values: Array) -> Array:
        """Values by linear interpolation between the two times."""
        a, b = self.ends(values)
        return self.exact_at_ends(a + self.along(self.s, a) * (b - a), values)

    def exact_at_ends(self, between: Array, values: Array) -> Array:
        """Kept values, to the bit, at kept times, even next to states that are not finite; else ``between``."""
        a, b = self.ends(values)
        right = np.where(self.along(self.at_right, b), b, between)
        return np.where(self.along(self.at_left, a), a, right)


def quintic(interval: Interval, q: Array, qd: Array, qdd: Array) -> tuple[Array, Array, Array]:
    """The polynomial of fifth degree with position, velocity and acceleration of both ends, and its derivatives.

    If forces jump at the kept times, the acceleration at the end is the one after the jump, which is not the one
    this interval ends with; `dense.between_saved`, which does not use it, is then more accurate.

    In s from 0 to 1: q = q0 + v s + a s^2/2 + c3 s^3 + c4 s^4 + c5 s^5, v and a being derivatives by s.
    """
    (q0, q1), (qd0, qd1), (qdd0, qdd1) = (interval.ends(values) for values in (q, qd, qdd))
    h, s = interval.along(interval.length, q0), interval.along(interval.s, q0)
    v, a = h * qd0, h**2 * qdd0
    way, faster, change = q1 - q0 - v - a / 2, h * (qd1 - qd0) - a, h**2 * (qdd1 - qdd0)
    c3 = 10 * way - 4 * faster + change / 2
    c4 = -15 * way + 7 * faster - change
    c5 = 6 * way - 3 * faster + change / 2
    position = q0 + s * (v + s * (a / 2 + s * (c3 + s * (c4 + s * c5))))
    velocity = qd0 + s * (a + s * (3 * c3 + s * (4 * c4 + s * 5 * c5))) / h
    acceleration = qdd0 + s * (6 * c3 + s * (12 * c4 + s * 20 * c5)) / h**2
    of_kept = zip((position, velocity, acceleration), (q, qd, qdd), strict=True)
    position, velocity, acceleration = (interval.exact_at_ends(new, kept) for new, kept in of_kept)
    return position, velocity, acceleration


def _slack(kept: Array) -> float:
    """Tolerance of times, s, for the rounding errors of their sums."""
    return ROUNDING * float(kept[-1] - kept[0])


def _checked_times(kept: Array, times: Any, rate: Any) -> Array:
    first, last, slack = float(kept[0]), float(kept[-1]), _slack(kept)
    if (times is None) == (rate is None):
        raise SettingError(
            f"{'neither' if times is None else 'both'} of times and rate given; expected one of them, such as rate=100"
        )
    if times is None:
        rate = number("rate", rate, above=0.0, unit="Hz", error=SettingError)
        refuse_more_than_memory(8.0 * rate * (last - first))
        t = first + np.arange(int((last - first + slack) * rate) + 1) / rate
    else:
        t = array("times", times, ("T",), f"seconds, rising, from {first:g} to {last:g}", finite=SettingError)
    if not len(t) or not (np.diff(t) > 0).all():
        raise SettingError("times must rise from each to the next, and hold one at least")
    if t[0] < first - slack or t[-1] > last + slack:
        outside = t[0] if t[0] < first - slack else t[-1]
        raise SettingError(f"t = {outside:g} s is outside the motion, which lasts from {first:g} to {last:g} s")
    within: Array = np.clip(t, first, last)
    return within
