"""Conditions of the user along one motion: events, which are noted and may end it, and those that switch brakes."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial

import numpy as np

from armdyn.simulation.drivers.crossings import Function, arrives, crossed, points_of
from armdyn.simulation.drivers.integrators import Step
from armdyn.simulation.drivers.located import At, Found, LocatedFunctions, NotedEvents, WatchedMotion, found_in
from armdyn.simulation.elements.brakes import Brakes, engaged_joints
from armdyn.simulation.elements.contact_modes import ContactModes
from armdyn.simulation.elements.events import Watched
from armdyn.simulation.system.bounded_rows import BoundedRows
from armdyn.spatial.rotations import Array

SAME_TIME = 1e-12
"""A zero that follows a change of the motion by less than this fraction of the duration is at the same time."""


class EventsInMotion(NotedEvents):
    """The watched functions of one motion."""

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
                yield from found_in(step, kind, place, value, crossed, whole, way)
            elif side or not any_held:
                at_touch = touched[place]
                times = real if at_touch is None else np.union1d(real, [at_touch])
                yield from found_in(step, kind, place, value, arrives, times, way, side, one.band)

    def _value(self, place: int, at: At) -> Function:
        return lambda t: self.watched[place].value(t, *self.motion.seen(at(t)))


class BrakesInMotion(LocatedFunctions):
    """The brakes of one state during its motion.

    ``rows`` makes the equations of motion with the brakes of some joints engaged.
    """

    def __init__(self, modes: ContactModes, brakes: Brakes, rows: Callable[[frozenset[str]], BoundedRows]) -> None:
        self.modes, self.switches, self._rows = modes, brakes.switches, rows
        self.engaged = engaged_joints(brakes.robot)
        """The joints whose brakes are engaged now."""
        self.times = [one.t for one in brakes.switches]
        """Times of the switches to come, s; None for conditions and for past switches."""

    def zeros(self, step: Step, times: Array, *, starts: bool) -> Iterator[Found]:
        """Brakes that are engaged or released, each at its time or at the first of its condition in the step."""
        for place, (one, t) in enumerate(zip(self.switches, self.times, strict=True)):
            if t is not None and t <= step.end:
                yield Found(max(t, step.t), "brake", place)
            elif one.watched is not None and one.engages != (one.joint in self.engaged):
                value = partial(self._condition, one.watched)
                yield from found_in(step, "brake", place, value, crossed, times, one.watched.direction)

    def _condition(self, watched: Watched, at: At) -> Function:
        return lambda t: watched.value(t, *self.modes.motion.seen(at(t)))

    def changed(self, t: float, y: Array, event: Found) -> Array:
        """The state after a switch, whose joint may have friction now, or none any more."""
        switch, self.times[event.place] = self.switches[event.place], None
        self.engaged = self.engaged | {switch.joint} if switch.engages else self.engaged - {switch.joint}
        return self.modes.with_other_friction(t, y, self._rows(self.engaged), switch.joint, switch.kind)
