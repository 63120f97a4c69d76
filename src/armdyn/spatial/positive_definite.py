"""A small symmetric positive definite matrix, factored as straight-line scalar code: solutions, and the inverse."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from armdyn.base.exact import is_zero
from armdyn.base.scalars import Scalar
from armdyn.spatial.rotations import Array


class ZeroPivot(ArithmeticError):
    """A matrix that is singular for all values of its traced scalars: row ``row`` depends on the rows before it."""

    def __init__(self, row: int) -> None:
        self.row = row
        super().__init__(f"pivot {row} is zero")


class Cholesky(NamedTuple):
    """A = L D L^T, with ones on the diagonal of L (Golub and Van Loan, 4.1).

    There is no pivoting, which positive definite matrices do not need. Only the lower triangle of A is read.
    """

    L: Array
    D: list[Scalar]
    reciprocal: list[Scalar]
    diagonal: list[Scalar]

    @classmethod
    def of(cls, A: Array) -> Cholesky:
        """The factors of A, numbers or traced scalars, shape (k, k).

        Raises:
            ZeroPivot: if a pivot is the constant zero.
        """
        size = len(A)
        A = np.array(A, dtype=object)
        diagonal = [A[k, k] for k in range(size)]
        L, reciprocal = np.zeros((size, size), dtype=object), [1.0] * size
        for k in range(size):
            if is_zero(A[k, k]):
                raise ZeroPivot(k)
            reciprocal[k] = 1.0 / A[k, k]
            for i in range(k + 1, size):
                L[i, k] = A[i, k] * reciprocal[k]
                for j in range(k + 1, i + 1):
                    A[i, j] = A[i, j] - L[i, k] * A[j, k]
        return cls(L, [A[k, k] for k in range(size)], reciprocal, diagonal)

    @property
    def independence(self) -> list[Scalar]:
        """D_jj / A_jj of every row: 1 if it is at right angles to those before it, 0 if it depends on them.

        The square of the sine of the angle between row j and their span, if A is a Gram matrix.
        """
        return [pivot / whole for pivot, whole in zip(self.D, self.diagonal, strict=True)]

    def solve(self, b: Scalar) -> Array:
        """A^-1 b."""
        size, x = len(b), list(b)
        for k in range(size):
            for i in range(k + 1, size):
                x[i] = x[i] - self.L[i, k] * x[k]  # L y = b
        for k in reversed(range(size)):
            x[k] = x[k] * self.reciprocal[k]  # L^T x = D^-1 y
            for i in range(k + 1, size):
                x[k] = x[k] - self.L[i, k] * x[i]
        return np.array(x)

    def inverse(self) -> Array:
        """A^-1, filled on both sides.

        >>> from armdyn.spatial.positive_definite import Cholesky
        >>> Cholesky.of(np.array([[4.0, 2.0], [2.0, 2.0]])).inverse().astype(float)
        array([[ 0.5, -0.5],
               [-0.5,  1. ]])
        """
        size = len(self.D)
        of_L: list[list[Scalar]] = [[1.0 if i == j else 0.0 for j in range(size)] for i in range(size)]  # L^-1
        for k in range(size):
            for i in range(k + 1, size):
                for j in range(k + 1):  # the row operations that turn L into the unit matrix
                    of_L[i][j] = of_L[i][j] - self.L[i, k] * of_L[k][j]
        inverse = np.zeros((size, size), dtype=object)
        for i in range(size):
            for j in range(i + 1):  # A^-1 = L^-T D^-1 L^-1, and L^-1 is lower triangular
                terms = [of_L[k][i] * (self.reciprocal[k] * of_L[k][j]) for k in range(i, size)]
                inverse[i, j] = inverse[j, i] = sum(terms[1:], start=terms[0])
        return inverse
