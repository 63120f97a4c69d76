"""The boxed LCP of bounded forces along rows, over floats or traced scalars: Gauss-Seidel sweeps and active-set solves.

Forces or impulses p along rows change the accelerations or velocities b of these rows to w = S p + b, with
S = R P R^T. P is M^-1, or within constraints M^-1 - M^-1 A^T (A M^-1 A^T)^-1 A M^-1. Of all p within their bounds the
solution makes p . S p/2 + b . p least, which is the energy of the motion (Gauss; Moreau 1988): accelerations at rest,
velocities after an impact, and mean forces in a time step. That is

    w_i = 0 if low_i < p_i < high_i,    w_i >= 0 if p_i = low_i,    w_i <= 0 if p_i = high_i.

w is unique. p is unique if no row follows from others; else the first solution found is returned, and all are right.

Projected Gauss-Seidel sweeps set each force to its optimum given the others, which lessens the energy each time. Then
the forces within their bounds (the active set) are solved for, and their rows rest to rounding. If that solution
contradicts itself, the forces go towards it as far as their bounds allow. Rounds of a sweep and a step lessen the
energy further: a step goes towards the solution that changes each force by as little as its bounds are wide, if rows
follow from others. Floats make rounds until the active set is right. A traced program makes a fixed number of rounds:
it has no loop whose length depends on numbers, and if its last active set is wrong, the result is that of the rounds.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from typing import Any, NamedTuple

import numpy as np

from armdyn.base.type_rounding import rounding
from armdyn.program import clip, less, less_equal, maximum, minimum, select
from armdyn.spatial.rotations import Array

SWEEPS, ROUNDS = 4, 3
"""Sweeps before the first solution, rounds of traced programs before the second: of 12000 random arms at rest within
constraints the first is wrong for 1700, the second for 10. A sweep alone lessens the error by a third or so, in coupled
arms."""

MOST_ROUNDS = 1000
"""Rounds of floats; after these the result is that of the rounds. Of 3079 problems of recorded motions 41 took one
round and the others none; of 600 random ones with rows that follow from others the worst took 25."""

NEAR = 1e-9, 1e-5
"""A force is at a bound if its distance from it, over that between the bounds, is below this, in float64 and in
float32: it would be solved for if a row follows from others."""

LITTLE, NONE = 1e-7, 1e-24
"""Weight of small changes relative to the energy; the square of a zero width, over the largest one."""

ROUNDING = 1e-12, 1e-5
"""A row rests if its velocity, over the velocities that impulses cause and cancel, is below this; and in float32."""

SLACK = 1e-12
"""A force is within its bounds if it exceeds them by less than this fraction of the width between them."""

UNBOUNDED = 1e12
"""The bound of a force without one, over the force that stops the fastest row."""

FOLLOWS = 1e-10
"""A pivot below this part of a row's own size: the row follows from those before it, or from constraints."""


class LcpSolution(NamedTuple):
    """Forces of an active set, and the motion of the rows with them.

    Args:
        p: one per row.
        after: w, the accelerations or velocities of the rows.
        rests: 1 for each row that is at rest to rounding, else 0.
        wrong: above 0 if forces contradict their bounds, or a row moves along its force.
    """

    p: Array
    after: Array
    rests: Array
    wrong: Any

    def unless_wrong(self, other: LcpSolution) -> LcpSolution:
        """The solution itself, or if it is wrong the other one."""
        p, after, rests = (select(self.wrong, other[k], self[k]) for k in range(3))
        return LcpSolution(p, after, rests, minimum(self.wrong, other.wrong))


class ActiveSet(NamedTuple):
    """Forces between their bounds, or at one of them.

    Args:
        p: one per row, those near to a bound at it.
        held: 1 of each between them, else 0.
        lowest, highest: 1 of each that is at the lower and the upper one.
    """

    p: Array
    held: Array
    lowest: Array
    highest: Array


class BoxedProblem:
    """The boxed LCP of S, b and bounds.

    Args:
        S: symmetric, without negative eigenvalues, (m, m).
        b: motions of the rows without their forces, (m,).
        low, high: finite bounds, (m,).
        free: R M^-1 R^T if there are constraints, (m, m).
        sizes: of the terms that cancel in the motions of the rows, (m,); None if rounding need not be known.
    """

    def __init__(
        self, S: Array, b: Array, low: Array, high: Array, *, free: Array | None = None, sizes: Array | None = None
    ) -> None:
        self.S, self.b, self.low, self.high, self.widths, self.sizes = S, b, low, high, high - low, sizes
        self.free = S if free is None else free
        self.diagonal, self.least = (np.array([of[k, k] for k in range(len(S))]) for of in (S, FOLLOWS * self.free))
        pairs = zip(self.least, self.diagonal, strict=True)
        self.movable = np.array([1.0 if free is None else less(least, of_row) for least, of_row in pairs])
        """0 of each row that constraints hold, else 1."""
        self.reciprocal = self.movable / (self.diagonal + (1.0 - self.movable))

    def solved(self, sweeps: int = SWEEPS, rounds: int = ROUNDS) -> LcpSolution:
        """The solution of traced scalars.

        Args:
            sweeps: the number of sweeps.
            rounds: after the first solution, if that is wrong.
        """
        p = self._swept(np.zeros(len(self.b), dtype=object), sweeps)
        near = self._places(p)
        first = self._active_set(near)
        p = self._towards(near.p, first.p)
        for _ in range(rounds):
            p = self._nearer(p)
        unsolved = LcpSolution(p, self.b + self.S @ p, np.zeros(len(p)), 1.0)
        again = self._active_set(self._places(p)).unless_wrong(unsolved)
        return first.unless_wrong(again)  # a compiled loop leaves the second one out if the first one is right

    def solved_by_floats(self) -> Array:
        """The forces of floats, (m,)."""
        near = self._places(self._swept(np.zeros(len(self.b)), SWEEPS))
        p, solution = near.p, self._active_set(near)
        for round_ in range(MOST_ROUNDS):
            if not solution.wrong:
                break
            p = self._nearer(p if round_ else self._towards(p, solution.p))
            solution = self._active_set(self._places(p))
        impulses: Array = (p if solution.wrong else solution.p).astype(float)
        return np.clip(impulses, self.low, self.high)

    def _swept(self, p: Array, count: int) -> Array:
        """The forces after ``count`` projected Gauss-Seidel sweeps; zero for a row that constraints hold."""
        w, p = self.b + self.S @ p, p.copy()
        for _ in range(count):
            for k in range(len(p)):
                better = clip(p[k] - self.reciprocal[k] * w[k], self.low[k], self.high[k])
                w, p[k] = w + self.S[:, k] * (better - p[k]), better
        return p

    def _nearer(self, p: Array) -> Array:
        """The forces after a round of a sweep and a step."""
        near = self._places(self._swept(p, 1))
        return self._towards(near.p, self._near_rest(near))

    def _places(self, p: Array) -> ActiveSet:
        little = rounding(self.widths, *NEAR)
        lowest, highest = less_equal(p, self.low + little), less_equal(self.high - little, p)
        held = (1.0 - lowest) * (1.0 - highest)
        bound = lowest * self.low + (1.0 - lowest) * highest * self.high
        return ActiveSet(held * p + bound, held, lowest, highest)

    def _towards(self, p: Array, other: Array) -> Array:
        """The last forces within their bounds on the way to others."""
        below, above = less(other, self.low), less(self.high, other)
        beyond = below + above
        way = other - p
        parts = (below * (self.low - p) + above * (self.high - p)) / select(beyond, way, 1.0) + (1.0 - beyond)
        return np.asarray(clip(p + reduce(minimum, parts) * way, self.low, self.high))

    def _near_rest(self, near: ActiveSet) -> Array:
        """The forces with which the held rows nearly rest, each changed by as little as its bounds are wide."""
        widest = largest(self.widths)
        squares = (self.widths / (widest + less_equal(widest, 0.0))) ** 2
        weights = near.held * LITTLE * largest(squares * self.diagonal) / (squares + NONE)
        every = [0.0] * len(self.b)
        return near.p - solved_for_some(self.S + np.diag(weights), every, near.held, self.b + self.S @ near.p)

    def _active_set(self, near: ActiveSet) -> LcpSolution:
        """The solution in which the forces within their bounds bring their rows to rest."""
        p = near.p - solved_for_some(self.S, self.least, near.held, self.b + self.S @ near.p)
        after, moves = self.b + self.S @ p, np.ones(len(p))
        if self.sizes is not None:
            moves = less(rounding(self.sizes + abs(self.free) @ abs(p), *ROUNDING), abs(after))
        pushed = self.movable * moves  # a row that constraints hold moves as they require, whatever its force
        wrong = near.held * (less(p, self.low) + less(self.high, p))
        if self.sizes is None:
            moves = 1.0 - near.held
        else:
            wrong = wrong + near.held * pushed
        wrong = wrong + pushed * (1.0 - near.highest) * near.lowest * less(after, 0.0)
        wrong = wrong + pushed * (1.0 - near.lowest) * near.highest * less(0.0, after)
        return LcpSolution(p, after, 1.0 - moves, sum(wrong))


def bounded_forces(B: Array, b: Array, low: Array, high: Array) -> Array:
    """The solution of floats for S = B^T B, (m,).

    Args:
        B: whose columns are the rows in the metric of M^-1.
        b: motions of the rows without their forces, (m,).
        low, high: bounds, (m,), some of which may be infinite.
    """
    S, infinite = B.T @ B, np.array([np.isinf(low), np.isinf(high)])
    roots = 1.0 / np.where(B.any(axis=0), np.linalg.norm(B, axis=0), np.inf)
    if len(b) == 1:
        return np.clip(-roots * roots * b, low, high)
    widths = roots * np.abs(roots * b).max(initial=0.0)
    low, high = np.where(infinite, [-UNBOUNDED * widths, UNBOUNDED * widths], [low, high])
    problem = BoxedProblem(S, b, low, high, free=S, sizes=motion_sizes(S, b))
    problem.widths = np.where(infinite.any(axis=0), widths, problem.widths)
    return problem.solved_by_floats()


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
    **effort: int,
) -> Impulses:
    """Velocities v = v0 + sum C_k p_k, C_k = P r_k^T, by impulses within bounds; likewise accelerations by forces.

    Args:
        v0: velocities without impulses, (n,).
        rows: r_k, (m, n).
        columns: C_k, (m, n).
        low, high: bounds of the impulses, (m,).
        free: r_j M^-1 r_k^T, without constraints, if there are some, (m, m).
        cancelled: velocities from which constraints have left v0, (n,).
        target: velocities of the rows that count as rest, (m,).
        independent: true if rows are coordinates without constraints.
        effort: ``sweeps`` and ``rounds`` of `BoxedProblem.solved`.
    """
    sizes = abs(v0) if cancelled is None else abs(v0) + abs(cancelled)
    of_rows = None if independent else abs(rows) @ sizes + abs(target)
    problem = BoxedProblem(rows @ columns.T, rows @ v0 - target, low, high, free=free, sizes=of_rows)
    solution = problem.solved(**effort)
    v = v0 + columns.T @ solution.p
    if independent:
        v[np.argmax(rows != 0.0, axis=1)] = solution.after  # their coordinates
        return Impulses(v, solution.p, solution.rests, np.zeros(len(v)))
    sizes = sizes + abs(columns).T @ abs(solution.p)
    return Impulses(v, solution.p, solution.rests, less_equal(abs(v), rounding(sizes, *ROUNDING)))


def solved_for_some(S: Array, least: Sequence[Any] | Array, counts: Array, b: Array) -> Array:
    """x with S x = b in the rows that count, 0 of the others; of rows that follow from others, those that come first.

    Args:
        S: symmetric, without negative eigenvalues, (m, m).
        least: pivots that are not above these are rounding.
        counts: 1 or 0 of each row, numbers or traced.
        b: (m,).
    """
    m, scalars = len(b), np.result_type(S, counts, b)
    S, y, reciprocal, x = (
        np.array(S, dtype=scalars),
        np.array(b, dtype=scalars),
        np.zeros(m, dtype=scalars),
        np.zeros(m, dtype=scalars),
    )
    for k in range(m):
        pivots = counts[k] * less(least[k], S[k, k])
        reciprocal[k] = pivots / (S[k, k] + (1.0 - pivots))
        for i in range(k + 1, m):
            factor = S[i, k] * reciprocal[k]
            y[i] = y[i] - factor * y[k]
            for j in range(k + 1, i + 1):
                S[i, j] = S[i, j] - factor * S[j, k]
    for k in reversed(range(m)):
        x[k] = reciprocal[k] * (y[k] - sum(S[i, k] * x[i] for i in range(k + 1, m)))
    return x


def largest(of: Array) -> Any:
    """The largest of some scalars that are not negative; 0 of none."""
    return reduce(maximum, of) if len(of) else 0.0


def motion_sizes(S: Array, b: Array) -> Array:
    """Scale of the motion of each row of floats, (..., m): the largest of rows that share forces with it, by M^-1."""
    lengths: Array = np.sqrt(np.einsum("...ii->...i", S))
    fastest = (S != 0.0) * np.abs(b / np.where(lengths == 0.0, 1.0, lengths))[..., None, :]
    sizes: Array = lengths * fastest.max(axis=-1, initial=0.0)
    return sizes
