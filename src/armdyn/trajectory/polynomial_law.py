"""Laws of polynomials: constant velocity, cubic, quintic (Modern Robotics 9.2), and piecewise polynomials."""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from scipy.interpolate import PPoly

from armdyn.base.threads import cached_property
from armdyn.spatial.rotations import Array
from armdyn.trajectory.checks import times_within
from armdyn.trajectory.law import MotionLaw, Progress

NONIC = (70.0, -315.0, 540.0, -420.0, 126.0, 0.0, 0.0, 0.0, 0.0, 0.0)
"""Coefficients of x^9, ..., x^0: s rises from 0 to 1, and four derivatives are zero at both ends."""


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
        return tuple(self.polynomials.derivative(order) for order in range(5))

    def _at(self, t: Array) -> Progress:
        return Progress(*(derivative(t) for derivative in self._derivatives[:4]))

    def snap(self, t: ArrayLike) -> Array:
        """The rate of the jerk at times t, of the shape of t; without jumps of the jerk between polynomials."""
        snap: Array = self._derivatives[4](times_within(t, self.duration))
        return snap


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
        self._check("start_velocity", "end_velocity")
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
        self._check("start_velocity", "end_velocity", "start_acceleration", "end_acceleration")
        super().__post_init__()

    def _polynomials(self) -> PPoly:
        T, v0, a0 = self.duration, self.start_velocity, self.start_acceleration
        # The values at x = 1 of c3 x^3 + c4 x^4 + c5 x^5, x = t / T, and of its derivatives:
        s = self.distance - v0 * T - a0 * T**2 / 2
        sd = (self.end_velocity - v0 - a0 * T) * T
        sdd = (self.end_acceleration - a0) * T**2
        c3, c4, c5 = 10 * s - 4 * sd + sdd / 2, -15 * s + 7 * sd - sdd, 6 * s - 3 * sd + sdd / 2
        return PPoly([[c5 / T**5], [c4 / T**4], [c3 / T**3], [a0 / 2], [v0], [0.0]], [0.0, T])


@dataclass(frozen=True)
class Nonic(PolynomialLaw):
    """The nonic from rest to rest with acceleration, jerk and snap zero at both ends: for joints with springs.

    s = distance (126 x^5 - 420 x^6 + 540 x^7 - 315 x^8 + 70 x^9) with x = t / T; the largest velocity is
    315/128 distance / T. The motors of an arm with flexible joints follow it without a jump of their torque.

    Args:
        distance: s(T).
        duration: T, s.

    >>> float(armdyn.trajectory.Nonic(2.0, duration=4.0).evaluate(2.0).sd)
    1.23046875
    """

    def _polynomials(self) -> PPoly:
        T = self.duration
        return PPoly([[self.distance * c / T**k] for k, c in zip(range(9, -1, -1), NONIC, strict=True)], [0.0, T])


def constant_in_segments(order: int, durations: Iterable[float], values: Iterable[float]) -> PPoly:
    """s(t) from rest at 0, one of whose derivatives is constant in each segment; segments of no duration are left out.

    Args:
        order: of the derivative: 2 of accelerations, 3 of jerks.
        durations: of the segments, s.
        values: of the derivative in each.
    """
    state, coefficients, breaks = [0.0] * order, [], [0.0]  # s and its derivatives below the order
    for h, value in zip(durations, values, strict=True):
        if h <= 0.0:
            continue
        taylor = [x / math.factorial(k) for k, x in enumerate([*state, value])]
        coefficients.append(taylor[::-1])
        for k in range(order):
            state[k] = sum(math.perm(j, k) * taylor[j] * h ** (j - k) for j in range(k, order + 1))
        breaks.append(breaks[-1] + h)
    return PPoly(np.array(coefficients).T, breaks)
