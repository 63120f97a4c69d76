"""Coulomb's dry friction."""

from __future__ import annotations

from dataclasses import dataclass

from armdyn.actuators.dry import DryFriction
from armdyn.base.scalars import Scalar
from armdyn.model.joint_friction import JointFriction


@dataclass(frozen=True)
class Coulomb(DryFriction):
    """Dry friction c sign(qd): of one size at every speed (Modern Robotics fig. 8.15 b).

    With `Viscous` it is the law of fig. 8.15 c, UCL's third form.

    Args:
        size: c, N m, or N of a slide.

    >>> float(armdyn.actuators.Coulomb(2.0).force(-3.0, 0.0))
    -2.0
    """

    size: float

    def __post_init__(self) -> None:
        self._not_below_zero(size="N m or N")

    def magnitude(self, speed: Scalar, load: Scalar) -> Scalar:
        """The size c of the friction, N m or N."""
        return self.size

    @property
    def joint_friction(self) -> JointFriction | None:
        """Friction c; None for a subclass with another force."""
        own = type(self)
        same = own.magnitude is Coulomb.magnitude and own.force is Coulomb.force
        return JointFriction(0.0, self.size) if same else None
