"""Located functions: functions of time along a motion whose zeros change the equations of motion."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple, Protocol

from armdyn.simulation.drivers.crossings import Bracket, Function, zero
from armdyn.simulation.drivers.integrators import Step
from armdyn.spatial.rotations import Array

At = Callable[[float], Array]
"""y(t) along a step."""

Along = Callable[[At], Function]
"""A function of time, from the motion."""


class Found(NamedTuple):
    """An event within a step: its time, s, kind, and the place of its function, barrier or joint; ordered by these."""

    t: float
    kind: str
    place: int


class LocatedFunctions:
    """Functions of an element along one motion; a subclass finds their zeros in a step, and what changes there.

    A step is integrated by the equations up to its end, and cut at the first zero of all elements. The element of that
    zero then changes the state, or its part of the equations, and the integration starts anew.
    """

    def begun(self, t: float, y: Array) -> Array:
        """The state with which the motion begins."""
        return y

    def zeros(self, step: Step, times: Array, *, starts: bool) -> Iterator[Found]:
        """The first zero of each function in a step.

        Signs are evaluated at some times in it. With ``starts`` the motion starts anew at the first of them.
        """
        return iter(())

    def state_at(self, step: Step, event: Found) -> tuple[float, Array]:
        """The time of a zero, s, and the state there."""
        return event.t, step.at(event.t)

    def changed(self, t: float, y: Array, event: Found) -> Array:
        """The state after a zero, from which the motion goes on."""
        raise NotImplementedError


class Reached(NamedTuple):
    """The end of some steps: the time, s, the state, and the event there with its source, if one ends the mode."""

    t: float
    y: Array
    event: Found | None = None
    source: LocatedFunctions | None = None


class SegmentLoops(Protocol):
    """Steps of one mode in a compiled loop."""

    def advance(self, t: float, y: Array, end: float) -> Reached | None:
        """Steps of the mode, up to its end or that of the hold; None if the next step is not one of the loop."""


class WatchedMotion(Protocol):
    """A motion along which functions are watched."""

    duration: float
    """s."""

    @property
    def holds(self) -> bool:
        """True if a row may hold a watched function at zero."""

    def seen(self, y: Array) -> tuple[Array, Array]:
        """q and qd of the joints."""

    def note(self, t: float, name: str, kind: str, y: Array) -> None:
        """Record an event."""


class NotedEvents:
    """Functions along one motion whose zeros are noted; they may end the motion, and change nothing else."""

    watches: bool
    """True if there are some."""

    may_be_held: bool
    """True if something may hold one of them at zero."""

    def follow(self, t: float, y: Array) -> None:
        """Record the state after a step."""
        raise NotImplementedError

    def note_until(self, step: Step, change: Found | None) -> Found | None:
        """Note the zeros before a change of the motion in a step; returns that which ends the motion."""
        raise NotImplementedError


def found_in(
    step: Step,
    kind: str,
    place: int,
    value: Along,
    bracket: Callable[..., Bracket | None],
    *settings: Any,
    rate: Along | None = None,
    **named: Any,
) -> Iterator[Found]:
    """The zero of a value in the step, if it has one: bracketed near the motion, located on it.

    If the approximation near the motion is misleading, the motion itself is evaluated.

    One of `armdyn.simulation.drivers.crossings` brackets it, from the value as a function of time, its rate if there is
    one, and settings.
    """

    def interval_of(at: At) -> Bracket | None:
        return bracket(*(one(at) for one in (value, rate) if one is not None), *settings, **named)

    interval, f = interval_of(step.near), value(step.at)
    if interval is not None and (interval[0] == interval[1] or f(interval[0]) * f(interval[1]) > 0):
        interval = interval_of(step.at)
    if interval is not None:
        yield Found(zero(f, *interval), kind, place)
