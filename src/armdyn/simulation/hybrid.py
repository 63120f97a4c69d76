"""Motions with events: smooth pieces between impacts, rests and releases at stops and contacts, state by state."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from armdyn.constraints.arguments import Redundant
from armdyn.robot import Robot
from armdyn.simulation.crossings import Function, closes, crossed, points_of, zero
from armdyn.simulation.drift import Corrector
from armdyn.simulation.errors import SettingError, SimulationError
from armdyn.simulation.events import Event, Occurrence, Watched
from armdyn.simulation.forces import Forces, Index
from armdyn.simulation.grid import StepGrid
from armdyn.simulation.methods import Adaptive, FixedStep, Method
from armdyn.simulation.one_by_one import one_by_one
from armdyn.simulation.pieces import Step, check_method, integrator_of
from armdyn.simulation.progress import Report
from armdyn.simulation.pushing import Pushing
from armdyn.simulation.samples import Samples
from armdyn.simulation.stops import Barriers, Contact, Stops
from armdyn.spatial.rotations import Array

TOUCHED = 1e-8
"""A barrier is touched where its gap, rad or m, is below; a state that starts further behind one is refused."""

SLOW = 1e-10
"""A barrier that is touched is hit where its gap closes faster, rad/s or m/s."""

At = Callable[[float], Array]
"""y(t) along a step."""

MOST_AT_ONCE = 100
"""So many events at one time are a motion that cannot be continued."""


@dataclass(frozen=True)
class Happenings:
    """What the motion is to be watched for, and what it may run into."""

    events: Sequence[Event]
    stops: Stops | None
    contacts: Sequence[Contact]


def happenings_of(method: Method, events: Any, stops: Any, contacts: Any, dense_output: bool) -> Happenings | None:
    """What these arguments of `armdyn.simulate` mean; None where nothing is to happen."""
    events, contacts = _listed("events", events, "watched"), _listed("contacts", contacts, "plane")
    if not (stops is None or isinstance(stops, Stops)):
        raise SettingError(f"stops is {stops!r}; expected armdyn.simulation.Stops(restitution=0.5) or the like")
    if not (events or contacts or stops):
        return None
    check_method(method)
    if dense_output:
        raise SettingError("dense_output goes without events, stops and contacts; save_every says how often to save")
    return Happenings(events, stops, contacts)


def _listed(name: str, given: Any, part: str) -> list[Any]:
    """The objects of a sequence, or the one that is given."""
    listed = list(given) if isinstance(given, list | tuple) else [given]
    for one in listed:
        if isinstance(one, type) or not hasattr(one, part):
            what = "JointLimit, Plane and Crossing" if name == "events" else "Contact(PointOnPlane(...))"
            raise SettingError(f"{name} has {one!r}; expected objects such as armdyn.simulation.{what}")
    return listed


class _Found(NamedTuple):
    """Something that happens within a step: a watched function, or the barrier of a hit or release."""

    t: float
    kind: str
    place: int


def integrate(
    robot: Robot,
    method: Adaptive | FixedStep,
    forces: Forces,
    start: tuple[Array, Array],
    *,
    duration: float,
    samples: Samples,
    report: Report,
    happenings: Happenings,
    redundant: Redundant = "error",
    corrector: Corrector | None = None,
) -> None:
    """Integrate each state of the batch from (q, qd) to ``duration`` or a terminal event, and fill the samples."""
    q, qd = start
    barriers = Barriers(robot, happenings.stops, happenings.contacts)
    watched = [one for event in happenings.events for one in event.watched(robot)]
    batch = q.shape[:-1]
    if batch and any(one.terminal for one in watched):
        raise SettingError("a terminal event ends the simulation, of a single state; simulate the states one by one")
    pushing = Pushing(robot, barriers, redundant)
    room = _Room.of(samples, len(barriers))
    samples.qdd = room.qdd
    names = ("stop_force", room.push[..., : barriers.stops]), ("contact_force", room.push[..., barriers.stops :])
    samples.signals = {name: values for name, values in names if values.shape[-1]}

    def alone(index: Index, own: Samples) -> Generator[float]:
        motion = _Motion(pushing, method, forces.of(index), duration, own, room.at(index), watched, corrector)
        try:
            yield from motion.run(q[index], qd[index])
        finally:
            samples.events += [Occurrence(*each, index) for each in motion.occurred]

    try:
        one_by_one(samples, alone, report)
    finally:
        samples.events.sort(key=lambda one: one.t)
        took = sum(one.energy for one in samples.events)
        impacts = sum(one.kind == "impact" for one in samples.events)
        if impacts:
            samples.notes.append(f"{impacts} impacts took {took:.6g} J, which is counted as work done on the arm")


class _Room(NamedTuple):
    """Room for what barriers make known: accelerations and forces over time."""

    qdd: Array
    push: Array

    @classmethod
    def of(cls, samples: Samples, barriers: int) -> _Room:
        return cls(np.full_like(samples.q, np.nan), np.full((*samples.q.shape[:-1], barriers), np.nan))

    def at(self, index: Index) -> _Room:
        where: Any = (slice(None), *index)
        return _Room(self.qdd[where], self.push[where])


class _Motion:
    """One state on its way: y = (q, qd, W), and the barriers that are held closed."""

    def __init__(
        self,
        pushing: Pushing,
        method: Adaptive | FixedStep,
        forces: Forces,
        duration: float,
        samples: Samples,
        room: _Room,
        watched: Sequence[Watched],
        corrector: Corrector | None,
    ) -> None:
        self.pushing, self.barriers, self.n = pushing, pushing.barriers, pushing.robot.dof
        self.forces, self.duration, self.samples, self.room = forces, duration, samples, room
        self.watched, self.corrector = watched, corrector
        self.occurred: list[tuple[float, str, str, Array, Array, float]] = []
        self.held = np.zeros(len(self.barriers), dtype=bool)
        self.hold = 0
        self.acting = forces
        self.integrator = integrator_of(pushing.robot, method, self.rates, samples.effort, duration)
        self.ends = _ends(method, forces, duration)

    def rates(self, t: float, y: Array) -> Array:
        """y' = (qd, qdd, P)."""
        n, (q, qd) = self.n, self._state(y)
        found = self.pushing.rates(q, qd, self.acting.at(self.hold, t, q, qd), self.held)
        self.samples.effort.evaluations += 1
        result = np.empty(2 * n + 1)
        result[:n], result[n:-1], result[-1] = qd, found.qdd, found.power
        return result

    def run(self, q: Array, qd: Array) -> Generator[float]:
        """From 0 to the end; yields the fraction that is done."""
        t, y = 0.0, np.array([*q, *qd, 0.0])
        self._refuse_behind(q)
        self.acting = self.forces.between(t, self.ends[0])
        y, starts, at_once = self._settled(t, y), True, 0
        for hold, end in enumerate(self.ends):
            self.hold, self.acting = hold, self.forces.between(t, end)
            if self.hold and self.forces.jump and len(self.barriers):
                y, starts = self._settled(t, y), True
            while t < end:
                step = self.integrator.step(t, y, end)
                happened = self._first(step, starts)
                stop = step.end if happened is None else happened.t
                self._record(step, stop)
                at_once = at_once + 1 if stop <= t else 0
                if at_once > MOST_AT_ONCE:
                    raise self._too_many(t)
                t, y, starts = stop, step.at(stop), happened is not None
                if happened is not None:
                    if happened.kind == "end":
                        self._end(t, y)
                        return
                    y = self._changed(t, y, happened)
                elif self.held.any() or self.corrector is not None:
                    y = self._corrected(y, after_step=True)
                    self.integrator.moved(t, y)
                yield t / self.duration
            self.integrator.restart()
        self.hold = len(self.ends) - 1
        self._record_state(t, y)

    # What happens.

    def _first(self, step: Step, starts: bool) -> _Found | None:
        """The first hit, release or terminal event of the step; the other events before it are noted."""
        times = points_of(step.t, step.end)
        found = [*self._hits(step, times, starts), *self._releases(step, times), *self._crossings(step, times)]
        first = min((one for one in found if one.kind != "crossing"), default=None)
        for one in sorted(found):
            if one.kind in ("crossing", "end") and one.t <= (step.end if first is None else first.t):
                self._note(one.t, self.watched[one.place].name, "crossing", step.at(one.t))
        return first

    def _crossings(self, step: Step, times: Array) -> Iterator[_Found]:
        """What is watched for, each at its first time in the step."""
        for place, one in enumerate(self.watched):
            bracket = crossed(self._value(place, step.near), times, one.direction)
            if bracket is not None:
                yield _Found(zero(self._value(place, step.at), *bracket), "end" if one.terminal else "crossing", place)

    def _hits(self, step: Step, times: Array, starts: bool) -> Iterator[_Found]:
        """Barriers that are reached, each at its first time."""
        for place in np.flatnonzero(~self.held).tolist():
            bracket = closes(self._gap(place, step.near), self._speed(place, step.near), times, starts=starts)
            if bracket is not None:
                yield _Found(zero(self._gap(place, step.at), *bracket), "hit", place)

    def _releases(self, step: Step, times: Array) -> Iterator[_Found]:
        """Barriers that are held and would have to pull."""
        for place in np.flatnonzero(self.held).tolist():
            bracket = crossed(self._push(place, step.near), times[:: len(times) // 2], -1)
            if bracket is not None:
                yield _Found(zero(self._push(place, step.at), *bracket), "release", place)

    # What is looked at, as functions of time along a step.

    def _value(self, place: int, at: At) -> Function:
        return lambda t: self.watched[place].value(t, *self._state(at(t)))

    def _gap(self, place: int, at: At) -> Function:
        return lambda t: float(self.barriers.gaps(at(t)[: self.n])[place])

    def _speed(self, place: int, at: At) -> Function:
        def speed(t: float) -> float:
            q, qd = self._state(at(t))
            return float(self.barriers.rows(q)[place] @ qd)

        return speed

    def _push(self, place: int, at: At) -> Function:
        def push(t: float) -> float:
            q, qd = self._state(at(t))
            return float(self.pushing.rates(q, qd, self.acting.at(self.hold, t, q, qd), self.held).push[place])

        return push

    def _changed(self, t: float, y: Array, found: _Found) -> Array:
        """The state behind a hit or a release."""
        self.integrator.restart()
        if found.kind == "hit":
            closed = np.zeros(len(self.barriers), dtype=bool)
            closed[found.place] = True
            q, qd = self._state(y)
            exact, _ = self.pushing.closed(q, qd, closed)
            return self._settled(t, np.array([*exact, *qd, y[-1]]))
        self.held[found.place] = False
        self._note(t, self.barriers.names[found.place], "release", y)
        return self._settled(t, y, leaves=found.place)

    def _settled(self, t: float, y: Array, leaves: int | None = None) -> Array:
        """The state behind the impacts of this time, with the barriers that then push as those that are held."""
        if not len(self.barriers):
            return y
        q, qd = self._state(y)
        touched = self.barriers.gaps(q) < TOUCHED
        speed = self.barriers.rows(q) @ qd
        work = y[-1]
        if (touched & (speed < -SLOW)).any():
            qd, took = self.pushing.after_impact(q, qd, touched)
            work -= took
            hit = np.flatnonzero(touched & (speed < -SLOW))
            for k, place in enumerate(hit):
                state = np.array([*q, *qd, work])
                self._note(t, self.barriers.names[place], "impact", state, took if k == 0 else 0.0)
            speed = self.barriers.rows(q) @ qd
        touched &= np.abs(speed) < self.barriers.resting_speed
        if leaves is not None:
            touched[leaves] = False
        before = self.held
        self.held = self.pushing.held(q, qd, self.acting.at(self.hold, t, q, qd), touched)
        if (np.abs(speed[self.held]) > 0).any():
            kinetic, moving = self.pushing.robot.kinetic_energy, qd
            q, qd = self.pushing.closed(q, qd, self.held)
            work -= float(kinetic(q, moving) - kinetic(q, qd))
        y = np.array([*q, *qd, work])
        for place in np.flatnonzero(self.held & ~before):
            self._note(t, self.barriers.names[place], "rest", y)
        for place in np.flatnonzero(before & ~self.held):
            self._note(t, self.barriers.names[place], "release", y)
        return y

    def _corrected(self, y: Array, *, after_step: bool) -> Array:
        """The state on what holds it, after a step or between two."""
        q, qd = self._state(y)
        if self.corrector is not None:
            q, qd = self.corrector.after_step(q, qd) if after_step else self.corrector.onto(q, qd)
        if self.held.any():
            q, qd = self.pushing.closed(q, qd, self.held)
        return np.array([*q, *qd, y[-1]])

    def _note(self, t: float, name: str, kind: str, y: Array, energy: float = 0.0) -> None:
        q, qd = self._state(y)
        self.occurred.append((t, name, kind, q.copy(), qd.copy(), energy))

    # What is kept.

    def _record(self, step: Step, until: float) -> None:
        """The samples of a step before a time of it."""
        times = self.samples.t
        while self.samples.count < len(times) - 1 and times[self.samples.count] < until:
            t = float(times[self.samples.count])
            y = step.at(t)
            self._record_state(t, self._corrected(y, after_step=False) if step.t < t else y)

    def _record_state(self, t: float, y: Array) -> None:
        q, qd = self._state(y)
        acting = self.acting.at(self.hold, t, q, qd)
        found = self.pushing.rates(q, qd, acting, self.held)
        self.room.qdd[self.samples.count], self.room.push[self.samples.count] = found.qdd, found.push
        self.samples.record((q, qd, y[-1]), acting)

    def _end(self, t: float, y: Array) -> None:
        """The last sample is that of the event."""
        self.samples.t[self.samples.count] = t
        self._record_state(t, y)

    # What cannot be.

    def _refuse_behind(self, q: Array) -> None:
        gaps = self.barriers.gaps(q) if len(self.barriers) else np.zeros(0)
        if (gaps < -TOUCHED).any():
            place = int(np.argmin(gaps))
            raise SettingError(
                f"q0 is {-gaps[place]:.3g} rad or m behind {self.barriers.names[place]!r}; a motion starts before its "
                "stops and on the free side of its contacts"
            )

    def _too_many(self, t: float) -> SimulationError:
        last = ", ".join(f"{kind} of {name}" for _, name, kind, *_ in self.occurred[-4:])
        return SimulationError(
            f"more than {MOST_AT_ONCE} events at t = {t:g} s, the last of them {last}: the motion cannot be continued"
        )

    def _state(self, y: Array) -> tuple[Array, Array]:
        return y[: self.n], y[self.n : -1]


def _ends(method: Adaptive | FixedStep, forces: Forces, duration: float) -> list[float]:
    """Until when the forces are held: the steps of a grid, or the times between which they are smooth."""
    if isinstance(method, FixedStep):
        grid = StepGrid(duration, method.step)
        ends = grid.times(np.arange(1, grid.steps + 1))
    else:
        ends = forces.edges(duration)[1:]
    return [float(end) for end in ends]
