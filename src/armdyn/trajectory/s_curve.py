"""Rest to rest with bounded jerk: the S-curve of seven segments."""

from __future__ import annotations

import math
from dataclasses import dataclass

from scipy.interpolate import PPoly

from armdyn.trajectory.checks import MotionError, number
from armdyn.trajectory.polynomial_law import PolynomialLaw, constant_in_segments
from armdyn.trajectory.trapezoidal import way_of


@dataclass(frozen=True)
class SCurve(PolynomialLaw):
    """Seven segments of constant jerk (+, 0, -, 0, -, 0, +), from rest to rest; the acceleration is continuous.

    Args:
        distance: s(T).
        duration: T, s.
        ramp: duration of the acceleration, and of the deceleration, s; at most T / 2, without a cruise.
        rounding: duration of the jerk at each end of a ramp, s; at most half of the ramp, without a time of constant
            acceleration.

    >>> law = armdyn.trajectory.SCurve(3.0, duration=4.0, ramp=1.0, rounding=0.25)
    >>> law.velocity, law.acceleration, law.jerk
    (1.0, 1.3333333333333333, 5.333333333333333)
    """

    ramp: float
    rounding: float

    def __post_init__(self) -> None:
        super().__post_init__()
        self._check("ramp", "rounding", above=0.0, unit="s")
        if 2 * self.ramp > self.duration * (1 + 1e-12):
            raise MotionError(f"two ramps of {self.ramp:g} s do not fit into a duration of {self.duration:g} s")
        if 2 * self.rounding > self.ramp * (1 + 1e-12):
            raise MotionError(f"two roundings of {self.rounding:g} s do not fit into a ramp of {self.ramp:g} s")

    @classmethod
    def from_limits(cls, distance: float, *, velocity: float, acceleration: float, jerk: float) -> SCurve:
        """The fastest motion within the limits; segments drop out if the distance is too short for them.

        Args:
            distance: s(T), not zero.
            velocity: the largest, above zero.
            acceleration: the largest, above zero; also of the braking.
            jerk: the largest, above zero.

        >>> armdyn.trajectory.SCurve.from_limits(2.0, velocity=10.0, acceleration=10.0, jerk=1.0)
        SCurve(distance=2.0, duration=4.0, ramp=2.0, rounding=1.0)
        """
        way = way_of(distance)
        limits = {"velocity": velocity, "acceleration": acceleration, "jerk": jerk}
        v, a, j = (number(name, limit, above=0.0) for name, limit in limits.items())
        ramp, rounding = _ramp_to(v, a, j)
        if way >= v * ramp:  # two ramps to and from v cover v ramp
            return cls(distance, ramp + way / v, ramp, rounding)
        if way >= 2 * a**3 / j**2:  # a is reached: way = a (ramp - rounding) ramp
            rounding = a / j
            ramp = rounding / 2 + math.sqrt(rounding**2 / 4 + way / a)
        else:  # neither is: way = 2 j rounding^3
            rounding = math.cbrt(way / (2 * j))
            ramp = 2 * rounding
        return cls(distance, 2 * ramp, ramp, rounding)

    @property
    def velocity(self) -> float:
        """The velocity of the cruise, with the sign of the distance."""
        return self.distance / (self.duration - self.ramp)

    @property
    def acceleration(self) -> float:
        """The largest acceleration of the first ramp, with the sign of the distance."""
        return self.velocity / (self.ramp - self.rounding)

    @property
    def jerk(self) -> float:
        """The jerk at the start, with the sign of the distance."""
        return self.acceleration / self.rounding

    def _polynomials(self) -> PPoly:
        j, r = self.jerk, self.rounding
        hold, cruise = max(self.ramp - 2 * r, 0.0), max(self.duration - 2 * self.ramp, 0.0)
        return constant_in_segments(3, (r, hold, r, cruise, r, hold, r), (j, 0.0, -j, 0.0, -j, 0.0, j))


def _ramp_to(v: float, a: float, j: float) -> tuple[float, float]:
    """The time to reach v from rest, and the duration of the jerk at each end of it."""
    if v * j >= a * a:
        return v / a + a / j, a / j
    return 2 * math.sqrt(v / j), math.sqrt(v / j)
