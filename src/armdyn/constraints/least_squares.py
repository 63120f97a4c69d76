"""Constrained dynamics by the singular values of A in the metric of M^-1, for rows that follow from others.

Rows are judged as directions: each is brought to length one, so that neither units nor the factors that users choose
bear on the rank. The KKT system M qdd + A^T lambda = tau - h, A qdd = -Adot qd is solved as far as it can be.
"""

from __future__ import annotations

import numpy as np

from armdyn.spatial.rotations import Array

RANK_TOLERANCE = 1e-10
"""Singular values of the rows as unit vectors below this part of the greatest count as zero."""

ZERO_ROW = 1e-13
"""A row this much smaller than the largest is what rounding left of zero."""


def constrained_least_squares(
    M: Array, A: Array, pushed: Array, target: Array, rank_tolerance: float
) -> tuple[Array, Array, Array]:
    """qdd and lambda with M qdd + A^T lambda = pushed and A qdd = target as near as may be, and the rank of A.

    With M = L L^T, x = L^T qdd and the columns B = L^-1 A^T N brought to length one by N:
    x = L^-1 pushed - B y, B^T x = N target, so y = B^+ L^-1 pushed - B^+ B^+T N target and lambda = N y.
    """
    L = np.linalg.cholesky(M)
    B, length = unit_rows(A, M)
    N = np.where(length > 0.0, 1.0 / np.where(length > 0.0, length, 1.0), 0.0)
    U, s, Vt = np.linalg.svd(B, full_matrices=False)
    kept = _kept(s, rank_tolerance)
    inverse = np.where(kept, 1.0 / np.where(kept, s, 1.0), 0.0)
    free = np.linalg.solve(L, pushed[..., None])[..., 0]
    along = inverse * np.einsum("...ij,...i->...j", U, free)
    wanted = inverse**2 * np.einsum("...ij,...j->...i", Vt, N * target)
    y = np.einsum("...ji,...j->...i", Vt, along - wanted)
    x = free - np.einsum("...ij,...j->...i", B, y)
    qdd = np.linalg.solve(np.swapaxes(L, -1, -2), x[..., None])[..., 0]
    return qdd, N * y, kept.sum(axis=-1)


def _kept(s: Array, rank_tolerance: float) -> Array:
    """True for singular values that do not count as zero."""
    kept: Array = s > rank_tolerance * np.maximum(s[..., :1], np.finfo(float).tiny)
    return kept


def projection_of(M: Array, A: Array, rank_tolerance: float) -> tuple[Array, Array]:
    """P of 8.100 from what the rows of A span, be they independent or not, and the rank of A.

    With M = L L^T and U an orthonormal basis of what the columns of L^-1 A^T span: P = 1 - L U U^T L^-1.
    """
    L = np.linalg.cholesky(M)
    U, s, _ = np.linalg.svd(unit_rows(A, M)[0], full_matrices=False)
    kept = _kept(s, rank_tolerance)
    U = U * kept[..., None, :]
    against = np.linalg.solve(np.swapaxes(L, -1, -2), U @ np.swapaxes(U, -1, -2) @ np.swapaxes(L, -1, -2))
    return np.eye(M.shape[-1]) - np.swapaxes(against, -1, -2), kept.sum(axis=-1)


def unit_rows(A: Array, M: Array) -> tuple[Array, Array]:
    """Columns L^-1 a_j / |L^-1 a_j|, with M = L L^T, and the lengths; zero rows stay zero. Batches in front.

    Where M is singular, as of robots without masses, the rows are measured as they stand.
    """
    try:
        B = np.linalg.solve(np.linalg.cholesky(M), np.swapaxes(A, -1, -2))
    except np.linalg.LinAlgError:
        B = np.swapaxes(A, -1, -2)
    length = np.linalg.norm(B, axis=-2)
    largest = np.linalg.norm(A, axis=-1).max(axis=-1, keepdims=True)
    zero = np.linalg.norm(A, axis=-1) <= ZERO_ROW * largest
    length = np.where(zero, 0.0, length)
    return np.where(zero[..., None, :], 0.0, B) / np.where(zero, 1.0, length)[..., None, :], length
