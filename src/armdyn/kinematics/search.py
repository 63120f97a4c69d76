"""Many starts for many targets, and the choice among what they lead to."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from armdyn.kinematics.aims import Aim
from armdyn.kinematics.descent import DampedLeastSquares
from armdyn.kinematics.limits import Range
from armdyn.kinematics.residuals import Residuals
from armdyn.robot import Robot
from armdyn.spatial.rotations import Array

AT_ONCE = 1 << 16
"""Descents at a time: bounds the memory."""

FINISH = 10
"""How many times the iterations of one start the best of a failed search gets."""


@dataclass(eq=False)
class BestSolutions:
    """The best configuration of every target so far, and how it was come by. Filled in place."""

    q: Array
    position: Array
    angle: Array
    success: Array
    rank: Array
    iterations: Array
    starts: Array

    @classmethod
    def nothing(cls, count: int, dof: int) -> BestSolutions:
        """Before the first start: NaN and infinitely far."""
        q, far = np.full((count, dof), np.nan), np.full(count, np.inf)
        zeros = np.zeros(count, dtype=int)
        return cls(q, far, far.copy(), np.zeros(count, dtype=bool), far.copy(), zeros, zeros.copy())


@dataclass(frozen=True, eq=False)
class Starts:
    """Where the descents of every target begin: its own first start, then the same random ones for all.

    Args:
        first: shape (N, n).
        further: shape (starts - 1, n).
    """

    first: Array
    further: Array

    def rounds(self) -> Iterator[tuple[int, int]]:
        """Ranges of start numbers, twice as many every time: one for most targets, many at once for the stubborn."""
        total, begin, size = len(self.further) + 1, 0, 1
        while begin < total:
            end = min(begin + size, total)
            yield begin, end
            size, begin = max(1, end), end

    def of(self, targets: Array, begin: int, end: int) -> Array:
        """Starts ``begin`` to ``end`` of some targets, shape (targets, end - begin, n)."""
        own = np.broadcast_to(
            self.further[max(begin - 1, 0) : end - 1], (len(targets), end - max(begin, 1), self.first.shape[1])
        )
        return np.concatenate([self.first[targets, None], own], axis=1) if begin == 0 else own


def search(
    robot: Robot,
    aims: Sequence[Aim],
    target: Array,
    starts: Starts,
    near: Array,
    limits: Range,
    settings: DampedLeastSquares,
    *,
    nearest: bool,
) -> BestSolutions:
    """The first configuration that meets each target, or the nearest to ``near`` of those all starts lead to.

    Where none meets it, the one that comes closest, by the weighted residual.
    """
    found = BestSolutions.nothing(len(target), robot.dof)
    for begin, end in starts.rounds():
        indices = np.flatnonzero(np.full(len(target), nearest) | ~found.success)
        share = max(1, AT_ONCE // (end - begin))
        for cut in range(0, len(indices), share):
            chosen = indices[cut : cut + share]
            _descend_from(robot, aims, target, starts.of(chosen, begin, end), near, limits, settings, found, chosen,
                          nearest=nearest)  # fmt: skip
    return found


def _descend_from(
    robot: Robot,
    aims: Sequence[Aim],
    target: Array,
    start: Array,
    near: Array,
    limits: Range,
    settings: DampedLeastSquares,
    found: BestSolutions,
    chosen: Array,
    *,
    nearest: bool,
) -> None:
    """Run some starts, shape (targets, starts, n), of the chosen targets and keep what is better than before."""
    shape = start.shape[:2]
    wide = np.repeat(target[chosen], shape[1], axis=0)
    q, steps = settings.descend(start.reshape(-1, robot.dof), wide)
    q = limits.nearest(q, np.repeat(near[chosen], shape[1], axis=0))
    at = Residuals.at(robot, aims, wide, q)
    success = (np.maximum(at.position, at.angle) <= settings.tolerance) & limits.kept_by(q)
    q, steps, success = q.reshape(*shape, -1), steps.reshape(shape), success.reshape(shape)
    position, angle, cost = (a.reshape(shape) for a in (at.position, at.angle, at.cost))
    if nearest:
        good, used = limits.distance(q, near[chosen, None]), np.full(shape[0], shape[1])
    else:
        good = np.broadcast_to(np.arange(shape[1], dtype=float), shape)
        used = np.where(success.any(axis=1), success.argmax(axis=1) + 1, shape[1])
    # Success goes before everything; among failures the smaller residual.
    rank = np.where(success, good, np.inf)
    best = np.where(success.any(axis=1), rank.argmin(axis=1), _argmin_finite(cost))
    row = np.arange(shape[0])
    new_success, new_rank = success[row, best], np.where(success, good, cost)[row, best]
    better = (new_success & ~found.success[chosen]) | (
        (new_success == found.success[chosen]) & (new_rank < found.rank[chosen])
    )
    found.starts[chosen] += used
    found.iterations[chosen] += np.where(np.arange(shape[1]) < used[:, None], steps, 0).sum(axis=1)
    kept, at_best = chosen[better], (row[better], best[better])
    found.q[kept], found.position[kept], found.angle[kept] = q[at_best], position[at_best], angle[at_best]
    found.success[kept], found.rank[kept] = new_success[better], new_rank[better]


def finish(
    robot: Robot,
    aims: Sequence[Aim],
    target: Array,
    near: Array,
    limits: Range,
    settings: DampedLeastSquares,
    found: BestSolutions,
) -> None:
    """Go on from where failed searches ended: the nearest to a target out of reach is approached slowly."""
    failed = np.flatnonzero(~found.success)
    longer = replace(settings, iterations=FINISH * settings.iterations)
    for cut in range(0, len(failed), AT_ONCE):
        chosen = failed[cut : cut + AT_ONCE]
        before = found.starts[chosen]
        start = found.q[chosen, None]
        _descend_from(robot, aims, target, start, near, limits, longer, found, chosen, nearest=False)
        found.starts[chosen] = before


def _argmin_finite(cost: Array) -> Array:
    best: Array = np.where(np.isfinite(cost), cost, np.inf).argmin(axis=1)
    return best
