"""Mass, first and second moment of a body in its canonical frame, as the constants of the equations."""

from __future__ import annotations

from typing import Protocol

import numpy as np

from armdyn.base.exact import exact, is_traced, rounded
from armdyn.base.scalars import Scalar
from armdyn.model.clean import clean, largest, total
from armdyn.spatial.rotations import Array, symmetrize


class HasInertia(Protocol):
    """Mass, centre of mass and inertia about it: an `Inertia`, or these quantities as traced scalars."""

    @property
    def mass(self) -> Scalar: ...  # noqa: D102
    @property
    def com(self) -> Array: ...  # noqa: D102
    @property
    def tensor(self) -> Array: ...  # noqa: D102


def canonical_inertia(inertia: HasInertia, link_pose: Array) -> tuple[Scalar, Array, Array]:
    """m, h = m c and Sigma about B's origin in B's axes, from the inertia in the link frame L and T_BL.

    It works on traced scalars too, for models whose inertias are inputs.
    """
    mass, com, tensor = exact(inertia.mass), exact(inertia.com), exact(inertia.tensor)
    R, p = link_pose[:3, :3], link_pose[:3, 3]
    com = clean(R @ com + p, largest(p) + largest(com))
    tensor = R @ tensor @ R.T
    about_com = clean(np.trace(tensor) / 2 * exact(np.eye(3)) - tensor, largest(tensor))
    return mass, mass * com, symmetrize(total(about_com, mass * np.outer(com, com)))


def in_two_parts(values: Array) -> tuple[Array, Array]:
    """A constant vector rounded to float64, and the part of the rounding error that is worth an addition.

    If large constants cancel in a sum, e.g. the moments of an arm folded on itself, their rounding shows. The rest is
    zero if it is less than three quarters of the largest rounding error of the largest component, and always if there
    are traced scalars.
    """
    if values.dtype != object or is_traced(values):
        return values, np.zeros(values.shape)
    nearest = rounded(values)
    rest = rounded(exact(values) - exact(nearest))
    most = 0.5 * np.finfo(float).eps * np.abs(nearest).max()
    return nearest, np.where(np.abs(rest) > 0.75 * most, rest, 0.0)
