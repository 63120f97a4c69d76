"""The LuGre law, whose bristles bend before the joint slips (Canudas de Wit, Olsson, Astrom, Lischinsky 1995)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from armdyn.actuators.dry import DryFriction
from armdyn.actuators.stribeck import fallen
from armdyn.program import sign


@dataclass(frozen=True)
class LuGre(DryFriction):
    """Friction of bristles that bend by z, rad or m (Canudas de Wit et al. 1995, IEEE TAC 40(3), equations 1, 3, 4).

        dz/dt = qd - s0 |qd| z / G(qd),    F = s0 z + s1 dz/dt + s2 qd,    G = k + (s - k) exp(-(|qd|/v)^a)

    z is a state: `state_rate` or `state_after` belong into a controller or a function of one's own
    (`armdyn.ClosedLoop`, `armdyn.functions.CompiledRollout`), with `force_with`. As a law of an actuator, which has no
    state, it is what remains at a steady velocity, sign(qd) G + s2 qd.

    Args:
        stiffness: s0, of the bristles, N m/rad or N/m.
        bristle_damping: s1, N m s/rad or N s/m.
        viscous: s2, N m s/rad or N s/m.
        static: s, N m or N.
        kinetic: k, N m or N, above zero and not more than ``static``.
        speed: v, at which the part that falls is down to 1/e, rad/s or m/s.
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

    def bent(self, rate: Any) -> Any:
        """G, the force of bristles bent as far as they go at a velocity, N m or N (equation 4)."""
        return self.kinetic + (self.static - self.kinetic) * fallen(abs(rate), self.speed, self.exponent)

    def magnitude(self, speed: Any, load: Any) -> Any:
        """G + s2 |qd|, at a steady velocity."""
        return self.bent(speed) + self.viscous * speed

    def steady_state(self, rate: Any) -> Any:
        """z where it does not change: sign(qd) G/s0, rad or m."""
        return sign(rate) * self.bent(rate) * (1.0 / self.stiffness)

    def state_rate(self, z: Any, rate: Any, load: Any) -> Any:
        """dz/dt, rad/s or m/s (equation 1).

        Args:
            z: the bending, rad or m; not beyond ``static / stiffness``.
            rate: qd, rad/s or m/s.
            load: of no effect in this law, N m or N.
        """
        return rate - self.stiffness * abs(rate) * z / self.bent(rate)

    def state_after(self, z: Any, rate: Any, load: Any, h: Any) -> Any:
        """z after a step of length h, s, during which qd keeps its value: exact, however stiff the bristles are.

        z tends to that of the steady state, with the rate constant s0 |qd|/G.
        """
        steady = self.steady_state(rate)
        return steady + (z - steady) * np.exp(-self.stiffness * abs(rate) * h / self.bent(rate))

    def force_with(self, z: Any, rate: Any, load: Any) -> Any:
        """F at a bending z, N m or N (equation 3); arguments as of `state_rate`."""
        return self.stiffness * z + self.bristle_damping * self.state_rate(z, rate, load) + self.viscous * rate
