"""Impulses within bounds that leave an arm the least energy, traced: what dry friction gives at rest and in stops.

Rows r_k have velocities r_k . v, and impulses p_k along them change v to v0 + sum C_k p_k, where C_k = P r_k^T. P is
M^-1, or what constraints leave of that: M^-1 - M^-1 A^T (A M^-1 A^T)^-1 A M^-1. Of all p within their bounds those
count that make v . M v least (Gauss; Moreau 1988): a row that moves has the largest impulse against it, and one at rest
any. The velocities are unique. The impulses are so where no row follows from others; else those are found that come
first, and all of them are right.

Each impulse is made what is best beside the others, sweep by sweep, which lessens the energy each time. Then those that
are within their bounds are solved for, and their rows rest to rounding. Where that solution contradicts itself, the
impulses go towards it as far as their bounds allow. Rounds of a sweep and a step lessen the energy further: a step goes
towards the solution that changes each impulse by as little as its bounds are wide, where rows follow from others. Then
it is solved again, and where that is wrong too, what the rounds have found counts. Forces that cause accelerations are
found in the same way.
"""

from __future__ import annotations

from functools import reduce
from typing import Any, NamedTuple

import numpy as np

from armdyn.program import clip, less, less_equal, minimum, select
from armdyn.simulation.sticking.doings import largest
from armdyn.simulation.system.some_rows import FOLLOWS, solved_for_some
from armdyn.spatial.rotations import Array

SWEEPS, ROUNDS = 4, 3
"""Over all rows, before the first solution; then before the second: of 12000 random arms at rest within constraints
the first is wrong of 1700, the second of 10. Sweeps alone lessen what is left by a third or so, in coupled arms."""

NEAR = 1e-9
"""What is so near to a bound, by its distance from the other one, is at it: where a row follows from others, it would
be solved for."""

LITTLE, NONE = 1e-7, 1e-24
"""The weight of small changes beside the energy; the square of a width, by the largest, that is none."""

ROUNDING = 1e-12
"""Of what impulses cause and cancel, the part below which a row rests."""


class Impulses(NamedTuple):
    """What was found.

    Args:
        velocities: v, (n,).
        impulses: p, one a row.
        rests: 1 of each row that is at rest, but for rounding, else 0.
        none: 1 of each velocity that is zero, but for rounding, else 0, (n,).
    """

    velocities: Array
    impulses: Array
    rests: Array
    none: Array


def bounded_impulses(
    v0: Array,
    rows: Array,
    columns: Array,
    low: Array,
    high: Array,
    *,
    free: Array | None = None,
    cancelled: Array | None = None,
    sweeps: int = SWEEPS,
    rounds: int = ROUNDS,
) -> Impulses:
    """The least energy.

    Args:
        v0: velocities without impulses, (n,).
        rows: r_k, (m, n).
        columns: C_k, (m, n).
        low, high: bounds of the impulses, (m,).
        free: r_j M^-1 r_k^T, without constraints, where there are some, (m, m).
        cancelled: velocities of which constraints have left v0, (n,).
        sweeps: how many.
        rounds: behind the first solution, where that is wrong; none leave it at what the sweeps have found.
    """
    S, rates = rows @ columns.T, rows @ v0
    sizes = abs(v0) if cancelled is None else abs(v0) + abs(cancelled)
    metric = _Metric(S, S if free is None else free, abs(rows) @ sizes, constrained=free is not None)
    p = _swept(metric, rates, clip(np.zeros(len(rows)), low, high), low, high, sweeps)
    near = _Places.of(p, low, high)
    found = _Solved.of(metric, rates, near, low, high)
    if rounds:
        p = _towards(near.p, found.p, low, high)
        for _ in range(rounds):
            near = _Places.of(_swept(metric, rates, p, low, high, 1), low, high)
            p = _towards(near.p, metric.near_rest(rates, near.p, near.held, high - low), low, high)
        again = _Solved.of(metric, rates, _Places.of(p, low, high), low, high)
        found = _Solved(*(select(found.wrong, *both) for both in zip(again, found, strict=True)))
    impulses, rests = select(found.wrong, p, found.p), select(found.wrong, 0.0, found.rests)
    v, sizes = v0 + columns.T @ impulses, sizes + abs(columns).T @ abs(impulses)
    return Impulses(v, impulses, rests, less_equal(abs(v), ROUNDING * sizes))


class _Metric:
    """S = R P R^T, and which of its diagonal entries are above zero, to rounding.

    Args:
        S: (m, m).
        free: R M^-1 R^T, (m, m).
        sizes: of what cancels in the velocities of the rows, (m,).
        constrained: whether P is less than M^-1.
    """

    def __init__(self, S: Array, free: Array, sizes: Array, *, constrained: bool) -> None:
        self.S, self.free, self.sizes = S, free, sizes
        self.diagonal, self.least = (np.array([of[k, k] for k in range(len(S))]) for of in (S, FOLLOWS * free))
        pairs = zip(self.least, self.diagonal, strict=True)
        self.movable = np.array([less(a, b) if constrained else 1.0 for a, b in pairs])
        self.reciprocal = self.movable / (self.diagonal + (1.0 - self.movable))

    def at_rest(self, rates: Array, p: Array, held: Array) -> Array:
        """The impulses beside which what is held rests."""
        return p - solved_for_some(self.S, self.least, held, rates + self.S @ p)

    def near_rest(self, rates: Array, p: Array, held: Array, widths: Array) -> Array:
        """Those beside which it nearly does, each changed by as little as its bounds are wide."""
        widest = largest(widths)
        squares = (widths / (widest + less_equal(widest, 0.0))) ** 2
        weights = held * LITTLE * largest(squares * self.diagonal) / (squares + NONE)
        return p - solved_for_some(self.S + np.diag(weights), [0.0] * len(p), held, rates + self.S @ p)

    def moving(self, rates: Array, p: Array) -> tuple[Array, Array]:
        """The velocities of the rows, and 1 of each that is above rounding, else 0."""
        after = rates + self.S @ p
        return after, less(ROUNDING * (self.sizes + abs(self.free) @ abs(p)), abs(after))


def _swept(metric: _Metric, rates: Array, p: Array, low: Array, high: Array, count: int) -> Array:
    """The impulses after so many sweeps; a row that constraints hold gets none."""
    rates, p = rates + metric.S @ p, p.copy()
    for _ in range(count):
        for k in range(len(p)):
            better = clip(p[k] - metric.reciprocal[k] * rates[k], low[k], high[k])
            rates, p[k] = rates + metric.S[:, k] * (better - p[k]), better
    return p


def _towards(p: Array, other: Array, low: Array, high: Array) -> Array:
    """The last impulses within their bounds on the way to others."""
    below, above = less(other, low), less(high, other)
    beyond = below + above
    way = other - p
    parts = (below * (low - p) + above * (high - p)) / select(beyond, way, 1.0) + (1.0 - beyond)
    return np.asarray(clip(p + reduce(minimum, parts) * way, low, high))


class _Places(NamedTuple):
    """Impulses between their bounds, or at one of them.

    Args:
        p: one a row, those near to a bound at it.
        held: 1 of each between them, else 0.
        forwards, backwards: 1 of each that is at the lower and the upper one.
    """

    p: Array
    held: Array
    forwards: Array
    backwards: Array

    @classmethod
    def of(cls, p: Array, low: Array, high: Array) -> _Places:
        little = NEAR * (high - low)
        forwards, backwards = less_equal(p, low + little), less_equal(high - little, p)
        held = (1.0 - forwards) * (1.0 - backwards)
        return cls(held * p + forwards * low + (1.0 - forwards) * backwards * high, held, forwards, backwards)


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
    def of(cls, metric: _Metric, rates: Array, near: _Places, low: Array, high: Array) -> _Solved:
        """From impulses nearby."""
        whole = metric.at_rest(rates, near.p, near.held)
        after, moves = metric.moving(rates, whole)
        pushed = metric.movable * moves  # what constraints hold moves as they say, whatever its impulse
        wrong = near.held * (less(whole, low) + less(high, whole) + pushed)
        wrong = wrong + pushed * (1.0 - near.backwards) * near.forwards * less(after, 0.0)
        wrong = wrong + pushed * (1.0 - near.forwards) * near.backwards * less(0.0, after)
        return cls(whole, 1.0 - moves, sum(wrong))
