"""Event-driven integration of one state: events in each step, and the contact modes after them.

Along a segment every barrier is open or held closed, and every joint with dry friction slips in one direction or
sticks.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator, Sequence
from functools import cache, partial
from typing import Any

import numpy as np

from armdyn.base.advice import option
from armdyn.simulation.drivers.chattering import Quiet, Stretch, Watch
from armdyn.simulation.drivers.crossings import SLOW, Function, falls, points_of, slips
from armdyn.simulation.drivers.finding import Along, At, Found, arrival, closing, crossing, found_in, reversal
from armdyn.simulation.drivers.grid import StepGrid
from armdyn.simulation.drivers.pieces import ByFormula, Step, integrator_of
from armdyn.simulation.drivers.room import Room
from armdyn.simulation.elements.brakes import BrakesInMotion
from armdyn.simulation.elements.dry_joints import can_hold, rubbing_bodies
from armdyn.simulation.elements.events import Watched
from armdyn.simulation.errors import SettingError
from armdyn.simulation.forces import Forces
from armdyn.simulation.methods.catalogue import Adaptive, FixedStep, SemiImplicitEuler
from armdyn.simulation.results.dense import Dense
from armdyn.simulation.results.samples import Samples
from armdyn.simulation.system.bounded import Holding
from armdyn.simulation.system.problem import Problem
from armdyn.simulation.system.pushing import Mode, Pushing
from armdyn.simulation.unfinished import SimulationError
from armdyn.spatial.rotations import Array

TOUCHED = 1e-8
"""A barrier is touched if its gap, rad or m, is below this; an initial state that penetrates one further is refused."""

ROUNDING = 1e-12
"""A gap that is held closed and not wider than this, rad or m, is closed to rounding."""

NO_TIME = 1e-6
"""Events within this fraction of the duration count as simultaneous."""

MOMENT = 1e-9
"""Forces later by this fraction of the duration give the direction in which a joint without friction leaves rest."""

AT_REST = 1e-3
"""Longest adaptive step, over the duration, while nothing moves and a function of time may release joints."""

SAME_TIME = 1e-12
"""A function that becomes zero after a hit by less than this fraction of the duration does so at the hit."""

MOST_AT_ONCE = 100
"""A motion cannot be continued if it has this many events at one time."""


class StateInMotion:
    """One state in motion, y = (x, v, z, W), and its contact mode: barriers held closed, joints that stick."""

    def __init__(
        self,
        problem: Problem,
        pushing: Pushing,
        forces: Forces,
        samples: Samples,
        room: Room,
        watched: Sequence[Watched] = (),
        dense: Dense | None = None,
    ) -> None:
        method, duration = problem.method, problem.duration
        self.system, self.carries = problem.system, problem.system.carries
        self.pushing, self.barriers, self.dry = pushing, pushing.barriers, pushing.dry
        self.n = pushing.dof
        self.forces, self.duration, self.samples, self.room = forces, duration, samples, room
        self.watched, self.corrector, self.dense = watched, problem.corrector, dense
        self.sides = [0] * len(watched)
        self.brakes: BrakesInMotion | None = None
        self.occurred: list[tuple[float, str, str, Array, Array, float]] = []
        self.mode = Mode(np.zeros(len(pushing.is_joint), dtype=bool), np.zeros(len(self.dry), dtype=int))
        self.hold = 0
        self.acting = forces
        self.starts, self.at_once = True, 0
        along = self.system.along if self.carries else None
        may_rest = len(self.dry) > 0 or len(self.barriers) > 0
        self.at_rest = (
            AT_REST * duration if forces.by_callables and may_rest and isinstance(method, Adaptive) else np.inf
        )
        self.integrator = integrator_of(pushing.robot, method, self.rates, samples.effort, along, self.n, self.at_rest)
        self.ends = ends_of_holds(method, forces, duration)
        self.rubbing = [] if can_hold(pushing.robot) else rubbing_bodies(pushing.robot.mechanism.drive)
        watches = isinstance(method, Adaptive) and (forces.by_callables or bool(self.rubbing))
        self.watch = Watch(duration) if watches else None
        self.longest = method.chattering_step if isinstance(method, Adaptive) and self.rubbing else None
        self.quiet: Quiet | None = None
        self.chattered: list[Stretch] = []

    def rates(self, t: float, y: Array) -> Array:
        """y' = (qd, qdd, dz/dt, P)."""
        q, qd = self._state(y)
        acting = self._acting(t, y)
        force, z_rate = self._bending(y)
        found = self.pushing.rates(q, qd, (acting[0] - force, *acting[1:]), self.mode)
        if self.watch is not None:
            self.watch.saw(t, y, self._watched(acting, qd))
        self.samples.effort.evaluations += 1
        return np.concatenate([qd, found.qdd, z_rate, [found.power]])

    def _bending(self, y: Array) -> tuple[Any, Array]:
        """The force of bristles, and dz/dt."""
        if not self.carries:
            return 0.0, y[2 * self.n : -1]
        return self.system.bending(y[2 * self.n : -1], self._state(y)[1])

    def _acting(self, t: float, y: Array) -> tuple[Array, ...]:
        """The joint forces, and the wrench if there is one."""
        return self.acting.at(self.hold, t, *self._seen(y))

    def _pushed(self, t: float, y: Array) -> tuple[Array, ...]:
        """The forces that act, joint forces less those of bristles."""
        tau, *f_tip = self._acting(t, y)
        return tau - self._bending(y)[0], *f_tip

    def run(self, q: Array, qd: Array, *bristles: Array) -> Generator[float]:
        """Integrate from 0 to the end; yields the fraction that is done."""
        t, y = 0.0, np.concatenate([q, qd, *bristles, [-self.system.stored(*bristles)]])
        self._refuse_start(q, qd)
        self._look_at_sides(t, y)
        try:
            for hold, end in enumerate(self.ends):
                y = self._entered(hold, t, end, y)
                if self.forces.ended:
                    self._end(t, y)
                    return
                while t < end:
                    t, y, ended = self._stepped(t, y, end)
                    if ended:
                        return
                    yield t / self.duration
                self.integrator.restart()
        except Exception:  # also of a torque that is a user's own function
            self._keep_last(t, y)
            raise
        self.hold = len(self.ends) - 1
        self._record_state(t, y)

    def begin(self, q: Array, qd: Array) -> tuple[Array, Mode]:
        """The first state, and the mode of its joints."""
        self._refuse_start(q, qd)
        return self._entered(0, 0.0, self.ends[0], np.array([*q, *qd, 0.0])), self.mode

    def one_hold(self, hold: int, y: Array, mode: Mode) -> tuple[Array, Mode, Mode]:
        """The state at the end of a step of a grid that begins in this mode, and the modes at its begin and its end."""
        t, end, self.mode = self.ends[hold - 1] if hold else 0.0, self.ends[hold], mode
        self.starts, self.at_once = False, 0
        y = self._entered(hold, t, end, y, goes_on=True)
        begin, mode = t, self.mode
        while t < end:
            t, y, _ = self._stepped(t, y, end)
            mode = self.mode if t == begin else mode
        return y, mode, self.mode

    def _entered(self, hold: int, t: float, end: float, y: Array, *, goes_on: bool = False) -> Array:
        """The state with which a hold of the forces begins."""
        self.hold, self.acting = hold, self.forces.between(t, end)
        self.acting = self.acting.in_step(hold, t, *self._seen(y))
        if hold == 0 and not goes_on:
            return self._begun(t, y)
        if self.forces.jump and self._lets_go(t, y):
            self.integrator.restart()
            y, self.starts = self._settled(t, y), True
        return y

    def _stepped(self, t: float, y: Array, end: float) -> tuple[float, Array, bool]:
        """One step, or its part until an event; the third result is true if that ends the motion."""
        stands = self._stands(t, y)
        by_solver = self.quiet is None and not stands
        if stands:
            step = self._still(t, y, end)
        else:
            step = self.integrator.step(t, y, end) if by_solver else self._through_chattering(t, y, end)
        happened = self._first(step, self.starts)
        stop, reached = (step.end, step.y_end) if happened is None else self._reached(step, happened)
        self._look_for_chattering(t, stop, y)
        self._record(step, stop)
        self.at_once = self.at_once + 1 if happened is not None and stop <= t + NO_TIME * self.duration else 0
        if self.at_once > MOST_AT_ONCE and not self._chatters(stop):
            raise self._too_many(t, y)
        t, y, self.starts = stop, reached, happened is not None
        if happened is not None:
            if happened.kind == "end":
                self._end(t, y)
                return t, y, True
            y = self._changed(t, y, happened)
        elif not stands and (self.mode.held.any() or self.corrector is not None):
            before, y = y, self._corrected(y, after_step=True, since=self._state(step.y)[0])
            if by_solver and not np.array_equal(y, before):
                self.integrator.moved(t, y)
        self._look_at_sides(t, y)
        return t, y, False

    def _reached(self, step: Step, found: Found) -> tuple[float, Array]:
        """The time of an event in a step, and the state there."""
        return found.t, step.at(found.t)

    def _look_at_sides(self, t: float, y: Array) -> None:
        """Update the side of zero of watched functions that may be held there; a function at zero keeps its side."""
        for place, one in enumerate(self.watched):
            if one.band:
                value = one.value(t, *self._seen(y))
                self.sides[place] = int(np.sign(value)) if abs(value) > one.band else self.sides[place]

    def _stands(self, t: float, y: Array) -> bool:
        """True if all coordinates are held at rest, so that nothing moves until a function of time releases one."""
        if self.at_rest == np.inf or np.count_nonzero(self.mode.held) < self.n:
            return False
        rows = self.dry.rows[self.mode.held[len(self.barriers) :]]
        return bool(np.linalg.matrix_rank(rows) == self.n and not self.rates(t, y).any())

    def _still(self, t: float, y: Array, end: float) -> Step:
        """A step in which nothing moves."""
        self.integrator.restart()
        self.samples.effort.steps += 1
        return Step(t, y, min(t + self.at_rest, end), y, lambda _: y, lambda _: y)

    # Events.

    def _first(self, step: Step, starts: bool) -> Found | None:
        """The first hit, leave, rest or terminal event of the step; the other events before it are noted."""
        times = points_of(step.t, step.end)
        found = [*self._hits(step, times, starts), *self._leaves(step, times, starts), *self._rests(step, times)]
        found += [*self._switches(step, times), *self._others(step, times)]
        first = min(found, default=None)
        until, ended = step.end if first is None else first.t, None
        for one in sorted(self._crossings(step, until)):
            if one.t > (until + SAME_TIME * self.duration if ended is None else ended.t):
                break
            found_at = one._replace(t=min(one.t, until))
            self._note(found_at.t, self.watched[one.place].name, "crossing", step.at(found_at.t))
            self.sides[one.place] = 0
            if one.kind == "end":
                ended = ended or found_at
        return ended or first

    def _crossings(self, step: Step, until: float) -> Iterator[Found]:
        """The watched functions that cross zero, each at its first time in the step, or slightly after its end.

        Functions that may be held at zero are evaluated until the motion changes; those that are held there, after the
        step. The step is that of the equations so far also after a hit, so that a function that is zero there changes
        sign.
        """
        whole, real = points_of(step.t, step.end), points_of(step.t, until if until > step.t else step.end)
        for place, one in enumerate(self.watched):
            value, way, side = partial(self._value, place), one.direction, self.sides[place]
            kind = "end" if one.terminal else "crossing"
            if not one.band:
                yield from found_in(step, kind, place, value, partial(crossing, value, whole, way))
            elif side or not self.mode.held.any():
                where = partial(arrival, value, real, way, side, one.band)
                yield from found_in(step, kind, place, value, where)

    def _switches(self, step: Step, times: Array) -> Iterator[Found]:
        """Brakes that are engaged or released, each at its time or at the first of its condition in the step."""
        if self.brakes is None:
            return
        for place, (one, t) in enumerate(zip(self.brakes.brakes.switches, self.brakes.times, strict=True)):
            if t is not None and t <= step.end:
                yield Found(max(t, step.t), "brake", place)
            elif one.watched is not None and one.engages != (one.joint in self.brakes.engaged):
                value, way = partial(self._condition, one.watched), one.watched.direction
                yield from found_in(step, "brake", place, value, partial(crossing, value, times, way))

    def _others(self, step: Step, times: Array) -> Iterator[Found]:
        """Other changes of the equations of motion, each at its first time in the step."""
        for kind, place, value, way in self._watched_beside(step.t):
            yield from found_in(step, kind, place, value, partial(crossing, value, times, way))

    def _watched_beside(self, begin: float) -> Iterator[tuple[str, int, Along, int]]:
        """Kind, place, value and direction of other functions with zeros that change the equations; none if rigid."""
        return iter(())

    def _hits(self, step: Step, times: Array, starts: bool) -> Iterator[Found]:
        """Barriers that are reached, each at its first time."""
        for place in np.flatnonzero(~self.mode.held[: len(self.barriers)]).tolist():
            gap, speed = partial(self._gap, place), partial(self._speed, place)
            yield from found_in(step, "hit", place, gap, partial(closing, gap, speed, times, starts))

    def _leaves(self, step: Step, times: Array, starts: bool) -> Iterator[Found]:
        """Rows that stop being held: a barrier would have to pull, or a joint to have more friction than it has."""
        if self.mode.held.any():
            few = times[:: len(times) // 2]
            if self.at_once > 1:  # newly held rows have a force of rounding only
                few = np.append(min(few[0] + MOMENT * self.duration, few[1]), few[1:])
            reserve = self._reserve
            yield from found_in(step, "leave", 0, reserve, lambda at: falls(reserve(at), few, starts=starts))

    def _rests(self, step: Step, times: Array) -> Iterator[Found]:
        """Joints with dry friction that come to rest."""
        rates = cache(lambda at: cache(lambda t: self.rates(t, at(t))))  # all joints look at the same ones
        for place in np.flatnonzero(self.mode.slip).tolist():
            speed = partial(self._slip_speed, place)
            yield from found_in(step, "rest", place, speed, partial(reversal, speed, rates, times))

    # Functions of time along a step that are searched for events.

    def _value(self, place: int, at: At) -> Function:
        return lambda t: self.watched[place].value(t, *self._seen(at(t)))

    def _condition(self, watched: Watched, at: At) -> Function:
        return lambda t: watched.value(t, *self._seen(at(t)))

    def _gap(self, place: int, at: At) -> Function:
        return lambda t: float(self.barriers.gaps(at(t)[: self.n])[place])

    def _speed(self, place: int, at: At) -> Function:
        def speed(t: float) -> float:
            q, qd = self._state(at(t))
            return float(self.barriers.rows(q)[place] @ qd)

        return speed

    def _slip_speed(self, place: int, at: At) -> Function:
        """The speed of a joint along its slip; its rate if ``at`` returns y'."""
        row = self.mode.slip[place] * self.dry.rows[place]
        return lambda t: float(row @ at(t)[self.n : 2 * self.n])

    def _reserve(self, at: At) -> Function:
        return lambda t: self._holding(t, at(t)).nearest.distance

    def _holding(self, t: float, y: Array) -> Holding:
        q, qd = self._state(y)
        return self.pushing.holding(q, qd, self._pushed(t, y), self.mode)

    # Changes of the mode.

    def _begun(self, t: float, y: Array) -> Array:
        """The first state: joints that move slip."""
        return self._settled(t, y, slip=slips(self.dry.rows @ self._state(y)[1]), quiet=True)

    def _lets_go(self, t: float, y: Array) -> bool:
        """True if the rows at rest have to be checked after a jump of the forces."""
        return len(self.barriers) > 0 or (bool(self.mode.held.any()) and self._holding(t, y).nearest.distance < 0)

    def _changed(self, t: float, y: Array, found: Found) -> Array:
        """The state after a hit, the stop of a joint, or the release of a held row."""
        self.integrator.restart()
        if found.kind == "leave":  # from rest: rounding must not make it a hit
            y = self._corrected(y, after_step=True)
            return self._settled(t, y, leaves=self._leaving(t, y))
        if found.kind == "brake":
            return self._braked(t, y, found.place)
        q, qd = self._state(y)
        closed = self.mode.held & self.pushing.is_joint
        closed[found.place + (len(self.barriers) if found.kind == "rest" else 0)] = True
        q, qd_at_rest = self.pushing.closed(q, qd, closed)
        if found.kind == "hit":
            return self._settled(t, self._with(y, q, qd), soon=self.at_once > 1)
        slip = np.where(np.abs(self.dry.rows @ qd_at_rest) <= SLOW, 0, self.mode.slip)
        return self._settled(t, self._moved(y, q, qd_at_rest), slip=slip)

    def _leaving(self, t: float, y: Array) -> Array:
        """The rows that are left, as of `Face`.

        Friction that depends on the load may be none at this time, both of its bounds zero: which of them is left is
        seen a moment later, by the forces and the state of then.
        """
        later = min(t + MOMENT * self.duration, self.ends[self.hold])
        nearest = self._holding(t, y).nearest
        if nearest.distance < 0 or not self.pushing.robot.mechanism.drive.depends_on_load:
            return nearest.leaves
        soon = self._holding(later, y + (later - t) * self.rates(t, y)).nearest
        return soon.leaves if soon.distance < 0 else nearest.leaves

    def _braked(self, t: float, y: Array, place: int) -> Array:
        """The state after the switch of a brake, whose joint may have friction now, or none any more."""
        assert self.brakes is not None  # noqa: S101 - it was found by them
        switch, barriers, stuck = self.brakes.brakes.switches[place], len(self.barriers), self.mode.held
        before = {name for name, held in zip(self.dry.names, stuck[barriers:], strict=True) if held}
        self._pushed_by(self.brakes.switched(place))
        speed = self.dry.rows @ self._state(y)[1]
        slip = slips(speed)
        held = np.array([name in before for name in self.dry.names], dtype=bool)
        self.mode = Mode(np.concatenate([stuck[:barriers], held]), slip)
        self._note(t, switch.joint, switch.kind, y)
        return self._settled(t, y, slip=slip)

    def _pushed_by(self, pushing: Pushing) -> None:
        """Go on by other equations of motion, of joints whose friction is another."""
        self.pushing, self.dry = pushing, pushing.dry

    def _settled(
        self,
        t: float,
        y: Array,
        leaves: Array | None = None,
        slip: Array | None = None,
        *,
        quiet: bool = False,
        soon: bool = False,
    ) -> Array:
        """The state after the impacts of this time, with the rows that then rest held or released.

        Args:
            t: the time, s.
            y: the state.
            leaves: for every held row, 1 or -1 if it is released, a joint slipping in that direction; else 0.
            slip: directions of the joints that slip; the present ones by default.
            quiet: true if changes of sticking and slipping are not events, at the begin of the motion.
            soon: true to determine the held rows by the forces of a moment later: now their force is rounding only,
                e.g. if one of two stops at one place takes over from the other.
        """
        q, qd = self._state(y)
        slip, barriers = self.mode.slip if slip is None else slip, len(self.barriers)
        touched = self.barriers.gaps(q) < TOUCHED
        speed = self.barriers.rows(q) @ qd
        hit = touched & (speed < -SLOW)
        if hit.any():
            after, took = self.pushing.after_impact(q, qd, touched)
            y = self._with(y, q, after, -took)
            for k, place in enumerate(np.flatnonzero(hit)):
                self._note(t, self.barriers.names[place], "impact", y, took if k == 0 else 0.0)
            q, qd = self._state(y)
            speed = self.barriers.rows(q) @ qd
            slip = slips(self.dry.rows @ qd)
        touched &= np.abs(speed) < self.barriers.resting_speed
        if leaves is not None:
            left = np.zeros(len(self.mode.held), dtype=int)
            left[self.mode.held] = leaves
            touched, slip = touched & (left[:barriers] == 0), slip + left[barriers:]
        before, resting = self.mode, np.concatenate([touched, slip == 0])
        later = min(t + MOMENT * self.duration, self.ends[self.hold]) if soon else t
        near = y + (later - t) * self.rates(t, y) if soon else y
        self.mode = self.pushing.decided(*self._state(near), self._pushed(later, near), resting, slip)
        open_yet = self.mode.held & np.append(self.barriers.gaps(q) > ROUNDING, np.zeros(len(self.dry), dtype=bool))
        if open_yet.any():  # joints that come to rest a little before a stop, which is then closed
            y = self._with(y, self.pushing.closed(q, qd, open_yet)[0], qd)
            q, qd = self._state(y)
        if (np.abs(self.pushing.rows(q) @ qd)[self.mode.held] > 0).any():
            y = self._moved(y, *self.pushing.closed(q, qd, self.mode.held))
        self._note_changes(t, y, before, quiet=quiet)
        return y

    def _moved(self, y: Array, q: Array, qd: Array) -> Array:
        """The state with q and qd put right, the kinetic energy that takes being counted as work."""
        kinetic = self.pushing.kinetic_energy
        return self._with(y, q, qd, kinetic(q, qd) - kinetic(q, self._state(y)[1]))

    def _note_changes(self, t: float, y: Array, before: Mode, *, quiet: bool) -> None:
        """Note newly held rows, released rows, and joints that reverse."""
        n, held, slip = len(self.barriers), self.mode.held, self.mode.slip
        changes = [
            (self.barriers.names, held[:n] & ~before.held[:n], "rest"),
            (self.barriers.names, before.held[:n] & ~held[:n], "release"),
        ]
        if not quiet:
            changes += [
                (self.dry.names, held[n:] & ~before.held[n:], "stick"),
                (self.dry.names, before.held[n:] & ~held[n:], "slip"),
                (self.dry.names, before.slip * slip < 0, "reversal"),
            ]
        for names, which, kind in changes:
            for place in np.flatnonzero(which):
                self._note(t, names[place], kind, y)

    def _corrected(self, y: Array, *, after_step: bool, since: Array | None = None) -> Array:
        """The state corrected onto the held rows, after a step, which began at positions ``since``, or between two."""
        q, qd = self._state(y)
        held = self.mode.held
        if self.corrector is not None:
            before, at_rest = q, held[len(self.barriers) :]
            rows = self.dry.rows[at_rest]
            q, qd = (
                self.corrector.after_step(q, qd, rows, since=since) if after_step else self.corrector.onto(q, qd, rows)
            )
            stand = self.dry.coordinates(at_rest)  # to the last digit
            q[stand] = before[stand]
        if held.any():
            q, qd = self.pushing.closed(q, qd, held)
        return self._with(y, q, qd)

    def _note(self, t: float, name: str, kind: str, y: Array, energy: float = 0.0) -> None:
        q, qd = self._seen(y)
        self.occurred.append((t, name, kind, q.copy(), qd.copy(), energy))

    # Samples.

    def _record(self, step: Step, until: float) -> None:
        """The samples of a step before a time of it, and its interpolant."""
        if self.dense is not None:
            self.dense.add(until, step.near)
        times = self.samples.t
        while self.samples.count < len(times) - 1 and times[self.samples.count] < until:
            t = float(times[self.samples.count])
            y = step.at(t)
            self._record_state(t, self._corrected(y, after_step=False) if step.t < t else y)

    def _record_state(self, t: float, y: Array) -> None:
        (x, v), z = self._state(y), (y[2 * self.n : -1],) if self.carries else ()
        found = self.pushing.rates(x, v, self._pushed(t, y), self.mode, shared=True)
        friction = found.friction + self.system.on_coordinates(self._bending(y)[0]) if z else found.friction
        self.room.keep(self.samples.count, found.qdd[: self.system.dof], found.push, friction)
        self.samples.record((x, v, y[-1] + self.system.stored(*z), *z), self._acting(t, y))

    def _end(self, t: float, y: Array) -> None:
        """The last sample is that at which the motion ends."""
        if self.samples.make_last_row(t):
            self._record_state(t, y)

    def _keep_last(self, t: float, y: Array) -> None:
        """Keep the state from which the motion cannot be continued; forces that cannot be computed there are NaN."""

        def forget_forces() -> None:
            self.acting = self.acting.unknown(len(self._seen(y)[0]))

        self.samples.keep_end(t, lambda: self._record_state(t, y), forget_forces)

    # Errors.

    def _refuse_start(self, q: Array, qd: Array) -> None:
        if not np.isfinite([q, qd]).all():
            raise SimulationError("the initial state is not finite")
        gaps = self.barriers.gaps(q) if len(self.barriers) else np.zeros(0)
        if (gaps < -TOUCHED).any():
            place = int(np.argmin(gaps))
            raise SettingError(
                f"q0 is {-gaps[place]:.3g} {self.barriers.units[place]} behind {self.barriers.names[place]!r}; a "
                "motion starts before its stops and on the free side of its contacts"
            )

    # Chattering.

    def _watched(self, acting: tuple[Array, ...], qd: Array) -> tuple[Array, ...]:
        """Quantities that may switch: the directions of friction that depends on the load, then the forces."""
        rates = self.pushing.robot.mechanism.drive.rates(qd)[self.rubbing]
        return np.sign(rates), *acting

    def _look_for_chattering(self, t: float, stop: float, y: Array) -> None:
        """Carry the motion on by fixed steps while friction that depends on the load switches."""
        if self.watch is None:
            return
        if self.quiet is not None:
            last = self.chattered[-1]
            last.end, last.steps = stop, last.steps + 1
            if self.quiet.after(self._watched(self._acting(t, y), self._state(y)[1])):
                self.quiet = None
                self.watch.rest()
                self.integrator.restart()
        elif self.watch.collapsed(stop - t):
            self._chatters(stop)

    def _chatters(self, t: float) -> bool:
        """True if friction chatters, so that fixed steps carry the motion on; other chattering raises an error."""
        if self.watch is None or self.quiet is not None:
            return False
        jumps = self.watch.jumps()
        places = np.flatnonzero(jumps)
        if not places.size:
            return False
        if self.longest is None or places.max() >= len(self.rubbing):
            self._refuse_chattering(t)
        self.quiet, self.at_once = Quiet(self.watch.in_turn(jumps)), 0
        self.chattered.append(Stretch(t, t, 0, tuple(places.tolist())))
        return True

    def _through_chattering(self, t: float, y: Array, end: float) -> Step:
        """A semi-implicit Euler step."""
        assert self.longest is not None  # noqa: S101 - else it was refused
        along = self.system.along if self.carries else None
        method = SemiImplicitEuler(self.longest)
        steps = ByFormula(self.pushing.robot, method, self.rates, self.samples.effort, along, self.n)
        return steps.step(t, y, min(end, t + self.longest))

    def _refuse_chattering(self, t: float) -> None:
        if self.watch is not None:
            raise SimulationError(
                f"torque or f_tip switches faster than the adaptive method can follow, from t = {t:g} s on, and "
                "beside joints that stick, stops, contacts and events nothing carries the motion through. Use a smooth "
                f"law, such as tanh(qd / eps) in the place of sign(qd), or fixed steps, as {option('method', 'rk4')}"
            )

    def _too_many(self, t: float, y: Array) -> SimulationError:
        last = ", ".join(f"{kind} of {name}" for _, name, kind, *_ in self.occurred[-4:])
        return SimulationError(
            f"more than {MOST_AT_ONCE} events at t = {t:g} s, the last of them {last}: {self._why_too_many(y)}"
        )

    def _why_too_many(self, y: Array) -> str:
        """The message for a motion with too many events at one time."""
        return "the motion cannot be continued"

    def _state(self, y: Array) -> tuple[Array, Array]:
        return y[: self.n], y[self.n : 2 * self.n]

    def _seen(self, y: Array) -> tuple[Array, Array]:
        """q and qd of the joints, which forces depend on and events have."""
        return self.system.seen(*self._state(y))

    def _with(self, y: Array, q: Array, qd: Array, work: float = 0.0) -> Array:
        """The state with other positions and velocities, and ``work`` added to its work."""
        return np.concatenate([q, qd, y[2 * self.n : -1], [y[-1] + work]])


def ends_of_holds(method: Adaptive | FixedStep, forces: Forces, duration: float) -> list[float]:
    """Ends of the holds of the forces, s: the steps of a grid, or the times between which they are smooth."""
    if isinstance(method, FixedStep):
        grid = StepGrid(duration, method.step)
        ends = grid.times(np.arange(1, grid.steps + 1))
    else:
        ends = forces.edges(duration)[1:]
    return [float(end) for end in ends]
