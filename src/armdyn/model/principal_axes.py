"""Principal moments and axes of inertia, with a documented choice of the axes that a symmetric body leaves open."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from armdyn.spatial.rotations import Array

DEGENERATE = 1e-12
"""The difference, relative to the largest, below which two moments count as equal: some thousand roundings."""


class PrincipalAxes(NamedTuple):
    """Principal moments of inertia about the centre of mass and the axes that go with them.

    ``axes @ np.diag(moments) @ axes.T`` is the inertia again (Modern Robotics 8.26), and ``axes`` is a rotation.
    Signs and axes that the body leaves open follow these rules:

    - The largest component of the first and of the second axis is positive; the third is their cross product.
    - If two moments are equal to 1e-12 of the largest, every direction across the remaining axis is principal: the
      first of the two axes is then the frame axis nearest to that plane (of equally near ones x before y before z),
      brought into it.
    - If all three are equal, every direction is principal, and the axes are the frame's.
    """

    moments: Array
    """The principal moments, ascending, kg m^2, shape (3,)."""
    axes: Array
    """R_FP: the principal axes as columns, in F's axes, shape (3, 3)."""
    unique: tuple[bool, bool, bool]
    """True for each axis that is the body's own, up to sign; the others are one choice of many."""


def principal_axes(tensor: Array) -> PrincipalAxes:
    """Moments and axes of a symmetric tensor."""
    moments, axes = np.linalg.eigh(tensor)
    tolerance = DEGENERATE * float(np.abs(moments).max())
    low, high = (np.diff(moments) <= tolerance).tolist()  # which neighbours are equal
    if low and high:
        return PrincipalAxes(moments, np.eye(3), (False, False, False))
    if low:
        x, y = _across(axes[:, 2])
        axes = np.column_stack([x, y, axes[:, 2]])
    elif high:
        x, y = _across(axes[:, 0])
        axes = np.column_stack([axes[:, 0], x, y])
    first, second = _positive(axes[:, 0]), _positive(axes[:, 1])
    axes = np.column_stack([first, second, np.cross(first, second)])
    return PrincipalAxes(moments, axes, (not low, not (low or high), not high))


def _positive(axis: Array) -> Array:
    """The axis, reversed if its largest component is negative."""
    largest = np.argmax(np.abs(axis).round(9))  # rounded, so that rounding does not choose between equals
    return axis if axis[largest] > 0.0 else -axis


def _across(axis: Array) -> tuple[Array, Array]:
    """Two unit vectors across an axis: the frame axis nearest to their plane, brought into it, and one across both."""
    nearest = int(np.argmin(np.abs(axis).round(9)))
    x = np.eye(3)[nearest] - axis[nearest] * axis
    x /= np.linalg.norm(x)
    return x, np.cross(axis, x)
