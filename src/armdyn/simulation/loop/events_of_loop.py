"""Events of a closed loop: zeros of functions of time and state, located by root finding on its dense output."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from armdyn.motion.motion_data import Occurrence
from armdyn.simulation.drivers.crossings import POINTS, points_of
from armdyn.simulation.drivers.grid import ROUNDING
from armdyn.simulation.drivers.integrators import Step
from armdyn.simulation.drivers.located import Found
from armdyn.simulation.elements.events import Watched, refuse_terminal
from armdyn.simulation.elements.events_in_motion import EventsInMotion
from armdyn.simulation.loop.controlled_rollout import ControlledRollout
from armdyn.simulation.loop.within_steps import StatesWithin
from armdyn.spatial.rotations import Array

GOLDEN = 0.5 * (5.0**0.5 - 1.0)

SEARCHES = 75
"""Golden sections of a step, after which it is as short as rounding."""


class ArmOfLoop:
    """One arm of a closed loop, along which functions are watched; its state is y = (q, qd).

    Args:
        states: of that arm.
        duration: of the motion, s.
        index: of the arm in its batch.
    """

    holds = True
    """Rows of barriers, constraints and dry friction may hold a function at zero."""

    def __init__(self, states: StatesWithin, duration: float, index: tuple[int, ...]) -> None:
        self.states, self.duration, self.index = states, duration, index
        self.occurred: list[Occurrence] = []
        self.held_by: dict[int, Array] = {}
        """Stops and contacts, a mask, that hold a function at zero since an impact there, by its number."""

    def seen(self, y: Array) -> tuple[Array, Array]:
        """q and qd."""
        q, qd = np.split(y, 2)
        return q, qd

    def note(self, t: float, name: str, kind: str, y: Array) -> None:
        """Record an event, if it is not after the end of the motion, which may be within the last step."""
        if t <= self.end:
            self.occurred.append(Occurrence(t, name, kind, *self.seen(y.copy()), 0.0, self.index))

    @property
    def end(self) -> float:
        """The time at which the motion ends, and rounding, s."""
        return self.states.t0 + self.duration + ROUNDING * self.states.h

    def step(self, k: int, begin: Array, inner: Array, end: Array) -> Step:
        """Step k from one state to another, with the states at the points at which signs are evaluated."""
        t, until = (self.states.t0 + number * self.states.h for number in (k, k + 1))
        states = dict(zip(points_of(t, until).tolist(), [begin, *inner, end], strict=True))

        def at(later: float) -> Array:
            return _seen(self.states.later(np.array(k), np.array(later - t)))

        def near(later: float) -> Array:
            later = min(max(later, t), until)
            return states[later] if later in states else at(later)

        return Step(t, begin, until, end, near, at)

    def pushes(self, k: int) -> Array:
        """True for each stop and contact that pushes in step k."""
        return np.concatenate([np.zeros(0, bool), *(one[k] != 0.0 for one in self.states.pushes)])

    def searched(self, k: int, step: Step, events: EventsInMotion) -> Found | None:
        """Note the events of step k; returns that which ends the motion.

        A stop or contact holds a function that an impact brought to zero, though a step errs there by more than
        rounding.
        """
        pushes, before = self.pushes(k), list(events.sides)
        self.held_by = {place: by for place, by in self.held_by.items() if (by & pushes).any()}
        touched: list[float | None] = [None] * len(before)
        if pushes.any():
            touched = [
                self.touched(step, one) if side else None for one, side in zip(events.watched, before, strict=True)
            ]
        ends = events.note_until(step, None, touched)
        begun = pushes & ~self.pushes(k - 1) if k else pushes
        for place, (t, side) in enumerate(zip(touched, before, strict=True)):
            if t is not None and side and not events.sides[place]:
                self.held_by[place] = begun if begun.any() else pushes
        events.follow(step.end, step.y_end)
        for place in self.held_by:
            events.sides[place] = 0
        return ends

    def touched(self, step: Step, one: Watched) -> float | None:
        """The time in a step with an impact at which a function that may be held at zero is nearest to it, s.

        By golden section, for a function that an impact reflects has a kink at zero and no change of sign. None if it
        stays away from zero.
        """
        if not one.band:
            return None

        def distance(t: float) -> float:
            return abs(one.value(t, *self.seen(step.near(t))))

        distances = [distance(t) for t in points_of(step.t, step.end)]
        if min(distances) > np.abs(np.diff(distances)).max():
            return None
        a, b = step.t, step.end
        inner = [b - GOLDEN * (b - a), a + GOLDEN * (b - a)]
        values = [distance(t) for t in inner]
        for _ in range(SEARCHES):
            if values[0] < values[1]:
                b, inner = inner[1], [inner[1] - GOLDEN * (inner[1] - a), inner[0]]
                values = [distance(inner[0]), values[0]]
            else:
                a, inner = inner[0], [inner[1], inner[0] + GOLDEN * (b - inner[0])]
                values = [values[1], distance(inner[1])]
        return inner[int(np.argmin(values))]


class EventsOfLoop:
    """The events of all arms of a closed loop, located while it runs.

    Args:
        watched: the functions whose zeros are events.
        duration: of the motion, s.
        t0: the time at which the motion begins, s.
    """

    def __init__(self, watched: Sequence[Watched], duration: float, t0: float) -> None:
        self.watched, self.duration, self.t0, self.done = watched, duration, t0, 0
        self.ended: float | None = None
        """The time of the event that ends the motion, s."""
        self.arms: list[tuple[ArmOfLoop, EventsInMotion]] = []

    @property
    def occurred(self) -> list[Occurrence]:
        """The events so far, in the order of their times."""
        return sorted((one for arm, _ in self.arms for one in arm.occurred), key=lambda one: one.t)

    def begin(self, rollout: ControlledRollout, given: Mapping[str, Any], rows: Mapping[str, Array]) -> None:
        """Take the arrays that a run fills.

        Args:
            rollout: of the loop, which records all of its state.
            given: the arguments of the rollout by name.
            rows: what it records in each step.

        Raises:
            SettingError: an event that ends the motion of a batch.
        """
        batch = rows["q"].shape[1:-1]
        refuse_terminal(self.watched, batch)
        self.states = StatesWithin.of(rollout, given, rows, t0=self.t0)
        for index in np.ndindex(batch):
            arm = ArmOfLoop(self.states.alone(index), self.duration, index)
            self.arms.append((arm, EventsInMotion(arm, self.watched)))

    def steps_kept(self, done: int, state: Mapping[str, Array]) -> int | None:
        """The number of steps after which an event ends the motion; None if none of those so far ends it."""
        steps, h = np.arange(self.done, done), self.states.h
        begins = _seen({name: self.states.rows[name][steps] for name in ("q", "qd")})
        ends = np.concatenate([begins[1:], _seen(state)[None]])
        parts = np.linspace(0.0, h, POINTS)[1:-1]
        inner = _seen(self.states.later(*np.broadcast_arrays(steps[:, None], parts)))
        for arm, events in self.arms:
            if not self.done:
                events.follow(self.t0, begins[(0, *arm.index)])
            for k, *states in zip(steps.tolist(), begins, inner, ends, strict=True):
                begin, between, end = (one[(..., *arm.index, slice(None))] for one in states)
                if not all(np.isfinite(one).all() for one in (begin, between, end)):
                    break
                step = arm.step(k, begin, between, end)
                end_of_motion = arm.searched(k, step, events)
                if end_of_motion is not None and end_of_motion.t <= arm.end:
                    self.ended = end_of_motion.t
                    return k + 1
        self.done = done
        return None


def _seen(state: Mapping[str, Array]) -> Array:
    """(q, qd) in one array, (..., 2 n)."""
    return np.concatenate([state["q"], state["qd"]], axis=-1)
