"""Consistency of a motion: check that one column is the rate of another, e.g. velocities of positions."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from armdyn.spatial.rotations import Array

DIGITS = 0.01
"""Allowed error as a fraction of the largest rate, because logs and tables have two digits or more."""


@dataclass(frozen=True)
class Contradiction:
    """An interval in which the change of a column differs from the integral of its rate.

    Args:
        column: index of the joint.
        start: start of the motion, or of the segment after a jump, s.
        end: end of the interval, s.
        moved: change of the column from start to end.
        integral: integral of the rate from start to end.
    """

    column: int
    start: float
    end: float
    moved: float
    integral: float


def contradiction(t: Array, x: Array, rate: Array) -> Contradiction | None:
    """The largest contradiction between x and the integral of its rate; None if they are consistent.

    The integral of the rate over samples is the sum of h (r_k + r_k+1)/2. Its error is h/2 times a jump of the
    rate in between, h/8 times a kink and h^3 r''/12; none is above h times the larger of the second differences of r at
    the two samples. All of these add up along the motion; in addition there are the largest second difference of x,
    which bounds its noise and its rounding, and `DIGITS` of the largest rate.

    Args:
        t: times, s, not decreasing, shape (samples,); a repeated time is a jump, which is not compared.
        x: values, shape (samples, n).
        rate: rates, shape (samples, n).
    """
    worst, result = 1.0, None
    for part in _parts(t):
        h, moved = np.diff(t[part])[:, None], x[part] - x[part][0]
        r = rate[part]
        integral = _sums(h * 0.5 * (r[1:] + r[:-1]))
        rounding = 1e-12 * np.abs(x[part]).max(axis=0)
        allowed = _sums(h * _bends(t[part], r)) + DIGITS * np.abs(r).max(axis=0) * _sums(h)
        allowed += _second_differences(t[part], x[part]).max(axis=0, initial=0.0) + rounding
        off = np.abs(moved - integral)
        ratio = np.divide(off, allowed, out=np.where(off > 0.0, np.inf, 0.0), where=allowed > 0.0)
        k, column = np.unravel_index(ratio.argmax(), ratio.shape)
        if ratio[k, column] > worst:
            worst = ratio[k, column]
            numbers = (t[part][0], t[part][k], moved[k, column], integral[k, column])
            result = Contradiction(int(column), *map(float, numbers))
    return result


def _parts(t: Array) -> Iterator[slice]:
    """Slices of samples between jumps."""
    for start, end in pairwise([0, *(np.flatnonzero(np.diff(t) == 0.0) + 1), len(t)]):
        if end - start > 1:
            yield slice(start, end)


def _sums(increments: Array) -> Array:
    """Sums from the start up to each sample."""
    return np.concatenate([np.zeros((1, *increments.shape[1:])), np.cumsum(increments, axis=0)])


def _second_differences(t: Array, r: Array) -> Array:
    """For three consecutive samples, twice the distance of the middle one from the line through the others."""
    share = ((t[1:-1] - t[:-2]) / (t[2:] - t[:-2]))[:, None]
    result: Array = 2.0 * np.abs(r[1:-1] - r[:-2] - share * (r[2:] - r[:-2]))
    return result


def _bends(t: Array, r: Array) -> Array:
    """For each interval, the larger of the second differences at its ends; for only two samples, their difference."""
    if len(t) == 2:
        return np.abs(np.diff(r, axis=0))
    inner = _second_differences(t, r)
    result: Array = np.maximum(np.concatenate([inner[:1], inner]), np.concatenate([inner, inner[-1:]]))
    return result
