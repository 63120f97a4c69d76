"""The inverse of a small symmetric positive definite matrix, as straight-line scalar code."""

from __future__ import annotations

from typing import Any

import numpy as np

from armdyn.spatial.rotations import Array


class ZeroPivot(ArithmeticError):
    """A matrix that is singular whatever its traced scalars are: row ``row`` depends on the rows before it."""

    def __init__(self, row: int) -> None:
        self.row = row
        super().__init__(f"pivot {row} is zero")


def inverse_positive_definite(A: Array) -> Array:
    """A^-1 by A = L D L^T, for a symmetric positive definite A, filled on both sides (Golub and Van Loan, 4.1).

    Without pivoting, which positive definite matrices do not need. Only the lower triangle of A is read.

    Args:
        A: numbers or traced scalars, shape (k, k).

    Raises:
        ZeroPivot: where a pivot is the constant zero.

    >>> from armdyn.spatial.positive_definite import inverse_positive_definite
    >>> inverse_positive_definite(np.array([[4.0, 2.0], [2.0, 2.0]])).astype(float)
    array([[ 0.5, -0.5],
           [-0.5,  1. ]])
    """
    size = len(A)
    L_inverse, reciprocal = _factors(A)
    inverse = np.zeros((size, size), dtype=object)
    for i in range(size):
        for j in range(i + 1):  # A^-1 = L^-T D^-1 L^-1, and L^-1 is lower triangular
            terms = [L_inverse[k][i] * (reciprocal[k] * L_inverse[k][j]) for k in range(i, size)]
            inverse[i, j] = inverse[j, i] = sum(terms[1:], start=terms[0])
    return inverse


def _factors(A: Array) -> tuple[list[list[Any]], list[Any]]:
    """L^-1, unit lower triangular, and the diagonal of D^-1, where A = L D L^T."""
    size = len(A)
    A = np.array(A, dtype=object)
    L_inverse: list[list[Any]] = [[1.0 if i == j else 0.0 for j in range(size)] for i in range(size)]
    reciprocal: list[Any] = []
    for k in range(size):
        if _is_zero(A[k, k]):
            raise ZeroPivot(k)
        reciprocal.append(1.0 / A[k, k])
        for i in range(k + 1, size):
            factor = A[i, k] * reciprocal[k]
            for j in range(k + 1):  # the same row operations, done to the identity
                L_inverse[i][j] = L_inverse[i][j] - factor * L_inverse[k][j]
            for j in range(k + 1, i + 1):
                A[i, j] = A[i, j] - factor * A[j, k]
    return L_inverse, reciprocal


def _is_zero(value: Any) -> bool:
    """Whether it is the number zero; a traced scalar that depends on the state is not known to be."""
    try:
        return float(value) == 0.0
    except TypeError:
        return False
