"""Functions of the state at whose zeros the equations of motion have a kink: each change of sign begins a new piece."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import numpy as np

from armdyn.simulation.drivers.crossings import Function, crossed
from armdyn.simulation.drivers.integrators import Step
from armdyn.simulation.drivers.located import At, Found, LocatedFunctions, found_in
from armdyn.simulation.drivers.state_in_motion import StateInMotion
from armdyn.simulation.elements.contact_modes import ContactModes
from armdyn.simulation.elements.own import Kinks
from armdyn.simulation.elements.springs import End
from armdyn.simulation.methods.catalogue import Adaptive
from armdyn.spatial.rotations import Array

CORRECTIONS, APART = 4, 1e-3
"""Newton steps for the time of a change of sign, and the part of a step for the slope of the function."""


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
        known = self.sign(k)
        return lambda t: known if known and t <= begin else self.value(k, at(t))

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
