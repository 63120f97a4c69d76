"""Bounded forces p that hold rows at rest (boxed LCP): B^T B p + b = 0, the best p within bounds, and their margins.

Forces of several rows may not be determined by the motion: all joints of a closed loop may stick. Rows can be held if
some solution is within the bounds. The feasible B p with low <= p <= high are a convex polyhedron (a zonotope if no
bound is infinite). Its faces have normals that are orthogonal to r - 1 of the columns of B, r being the
rank; if the columns are independent, the two faces p_i = low_i and p_i = high_i belong to each.
"""

from __future__ import annotations

from itertools import combinations
from typing import NamedTuple

import numpy as np

from armdyn.base.threads import cached_property
from armdyn.constraints.projection import DRIFTED
from armdyn.spatial.rotations import Array

SLACK = 1e-12
"""A force is within its bounds if it exceeds them by less than this fraction of the width between them."""

ORTHOGONAL = 1e-9
"""The cosine below which a column of B counts as orthogonal to a normal."""

DEPENDENT, LITTLE = 1e-9, 1e-4
"""Residual of b, over b, for which rows count as dependent; the weight of each force's own square in that case."""


class Face(NamedTuple):
    """The face of the polyhedron that is nearest.

    Args:
        distance: from it, as a fraction of the width between the bounds if that is finite; negative outside.
        leaves: sign of the acceleration of every row when the force passes through the face, 0 if it stays at rest.
    """

    distance: float
    leaves: Array


class Holding:
    """The forces that hold rows at rest.

    Args:
        B: whose columns are the rows in the metric of M.
        b: the accelerations of the rows without the forces.
        low: least forces.
        high: largest forces; infinite of rows that push as much as it takes.
    """

    def __init__(self, B: Array, b: Array, low: Array, high: Array) -> None:
        self.B, self.b, self.low, self.high = B, b, low, high
        self._sizes = _sizes(B)
        self._unit = B / self._sizes

    @classmethod
    def of(cls, B: Array, b: Array) -> Holding:
        """Forces without bounds."""
        infinite = np.full(len(b), np.inf)
        return cls(B, b, -infinite, infinite)

    @cached_property
    def forces(self) -> Array:
        """p with B^T B p + b = 0; the least of several solutions, each column of B being scaled to one length."""
        if len(self.b) == 1:
            alone: Array = -self.b / self._sizes**2 if self.B.any() else np.zeros(1)
            return alone
        W = self._unit.T @ self._unit
        found: Array = np.linalg.lstsq(W, -self.b / self._sizes, rcond=DRIFTED**2)[0] / self._sizes
        return found

    def within_bounds(self) -> Array:
        """p with B^T B p + b = 0 within the bounds, or the least-squares p if there is none."""
        p = self.forces
        return p if ((self.low <= p) & (p <= self.high)).all() else least_squares(self.B, self.b, self.low, self.high)

    @cached_property
    def nearest(self) -> Face:
        """The face that is nearest to the force that holds, or farthest outside."""
        _, S, V = np.linalg.svd(self._unit, full_matrices=False)
        rank = int(np.count_nonzero(S / S[0] > DRIFTED)) if S[0] > 0 else 0
        if rank == len(self.b):
            return self._nearest_bound()
        columns = S[:rank, None] * V[:rank]
        target = columns @ (self.forces * self._sizes)
        low, high = self.low * self._sizes, self.high * self._sizes
        faces = [face for normal in _normals(columns, rank) for face in self._face(normal, columns, target, low, high)]
        return min(faces, key=lambda face: face.distance, default=Face(np.inf, np.zeros(len(self.b), dtype=int)))

    def _nearest_bound(self) -> Face:
        """The nearest face if the motion determines every force: two faces for each."""
        p, width = self.forces, self.high - self.low
        slack = np.where(np.isfinite(width), SLACK, 0.0)
        scale = np.where(np.isfinite(width) & (width > 0.0), width, 1.0)
        distances = np.array([(p - self.low) / scale, (self.high - p) / scale]) + slack
        side, row = np.unravel_index(np.argmin(distances), distances.shape)
        leaves = np.zeros(len(p), dtype=int)
        leaves[row] = 1 if side == 0 else -1
        return Face(float(distances[side, row]), leaves)

    @staticmethod
    def _face(normal: Array, columns: Array, target: Array, low: Array, high: Array) -> list[Face]:
        """The face with this normal; an empty list if forces without a bound reach beyond any such face."""
        along = normal @ columns
        along = np.where(np.abs(along) < ORTHOGONAL, 0.0, along)
        if np.isinf(high[along > 0]).any():
            return []
        far, near = (np.where(along > 0, one, two) for one, two in ((high, low), (low, high)))
        counted = along != 0.0
        reach = float(along[counted] @ far[counted])
        bounded = counted & np.isfinite(near)
        width = float(along[bounded] @ (far - near)[bounded])
        distance = (reach - float(normal @ target)) / (width or 1.0)
        return [Face(distance + (SLACK if width else 0.0), -np.sign(along).astype(int))]


def _normals(columns: Array, rank: int) -> list[Array]:
    """The unit normals of all faces, both ways: orthogonal to rank - 1 independent columns."""
    found = []
    for some in combinations(range(columns.shape[1]), rank - 1) if rank else ():
        U, S, _ = np.linalg.svd(columns[:, list(some)], full_matrices=True)
        if not len(S) or S[-1] > DRIFTED * S[0]:
            found += [U[:, -1], -U[:, -1]]
    return found


def least_squares(B: Array, b: Array, low: Array, high: Array) -> Array:
    """The p between low and high with the least p W p/2 + b p: |B p - d| with B^T d = -b, if there is a d.

    With W = B^T B, (W p + b)_i is then zero if p_i is between its bounds, not negative if it is at the low one and
    not positive if it is at the high one.
    """
    p = np.zeros(len(b))
    for own in blocks(B):
        p[own] = _of_block(B[:, own], b[own], low[own], high[own])
    return p


def blocks(B: Array) -> list[Array]:
    """The places of the columns that share rows of B with each other, block by block: W is zero between two blocks."""
    shares = (B != 0.0).astype(int)
    connected = shares.T @ shares > 0
    if connected.all():
        return [np.arange(B.shape[1])]
    found, left = [], np.ones(B.shape[1], dtype=bool)
    while left.any():
        own = np.arange(len(left)) == np.argmax(left)
        while not np.array_equal(own, more := own | connected[own].any(axis=0)):
            own = more
        found.append(np.flatnonzero(own))
        left &= ~own
    return found


def _of_block(B: Array, b: Array, low: Array, high: Array) -> Array:
    """The bounded p of columns that depend on each other."""
    if len(b) == 1 and B.any():
        alone: Array = np.clip(-b / (B[:, 0] @ B[:, 0]), low, high)
        return alone
    d = _target(B, b)
    if np.linalg.norm(B.T @ d + b) > DEPENDENT * np.linalg.norm(b):
        return _of_dependent_rows(B, b, low, high)
    return _nearest(B, d, low, high)


def _of_dependent_rows(B: Array, b: Array, low: Array, high: Array) -> Array:
    """The p with the least p W p/2 + b p if no d has B^T d = -b, because rows depend on each other and their b do not.

    With a little of each force's own square there is such a d. Forces that are then between their bounds are solved for
    without it.
    """
    sizes = _sizes(B)
    B, b, low, high = B / sizes, b / sizes, low * sizes, high * sizes
    n = len(b)
    own = np.concatenate([B, LITTLE * np.eye(n)])
    p = _nearest(own, np.concatenate([np.zeros(len(B)), -b / LITTLE]), low, high)
    free = (p - low > LITTLE * np.abs(p).max(initial=0.0)) & (high - p > LITTLE * np.abs(p).max(initial=0.0))
    found = p.copy()
    rest = b[free] + B[:, free].T @ (B[:, ~free] @ p[~free])
    found[free] = np.linalg.lstsq(B[:, free].T @ B[:, free], -rest, rcond=DRIFTED)[0]
    if (found < low).any() or (found > high).any():
        found = p
    within: Array = found / sizes
    return within


def _nearest(B: Array, d: Array, low: Array, high: Array) -> Array:
    """The p between low and high with the least |B p - d|."""
    sizes = _sizes(B)
    B, low, high, bounds = B / sizes, low * sizes, high * sizes, (low, high)
    if B.shape[1] == 1:
        return np.clip(B[:, 0] @ d, low, high) / sizes
    from scipy.optimize import lsq_linear, nnls  # noqa: PLC0415 - slow to import

    if not low.any() and np.isinf(high).all():
        only_push: Array = nnls(B, d)[0] / sizes
        return only_push
    p, unit = low.copy(), float(np.linalg.norm(d)) or 1.0  # BVLS stops by the size of numbers
    free = low / unit < high / unit
    if free.any():
        rest, scaled = d - B[:, ~free] @ low[~free], (low[free] / unit, high[free] / unit)
        found = lsq_linear(B[:, free], rest / unit, scaled, method="bvls", tol=1e-15, max_iter=100 * len(p))
        p[free] = found.x * unit
    within: Array = np.clip(p / sizes, *bounds)
    return within


def sizes_of(B: Array, b: Array) -> Array:
    """Scale of every entry b_i = -B_i . d: |B_i| |d|, d of its block."""
    size: Array = np.linalg.norm(B, axis=0)
    for own in blocks(B):
        if len(own) == 1:
            size[own] = np.abs(b[own]) * B[:, own].any()
        else:
            size[own] *= np.linalg.norm(_target(B[:, own], b[own]))
    return size


def _target(B: Array, b: Array) -> Array:
    """The least d with B^T d = -b."""
    sizes = _sizes(B)
    d: Array = np.linalg.lstsq((B / sizes).T, -b / sizes, rcond=DRIFTED)[0]
    return d


def _sizes(B: Array) -> Array:
    """The lengths of the columns; 1 of those that are zero."""
    sizes = np.linalg.norm(B, axis=0)
    return np.where(sizes == 0.0, 1.0, sizes)
