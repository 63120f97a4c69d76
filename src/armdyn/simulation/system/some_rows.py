"""S x = b of some rows, traced: which count are numbers, 0 or 1, and those that follow from others are left out."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from armdyn.program import less
from armdyn.spatial.rotations import Array

FOLLOWS = 1e-10
"""A pivot below this part of a row's own size: the row follows from those before it, or from constraints."""


def solved_for_some(S: Array, least: Sequence[Any] | Array, counts: Array, b: Array) -> Array:
    """x with S x = b in the rows that count, 0 of the others; of rows that follow from others, those that come first.

    Args:
        S: symmetric, without negative eigenvalues, (m, m).
        least: pivots that are not above these are rounding.
        counts: 1 or 0 of each row.
        b: (m,).
    """
    m, S, y = len(b), np.array(S, dtype=object), np.array(b, dtype=object)
    reciprocal = np.zeros(m, dtype=object)
    for k in range(m):
        pivots = counts[k] * less(least[k], S[k, k])
        reciprocal[k] = pivots / (S[k, k] + (1.0 - pivots))
        for i in range(k + 1, m):
            factor = S[i, k] * reciprocal[k]
            y[i] = y[i] - factor * y[k]
            for j in range(k + 1, i + 1):
                S[i, j] = S[i, j] - factor * S[j, k]
    x = np.zeros(m, dtype=object)
    for k in reversed(range(m)):
        x[k] = reciprocal[k] * (y[k] - sum(S[i, k] * x[i] for i in range(k + 1, m)))
    return x
