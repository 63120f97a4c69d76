"""A test for singular mass matrices, independent of units, and the coordinates that move no inertia then."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from armdyn.spatial.rotations import Array

SINGULAR = 4.0 * float(np.finfo(float).eps)
"""An eigenvalue of M, scaled to a diagonal of ones, below n times this is a rounding error of zero."""


def is_singular(M: Array) -> Array:
    """True for singular matrices M, shape (..., n, n), in shape (...); False for those that are not finite.

    The test is on D M D with a diagonal of ones, so that neither units nor sizes of coordinates affect it.

    >>> from armdyn.spatial.singular_mass import is_singular
    >>> is_singular(np.array([[[4e-9, 2.0], [2.0, 1e9]], [[4e-9, 1.0], [1.0, 1e9]]]))
    array([ True, False])
    """
    judged = np.asarray(np.isfinite(M).all(axis=(-2, -1)))
    M = np.where(judged[..., None, None], M, np.eye(M.shape[-1]))
    diagonal = np.diagonal(M, axis1=-2, axis2=-1)
    least = np.linalg.eigvalsh(_scale(M))[..., 0]
    singular: Array = judged & ((diagonal <= 0.0).any(axis=-1) | (least <= SINGULAR * M.shape[-1]))
    return singular


def without_inertia(M: Array, names: Sequence[str]) -> list[str]:
    """The coordinates that move without inertia, one alone or together, if M, shape (n, n), is singular."""
    still = [name for name, inertia in zip(names, np.diagonal(M), strict=True) if inertia <= 0.0]
    if still:
        return still
    direction = np.abs(np.linalg.eigh(_scale(M))[1][:, 0])
    return [name for name, part in zip(names, direction, strict=True) if part > 1e-6]


def _scale(M: Array) -> Array:
    diagonal = np.diagonal(M, axis1=-2, axis2=-1)
    size = np.sqrt(np.where(diagonal > 0.0, diagonal, 1.0))
    scaled: Array = M / size[..., :, None] / size[..., None, :]
    return scaled
