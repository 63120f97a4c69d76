"""Where functions along one step of an integration cross zero: brackets from a few points, zeros by Brent's method."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise

import numpy as np

from armdyn.spatial.rotations import Array

POINTS = 5
"""In each step the signs are looked at there, the ends among them."""

HALVINGS = 60

AT_ZERO = 1e-9
"""A gap that begins below it has just been left; one that stays below its negative is a hit at once, rad or m."""

Function = Callable[[float], float]


def points_of(begin: float, end: float) -> Array:
    """The times at which a step is looked at, s."""
    return np.linspace(begin, end, POINTS)


def zero(f: Function, a: float, b: float) -> float:
    """The zero between a and b, s, to rounding."""
    from scipy.optimize import brentq  # noqa: PLC0415 - slow to import

    f_a, f_b = f(a), f(b)
    if f_a == 0.0 or f_b == 0.0 or (f_a > 0) == (f_b > 0):
        return a if abs(f_a) < abs(f_b) else b
    return float(brentq(f, a, b, xtol=1e-15, rtol=4 * np.finfo(float).eps))


def crossed(f: Function, times: Array, direction: int) -> tuple[float, float] | None:
    """The first interval in which f changes its sign in the direction; a zero at the begin does not count."""
    values = [f(t) for t in times]
    for (a, b), (f_a, f_b) in zip(pairwise(times), pairwise(values), strict=True):
        falls, rises = f_a > 0 >= f_b, f_a < 0 <= f_b
        if (falls and direction <= 0) or (rises and direction >= 0):
            return float(a), float(b)
    return None


def closes(gap: Function, rate: Function, times: Array, *, starts: bool) -> tuple[float, float] | None:
    """The first interval in which a gap becomes zero, also where it opens again within it.

    Args:
        gap: g(t), rad or m.
        rate: of g.
        times: to look at.
        starts: whether the motion starts anew at the first of them, perhaps from a gap of zero that opens.
    """
    values, rates = [gap(t) for t in times], [rate(t) for t in times]
    for k, (a, b) in enumerate(pairwise(times)):
        if k == 0 and starts and values[0] < AT_ZERO:
            found = _again(gap, float(a), float(b))
            if found is not None:
                return found
            if values[1] < -AT_ZERO:
                return float(a), float(a)
        elif values[k] > 0 >= values[k + 1]:
            return float(a), float(b)
        if values[k + 1] > 0 and rates[k] < 0 < rates[k + 1]:
            lowest = zero(rate, float(a), float(b))
            if gap(lowest) < 0:
                return float(a), lowest
    return None


def _again(gap: Function, begin: float, end: float) -> tuple[float, float] | None:
    """The interval in which a gap that has just opened closes again, where that is before the end."""
    if gap(end) > 0:
        return None
    t = end
    for _ in range(HALVINGS):
        t, later = begin + 0.5 * (t - begin), t
        if gap(t) > 0:
            return t, later
    return None
