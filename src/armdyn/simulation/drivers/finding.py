"""Events within a step: when a function of time along the motion crosses zero."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

from armdyn.simulation.drivers.crossings import Bracket, Function, arrives, closes, crossed, reverses, zero
from armdyn.simulation.drivers.pieces import Step
from armdyn.spatial.rotations import Array

At = Callable[[float], Array]
"""y(t) along a step."""

Along = Callable[[At], Function]
"""A function of time, from the motion."""


class Found(NamedTuple):
    """An event within a step: its time, s, kind, and the place of its watched function, barrier or joint."""

    t: float
    kind: str
    place: int


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
    found, f = bracket(step.near), value(step.at)
    if found is not None and (found[0] == found[1] or f(found[0]) * f(found[1]) > 0):
        found = bracket(step.at)
    if found is not None:
        yield Found(zero(f, *found), kind, place)
