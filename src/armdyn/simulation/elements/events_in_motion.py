"""The events of the user along one motion: functions whose zeros are noted, and may end the motion."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial

import numpy as np

from armdyn.simulation.drivers.crossings import Function, points_of
from armdyn.simulation.drivers.located import At, Found, NotedEvents, WatchedMotion, arrival, crossing, found_in
from armdyn.simulation.drivers.pieces import Step
from armdyn.simulation.elements.events import Watched
from armdyn.spatial.rotations import Array

SAME_TIME = 1e-12
"""A zero that follows a change of the motion by less than this fraction of the duration is at the same time."""


class EventsInMotion(NotedEvents):
    """The watched functions of one motion.

    Args:
        motion: of one state.
        watched: the functions.
    """

    def __init__(self, motion: WatchedMotion, watched: Sequence[Watched]) -> None:
        self.motion, self.watched, self.watches = motion, watched, bool(watched)
        self.may_be_held = any(one.band for one in watched)
        self.sides = [0] * len(watched)

    def follow(self, t: float, y: Array) -> None:
        """Update the side of zero of watched functions that may be held there; a function at zero keeps its side."""
        for place, one in enumerate(self.watched):
            if one.band:
                value = one.value(t, *self.motion.seen(y))
                self.sides[place] = int(np.sign(value)) if abs(value) > one.band else self.sides[place]

    def note_until(self, step: Step, change: Found | None, touched: Sequence[float | None] = ()) -> Found | None:
        """Note the zeros before a change of the motion in a step; returns that which ends the motion.

        Args:
            step: of the integration.
            change: of the motion in the step.
            touched: a time in the step at which each function may touch zero, s, if that is known.
        """
        until, ended = step.end if change is None else change.t, None
        latest = until + SAME_TIME * self.motion.duration
        for one in sorted(self._zeros(step, until, touched or [None] * len(self.watched))):
            if one.t > latest:
                break
            there = one._replace(t=min(one.t, until))
            self.motion.note(there.t, self.watched[one.place].name, "crossing", step.at(there.t))
            self.sides[one.place] = 0
            if one.kind == "end":
                ended, latest = ended or there, min(latest, one.t)
        return ended

    def _zeros(self, step: Step, until: float, touched: Sequence[float | None]) -> Iterator[Found]:
        """The watched functions that cross zero, each at its first time in the step, or slightly after its end.

        Functions that may be held at zero are evaluated until the motion changes; those that are held there, after the
        step. The step is that of the equations so far also after a hit, so that a function that is zero there changes
        sign.
        """
        whole, real = points_of(step.t, step.end), points_of(step.t, until if until > step.t else step.end)
        any_held = self.motion.holds
        for place, one in enumerate(self.watched):
            value, way, side = partial(self._value, place), one.direction, self.sides[place]
            kind = "end" if one.terminal else "crossing"
            if not one.band:
                yield from found_in(step, kind, place, value, partial(crossing, value, whole, way))
            elif side or not any_held:
                at_touch = touched[place]
                times = real if at_touch is None else np.union1d(real, [at_touch])
                where = partial(arrival, value, times, way, side, one.band)
                yield from found_in(step, kind, place, value, where)

    def _value(self, place: int, at: At) -> Function:
        return lambda t: self.watched[place].value(t, *self.motion.seen(at(t)))
