"""Singular value decomposition of Jacobians, with rank, condition number and damped solutions."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from armdyn.spatial.rotations import Array

RANK = 1e-13
"""Singular values below this fraction of the norm of the whole Jacobian are rounding."""


@dataclass(frozen=True, eq=False)
class Decomposition:
    """J = U diag(sigma) V^T of many states, shapes (N, rows, r), (N, r), (N, r, n) with r = min(rows, n).

    ``size``, shape (N, 1), is the norm of the complete Jacobian: rows that no joint moves are rounding relative to it.
    """

    U: Array
    sigma: Array
    Vt: Array
    size: Array

    @classmethod
    def of(cls, J: Array, rows: list[int]) -> Decomposition:
        """The thin singular value decomposition of some rows of a Jacobian, shape (N, 6, n)."""
        return cls(*np.linalg.svd(J[:, rows], full_matrices=False), np.linalg.norm(J, axis=(1, 2))[:, None])

    @property
    def rank(self) -> Array:
        """The number of singular values above rounding, shape (N,)."""
        return np.asarray((self.sigma > RANK * self.size).sum(axis=1))

    @property
    def condition(self) -> Array:
        """The greatest singular value over the smallest, shape (N,); infinite if the smallest is rounding."""
        regular = self.rank == self.sigma.shape[1]
        smallest = np.where(regular, self.sigma[:, -1], 1.0)
        return np.where(regular, self.sigma[:, 0] / smallest, np.inf)

    def solve(self, y: Array, threshold: float, damping: float) -> Array:
        """Least-squares solution x of y = J x with the least norm, damped along weak directions, shape (N, n).

        If sigma is below t = threshold sigma_1, its inverse becomes sigma / (sigma^2 + lambda^2), with
        lambda = damping sigma_1 sqrt(1 - (sigma / t)^2): continuous at t, zero at 0 (Nakamura and Hanafusa 1986;
        Maciejewski and Klein 1988). Without damping this is the pseudo-inverse.
        """
        greatest = self.sigma[:, :1]
        weakness = np.maximum(1.0 - (self.sigma / np.maximum(threshold * greatest, 1e-300)) ** 2, 0.0)
        squares = self.sigma**2 + (damping * greatest) ** 2 * weakness
        mask = self.sigma > RANK * self.size
        gain = np.where(mask, self.sigma / np.where(mask, squares, 1.0), 0.0)
        x: Array = np.einsum("krn,kr->kn", self.Vt, gain * np.einsum("kir,ki->kr", self.U, y))
        return x
