"""Cam laws: half-cycloidal start, constant velocity, half-cycloidal stop (Kazerounian and Gupta 32-34)."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from armdyn.base.fields import set_fields
from armdyn.base.threads import cached_property
from armdyn.spatial.rotations import Array
from armdyn.trajectory.law import LawSequence, MotionLaw, Progress
from armdyn.trajectory.polynomial_law import ConstantVelocity


@dataclass(frozen=True)
class CycloidalStart(MotionLaw):
    """Start from rest to the velocity v = 2 distance / T with acceleration v pi / (2 T) sin(pi t / T), 0 at both ends.

    Args:
        distance: s(T).
        duration: T, s.

    >>> float(armdyn.trajectory.CycloidalStart(1.0, duration=2.0).evaluate(2.0).sd)
    1.0
    """

    def _at(self, t: Array) -> Progress:
        v, w = 2 * self.distance / self.duration, np.pi / self.duration
        sine, cosine = np.sin(w * t), np.cos(w * t)
        # Kazerounian and Gupta 32, from the bottom up: sdd = v w/2 sin(w t), integrated twice from rest at 0
        return Progress(v / 2 * (t - sine / w), v / 2 * (1 - cosine), v / 2 * w * sine, v / 2 * w**2 * cosine)


@dataclass(frozen=True)
class CycloidalStop(MotionLaw):
    """The stop from the velocity v = 2 distance / T to rest: the start reversed (Kazerounian and Gupta 34).

    Args:
        distance: s(T).
        duration: T, s.
    """

    def _at(self, t: Array) -> Progress:
        start = CycloidalStart(self.distance, self.duration)
        s, sd, sdd, sddd = start.evaluate(self.duration - t)
        return Progress(self.distance - s, sd, -sdd, sddd)


@dataclass(frozen=True)
class Cycloidal(MotionLaw):
    """Half-cycloidal start, constant velocity, half-cycloidal stop; the acceleration is continuous (32-34).

    The velocity v of the middle part makes the whole motion continuous: start and stop cover half the distance of v in
    their times, so distance = v (T_1/2 + T_2 + T_3/2), which is Kazerounian and Gupta's phi_1 = distance T_1/(T + T_2).

    Args:
        distance: s(T).
        start: T_1, duration of the start, s.
        cruise: T_2, duration of the middle part, s; may be zero.
        stop: T_3, duration of the stop, s.

    >>> psi = armdyn.trajectory.Cycloidal(2 * np.pi, start=3.0, cruise=3.0, stop=3.0)
    >>> psi.evaluate([0.0, 3.0, 6.0, 9.0]).s / np.pi
    array([0. , 0.5, 1.5, 2. ])
    """

    duration: float = field(init=False)
    start: float
    cruise: float
    stop: float

    def __post_init__(self) -> None:
        self._check("start", "stop", above=0.0, unit="s")
        self._check("cruise", least=0.0, unit="s")
        set_fields(self, duration=self.start + self.cruise + self.stop)
        super().__post_init__()

    @property
    def velocity(self) -> float:
        """The velocity of the middle part, with the sign of the distance."""
        return 2 * self.distance / (self.duration + self.cruise)

    @property
    def switches(self) -> Array:
        """Times between which all derivatives are continuous, s."""
        return self._parts.switches

    @cached_property
    def _parts(self) -> LawSequence:
        v = self.velocity
        cruise = [ConstantVelocity(v * self.cruise, self.cruise)] if self.cruise else []
        start, stop = CycloidalStart(v * self.start / 2, self.start), CycloidalStop(v * self.stop / 2, self.stop)
        return LawSequence((start, *cruise, stop))

    def _at(self, t: Array) -> Progress:
        return self._parts.evaluate(t)
