"""Whether a mass matrix is singular, judged in no unit, and which coordinates move no inertia then."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from armdyn.spatial.rotations import Array

SINGULAR = 4.0 * float(np.finfo(float).eps)
"""Times n: an eigenvalue of M with a diagonal of ones below this is what rounding left of zero."""


def is_singular(M: Array) -> Array:
    """Whether matrices M, shape (..., n, n), are singular, shape (...); those that are not finite are not judged.

    D M D with a diagonal of ones is looked at, so that neither units nor sizes of coordinates bear on it.

    >>> from armdyn.spatial.singular_mass import is_singular
    >>> is_singular(np.array([[[4e-9, 2.0], [2.0, 1e9]], [[4e-9, 1.0], [1.0, 1e9]]]))
    array([ True, False])
    """
    judged = np.asarray(np.isfinite(M).all(axis=(-2, -1)))
    M = np.where(judged[..., None, None], M, np.eye(M.shape[-1]))
    diagonal = np.diagonal(M, axis1=-2, axis2=-1)
    least = np.linalg.eigvalsh(_scaled(M))[..., 0]
    singular: Array = judged & ((diagonal <= 0.0).any(axis=-1) | (least <= SINGULAR * M.shape[-1]))
    return singular


def without_inertia(M: Array, names: Sequence[str]) -> list[str]:
    """The coordinates that a singular M, shape (n, n), lets move, one alone or together, without any inertia."""
    still = [name for name, inertia in zip(names, np.diagonal(M), strict=True) if inertia <= 0.0]
    if still:
        return still
    direction = np.abs(np.linalg.eigh(_scaled(M))[1][:, 0])
    return [name for name, part in zip(names, direction, strict=True) if part > 1e-6]


def _scaled(M: Array) -> Array:
    diagonal = np.diagonal(M, axis1=-2, axis2=-1)
    size = np.sqrt(np.where(diagonal > 0.0, diagonal, 1.0))
    scaled: Array = M / size[..., :, None] / size[..., None, :]
    return scaled
