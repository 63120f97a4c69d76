"""The greatest speed at each place of a path under rows that are linear in it: TOPP-RA (Pham and Pham 2018).

With x = sd^2, and u = sdd constant in each interval, x changes by 2 h u over an interval of width h. Backwards from the
end, each place has a set of x from which the end can be reached within the rows; forwards, the greatest u that stays in
these sets gives the fastest motion. Each step is a linear program in u and x. Rows with a positive factor of u are
upper bounds of u, rows with a negative one lower bounds; the difference of the least upper and the greatest lower bound
is a concave function of x, piecewise linear, whose zeros Newton's method finds exactly in a few steps.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from armdyn.spatial.rotations import Array

FARTHEST = 1e9
"""Start of Newton's method, as a multiple of the square of the mean speed."""

MOST_STEPS = 200
"""Each step of Newton's method takes another pair of bounds; a handful is usual."""

ROUNDING = 1e-14
"""The part of their size by which a lower bound of u may lie above an upper one."""


class IntervalRows(NamedTuple):
    """Rows by_acceleration u + by_square x <= rest of each interval of a path; x = sd^2 at its start, u = sdd in it.

    Args:
        by_acceleration: shape (intervals, rows).
        by_square: shape (intervals, rows).
        rest: shape (intervals, rows).
    """

    by_acceleration: Array
    by_square: Array
    rest: Array

    @classmethod
    def together(cls, *several: IntervalRows) -> IntervalRows:
        """All rows of common intervals."""
        return cls(*(np.concatenate(parts, axis=1) for parts in zip(*several, strict=True)))


class Unreachable(Exception):
    """Error: no motion satisfies the rows.

    Args:
        place: the interval from which no motion reaches the end.
    """

    def __init__(self, place: int) -> None:
        super().__init__(place)
        self.place = place


class LinearBounds(NamedTuple):
    """Bounds constant + slope x of u, shape (rows,) each, and the x between which the rows without u hold."""

    upper: Array
    upper_slope: Array
    lower: Array
    lower_slope: Array
    least: float
    most: float

    def least_upper(self, x: float) -> tuple[float, float]:
        """The constant and the slope of the least upper bound of u at x."""
        j = int((self.upper + self.upper_slope * x).argmin())
        return float(self.upper[j]), float(self.upper_slope[j])

    def greatest_lower(self, x: float) -> tuple[float, float]:
        """The constant and the slope of the greatest lower bound of u at x."""
        k = int((self.lower + self.lower_slope * x).argmax())
        return float(self.lower[k]), float(self.lower_slope[k])


class SquareInterval(NamedTuple):
    """The interval of squares x at a place from which the end is reached."""

    least: float
    most: float


def greatest_squares(places: Array, rows: IntervalRows, mean_speed: float) -> Array:
    """Squares x of the greatest speeds at the places from rest to rest, shape (intervals + 1,).

    Args:
        places: s, rising, shape (intervals + 1,).
        rows: of each interval.
        mean_speed: an estimate of the mean of sd; no result depends on it.

    Raises:
        Unreachable: no motion satisfies the rows.
    """
    steps = 2.0 * np.diff(places)
    bounds = _bounds(rows)
    farthest = FARTHEST * mean_speed**2
    reaches = [SquareInterval(0.0, 0.0)]
    for i in reversed(range(len(steps))):
        reach = _reach_before(bounds[i], float(steps[i]), reaches[-1], farthest)
        if reach is None:
            raise Unreachable(i)
        reaches.append(reach)
    reaches.reverse()
    if reaches[0].least > 0.0:
        raise Unreachable(0)
    x = [0.0]
    for i, step in enumerate(steps):
        x.append(_after(bounds[i], float(step), x[-1], reaches[i + 1]))
    if not min(x[1:-1]) > 0.0:
        raise Unreachable(int(np.argmin(x[1:-1])) + 1)
    return np.array(x)


def _after(bounds: LinearBounds, step: float, x: float, reach: SquareInterval) -> float:
    """The greatest x of the next place, within its reach."""
    constant, slope = bounds.least_upper(x)
    return min(reach.most, max(reach.least, x + step * (constant + slope * x)))


def _reach_before(bounds: LinearBounds, step: float, after: SquareInterval, farthest: float) -> SquareInterval | None:
    """The reach at the start of an interval from that at its end; None if it is empty."""

    def gap(x: float) -> tuple[float, float, float]:
        """The difference of the bounds of u as a line at x, its constant and slope, and the size of its terms."""
        upper, upper_slope = bounds.least_upper(x)
        lower, lower_slope = bounds.greatest_lower(x)
        if (after.most - x) / step < upper + upper_slope * x:
            upper, upper_slope = after.most / step, -1.0 / step
        if (after.least - x) / step > lower + lower_slope * x:
            lower, lower_slope = after.least / step, -1.0 / step
        size = abs(upper) + abs(lower) + (abs(upper_slope) + abs(lower_slope)) * x
        return upper - lower, upper_slope - lower_slope, size

    def zero(x: float, direction: float, end: float) -> float | None:
        """The first zero of the gap from x in a direction, or x if the gap is not negative; None if it lies beyond."""
        for _ in range(MOST_STEPS):
            constant, slope, size = gap(x)
            if constant + slope * x >= -ROUNDING * size:
                return x
            if slope * direction <= 0.0 or x == end:
                return None
            following = -constant / slope  # from the line itself: x may be far away
            if following == x:
                return x
            x = following if (following - end) * direction < 0.0 else end
        return x

    most = zero(min(bounds.most, farthest), -1.0, bounds.least)
    if most is None:
        return None
    least = zero(bounds.least, 1.0, most)
    return SquareInterval(min(most, bounds.least if least is None else least), most)


def _bounds(rows: IntervalRows) -> list[LinearBounds]:
    """Rows solved for u, by interval."""
    a, b, c = rows
    with np.errstate(divide="ignore", invalid="ignore"):
        constant, slope, at = c / a, -b / a, c / b
    above, below, without = a > 0.0, a < 0.0, a == 0.0
    parts = (
        np.where(above, constant, math.inf),
        np.where(above, slope, 0.0),
        np.where(below, constant, -math.inf),
        np.where(below, slope, 0.0),
        np.where(without & (b < 0.0), at, 0.0).max(axis=1),
        np.where(without & (b > 0.0), at, math.inf).min(axis=1),
    )
    impossible = (without & (b == 0.0) & (c < 0.0)).any(axis=1)
    parts[5][impossible] = -1.0
    return [LinearBounds(*of_interval) for of_interval in zip(*parts, strict=True)]
