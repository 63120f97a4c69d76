"""Viscous friction."""

from __future__ import annotations

from dataclasses import dataclass

from armdyn.actuators.traced_law import TracedLaw
from armdyn.base.scalars import Scalar
from armdyn.model.joint_friction import JointFriction


@dataclass(frozen=True)
class Viscous(TracedLaw):
    """Viscous friction b qd (Modern Robotics fig. 8.15 a).

    Args:
        coefficient: b, N m s/rad, or N s/m of a slide.

    >>> armdyn.actuators.Viscous(0.5).force(-3.0, 0.0)
    -1.5
    """

    coefficient: float

    def __post_init__(self) -> None:
        self._not_below_zero(coefficient="N m s/rad or N s/m")

    def force(self, rate: Scalar, load: Scalar) -> Scalar:
        """b qd."""
        return self.coefficient * rate

    @property
    def joint_friction(self) -> JointFriction | None:
        """Damping b; None for a subclass with another force."""
        return JointFriction(self.coefficient, 0.0) if type(self).force is Viscous.force else None

    def breakaway(self, load: Scalar) -> Scalar:
        """0, because it never sticks."""
        return 0.0
