"""Sources of events of one motion: events of the user, brakes that switch, and functions whose sign changes.

Events of the user are noted and may end the motion. At the zeros of the other functions the equations of motion have a
kink, or a jump, and each change of sign begins a new piece. An end of backlash is a mode too: rotor and link touch at
one end of the gap, at the other, or at neither; the motion goes on with a new solver, so that no step goes over it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial

import numpy as np

from armdyn.simulation.drivers.crossings import Function, arrives, crossed, points_of
from armdyn.simulation.drivers.integrators import Step
from armdyn.simulation.drivers.located import At, Found, LocatedFunctions, NotedEvents, WatchedMotion, found_in
from armdyn.simulation.drivers.state_in_motion import StateInMotion
from armdyn.simulation.elements.brakes import Brakes, engaged_joints
from armdyn.simulation.elements.contact_modes import ContactModes
from armdyn.simulation.elements.events import Watched
from armdyn.simulation.elements.own import Kinks
from armdyn.simulation.elements.springs import End
from armdyn.simulation.methods.catalogue import Adaptive
from armdyn.simulation.system.bounded_rows import BoundedRows
from armdyn.spatial.rotations import Array

SAME_TIME = 1e-12
"""A zero that follows a change of the motion by less than this fraction of the duration is at the same time."""

CORRECTIONS, APART = 4, 1e-3
"""Newton steps for the time of a change of sign, and the part of a step for the slope of the function."""


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


class SignChanges(LocatedFunctions):
    """Functions along one motion; the place of an event is the number of its function, from 1 on, with the new sign."""

    kind: str

    def __init__(self, motion: StateInMotion, count: int) -> None:
        self.motion = motion
        self.signs = np.zeros(count)
        """Signs that functions changed to, else 0: one that is zero to rounding has that sign."""

    def value(self, k: int, y: Array) -> float:
        """The value of a function in a state."""
        raise NotImplementedError

    def ways(self, k: int) -> tuple[int, ...]:
        """The signs to which a function may change."""
        return (-1, 1)

    def sign(self, k: int) -> float:
        """The sign of a function at the begin of a piece, 0 if it is not known."""
        return float(self.signs[k])

    def zeros(self, step: Step, times: Array, *, starts: bool) -> Iterator[Found]:
        """Functions that change their sign."""
        for k in range(len(self.signs)):
            for way in self.ways(k):
                value = partial(self._along, k, step.t)
                yield from found_in(step, self.kind, way * (k + 1), value, crossed, times, way)

    def _along(self, k: int, begin: float, at: At) -> Function:
        """A function of time; at the begin of a piece its sign alone, if that is known."""
        sign = self.sign(k)
        return lambda t: sign if sign and t <= begin else self.value(k, at(t))

    def state_at(self, step: Step, event: Found) -> tuple[float, Array]:
        """The time of a change of sign, s, and the state there, integrated from the begin of the step.

        A step of an adaptive method goes over the kink, so that its interpolant has a larger error than the step;
        Newton's method corrects the time by that.
        """
        t, y = super().state_at(step, event)
        if not isinstance(self.motion.method, Adaptive):
            return t, y
        k = abs(event.place) - 1
        for _ in range(CORRECTIONS):
            if t <= step.t:
                break
            last = self._integrated(step, t)
            y, earlier = last.y_end, max(last.t, t - APART * (t - step.t))
            value = self.value(k, y)
            if not earlier < t:
                break
            slope = (value - self.value(k, last.at(earlier))) / (t - earlier)
            after = t - value / slope if slope else t
            if abs(after - t) <= 4.0 * np.spacing(t) or not step.t < after <= step.end:
                break
            t = after
        return t, y

    def _integrated(self, step: Step, t: float) -> Step:
        """The last step of a motion integrated from the beginning of a step up to a time, by a solver of its own."""
        solver, last, begin, y = self.motion.new_integrator(), step, step.t, step.y
        while begin < t:
            following = solver.step(begin, y, t)
            if following is None:
                raise solver.stuck(begin, y)
            last, begin, y = following, following.end, following.y_end
        return last

    def changed(self, t: float, y: Array, event: Found) -> Array:
        """The state after a change of sign."""
        self.signs[abs(event.place) - 1] = np.sign(event.place)
        return y


class KinksInMotion(SignChanges):
    """The kinks of a user's elements."""

    kind = "kink"

    def __init__(self, motion: StateInMotion, kinks: Kinks) -> None:
        super().__init__(motion, 0)
        self.kinks = kinks

    def begun(self, t: float, y: Array) -> Array:
        """The state with which the motion begins; the number of the functions there."""
        self.signs = np.zeros(len(self._values(y)))
        return y

    def value(self, k: int, y: Array) -> float:
        """The value of a function in a state."""
        return float(self._values(y)[k])

    def _values(self, y: Array) -> Array:
        own = self.motion.system.own_states
        return self.kinks(*self.motion.seen(y), *((y[-1 - own : -1],) if own else ()))


class LoadKinks(SignChanges):
    """The loads of sliding rotors on springs, e.g. of a gear that is driven back: friction has a kink at their zero."""

    kind = "load"

    def __init__(self, modes: ContactModes) -> None:
        super().__init__(modes.motion, len(modes.rows.joints))
        self.modes, self.kinks = modes, set(modes.rows.kinks)

    def value(self, k: int, y: Array) -> float:
        """The load of a rotor."""
        return float(self.modes.rows.loads(*self.motion.parts(y))[k])

    def ways(self, k: int) -> tuple[int, ...]:
        """The signs to which a load may change: none for a rotor that sticks."""
        if k not in self.kinks or self.modes.rows.held_rotors(self.modes.mode)[k]:
            self.signs[k] = 0.0
            return ()
        return (-1, 1)

    def changed(self, t: float, y: Array, event: Found) -> Array:
        """The state after a change of sign, corrected onto held rows."""
        y = super().changed(t, y, event)
        return self.modes.corrected(y, after_step=True) if self.modes.any_held else y


class BacklashInMotion(SignChanges):
    """The ends of backlash gaps of one motion: an end in contact opens, those of a gap without contact close."""

    kind = "touch"

    def __init__(self, modes: ContactModes, ends: list[End]) -> None:
        super().__init__(modes.motion, len(ends))
        self.modes, self.ends = modes, ends

    def begun(self, t: float, y: Array) -> Array:
        """The first state; rotors and links that are pressed at an end of their gap touch there."""
        touches = np.zeros(len(self.modes.rows.touches))
        for end in self.ends:
            if end.press(y) > 0.0:
                touches[end.link] = end.side
        self.modes.rows.touches = touches
        return y

    def value(self, k: int, y: Array) -> float:
        """The pressure at an end of a gap."""
        return self.ends[k].press(y)

    def ways(self, k: int) -> tuple[int, ...]:
        """The sign to which the pressure at an end may change: none if the other end touches."""
        touch = self.modes.rows.touches[self.ends[k].link]
        return () if touch not in (0.0, self.ends[k].side) else (-1,) if touch else (1,)

    def sign(self, k: int) -> float:
        """The sign of the pressure, which is the mode of the end."""
        return 1.0 if self.modes.rows.touches[self.ends[k].link] else -1.0

    def changed(self, t: float, y: Array, event: Found) -> Array:
        """The state after an end has begun to touch or to separate."""
        rows, end = self.modes.rows, self.ends[abs(event.place) - 1]
        touches = rows.touches.copy()
        touches[end.link] = 0.0 if touches[end.link] else end.side
        rows.touches = touches
        self.motion.note(t, end.joint, "contact" if touches[end.link] else "release", y)
        return self.modes.settled(t, y)
