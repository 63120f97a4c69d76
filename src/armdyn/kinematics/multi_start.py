"""Multi-start search: descents for many targets from many starts, and the choice among the configurations found."""

from __future__ import annotations

import numpy as np

from armdyn.kinematics.descent import DampedLeastSquares
from armdyn.kinematics.limits import Range
from armdyn.spatial.rotations import Array

AT_ONCE = 1 << 16
"""Largest number of simultaneous descents, which bounds the memory."""

FINISH = 10
"""The best configuration of a failed search gets this many times the iterations of one start."""


class MultiStart:
    """The best configuration of each of N targets so far: the preferred success, otherwise the least residual.

    Args:
        solver: solver compiled for the aims.
        target: numbers of all aims, shape (N, size).
        near: first start of each target; solutions near it are preferred, shape (N, n).
        limits: limits of the joints.
        iterations: largest number of iterations from one start.
        nearest: True to prefer the success nearest to ``near`` among all starts; otherwise the first one.

    Attributes:
        q: the configurations, rad or m, shape (N, n).
        position, angle: remaining distance, m, and angle, rad, shape (N,).
        success: True for targets met within the tolerance and the limits, shape (N,).
        iterations, starts: numbers of iterations and starts, shape (N,).
    """

    def __init__(
        self,
        solver: DampedLeastSquares,
        target: Array,
        near: Array,
        limits: Range,
        *,
        iterations: int,
        nearest: bool,
    ) -> None:
        self._solver, self._target, self._near, self._limits = solver, target, near, limits
        self._most, self._nearest = iterations, nearest
        count = len(target)
        self.q = np.full(near.shape, np.nan)
        self.position, self.angle, self._rank = (np.full(count, np.inf) for _ in range(3))
        self.success = np.zeros(count, dtype=bool)
        self.iterations, self.starts = np.zeros(count, dtype=int), np.zeros(count, dtype=int)

    def run(self, further: Array) -> None:
        """Descend from ``near``, then from further starts, shape (starts, n), doubling their number each time."""
        total, begin, end = len(further) + 1, 0, 1
        while begin < total:
            for chosen in _in_parts(self._nearest | ~self.success, AT_ONCE // (end - begin)):
                starts = further[None, begin - 1 : end - 1] if begin else self._near[chosen, None]
                self._descend(chosen, np.broadcast_to(starts, (len(chosen), *starts.shape[1:])))
            begin, end = end, min(2 * end, total)

    def finish(self) -> None:
        """Continue failed searches from their best configuration, because descents to targets out of reach are slow."""
        self._most, self._nearest = FINISH * self._most, False
        for chosen in _in_parts(~self.success, AT_ONCE):
            before = self.starts[chosen]
            self._descend(chosen, self.q[chosen, None])
            self.starts[chosen] = before

    def _descend(self, chosen: Array, start: Array) -> None:
        """Descend for the chosen targets from starts, shape (targets, starts, n), and store better configurations."""
        shape = start.shape[:2]
        target, near = (np.repeat(a[chosen], shape[1], axis=0) for a in (self._target, self._near))
        q, steps = self._solver.descend(start.reshape(-1, start.shape[-1]), target, self._most)
        q = self._limits.nearest(q, near)
        at = self._solver.judged(q, target)
        success = (np.maximum(at.position, at.angle) <= self._solver.tolerance) & self._limits.kept_by(q)
        q, steps, success = q.reshape(*shape, -1), steps.reshape(shape), success.reshape(shape)
        position, angle, cost = (a.reshape(shape) for a in at)
        if self._nearest:
            good, used = self._limits.distance(q, self._near[chosen, None]), np.full(shape[0], shape[1])
        else:
            good = np.broadcast_to(np.arange(shape[1], dtype=float), shape)
            used = np.where(success.any(axis=1), success.argmax(axis=1) + 1, shape[1])
        # Success has priority; among failures the smaller residual.
        rank = np.where(success, good, np.inf)
        finite_cost = np.where(np.isfinite(cost), cost, np.inf)
        best = np.where(success.any(axis=1), rank.argmin(axis=1), finite_cost.argmin(axis=1))
        row = np.arange(shape[0])
        new_success, new_rank = success[row, best], np.where(success, good, cost)[row, best]
        better = (new_success & ~self.success[chosen]) | (
            (new_success == self.success[chosen]) & (new_rank < self._rank[chosen])
        )
        self.starts[chosen] += used
        self.iterations[chosen] += np.where(np.arange(shape[1]) < used[:, None], steps, 0).sum(axis=1)
        improved, at_best = chosen[better], (row[better], best[better])
        self.q[improved], self.position[improved], self.angle[improved] = q[at_best], position[at_best], angle[at_best]
        self.success[improved], self._rank[improved] = new_success[better], new_rank[better]


def _in_parts(chosen: Array, size: int) -> list[Array]:
    """The indices of the chosen targets, in parts of a size."""
    indices, size = np.flatnonzero(chosen), max(1, size)
    return [indices[cut : cut + size] for cut in range(0, len(indices), size)]
