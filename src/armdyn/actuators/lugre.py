"""The LuGre law, whose bristles bend before the joint slips (Canudas de Wit, Olsson, Astrom, Lischinsky 1995)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from armdyn.actuators.stribeck import decay
from armdyn.actuators.with_state import FrictionWithState
from armdyn.base.scalars import Scalar
from armdyn.program import sign


@dataclass(frozen=True)
class LuGre(FrictionWithState):
    """LuGre friction of bristles deflected by z, rad or m (Canudas de Wit et al. 1995, IEEE TAC 40(3), eq. 1, 3, 4).

        dz/dt = qd - s0 |qd| z / G(qd),    F = s0 z + s1 dz/dt + s2 qd,    G = k + (s - k) exp(-(|qd|/v)^a)

    z is a state, which `armdyn.simulate` and `armdyn.ClosedLoop` integrate together with q and qd. Functions of one
    state alone use the friction at a steady velocity, sign(qd) G + s2 qd. In a function of one's own, `state_rate` or
    `state_after` belong together with `force_with`.

    Args:
        stiffness: s0, of the bristles, N m/rad or N/m.
        bristle_damping: s1, N m s/rad or N s/m.
        viscous: s2, N m s/rad or N s/m.
        static: s, N m or N.
        kinetic: k, N m or N, above zero and not more than ``static``.
        speed: v, the speed at which the falling part is down to 1/e, rad/s or m/s.
        exponent: a; 2 in the article.

    Raises:
        ModelError: a negative number, one of zero that must be above it, or static friction below kinetic friction.

    >>> law = armdyn.actuators.LuGre(1e5, 1e5**0.5, 0.4, static=1.5, kinetic=1.0, speed=0.001)
    >>> z = law.steady_state(0.002)
    >>> round(float(law.force_with(z, 0.002, 0.0)), 6), round(float(law.force(0.002, 0.0)), 6)
    (1.009958, 1.009958)
    """

    stiffness: float
    bristle_damping: float
    viscous: float
    static: float
    kinetic: float
    speed: float
    exponent: float = 2.0

    def __post_init__(self) -> None:
        self._above_zero(stiffness="N m/rad or N/m", static="N m or N", kinetic="N m or N", speed="rad/s or m/s")
        self._above_zero(exponent="")
        self._not_below_zero(bristle_damping="N m s/rad or N s/m", viscous="N m s/rad or N s/m")
        self._ordered("static", "kinetic")

    def slip_force(self, rate: Scalar) -> Scalar:
        """G, the force of bristles at their largest deflection at a velocity, N m or N (equation 4)."""
        return self.kinetic + (self.static - self.kinetic) * decay(abs(rate), self.speed, self.exponent)

    def magnitude(self, speed: Scalar, load: Scalar) -> Scalar:
        """G + s2 |qd|, N m or N, at a steady velocity."""
        return self.slip_force(speed) + self.viscous * speed

    def force(self, rate: Scalar, load: Scalar) -> Scalar:
        """sign(qd) G + s2 qd, whose viscous part has its slope at rest too."""
        return sign(rate) * self.slip_force(rate) + self.viscous * rate

    def steady_state(self, rate: Scalar) -> Scalar:
        """The steady deflection z = sign(qd) G/s0, rad or m."""
        return sign(rate) * self.slip_force(rate) * (1.0 / self.stiffness)

    def state_rate(self, z: Scalar, rate: Scalar, load: Scalar = 0.0) -> Scalar:
        """dz/dt, rad/s or m/s (equation 1).

        Args:
            z: the bristle deflection, rad or m; not beyond ``static / stiffness``.
            rate: qd, rad/s or m/s.
            load: without effect in this law, N m or N.
        """
        return rate - self.stiffness * abs(rate) * z / self.slip_force(rate)

    def state_along(self, z: Scalar, moved: Scalar, speed: Scalar) -> Scalar:
        """z after a motion in one direction at one speed: exact for bristles of any stiffness.

        With |qd| dt = |dq|, equation 1 is dz/dq = 1 - sign(dq) s0 z/G, so that z tends to sign(dq) G/s0 by
        exp(-s0 |dq|/G). If G is constant (s = k, Dahl's law) this holds at any speed, changing or not.

        Args:
            z: the bristle deflection before, rad or m.
            moved: the change of q, rad or m.
            speed: |qd|, on which G depends, rad/s or m/s.
        """
        largest = self.slip_force(speed)
        end = sign(moved) * largest * (1.0 / self.stiffness)
        return end + (z - end) * np.exp(-self.stiffness * abs(moved) / largest)

    def force_with(self, z: Scalar, rate: Scalar = 0.0, load: Scalar = 0.0) -> Scalar:
        """F at a deflection z, N m or N (equation 3); arguments as of `state_rate`."""
        return self.stiffness * z + self.bristle_damping * self.state_rate(z, rate, load) + self.viscous * rate

    def energy(self, z: Scalar) -> Scalar:
        """The energy stored in the bristles, s0 z^2/2, J."""
        return 0.5 * self.stiffness * z * z
