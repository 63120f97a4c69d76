"""Rows of forces in the metric of M^-1, within constraints."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from armdyn.constraints.projection import DRIFTED
from armdyn.constraints.row_sizes import unit_rows
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
    found: Array = np.linalg.lstsq(unit.T @ unit, -b / lengths, rcond=DRIFTED**2)[0] / lengths
    return found


def lengths_of(B: Array) -> Array:
    """The lengths of the columns; 1 of those that are zero."""
    lengths = np.linalg.norm(B, axis=0)
    return np.where(lengths == 0.0, 1.0, lengths)
