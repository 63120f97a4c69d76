"""Rows of forces in the metric of M^-1, and the forces that hold them at rest: the best within their bounds, margins.

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
from armdyn.constraints.row_sizes import unit_rows
from armdyn.simulation.system.bounded import SLACK, bounded_forces
from armdyn.spatial.rotations import Array


class Metric(NamedTuple):
    """M = L L^T, and B = P L^-1 A^T: W = B^T B, M^-1 A^T p = L^-T B p; P = 1 - Q of the constraints."""

    L: Array
    B: Array
    Q: Array | None

    @classmethod
    def of(cls, M: Array, rows: Array, A: Array | None = None) -> Metric:
        """The metric of a mass matrix and rows, within the constraints whose Jacobian is A."""
        L = np.linalg.cholesky(M)
        B = np.linalg.solve(L, rows.T)
        if A is None:
            return cls(L, B, None)
        C, _ = unit_rows(A, M)
        Q = C @ np.linalg.pinv(C, rcond=DRIFTED)
        free = B - Q @ B
        nothing = np.linalg.norm(free, axis=0) < DRIFTED * np.linalg.norm(B, axis=0)  # a joint at a dead point
        return cls(L, np.where(nothing, 0.0, free), Q)

    def change(self, p: Array) -> Array:
        """The change of acceleration or velocity by forces or impulses p."""
        change: Array = np.linalg.solve(self.L.T, self.B @ p)
        return change

    def within_constraints(self, v: Array) -> Array:
        """The velocities without the part that leaves the constraints."""
        if self.Q is None:
            return v
        within: Array = v - np.linalg.solve(self.L.T, self.Q @ (self.L.T @ v))
        return within

    def forces_against(self, b: Array) -> Array:
        """Forces without bounds that bring the rows to rest, from their motions b without these forces."""
        return resting_forces(self.B, b)


def resting_forces(B: Array, b: Array) -> Array:
    """p with B^T B p + b = 0; the least of several solutions, each column of B being scaled to one length."""
    lengths = lengths_of(B)
    if len(b) == 1:
        alone: Array = -b / lengths**2 if B.any() else np.zeros(1)
        return alone
    unit = B / lengths
    forces: Array = np.linalg.lstsq(unit.T @ unit, -b / lengths, rcond=DRIFTED**2)[0] / lengths
    return forces


def lengths_of(B: Array) -> Array:
    """The lengths of the columns; 1 of those that are zero."""
    lengths = np.linalg.norm(B, axis=0)
    return np.where(lengths == 0.0, 1.0, lengths)


ORTHOGONAL = 1e-9
"""The cosine below which a column of B counts as orthogonal to a normal."""


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
        self._lengths = lengths_of(B)
        self._unit = B / self._lengths

    @cached_property
    def forces(self) -> Array:
        """p with B^T B p + b = 0; the least of several solutions."""
        return resting_forces(self.B, self.b)

    def within_bounds(self) -> Array:
        """p with B^T B p + b = 0 within the bounds, or that of the boxed LCP if there is none.

        Of several solutions, one from the least on: forces beyond their bounds stay at these, and others take the rest.
        """
        p: Array = np.clip(self.forces, self.low, self.high)
        if (p == self.forces).all():
            return p
        change = bounded_forces(self.B, self.b + self.B.T @ (self.B @ p), self.low - p, self.high - p)
        return np.asarray(np.clip(p + change, self.low, self.high))

    @cached_property
    def nearest(self) -> Face:
        """The face that is nearest to the force that holds, or farthest outside."""
        _, S, V = np.linalg.svd(self._unit, full_matrices=False)
        rank = int(np.count_nonzero(S / S[0] > DRIFTED)) if S[0] > 0 else 0
        if rank == len(self.b):
            return self._nearest_bound()
        columns = S[:rank, None] * V[:rank]
        target = columns @ (self.forces * self._lengths)
        low, high = self.low * self._lengths, self.high * self._lengths
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
    normals = []
    for some in combinations(range(columns.shape[1]), rank - 1) if rank else ():
        U, S, _ = np.linalg.svd(columns[:, list(some)], full_matrices=True)
        if not len(S) or S[-1] > DRIFTED * S[0]:
            normals += [U[:, -1], -U[:, -1]]
    return normals
