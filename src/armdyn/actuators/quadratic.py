"""Friction that grows with the square of the speed, and its cube."""

from __future__ import annotations

from dataclasses import dataclass

from armdyn.actuators.traced_law import TracedLaw
from armdyn.base.scalars import Scalar


@dataclass(frozen=True)
class Quadratic(TracedLaw):
    """Drag c |qd| qd + d qd^3, e.g. of air and of oil that is stirred.

    Args:
        coefficient: c, N m s^2/rad^2, or N s^2/m^2 of a slide.
        cubic: d, N m s^3/rad^3, or N s^3/m^3 of a slide.

    >>> armdyn.actuators.Quadratic(0.5).force(-3.0, 0.0)
    -4.5
    >>> armdyn.actuators.Quadratic(0.5, cubic=0.25).force(-2.0, 0.0)
    -4.0
    """

    coefficient: float
    cubic: float = 0.0

    def __post_init__(self) -> None:
        self._not_below_zero(coefficient="N m s^2/rad^2 or N s^2/m^2", cubic="N m s^3/rad^3 or N s^3/m^3")

    def force(self, rate: Scalar, load: Scalar) -> Scalar:
        """c |qd| qd + d qd^3."""
        if self.cubic:
            return (self.coefficient * abs(rate) + self.cubic * rate**2) * rate
        return self.coefficient * abs(rate) * rate

    def breakaway(self, load: Scalar) -> Scalar:
        """0, because it never sticks."""
        return 0.0
