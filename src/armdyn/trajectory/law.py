"""Motion laws: position and velocity along one parameter over time."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from armdyn.base.fields import set_fields
from armdyn.spatial.rotations import Array
from armdyn.trajectory.checks import MotionError, number, times_within
from armdyn.trajectory.sequences import fill, starts_of, switches_of


class Progress(NamedTuple):
    """Position s, velocity, acceleration and jerk along one parameter, each of the shape of the times.

    If a quantity jumps, its value is that of the segment that begins there.
    """

    s: Array
    sd: Array
    sdd: Array
    sddd: Array


@dataclass(frozen=True)
class MotionLaw(ABC):
    """Position s(t) along one parameter, from 0 at t = 0 to ``distance`` at t = ``duration``. Immutable.

    The unit of s is that of the parameter: rad, m, or 1 for a law that runs from one end of a path, 0, to the other.

    Args:
        distance: s(T); negative for a motion backwards.
        duration: T, s.
    """

    distance: float
    duration: float

    def __post_init__(self) -> None:
        self._check("distance")
        self._check("duration", above=0.0, unit="s")

    def _check(self, *names: str, **bounds: Any) -> None:
        """Check numbers among the fields, as of `armdyn.base.checks.number`."""
        for name in names:
            set_fields(self, **{name: number(name, getattr(self, name), **bounds)})

    @property
    def switches(self) -> Array:
        """Times between which all derivatives are continuous, s, from 0 to the duration."""
        return np.array([0.0, self.duration])

    def evaluate(self, t: ArrayLike) -> Progress:
        """s, sd, sdd, sddd at times t, each of the shape of t.

        Args:
            t: times, s, from 0 to the duration, any shape.

        Raises:
            MotionError: a time outside the motion.
        """
        return self._at(times_within(t, self.duration))

    def snap(self, t: ArrayLike) -> Array:
        """The rate of the jerk at times t, of the shape of t; for joints with springs, whose rotors need it.

        Args:
            t: times, s, from 0 to the duration, any shape.

        Raises:
            MotionError: a time outside the motion, or a law without its fourth derivative.
        """
        raise MotionError(f"{type(self).__name__} does not have its snap; armdyn.trajectory.Nonic and splines do")

    def stretched(self, duration: float) -> MotionLaw:
        """The motion in another duration, s: velocities change with its ratio, accelerations with its square.

        >>> slow = armdyn.trajectory.Quintic(1.0, duration=2.0).stretched(4.0)
        >>> float(slow.evaluate(2.0).sd)
        0.46875
        """
        return StretchedLaw(duration, self)

    @abstractmethod
    def _at(self, t: Array) -> Progress:
        """s and its derivatives at times that are within the duration."""


@dataclass(frozen=True)
class StretchedLaw(MotionLaw):
    """A law in another duration.

    Args:
        duration: s.
        law: the original law.
    """

    distance: float = field(init=False)
    law: MotionLaw

    def __post_init__(self) -> None:
        set_fields(self, distance=self.law.distance)
        super().__post_init__()

    @property
    def switches(self) -> Array:
        """Times between which all derivatives are continuous, s."""
        return self.law.switches * (self.duration / self.law.duration)

    def _at(self, t: Array) -> Progress:
        rate = self.law.duration / self.duration
        s, sd, sdd, sddd = self.law.evaluate(t * rate)
        return Progress(s, sd * rate, sdd * rate**2, sddd * rate**3)

    def snap(self, t: ArrayLike) -> Array:
        """The rate of the jerk at times t, of the shape of t."""
        rate = self.law.duration / self.duration
        return self.law.snap(times_within(t, self.duration) * rate) * rate**4


@dataclass(frozen=True)
class LawSequence(MotionLaw):
    """Laws one after another; each begins with the final velocity of the one before.

    Args:
        laws: in order.

    Raises:
        MotionError: a velocity that jumps between one law and the next.

    >>> start = armdyn.trajectory.CycloidalStart(np.pi / 2, 3.0)
    >>> cruise = armdyn.trajectory.ConstantVelocity(np.pi, 3.0)
    >>> armdyn.trajectory.LawSequence((start, cruise)).duration
    6.0
    """

    distance: float = field(init=False)
    duration: float = field(init=False)
    laws: tuple[MotionLaw, ...]

    def __post_init__(self) -> None:
        laws = tuple(self.laws)
        distance, duration = sum(law.distance for law in laws), sum(law.duration for law in laws)
        set_fields(self, laws=laws, distance=float(distance), duration=float(duration))
        super().__post_init__()
        refuse_jumps(self.laws)

    @property
    def switches(self) -> Array:
        """Times between which all derivatives are continuous, s."""
        return switches_of(self.laws)

    def _at(self, t: Array) -> Progress:
        result = Progress(*(np.empty(t.shape) for _ in Progress._fields))
        indices = fill(result, self.laws, t)
        result.s[...] += starts_of(law.distance for law in self.laws)[indices]
        return result


def refuse_jumps(laws: tuple[MotionLaw, ...]) -> None:
    """Raise if the velocity jumps between one law and the next."""
    for k in range(len(laws) - 1):
        before, after = laws[k].evaluate(laws[k].duration).sd, laws[k + 1].evaluate(0.0).sd
        if abs(before - after) > 1e-9 * max(abs(before), abs(after)):
            raise MotionError(
                f"law {k} ends with velocity {before:g}, law {k + 1} begins with {after:g}; "
                "choose distances and durations with which the velocity does not jump"
            )
