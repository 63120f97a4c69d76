"""A shape of uniform density, before it has a mass: its size and the spread of its points."""

from __future__ import annotations

from typing import NamedTuple, cast

import numpy as np

from armdyn.base.scalars import Scalar
from armdyn.inertia.arguments import is_number
from armdyn.model.inertia import Inertia
from armdyn.spatial.mass_properties import MassProperties
from armdyn.spatial.rotations import Array


class PrincipalShape(NamedTuple):
    """A shape whose principal axes are the frame's and whose centroid lies on the frame's z axis.

    Args:
        content: volume, m^3; area, m^2, or length, m, of thin ones.
        spread: mean squares of x, y and z over the shape, about the centroid, m^2.
        height: z of the centroid, m.
    """

    content: Scalar
    spread: tuple[Scalar, Scalar, Scalar]
    height: Scalar = 0

    def with_mass(self, mass: object) -> Inertia:
        """I_xx = m (<y^2> + <z^2>) and so on (Craig 6.3, Modern Robotics 8.24), in numbers or symbols."""
        xx, yy, zz = self.spread
        return inertia(mass, [0, 0, self.height], diagonal(mass * (yy + zz), mass * (xx + zz), mass * (xx + yy)))

    def without(self, inner: PrincipalShape) -> PrincipalShape:
        """The shape with a concentric one removed from it."""
        content = self.content - inner.content
        spread = [
            (self.content * a - inner.content * b) / content for a, b in zip(self.spread, inner.spread, strict=True)
        ]
        return PrincipalShape(content, (spread[0], spread[1], spread[2]))


def diagonal(x: object, y: object, z: object) -> Array:
    """diag(x, y, z) of objects, with integer zeros off the diagonal."""
    return np.array([[x, 0, 0], [0, y, 0], [0, 0, z]], dtype=object)


def inertia(mass: Scalar, com: Scalar, tensor: Array) -> Inertia:
    """An `Inertia` if all are numbers; `MassProperties` of symbols otherwise, which have the same operations."""
    com = np.array(com, dtype=object)
    if all(is_number(value) for value in (mass, *com.flat, *tensor.flat)):
        return Inertia(mass, com.astype(float), tensor.astype(float))
    return cast(Inertia, MassProperties(mass, com, tensor))
