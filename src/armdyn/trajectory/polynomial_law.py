"""Laws of polynomials: constant velocity, cubic, quintic (Modern Robotics 9.2), and pieces of them joined."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from scipy.interpolate import PPoly

from armdyn.spatial.rotations import Array
from armdyn.threads import cached_property
from armdyn.trajectory.checks import number
from armdyn.trajectory.law import MotionLaw, Progress


@dataclass(frozen=True)
class PolynomialLaw(MotionLaw):
    """A law made of polynomials in time, one after another."""

    @cached_property
    def polynomials(self) -> PPoly:
        """s(t) as SciPy's piecewise polynomial."""
        return self._polynomials()

    @property
    def switches(self) -> Array:
        """Times between which all derivatives are continuous, s."""
        return np.array(self.polynomials.x)

    @abstractmethod
    def _polynomials(self) -> PPoly:
        """s(t) by its coefficients between switches."""

    @cached_property
    def _derivatives(self) -> tuple[PPoly, ...]:
        return tuple(self.polynomials.derivative(order) for order in range(4))

    def _at(self, t: Array) -> Progress:
        return Progress(*(derivative(t) for derivative in self._derivatives))


@dataclass(frozen=True)
class ConstantVelocity(PolynomialLaw):
    """s = distance t / T: the part of a motion between start and stop (Kazerounian and Gupta 33)."""

    def _polynomials(self) -> PPoly:
        return PPoly([[self.distance / self.duration], [0.0]], [0.0, self.duration])


@dataclass(frozen=True)
class Cubic(PolynomialLaw):
    """The cubic with given velocities at both ends; its acceleration jumps there (Modern Robotics 9.2.2).

    From rest to rest s = distance (3 x^2 - 2 x^3) with x = t / T; the largest velocity is 1.5 distance / T, the
    largest acceleration 6 distance / T^2.

    Args:
        distance: s(T).
        duration: T, s.
        start_velocity: sd(0).
        end_velocity: sd(T).

    >>> float(armdyn.trajectory.Cubic(2.0, duration=4.0).evaluate(2.0).sd)
    0.75
    """

    start_velocity: float = 0.0
    end_velocity: float = 0.0

    def __post_init__(self) -> None:
        _check_ends(self, ("start_velocity", "end_velocity"))
        super().__post_init__()

    def _polynomials(self) -> PPoly:
        T, v0, v1 = self.duration, self.start_velocity, self.end_velocity
        mean = self.distance / T
        # s(0) = 0, sd(0) = v0, s(T) = distance, sd(T) = v1
        return PPoly([[(v0 + v1 - 2 * mean) / T**2], [(3 * mean - 2 * v0 - v1) / T], [v0], [0.0]], [0.0, T])


@dataclass(frozen=True)
class Quintic(PolynomialLaw):
    """The quintic with given velocities and accelerations at both ends (Modern Robotics 9.2.2).

    From rest to rest s = distance (10 x^3 - 15 x^4 + 6 x^5) with x = t / T; the largest velocity is 1.875 distance / T,
    the largest acceleration 10 / sqrt(3) distance / T^2.

    Args:
        distance: s(T).
        duration: T, s.
        start_velocity: sd(0).
        end_velocity: sd(T).
        start_acceleration: sdd(0).
        end_acceleration: sdd(T).

    >>> float(armdyn.trajectory.Quintic(2.0, duration=4.0).evaluate(2.0).sd)
    0.9375
    """

    start_velocity: float = 0.0
    end_velocity: float = 0.0
    start_acceleration: float = 0.0
    end_acceleration: float = 0.0

    def __post_init__(self) -> None:
        _check_ends(self, ("start_velocity", "end_velocity", "start_acceleration", "end_acceleration"))
        super().__post_init__()

    def _polynomials(self) -> PPoly:
        T, v0, a0 = self.duration, self.start_velocity, self.start_acceleration
        # What the three highest powers c3 x^3 + c4 x^4 + c5 x^5, x = t / T, must add at x = 1, with its derivatives:
        s = self.distance - v0 * T - a0 * T**2 / 2
        sd = (self.end_velocity - v0 - a0 * T) * T
        sdd = (self.end_acceleration - a0) * T**2
        c3, c4, c5 = 10 * s - 4 * sd + sdd / 2, -15 * s + 7 * sd - sdd, 6 * s - 3 * sd + sdd / 2
        return PPoly([[c5 / T**5], [c4 / T**4], [c3 / T**3], [a0 / 2], [v0], [0.0]], [0.0, T])


def _check_ends(law: MotionLaw, names: tuple[str, ...]) -> None:
    for name in names:
        object.__setattr__(law, name, number(name, getattr(law, name)))


def constant_jerks(durations: Iterable[float], jerks: Iterable[float]) -> PPoly:
    """s(t) from rest at 0, with a constant jerk in each segment; segments without duration are left out."""
    s = sd = sdd = start = 0.0
    coefficients, starts = [], [0.0]
    for h, jerk in zip(durations, jerks, strict=True):
        if h <= 0.0:
            continue
        coefficients.append([jerk / 6, sdd / 2, sd, s])
        s += h * (sd + h * (sdd / 2 + h * jerk / 6))
        sd += h * (sdd + h * jerk / 2)
        sdd += h * jerk
        start += h
        starts.append(start)
    return PPoly(np.array(coefficients).T, starts)


def constant_accelerations(durations: Iterable[float], accelerations: Iterable[float]) -> PPoly:
    """s(t) from rest at 0, with a constant acceleration in each segment; segments without duration are left out."""
    s = sd = start = 0.0
    coefficients, starts = [], [0.0]
    for h, sdd in zip(durations, accelerations, strict=True):
        if h <= 0.0:
            continue
        coefficients.append([sdd / 2, sd, s])
        s += h * (sd + h * sdd / 2)
        sd += h * sdd
        start += h
        starts.append(start)
    return PPoly(np.array(coefficients).T, starts)
