"""Rest to rest with a trapezoid of velocity (Modern Robotics 9.2.2.2)."""

from __future__ import annotations

import math
from dataclasses import dataclass

from scipy.interpolate import PPoly

from armdyn.trajectory.checks import MotionError, number
from armdyn.trajectory.polynomial_law import PolynomialLaw, constant_in_segments


@dataclass(frozen=True)
class Trapezoidal(PolynomialLaw):
    """Constant acceleration, constant velocity, constant deceleration, from rest to rest; the acceleration jumps.

    Args:
        distance: s(T).
        duration: T, s.
        ramp: duration of the acceleration, and of the deceleration, s; at most T / 2, without a cruise.

    >>> law = armdyn.trajectory.Trapezoidal(3.0, duration=4.0, ramp=1.0)
    >>> law.velocity, law.acceleration
    (1.0, 1.0)
    """

    ramp: float

    def __post_init__(self) -> None:
        super().__post_init__()
        self._check("ramp", above=0.0, unit="s")
        if 2 * self.ramp > self.duration * (1 + 1e-12):
            raise MotionError(f"two ramps of {self.ramp:g} s do not fit into a duration of {self.duration:g} s")

    @classmethod
    def from_limits(cls, distance: float, *, velocity: float, acceleration: float) -> Trapezoidal:
        """The fastest such motion within the limits; a triangle, without cruise, if the distance is short.

        Args:
            distance: s(T), not zero.
            velocity: the largest, above zero.
            acceleration: the largest, above zero; also of the braking.

        >>> armdyn.trajectory.Trapezoidal.from_limits(1.0, velocity=10.0, acceleration=1.0)
        Trapezoidal(distance=1.0, duration=2.0, ramp=1.0)
        """
        way = way_of(distance)
        v, a = number("velocity", velocity, above=0.0), number("acceleration", acceleration, above=0.0)
        if a * way <= v * v:  # v is not reached: half the way is a ramp^2 / 2
            ramp = math.sqrt(way / a)
            return cls(distance, 2 * ramp, ramp)
        return cls(distance, way / v + v / a, v / a)

    @property
    def velocity(self) -> float:
        """The velocity of the cruise, with the sign of the distance."""
        return self.distance / (self.duration - self.ramp)

    @property
    def acceleration(self) -> float:
        """The acceleration of the first ramp, with the sign of the distance."""
        return self.velocity / self.ramp

    def _polynomials(self) -> PPoly:
        a, cruise = self.acceleration, self.duration - 2 * self.ramp
        return constant_in_segments(2, (self.ramp, cruise, self.ramp), (a, 0.0, -a))


def way_of(distance: float) -> float:
    """|distance|; raises if it is zero."""
    way = abs(number("distance", distance))
    if way == 0.0:
        raise MotionError("distance=0: limits determine no duration of a motion without a distance")
    return way
