"""Faults in the structure of spatial inertias and pseudo-inertias."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from armdyn.model.bounds import LARGEST
from armdyn.spatial.rotations import Array

TOLERANCE = 1e-9
"""The tolerance on the structure, relative to the largest entry: matrices are printed with rounding."""


def spatial_inertia_problems(G: Array, size: float = 0.0) -> Iterator[str]:
    """The faults of G as a spatial inertia [[I_o, m [c]], [m [c]^T, m 1]], with entries of at least this ``size``."""
    if sizes := list(_size_problems(G)):
        yield from sizes
        return
    scale = TOLERANCE * max(size, float(np.abs(G).max()))
    m, coupling = G[5, 5], G[:3, 3:]
    if np.abs(G - G.T).max() > scale:
        yield "it is not symmetric"
    elif np.abs(G[3:, 3:] - m * np.eye(3)).max() > scale:
        yield "its lower right block is not mass times the identity; G is angular part first"
    elif np.abs(coupling + coupling.T).max() > scale:
        yield "its upper right block is not the cross-product matrix of m c"
    elif m <= 0.0:
        yield f"mass {m:g} kg is not positive"


def pseudo_inertia_problems(J: Array) -> Iterator[str]:
    """The faults of J as [[S_o, H], [H^T, m]], one sentence each; physical consistency is not checked."""
    if sizes := list(_size_problems(J)):
        yield from sizes
    elif np.abs(J - J.T).max() > TOLERANCE * np.abs(J).max():
        yield "it is not symmetric"
    elif J[3, 3] <= 0.0:
        yield f"mass {J[3, 3]:g} kg is not positive"


def asymmetry(tensor: Array) -> str | None:
    """The two entries of a tensor that differ most, kg m^2; None if they are equal up to the tolerance.

    >>> asymmetry(np.array([[2.0, 0.1, 0.0], [0.3, 2.0, 0.0], [0.0, 0.0, 2.0]]))
    'tensor[0, 1] is 0.1 and tensor[1, 0] is 0.3 kg m^2'
    """
    with np.errstate(over="ignore", invalid="ignore"):
        difference = np.abs(tensor - tensor.T)
    if not difference.max() > TOLERANCE * np.abs(tensor).max():  # NaN and infinity are another fault
        return None
    i, j = sorted(map(int, np.unravel_index(int(difference.argmax()), difference.shape)))
    above, below = float(tensor[i, j]), float(tensor[j, i])
    digits = next(d for d in range(6, 18) if f"{above:.{d}g}" != f"{below:.{d}g}")
    return f"tensor[{i}, {j}] is {above:.{digits}g} and tensor[{j}, {i}] is {below:.{digits}g} kg m^2"


def _size_problems(matrix: Array) -> Iterator[str]:
    """The fault of entries that are not finite or too large."""
    largest = float(np.abs(matrix).max())
    if not np.isfinite(largest):
        yield "it holds NaN or infinity; expected finite numbers"
    elif largest > LARGEST:
        yield f"it holds {largest:.3g}; expected numbers below {LARGEST:g}"
