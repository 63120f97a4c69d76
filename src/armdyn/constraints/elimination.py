"""The small symmetric system of the multipliers, solved without branches."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from armdyn.spatial.rotations import Array


class ZeroPivot(ZeroDivisionError):
    """A row that follows from those before it whatever the state; ``args`` holds its number."""


def is_zero(x: Any) -> bool:
    """Whether a number, or a traced scalar whatever its inputs, is zero."""
    try:
        return float(x) == 0.0
    except TypeError:  # a traced scalar without a value
        return False


class Cholesky(NamedTuple):
    """S = L D L^T of a symmetric positive definite matrix, and how independent its rows are.

    ``independence[j]`` is D_jj / S_jj: the square of the sine of the angle between row j and what the rows before it
    span, 1 where it is at right angles to them and 0 where it follows from them.
    """

    L: Array
    reciprocal: list[Any]
    independence: list[Any]

    @classmethod
    def of(cls, S: Array) -> Cholesky:
        """The factors (Golub and Van Loan, 4.1)."""
        size = len(S)
        S = np.array(S, dtype=object)
        diagonal = [S[k, k] for k in range(size)]
        L, reciprocal = np.zeros((size, size), dtype=object), [1.0] * size
        for k in range(size):
            if is_zero(S[k, k]):
                raise ZeroPivot(k)
            reciprocal[k] = 1.0 / S[k, k]
            for i in range(k + 1, size):
                L[i, k] = S[i, k] * reciprocal[k]
                for j in range(k + 1, i + 1):
                    S[i, j] = S[i, j] - L[i, k] * S[j, k]
        return cls(L, reciprocal, [S[k, k] / diagonal[k] for k in range(size)])

    def solve(self, b: Any) -> Array:
        """S^-1 b."""
        size = len(b)
        x = list(b)
        for k in range(size):
            for i in range(k + 1, size):
                x[i] = x[i] - self.L[i, k] * x[k]
        for k in reversed(range(size)):
            x[k] = x[k] * self.reciprocal[k]
            for i in range(k + 1, size):
                x[k] = x[k] - self.L[i, k] * x[i]
        return np.array(x)
