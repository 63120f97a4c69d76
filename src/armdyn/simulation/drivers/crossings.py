"""Zeros of functions along one step of an integration: brackets from a few points, zeros by Brent's method."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise

import numpy as np

from armdyn.spatial.rotations import Array

POINTS = 5
"""Number of times per step, its ends included, at which signs are evaluated."""

HALVINGS = 60

AT_ZERO = 1e-9
"""A gap that begins below it has just been left; one that stays below its negative is a hit at once, rad or m."""

PRESSED = 1e-12
"""Penetration of a barrier that was touched without force when it begins to push, rad or m."""

SLOW = 1e-10
"""A touched barrier is hit if its gap closes faster, a joint with dry friction rests if it is slower; rad/s or m/s."""

THERE = 1e-8
"""A point is on a plane, or a joint at its limit, to rounding if its distance is not above this, m or rad."""

LEFT = 100.0
"""A held function has left zero within a step, before its force is checked again, at this many times its band."""

Function = Callable[[float], float]

Bracket = tuple[float, float]
"""Two times, s, between which a function crosses zero; equal ones if it does so at once."""


def points_of(begin: float, end: float) -> Array:
    """The times at which the signs in a step are evaluated, s."""
    return np.linspace(begin, end, POINTS)


def zero(f: Function, a: float, b: float) -> float:
    """The zero between a and b, s, to rounding."""
    from scipy.optimize import brentq  # noqa: PLC0415 - slow to import

    f_a, f_b = f(a), f(b)
    if f_a == 0.0 or f_b == 0.0 or (f_a > 0) == (f_b > 0):
        return a if abs(f_a) < abs(f_b) else b
    return float(brentq(f, a, b, xtol=1e-15, rtol=4 * np.finfo(float).eps))


def crossed(f: Function, times: Array, direction: int) -> Bracket | None:
    """The first interval in which f changes its sign in the direction; a zero at the begin does not count."""
    values = [f(t) for t in times]
    for (a, b), (f_a, f_b) in zip(pairwise(times), pairwise(values), strict=True):
        falls, rises = f_a > 0 >= f_b, f_a < 0 <= f_b
        if (falls and direction <= 0) or (rises and direction >= 0):
            return float(a), float(b)
    return None


def arrives(f: Function, times: Array, direction: int, side: int, band: float) -> Bracket | None:
    """The first interval in which f, which comes from one side of zero, arrives there, or passes, in the direction.

    Args:
        f: of time.
        times: to look at.
        direction: 1 counts it rising, -1 falling, 0 both.
        side: 1 above zero, -1 below, 0 if f has arrived already, after which nothing counts until it is left: within a
            step, in which held rows have the integrator's error, by `LEFT` bands.
        band: the distance from zero that counts as rounding.
    """
    values = [f(t) for t in times]
    for (a, b), (f_a, f_b) in zip(pairwise(map(float, times)), pairwise(values), strict=True):
        if side == 0:
            side = int(np.sign(f_b)) if abs(f_b) > LEFT * band else 0
        elif side * f_b <= band:
            if side * direction <= 0:
                return (a, b) if side * f_a > band else (a, a)
            side = -side if side * f_b < -band else side
    return None


def closes(gap: Function, rate: Function, times: Array, *, starts: bool) -> Bracket | None:
    """The first interval in which a gap becomes zero, even if it opens again within it.

    With ``starts`` the motion starts anew at the first time, perhaps from a gap of zero that opens.
    """
    values = [gap(t) for t in times]
    for k, (a, b) in enumerate(pairwise(times)):
        just_left = k == 0 and starts and values[0] < AT_ZERO
        if just_left:
            bracket = _again(gap, float(a), float(b))
            if bracket is not None:
                return bracket
            if values[1] < -AT_ZERO:
                return float(a), float(a)
        elif values[k] > 0 >= values[k + 1]:
            return float(a), float(b)
        elif values[k + 1] < -AT_ZERO:  # touched without a push until now
            pressed = zero(lambda t: gap(t) + PRESSED, float(a), float(b)) if values[k] > -PRESSED else float(a)
            return pressed, pressed
        if values[k + 1] > 0:  # a gap that has just been left may close by rounding
            lowest = _lowest_below(-AT_ZERO if just_left else 0.0, gap, rate, float(a), float(b))
            if lowest is not None:
                return float(a), lowest
    return None


def _again(gap: Function, begin: float, end: float) -> Bracket | None:
    """The interval in which a gap that has just opened closes again; None if that is not before the end."""
    if gap(end) > 0:
        return None
    t = end
    for _ in range(HALVINGS):
        t, later = begin + 0.5 * (t - begin), t
        if gap(t) > 0:
            return t, later
    return None


def falls(f: Function, times: Array, *, starts: bool) -> Bracket | None:
    """The first interval in which f falls below zero; at once if it starts below.

    If ``starts`` is false the motion came from the first time with f not below zero.
    """
    values = [f(t) for t in times]
    if starts and values[0] < 0:
        return float(times[0]), float(times[0])
    for (a, b), (f_a, f_b) in zip(pairwise(times), pairwise(values), strict=True):
        if f_b < 0:
            return (float(a), float(b)) if f_a > 0 else (float(a), float(a))
    return None


def reverses(speed: Function, rate: Function, times: Array) -> Bracket | None:
    """The first interval in which a speed that is positive, or zero at first, falls to zero; equal ends if at once.

    A speed that begins at zero, or below `SLOW`, has to fall below -`SLOW`; smaller ones may be rounding.
    """
    values = [speed(t) for t in times]
    for (a, b), (v_a, v_b) in zip(pairwise(map(float, times)), pairwise(values), strict=True):
        moves = v_a > SLOW
        level = 0.0 if moves else -SLOW
        end = b if v_b < level or (moves and v_b <= 0.0) else _lowest_below(level, speed, rate, a, b)
        if end is not None:
            return (a, end) if v_a > 0 else _again(speed, a, end) or (a, a)
    return None


def _lowest_below(level: float, f: Function, rate: Function, a: float, b: float) -> float | None:
    """The place of the minimum of f between a and b if it is below a level; else None."""
    if not rate(a) < 0 < rate(b):
        return None
    lowest = zero(rate, a, b)
    return lowest if f(lowest) < level else None
