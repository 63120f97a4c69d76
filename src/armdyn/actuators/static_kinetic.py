"""Static and kinetic friction."""

from __future__ import annotations

from dataclasses import dataclass

from armdyn.actuators.dry import DryFriction
from armdyn.base.scalars import Scalar


@dataclass(frozen=True)
class StaticKinetic(DryFriction):
    """Dry friction that is larger at rest than in motion (Modern Robotics fig. 8.15 d; with `Viscous` e).

    Args:
        static: the force that starts the joint, N m or N.
        kinetic: the friction while the joint moves, N m or N; not more than ``static``.

    Raises:
        ModelError: a negative number, or static friction below kinetic friction.

    >>> law = armdyn.actuators.StaticKinetic(static=3.0, kinetic=2.0)
    >>> float(law.force(0.1, 0.0)), float(law.breakaway(0.0))
    (2.0, 3.0)
    """

    static: float
    kinetic: float

    def __post_init__(self) -> None:
        self._not_below_zero(static="N m or N", kinetic="N m or N")
        self._ordered("static", "kinetic")

    def magnitude(self, speed: Scalar, load: Scalar) -> Scalar:
        """The kinetic friction."""
        return self.kinetic

    def magnitude_at_rest(self, load: Scalar) -> Scalar:
        """The static friction."""
        return self.static
