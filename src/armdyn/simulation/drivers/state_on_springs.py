"""Event-driven motions of arms with flexible joints: per segment, links and rotors slide in one direction or stick.

Every stop or contact of the links is open or held closed, as of rigid arms (`armdyn.simulation.drivers.event_driven`).
If a joint has backlash, rotor and link touch at one end of the gap, or do not, along a whole segment too.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any

import numpy as np

from armdyn.base.advice import option
from armdyn.simulation.drivers.chattering import Watch
from armdyn.simulation.drivers.crossings import Function
from armdyn.simulation.drivers.finding import Along, At, Found
from armdyn.simulation.drivers.pieces import Step, integrator_of
from armdyn.simulation.drivers.state_in_motion import StateInMotion
from armdyn.simulation.elements.backlash import ends_of
from armdyn.simulation.elements.spring_steps import too_long_for_springs
from armdyn.simulation.forces import Forces
from armdyn.simulation.methods.catalogue import Adaptive, FixedStep
from armdyn.simulation.system.problem import Problem
from armdyn.simulation.system.pushing import Mode, Pushing
from armdyn.simulation.system.pushing_on_springs import FlexiblePushing
from armdyn.spatial.rotations import Array

CORRECTIONS, APART = 4, 1e-3
"""Newton steps for the time at which an end of backlash is reached, and the part of a step for its slope."""


class FlexibleInMotion(StateInMotion):
    """One state on its way, with the ends of backlash that touch, which ``pushing`` holds for this state alone."""

    pushing: FlexiblePushing

    def __init__(self, problem: Problem, pushing: FlexiblePushing, forces: Forces, *others: Any) -> None:
        super().__init__(problem, pushing, forces, *others)
        method, duration = problem.method, problem.duration
        self.method, self.rubbing = method, []
        self.once = isinstance(method, FixedStep) and method.scheme.once
        self.held: tuple[Array, ...] | None = None
        self.longest = method.chattering_step if isinstance(method, Adaptive) else None
        self.watch = Watch(duration, self.longest) if forces.by_callables and self.longest is not None else None
        self.plays = ends_of(pushing.robot)
        self.signs = np.zeros(len(pushing.joints), dtype=int)
        """Signs of loads that changed it while the rotor slid, else 0: a load of zero to rounding has that sign."""

    def _begun(self, t: float, y: Array) -> Array:
        """The first state; rotors and links that are pressed at an end of their gap touch there."""
        self.pushing.touches = np.zeros(self.pushing.n)
        for end in self.plays:
            if end.press(y[: 2 * self.n]) > 0.0:
                self.pushing.touches[end.link] = end.side
        return super()._begun(t, y)

    def _watched_beside(self, begin: float) -> Iterator[tuple[str, int, Along, int]]:
        """The ends of backlash gaps, and loads that change their sign.

        An end in contact opens; those of a gap without contact close. Friction under load, e.g. of a
        gear that is driven or drives, has a kink at a change of sign of its load.
        """
        for place, end in enumerate(self.plays):
            touch = self.pushing.touches[end.link]
            if touch in (0.0, end.side):
                yield "touch", place, partial(self._press, place, begin), -1 if touch else 1

        for k in self.pushing.kinks:
            if not self._held_rotors()[k]:
                for way in (-1, 1):
                    yield "load", way * (k + 1), partial(self._load, k, begin), way

    def _held_rotors(self) -> Array:
        """True for each flexible joint whose rotor sticks."""
        held = np.zeros(len(self.pushing.joints), dtype=bool)
        held[self.pushing.rubbing] = self.pushing.held_rotors(self.mode)
        return held

    def _load(self, k: int, begin: float, at: At) -> Function:
        """The load of a rotor's friction; at the begin its sign alone, if that is known."""
        known = float(self.signs[k])
        return lambda t: known if known and t <= begin else self.pushing.loads(*self._state(at(t)))[k]

    def _press(self, place: int, begin: float, at: At) -> Function:
        """Pressure function of an end of a gap; at the begin, when it may be zero to rounding, its sign by the mode."""
        end, touches = self.plays[place], bool(self.pushing.touches[self.plays[place].link])
        return lambda t: end.press(at(t)[: 2 * self.n]) if t > begin else 1.0 if touches else -1.0

    def _reached(self, step: Step, found: Found) -> tuple[float, Array]:
        """The time of an event in a step; for an end of backlash that of the motion integrated up to it.

        The interpolant of a step has a larger error than the step, and Newton's method corrects the time by it.
        """
        t, y = super()._reached(step, found)
        if found.kind != "touch" or not isinstance(self.method, Adaptive):
            return t, y
        press = self.plays[found.place].press
        for _ in range(CORRECTIONS):
            if t <= step.t:
                break
            last = self._integrated(step, t)
            y, earlier = last.y_end, max(last.t, t - APART * (t - step.t))
            value = press(y[: 2 * self.n])
            if not earlier < t:
                break
            slope = (value - press(last.at(earlier)[: 2 * self.n])) / (t - earlier)
            after = t - value / slope if slope else t
            if abs(after - t) <= 4.0 * np.spacing(t) or not step.t < after <= step.end:
                break
            t = after
        return t, y

    def _integrated(self, step: Step, t: float) -> Step:
        """The last step of a motion integrated from the beginning of a step up to a time, by a solver of its own."""
        along = self.system.along if self.carries else None
        solver = integrator_of(self.system.robot, self.method, self.rates, self.samples.effort, along, self.n)
        last = solver.step(step.t, step.y, t)
        while last.end < t:
            last = solver.step(last.end, last.y_end, t)
        return last

    def _changed(self, t: float, y: Array, found: Found) -> Array:
        """The state after the stop of a link or rotor, the release of a held row, or an end of a gap."""
        if found.kind not in ("touch", "load"):
            return super()._changed(t, y, found)
        self.integrator.restart()
        if found.kind == "load":
            self.signs[abs(found.place) - 1] = np.sign(found.place)
            return self._corrected(y, after_step=True) if self.mode.held.any() else y
        end, touches = self.plays[found.place], self.pushing.touches.copy()
        touches[end.link] = 0.0 if touches[end.link] else end.side
        self.pushing.touches = touches
        self._note(t, end.joint, "contact" if touches[end.link] else "release", y)
        return self._settled(t, y)

    def _pushed_by(self, pushing: Pushing) -> None:
        """The ends of backlash gaps touch as before."""
        touches = self.pushing.touches
        super()._pushed_by(pushing)
        self.pushing.touches = touches

    def _note_changes(self, t: float, y: Array, before: Mode, *, quiet: bool) -> None:
        """Note changes as for rigid arms; the signs of loads of rotors that stick are reset."""
        super()._note_changes(t, y, before, quiet=quiet)
        self.signs[self._held_rotors()] = 0

    def _why_too_many(self, y: Array) -> str:
        """The message: the spring for which fixed steps are too long, or functions that may switch in steps."""
        usual, (q, _) = super()._why_too_many(y), self._seen(y)
        if isinstance(self.method, Adaptive):
            return usual
        springs = too_long_for_springs(self.pushing.robot, self.method, q)
        if springs or self.once or not self.forces.by_callables:
            return springs or usual
        return (
            f"{usual}. If torque or f_tip jumps where a velocity changes its sign, use {option('method', 'adaptive')}, "
            "'semi_implicit_euler', or a smooth law, such as tanh(qd / eps) in the place of sign(qd)"
        )

    def _stepped(self, t: float, y: Array, end: float) -> tuple[float, Array, bool]:
        """One step; forces that are evaluated once per step act in all of it, so that nothing switches within."""
        self.held = self._acting(t, y) if self.once or self.quiet is not None else None
        try:
            return super()._stepped(t, y, end)
        finally:
            self.held = None

    def _acting(self, t: float, y: Array) -> tuple[Array, ...]:
        return super()._acting(t, y) if self.held is None else self.held

    def _refuse_chattering(self, t: float) -> None:
        """Leave functions that switch to fixed steps, as for rigid joints without friction."""
