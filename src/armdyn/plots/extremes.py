"""Reduction of long motions for pictures: the rows with the extremes of each interval, and breaks at gaps."""

from __future__ import annotations

import numpy as np

from armdyn.spatial.rotations import Array

INTERVALS = 1500
"""Number of intervals of a panel whose extremes are drawn: more than its pixels across at print resolution."""

LONGEST = 4 * INTERVALS
"""Largest number of rows that are all drawn; more are thinned."""


def extreme_rows(values: Array, intervals: int = INTERVALS, longest: int = LONGEST) -> Array:
    """The increasing indices of rows with the least or largest value of a column in an interval of rows, shape (k,).

    If there are few rows, all are returned. The result includes the first and the last row, and the rows on both sides
    of values that are not finite, so that gaps are preserved.

    Args:
        values: samples, shape (T, m).
        intervals: number of intervals of equal size.
        longest: number of rows up to which all are returned.

    >>> t = np.linspace(0.0, 1.0, 100_001)
    >>> wave = np.sin(500.0 * t)[:, None]
    >>> rows = extreme_rows(wave)
    >>> len(rows) <= 3002, bool(wave[rows].max() == wave.max())
    (True, True)
    """
    count = len(values)
    if count <= longest:
        return np.arange(count)
    size = -(-count // intervals)
    whole = count // size
    starts = np.arange(whole) * size
    rows = [np.array([0, count - 1]), np.arange(whole * size, count)[:: max(size // 2, 1)]]
    for column in values.T:
        finite = np.isfinite(column)
        complete = bool(finite.all())
        for least in (True, False):
            worst = np.inf if least else -np.inf
            filled = column if complete else np.where(finite, column, worst)
            blocks = filled[: whole * size].reshape(whole, size)
            rows.append(starts + (blocks.argmin(axis=1) if least else blocks.argmax(axis=1)))
            rest = filled[whole * size :]
            if len(rest):
                rows.append(np.array([whole * size + int(rest.argmin() if least else rest.argmax())]))
        if not complete:
            edges = np.flatnonzero(np.diff(finite))
            rows += [edges, edges + 1]
    return np.unique(np.concatenate(rows))


def with_breaks(t: Array, values: Array, pieces: list[slice]) -> tuple[Array, Array]:
    """Times and values with a row of NaN between pieces, so that a line has a gap there.

    Args:
        t: times, shape (T,).
        values: samples, shape (T, m).
        pieces: consecutive rows, e.g. those of `armdyn.logs.Log.pieces`.
    """
    if len(pieces) < 2:
        return t, values
    ends = np.array([piece.stop for piece in pieces[:-1]])
    return np.insert(t, ends, t[ends - 1]), np.insert(values.astype(float), ends, np.nan, axis=0)
