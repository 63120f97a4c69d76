"""Impulses within bounds that leave an arm the least energy, traced: what dry friction gives at rest and in stops.

Rows r_k have velocities r_k . v, and impulses p_k along them change v to v0 + sum C_k p_k, where C_k = P r_k^T. P is
M^-1, or what constraints leave of that: M^-1 - M^-1 A^T (A M^-1 A^T)^-1 A M^-1. Of all p within their bounds those
count that make v . M v least (Gauss; Moreau 1988): a row that moves has the largest impulse against it, and one at rest
any. The velocities are unique. The impulses are so where no row follows from others; else those are found that come
first, and all of them are right.

Each impulse is made what is best beside the others, sweep by sweep, which lessens the energy each time. Then those that
are within their bounds are solved for, and their rows rest to rounding. Where that solution contradicts itself, the
sweeps were too few, and what they have found counts. Forces that cause accelerations are found in the same way.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from armdyn.program import clip, less, less_equal, select
from armdyn.simulation.sticking.some_rows import FOLLOWS, solved_for_some
from armdyn.spatial.rotations import Array

SWEEPS, NEAR = 8, 1e-9
"""Over all rows: in arms that are coupled strongly each lessens what is left by a third or so. What they leave so near
to a bound, by its distance from the other one, is at it: where a row follows from others, it would be solved for."""

FURTHER = ((SWEEPS, NEAR),)
"""Where these were too few: of 2000 random arms with rows that follow from others, 12 in a thousand; then 6."""

ROUNDING = 1e-12
"""Of what impulses cause and cancel, the part below which a row rests."""


class Impulses(NamedTuple):
    """What was found.

    Args:
        velocities: v, (n,).
        impulses: p, one a row.
        rests: 1 of each row that is at rest, but for rounding, else 0.
    """

    velocities: Array
    impulses: Array
    rests: Array


def bounded_impulses(
    v0: Array,
    rows: Array,
    columns: Array,
    low: Array,
    high: Array,
    *,
    free: Sequence[Any] | None = None,
    sweeps: Sequence[tuple[int, float]] = ((SWEEPS, NEAR), *FURTHER),
) -> Impulses:
    """The least energy.

    Args:
        v0: velocities without impulses, (n,).
        rows: r_k, (m, n).
        columns: C_k, (m, n).
        low, high: bounds of the impulses, (m,).
        free: r_k M^-1 r_k^T, without constraints, where there are some.
        sweeps: how many, and what is near to a bound behind them; further ones where what follows from these is wrong.
    """
    S, rates = rows @ columns.T, rows @ v0
    metric = _Metric(S, [S[k, k] for k in range(len(rows))] if free is None else free, constrained=free is not None)
    p, found = _found(metric, rates, clip(np.zeros(len(rows)), low, high), low, high, sweeps)
    impulses, rests = select(found.wrong, p, found.p), select(found.wrong, 0.0, found.rests)
    return Impulses(v0 + columns.T @ impulses, impulses, rests)


class _Metric:
    """S = R P R^T, and which of its diagonal entries are above zero, to rounding.

    Args:
        S: (m, m).
        free: r_k M^-1 r_k^T.
        constrained: whether P is less than M^-1.
    """

    def __init__(self, S: Array, free: Sequence[Any], *, constrained: bool) -> None:
        self.S, self.least = S, [FOLLOWS * one for one in free]
        diagonal = [S[k, k] for k in range(len(S))]
        self.movable = [less(a, b) if constrained else 1.0 for a, b in zip(self.least, diagonal, strict=True)]
        self.reciprocal = [a / (b + (1.0 - a)) for a, b in zip(self.movable, diagonal, strict=True)]


def _found(
    metric: _Metric, rates: Array, p: Array, low: Array, high: Array, sweeps: Sequence[tuple[int, float]]
) -> tuple[Array, _Solved]:
    """The impulses of the sweeps, and those that follow; further ones where these are wrong."""
    (count, near), *further = sweeps
    p = _swept(metric, rates, p, low, high, count)
    solved = _Solved.of(metric, rates, p, low, high, near)
    if not further:
        return p, solved
    later, other = _found(metric, rates, p, low, high, further)
    chosen = (select(solved.wrong, *both) for both in zip(other, solved, strict=True))
    return select(solved.wrong, later, p), _Solved(*chosen)


def _swept(metric: _Metric, rates: Array, p: Array, low: Array, high: Array, count: int) -> Array:
    """The impulses after so many sweeps; a row that constraints hold gets none."""
    rates, p = rates + metric.S @ p, p.copy()
    for _ in range(count):
        for k in range(len(p)):
            better = clip(p[k] - metric.reciprocal[k] * rates[k], low[k], high[k])
            rates, p[k] = rates + metric.S[:, k] * (better - p[k]), better
    return p


class _Solved(NamedTuple):
    """The impulses where those within their bounds bring their rows to rest.

    Args:
        p: one a row.
        rests: 1 of each row that is at rest, but for rounding, else 0.
        wrong: above 0 where they contradict their bounds, or a row moves along its impulse.
    """

    p: Array
    rests: Array
    wrong: Any

    @classmethod
    def of(cls, metric: _Metric, rates: Array, p: Array, low: Array, high: Array, near: float) -> _Solved:
        """From the impulses of the sweeps."""
        little = near * (high - low)
        forwards, backwards = (
            less_equal(p, low + little),
            less_equal(high - little, p),
        )  # the ways in which they may move
        held = (1.0 - forwards) * (1.0 - backwards)
        near_it = held * p + forwards * low + (1.0 - forwards) * backwards * high
        whole = near_it - solved_for_some(metric.S, metric.least, held, rates + metric.S @ near_it)
        after, sizes = rates + metric.S @ whole, abs(rates) + abs(metric.S) @ abs(whole)
        moves = less(ROUNDING * sizes, abs(after))
        wrong = held * (less(whole, low) + less(high, whole) + moves)
        wrong = wrong + moves * (1.0 - backwards) * forwards * less(after, 0.0)
        wrong = wrong + moves * (1.0 - forwards) * backwards * less(0.0, after)
        return cls(whole, 1.0 - moves, sum(wrong))
