"""`DryFriction`: the base of friction laws with a jump at rest."""

from __future__ import annotations

from abc import abstractmethod

from armdyn.actuators.traced_law import TracedLaw
from armdyn.base.scalars import Scalar
from armdyn.program import maximum, sign


class DryFriction(TracedLaw):
    """Friction sign(qd) F(|qd|, L) of a size F that is not negative; L = sign(qd) load is the load along the motion.

    L is positive if the joint drives its load, negative if the load drives the joint.
    """

    @abstractmethod
    def magnitude(self, speed: Scalar, load: Scalar) -> Scalar:
        """F, N m or N, of a joint that moves.

        Args:
            speed: |qd|, rad/s or m/s.
            load: L, the load along the motion, N m or N.
        """

    def magnitude_at_rest(self, load: Scalar) -> Scalar:
        """F, N m or N, at which the joint starts to move against the load L, or with it if L is negative."""
        return self.magnitude(0.0, load)

    def force(self, rate: Scalar, load: Scalar) -> Scalar:
        """sign(qd) F(|qd|, sign(qd) load)."""
        direction = sign(rate)
        return direction * self.magnitude(abs(rate), direction * load)

    def sliding(self, direction: Scalar, speed: Scalar, load: Scalar) -> Scalar:
        """direction F(speed, direction load)."""
        return direction * self.magnitude(speed, direction * load)

    def at_rest(self, load: Scalar) -> tuple[Scalar, Scalar]:
        """-F and F of both directions in which the joint may start; they differ if F depends on the load."""
        return -self.magnitude_at_rest(-load), self.magnitude_at_rest(load)

    def breakaway(self, load: Scalar) -> Scalar:
        """The larger F of both directions."""
        return maximum(self.magnitude_at_rest(load), self.magnitude_at_rest(-load))
