"""Located functions: functions of time along a motion whose zeros change the equations of motion."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple, Protocol

from armdyn.simulation.drivers.crossings import Bracket, Function, arrives, closes, crossed, reverses, zero
from armdyn.simulation.drivers.pieces import Step
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

        Args:
            step: of the integration.
            times: in it at which signs are evaluated, s.
            starts: true if the motion starts anew at the first of them.
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


def crossing(value: Along, times: Array, direction: int, at: At) -> Bracket | None:
    """The interval in which a value along a motion changes its sign in a direction, by `crossed`."""
    return crossed(value(at), times, direction)


def arrival(value: Along, times: Array, direction: int, side: int, band: float, at: At) -> Bracket | None:
    """The interval in which a value along a motion arrives at zero, by `arrives`."""
    return arrives(value(at), times, direction, side, band)


def reversal(speed: Along, rates: Callable[[At], At], times: Array, at: At) -> Bracket | None:
    """The interval in which a speed along a motion becomes zero, by `reverses`; ``rates`` maps y to y'."""
    return reverses(speed(at), speed(rates(at)), times)


def closing(gap: Along, speed: Along, times: Array, starts: bool, at: At) -> Bracket | None:
    """The interval in which a gap along a motion becomes zero, by `closes`."""
    return closes(gap(at), speed(at), times, starts=starts)


def found_in(
    step: Step, kind: str, place: int, value: Along, bracket: Callable[[At], Bracket | None]
) -> Iterator[Found]:
    """The crossing of zero of a value in the step, if it crosses: bracketed near the motion, located on it.

    If the approximation near the motion is misleading, the motion itself is evaluated.
    """
    interval, f = bracket(step.near), value(step.at)
    if interval is not None and (interval[0] == interval[1] or f(interval[0]) * f(interval[1]) > 0):
        interval = bracket(step.at)
    if interval is not None:
        yield Found(zero(f, *interval), kind, place)
