"""The Stribeck effect: friction falls from its static to its kinetic value as the joint gathers speed."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from armdyn.actuators.dry import DryFriction
from armdyn.base.scalars import Scalar
from armdyn.program import less, select


@dataclass(frozen=True)
class Stribeck(DryFriction):
    """Dry friction k + (s - k) exp(-|qd/v|^a) (Modern Robotics fig. 8.15 f, together with `Viscous`).

    Args:
        static: s, at rest, N m or N.
        kinetic: k, its limit at high speed, N m or N; not more than ``static``.
        speed: v, the speed at which the falling part is down to 1/e, rad/s or m/s.
        exponent: a; 2 is the common choice, 1 a slower fall.

    Raises:
        ModelError: a negative number, a speed or an exponent of zero, or static friction below kinetic friction.

    >>> law = armdyn.actuators.Stribeck(static=3.0, kinetic=2.0, speed=0.1)
    >>> round(float(law.force(0.1, 0.0)), 6)  # 2 + 1/e
    2.367879
    """

    static: float
    kinetic: float
    speed: float
    exponent: float = 2.0

    def __post_init__(self) -> None:
        self._not_below_zero(static="N m or N", kinetic="N m or N")
        self._above_zero(speed="rad/s or m/s", exponent="")
        self._ordered("static", "kinetic")

    def magnitude(self, speed: Scalar, load: Scalar) -> Scalar:
        """k + (s - k) exp(-(|qd|/v)^a)."""
        return self.kinetic + (self.static - self.kinetic) * decay(speed, self.speed, self.exponent)


def decay(speed: Scalar, by: float, exponent: float) -> Scalar:
    """exp(-(speed/by)^exponent), the factor of the part of the friction that falls with the speed.

    If the exponent is below 1, its slope at rest is infinite; 0 replaces it, like that of a step.
    """
    ratio = speed * (1.0 / by)
    if exponent >= 1.0:
        return np.exp(-(ratio**exponent))
    moves = less(0.0, ratio)
    return select(moves, np.exp(-(select(moves, ratio, 1.0) ** exponent)), 1.0)
