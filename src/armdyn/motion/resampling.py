"""A motion at other times than it was kept: parts of it, and interpolation between its states."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from armdyn.base.checks import array, number
from armdyn.base.errors import SettingError
from armdyn.base.memory import refuse_more_than_memory
from armdyn.motion.dense import Dense, of_batch
from armdyn.motion.interpolation import Interval, quintic
from armdyn.motion.motion_data import Motion
from armdyn.spatial.rotations import Array

ROUNDING = 1e-9
"""Tolerance of times, over the duration, for the rounding errors of their sums."""


def part(trajectory: Motion, start: float, end: float) -> Motion:
    """The states kept from ``start`` to ``end``; times that rounding moved by a billionth of the motion count too."""
    start, end = (number(name, t, unit="s", error=SettingError) for name, t in (("start", start), ("end", end)))
    t, slack = trajectory.t, _slack(trajectory.t)
    rows = np.flatnonzero((t >= start - slack) & (t <= end + slack))
    if not rows.size:
        raise SettingError(
            f"no state is kept from start={start:g} s to end={end:g} s; {len(t)} are, from {t[0]:g} to {t[-1]:g} s. "
            "trajectory.resample(times) gives states between them"
        )
    span = slice(rows[0], rows[-1] + 1)
    events = tuple(one for one in trajectory.events if t[span][0] <= one.t <= t[span][-1])
    notes = trajectory.notes
    if notes and span != slice(0, len(t)):
        notes = (*notes, f"these notes are on the whole motion, from {t[0]:g} to {t[-1]:g} s")
    return replace(trajectory.changed(lambda values: values[span], t=t[span]), events=events, notes=notes)


@np.errstate(all="ignore")  # diverged motions are NaN or infinite
def resampled(trajectory: Motion, times: object, rate: object) -> Motion:
    """The motion at ``times``, or at ``rate`` times per second, interpolated as `Trajectory.resample` describes."""
    t = _checked_times(trajectory.t, times, rate)
    interval = Interval(trajectory.t, t)
    q, qd, qdd = quintic(interval, trajectory.q, trajectory.qd, trajectory.qdd)
    if trajectory.dense is not None:
        states = of_batch(trajectory.dense, t, trajectory.q.shape[1:], Dense.at)
        q, qd = (
            interval.exact_at_ends(x, samples) for x, samples in zip(states, (trajectory.q, trajectory.qd), strict=True)
        )
    return trajectory.changed(interval.linear, t=t, q=q, qd=qd, qdd=qdd)


def _slack(t: Array) -> float:
    """`ROUNDING` of the duration, s."""
    return ROUNDING * float(t[-1] - t[0])


def _checked_times(t: Array, times: object, rate: object) -> Array:
    first, last, slack = float(t[0]), float(t[-1]), _slack(t)
    if (times is None) == (rate is None):
        raise SettingError(
            f"{'neither' if times is None else 'both'} of times and rate given; expected one of them, such as rate=100"
        )
    if times is None:
        rate = number("rate", rate, above=0.0, unit="Hz", error=SettingError)
        remedy = "Choose a lower rate"
        refuse_more_than_memory(8.0 * rate * (last - first), "the motion", remedy, error=SettingError)
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
