"""Distances of matrices from SO(3) and SE(3), and projections onto these groups."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike

from armdyn.base.scalars import Scalar
from armdyn.modern_robotics.rotations import Numbers, numbers
from armdyn.spatial.rotations import Array

FAR = 1e9
"""The distance of a matrix with det(R) <= 0."""

CLOSE = 1e-3
"""Below this distance a matrix counts as a member of the group."""


def DistanceToSO3(mat: ArrayLike) -> Scalar:
    """|R^T R - 1|, Frobenius norm, float; 1e9 if det(R) <= 0.

    Args:
        mat: any matrix, shape (3, 3).

    >>> armdyn.modern_robotics.DistanceToSO3(np.diag([1.0, 1.0, 2.0]))
    np.float64(3.0)
    """
    return _distance(numbers(mat), ())


def DistanceToSE3(mat: ArrayLike) -> Scalar:
    """|[[R^T R, 0], [last row]] - 1|, Frobenius norm, float; 1e9 if det(R) <= 0.

    Args:
        mat: any matrix, shape (4, 4); its position has no effect.
    """
    *top, (x, y, z, w) = numbers(mat)
    return _distance([row[:3] for row in top], (x, y, z, w - 1.0))


def _distance(R: Numbers, rest: tuple[float, ...]) -> Scalar:
    """|R^T R - 1| including further elements; `FAR` if det(R) <= 0."""
    (a, b, c), (d, e, f), (g, h, i) = R
    if not a * (e * i - f * h) - b * (d * i - f * g) + c * (d * h - e * g) > 0:
        return FAR
    xx, yy, zz = a * a + d * d + g * g - 1.0, b * b + e * e + h * h - 1.0, c * c + f * f + i * i - 1.0
    xy, xz, yz = a * b + d * e + g * h, a * c + d * f + g * i, b * c + e * f + h * i
    squares = xx * xx + yy * yy + zz * zz + 2.0 * (xy * xy + xz * xz + yz * yz)
    return np.float64(math.sqrt(squares + sum(element * element for element in rest)))


def TestIfSO3(mat: ArrayLike) -> Scalar:
    """Return True if `DistanceToSO3` is below 1e-3.

    Args:
        mat: any matrix, shape (3, 3).
    """
    return abs(DistanceToSO3(mat)) < CLOSE


def TestIfSE3(mat: ArrayLike) -> Scalar:
    """Return True if `DistanceToSE3` is below 1e-3.

    Args:
        mat: any matrix, shape (4, 4).
    """
    return abs(DistanceToSE3(mat)) < CLOSE


TestIfSO3.__test__ = TestIfSE3.__test__ = False  # type: ignore[attr-defined] # names alone make no test of them


def ProjectToSO3(mat: ArrayLike) -> Array:
    """The rotation matrix nearest to a matrix near SO(3), shape (3, 3), from its singular values.

    If the result is a reflection, its last column is negated, as in the book's code; that is a rotation, but not the
    nearest one.

    Args:
        mat: matrix close to a rotation, shape (3, 3).
    """
    U, _, Vh = np.linalg.svd(np.asarray(mat))
    R: Array = U @ Vh
    if np.linalg.det(R) < 0:
        R[:, 2] = -R[:, 2]
    return R


def ProjectToSE3(mat: ArrayLike) -> Array:
    """The rigid motion nearest to a matrix near SE(3), shape (4, 4): R projected, p kept, last row 0 0 0 1.

    Args:
        mat: matrix close to a rigid motion, shape (4, 4).
    """
    T = np.asarray(mat)
    projected = np.eye(4)
    projected[:3, :3] = ProjectToSO3(T[:3, :3])
    projected[:3, 3] = T[:3, 3]
    return projected
