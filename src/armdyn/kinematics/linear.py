"""A small symmetric positive definite system, solved without branches."""

from __future__ import annotations

import numpy as np

from armdyn.spatial.rotations import Array


def solve_positive_definite(A: Array, b: Array) -> Array:
    """x with A x = b by A = L D L^T, for a symmetric positive definite A (Golub and Van Loan, 4.1)."""
    size = len(b)
    A, x = np.array(A, dtype=object), list(b)
    reciprocal = [1.0] * size
    L = np.zeros((size, size), dtype=object)
    for k in range(size):
        reciprocal[k] = 1.0 / A[k, k]
        for i in range(k + 1, size):
            L[i, k] = A[i, k] * reciprocal[k]
            x[i] = x[i] - L[i, k] * x[k]  # L y = b
            for j in range(k + 1, i + 1):
                A[i, j] = A[i, j] - L[i, k] * A[j, k]
    for k in reversed(range(size)):
        x[k] = x[k] * reciprocal[k]  # L^T x = D^-1 y
        for i in range(k + 1, size):
            x[k] = x[k] - L[i, k] * x[i]
    return np.array(x)
