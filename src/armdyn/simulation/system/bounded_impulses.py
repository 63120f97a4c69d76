"""Bounded impulses of dry friction at rest and in stops, traced: projected Gauss-Seidel and an active-set solve.

Rows r_k have velocities r_k . v, and impulses p_k along them change v to v0 + sum C_k p_k, where C_k = P r_k^T. P is
M^-1, or with constraints M^-1 - M^-1 A^T (A M^-1 A^T)^-1 A M^-1. Of all p within their bounds the solution
makes v . M v least (Gauss; Moreau 1988): a row that moves has the largest impulse against it, and one at rest
any. The velocities are unique. The impulses are unique if no row follows from others; else the first solution found is
returned, and all of them are right.

Projected Gauss-Seidel sweeps set each impulse to its optimum given the others, which lessens the energy each time. Then
the impulses within their bounds (the active set) are solved for, and their rows rest to rounding. If that solution
contradicts itself, the impulses go towards it as far as their bounds allow. Rounds of a sweep and a step lessen the
energy further: a step goes towards the solution that changes each impulse by as little as its bounds are wide, if rows
follow from others. Then the active set is solved again, and if that is wrong too, the result of the rounds is returned.
Forces that cause accelerations are found by the same method.
"""

from __future__ import annotations

from functools import reduce
from typing import Any, NamedTuple

import numpy as np

from armdyn.program import clip, less, less_equal, maximum, minimum, select
from armdyn.simulation.system.some_rows import FOLLOWS, solved_for_some
from armdyn.spatial.rotations import Array

SWEEPS, ROUNDS = 4, 3
"""Sweeps before the first solution, rounds before the second: of 12000 random arms at rest within constraints the first
is wrong for 1700, the second for 10. A sweep alone lessens the error by a third or so, in coupled arms."""

NEAR = 1e-9
"""An impulse is at a bound if its distance from it, over that between the bounds, is below this: it would be solved for
if a row follows from others."""

LITTLE, NONE = 1e-7, 1e-24
"""Weight of small changes relative to the energy; the square of a zero width, over the largest one."""

ROUNDING = 1e-12
"""A row rests if its velocity, over the velocities that impulses cause and cancel, is below this."""


class Impulses(NamedTuple):
    """The solution for bounded impulses.

    Args:
        velocities: v, (n,).
        impulses: p, one per row.
        rests: 1 for each row that is at rest to rounding, else 0.
        none: 1 for each velocity that is zero to rounding, else 0, (n,).
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
    target: Array | float = 0.0,
    independent: bool = False,
    sweeps: int = SWEEPS,
    rounds: int = ROUNDS,
) -> Impulses:
    """Impulses within bounds that make the kinetic energy least, by projected Gauss-Seidel and active-set solves.

    Args:
        v0: velocities without impulses, (n,).
        rows: r_k, (m, n).
        columns: C_k, (m, n).
        low, high: bounds of the impulses, (m,).
        free: r_j M^-1 r_k^T, without constraints, if there are some, (m, m).
        cancelled: velocities from which constraints have left v0, (n,).
        target: velocities of the rows that count as rest, (m,).
        sweeps: the number of sweeps.
        rounds: after the first solution, if that is wrong; with 0 it is then the result of the sweeps.
    """
    S, rates = rows @ columns.T, rows @ v0 - target
    sizes = abs(v0) if cancelled is None else abs(v0) + abs(cancelled)
    free = S if free is None else free
    metric = _Metric(S, free, None if independent else abs(rows) @ sizes + abs(target), constrained=free is not S)
    p = _swept(metric, rates, np.zeros(len(rows), dtype=object), low, high, sweeps)
    near = _Places.of(p, low, high)
    found = _Solved.of(metric, rates, near, low, high)
    other, others = p, np.zeros(len(rows))
    if rounds:
        p = _towards(near.p, found.p, low, high)
        for _ in range(rounds):
            near = _Places.of(_swept(metric, rates, p, low, high, 1), low, high)
            p = _towards(near.p, metric.near_rest(rates, near.p, near.held, high - low), low, high)
        again = _Solved.of(metric, rates, _Places.of(p, low, high), low, high)
        of_other = rates + S @ p
        other, others = select(again.wrong, p, again.p), select(again.wrong, 0.0, again.rests)
        of_other = select(again.wrong, of_other, again.after)
    else:
        of_other = rates + S @ p
    # a compiled loop leaves the others out if the first solution is right
    impulses, rests = select(found.wrong, other, found.p), select(found.wrong, others, found.rests)
    v = v0 + columns.T @ impulses
    if independent:
        own = np.argmax(rows != 0.0, axis=1)  # their coordinates
        v[own] = select(found.wrong, of_other, found.after)
        return Impulses(v, impulses, rests, np.zeros(len(v)))
    sizes = sizes + abs(columns).T @ abs(impulses)
    return Impulses(v, impulses, rests, less_equal(abs(v), ROUNDING * sizes))


class _Metric:
    """S = R P R^T, with the places of its diagonal entries that are above zero, to rounding.

    Args:
        S: (m, m).
        free: R M^-1 R^T, (m, m).
        sizes: of the terms that cancel in the velocities of the rows, (m,); None if rounding need not be known.
        constrained: true if P is less than M^-1.
    """

    def __init__(self, S: Array, free: Array, sizes: Array | None, *, constrained: bool) -> None:
        self.S, self.free, self.sizes = S, free, sizes
        self.diagonal, self.least = (np.array([of[k, k] for k in range(len(S))]) for of in (S, FOLLOWS * free))
        pairs = zip(self.least, self.diagonal, strict=True)
        self.movable = np.array([less(a, b) if constrained else 1.0 for a, b in pairs])
        self.reciprocal = self.movable / (self.diagonal + (1.0 - self.movable))

    def at_rest(self, rates: Array, p: Array, held: Array) -> Array:
        """The impulses with which the held rows rest."""
        return p - solved_for_some(self.S, self.least, held, rates + self.S @ p)

    def near_rest(self, rates: Array, p: Array, held: Array, widths: Array) -> Array:
        """The impulses with which the held rows nearly rest, each changed by as little as its bounds are wide."""
        widest = largest(widths)
        squares = (widths / (widest + less_equal(widest, 0.0))) ** 2
        weights = held * LITTLE * largest(squares * self.diagonal) / (squares + NONE)
        return p - solved_for_some(self.S + np.diag(weights), [0.0] * len(p), held, rates + self.S @ p)

    def moving(self, rates: Array, p: Array) -> tuple[Array, Array]:
        """The velocities of the rows, and 1 of each that is above rounding, else 0."""
        after = rates + self.S @ p
        if self.sizes is None:
            return after, np.ones(len(p))
        return after, less(ROUNDING * (self.sizes + abs(self.free) @ abs(p)), abs(after))


def _swept(metric: _Metric, rates: Array, p: Array, low: Array, high: Array, count: int) -> Array:
    """The impulses after ``count`` projected Gauss-Seidel sweeps; zero for a row that constraints hold."""
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
        p: one per row, those near to a bound at it.
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
    """The impulses, of which those within their bounds bring their rows to rest.

    Args:
        p: one per row.
        after: the velocities of the rows.
        rests: 1 for each row that is at rest to rounding, else 0.
        wrong: above 0 if they contradict their bounds, or a row moves along its impulse.
    """

    p: Array
    after: Array
    rests: Array
    wrong: Any

    @classmethod
    def of(cls, metric: _Metric, rates: Array, near: _Places, low: Array, high: Array) -> _Solved:
        """The solution from impulses nearby."""
        whole = metric.at_rest(rates, near.p, near.held)
        after, moves = metric.moving(rates, whole)
        pushed = metric.movable * moves  # a row that constraints hold moves as they require, whatever its impulse
        wrong = near.held * (less(whole, low) + less(high, whole))
        if metric.sizes is None:
            moves = 1.0 - near.held
        else:
            wrong = wrong + near.held * pushed
        wrong = wrong + pushed * (1.0 - near.backwards) * near.forwards * less(after, 0.0)
        wrong = wrong + pushed * (1.0 - near.forwards) * near.backwards * less(0.0, after)
        return cls(whole, after, 1.0 - moves, sum(wrong))


def largest(of: Array) -> Any:
    """The largest of some scalars that are not negative, traced; 0 of none."""
    return reduce(maximum, of) if len(of) else 0.0
