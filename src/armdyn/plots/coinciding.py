"""Curves that coincide for some time: alternating dashes keep all of them visible."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from armdyn.spatial.rotations import Array

DASH = 4.0
"""The length of the dashes, in widths of the line."""

HIDDEN = 0.004
"""Curves coincide if their distance is below this fraction of their panel's range."""

FLAT = 1e-9
"""A range below this fraction of its values counts as zero: the axis shows the value, not its rounding."""

SHORTEST = 0.05
"""Dashes alternate if curves coincide for at least this fraction of the time; less has no room for dashes."""


class CurvePiece(NamedTuple):
    """A part of a curve: the samples from ``first`` to ``last``, and the place of its dashes among ``of`` curves."""

    first: int
    last: int
    turn: int = 0
    of: int = 1

    @property
    def style(self) -> dict[str, object]:
        """The line style as keywords of matplotlib; empty for a solid line."""
        if self.of == 1:
            return {}
        return {"linestyle": (self.turn * DASH, (DASH, (self.of - 1) * DASH))}


def pieces(t: Array, values: Array) -> list[list[CurvePiece]]:
    """The parts of curves, one per column, that are solid or alternate with others; each begins at the end of another.

    >>> t = np.linspace(0.0, 1.0, 11)
    >>> for each in pieces(t, np.stack([t, np.maximum(t, 0.5)], axis=-1)):
    ...     print([tuple(piece) for piece in each])
    [(0, 5, 0, 1), (5, 10, 0, 2)]
    [(0, 5, 0, 1), (5, 10, 1, 2)]
    """
    last, leaders = len(t) - 1, _leaders(values)
    return [_of_one(t, leaders == leaders[:, [k]], k, last) for k in range(values.shape[1])]


def _of_one(t: Array, together: Array, k: int, last: int) -> list[CurvePiece]:
    """The parts of curve k; ``together``, (T, m), marks the curves, itself included, that it lies on in each sample."""
    parts: list[CurvePiece] = []
    for first, end in _runs(together):
        members = np.flatnonzero(together[first]).tolist()
        if len(members) > 1 and end > first and t[end] - t[first] >= SHORTEST * (t[last] - t[0]):
            begin = parts[-1].last if parts else 0
            if parts and begin == first - 1:  # it lies on other curves than before, without a gap
                parts[-1] = parts[-1]._replace(last=first)
            elif begin < first:
                parts.append(CurvePiece(begin, first))
            parts.append(CurvePiece(first, end, members.index(k), len(members)))
    begin = parts[-1].last if parts else 0
    return [*parts, CurvePiece(begin, last)] if begin < last or not parts else parts


def _leaders(values: Array) -> Array:
    """For each sample and curve, the index of the first curve that coincides with it there, (T, m)."""
    finite = values[np.isfinite(values)]
    size = float(np.abs(finite).max(initial=0.0))
    near = max(HIDDEN * float(np.ptp(finite)) if finite.size else 0.0, FLAT * max(size, 1.0))
    count = values.shape[1]
    first = np.tile(np.arange(count), (len(values), 1))
    for k in range(1, count):
        for j in reversed(range(k)):
            leads = (first[:, j] == j) & (np.abs(values[:, j] - values[:, k]) <= near)
            first[leads, k] = j
    return first


def _runs(rows: Array) -> list[tuple[int, int]]:
    """The first and last sample of each run of equal rows."""
    ends = np.flatnonzero((rows[1:] != rows[:-1]).any(axis=1)) + 1
    return list(zip([0, *ends.tolist()], [*(ends - 1).tolist(), len(rows) - 1], strict=True))
