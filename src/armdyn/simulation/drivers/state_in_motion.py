"""Event-driven integration of one state: smooth segments between located events.

The state is y = (x, v, z, W): coordinates and velocities, states of friction, and the work of all forces
(`armdyn.simulation.system.system`). Each step is searched for the first zero of the functions of all elements
(`armdyn.simulation.drivers.located`): there it is cut, an element changes the state or the equations, and the
integration starts anew.
"""

from __future__ import annotations

from collections.abc import Generator
from typing import TYPE_CHECKING, Any

import numpy as np

from armdyn.base.advice import either, option
from armdyn.motion.dense import Dense
from armdyn.simulation.divergence import too_long_for_springs
from armdyn.simulation.drivers.chattering import Chattering
from armdyn.simulation.drivers.crossings import points_of
from armdyn.simulation.drivers.grid import StepGrid
from armdyn.simulation.drivers.integrators import ByFormula, BySolver, Step
from armdyn.simulation.drivers.located import Found, LocatedFunctions, NotedEvents, Reached, SegmentLoops
from armdyn.simulation.forces import Forces, StepValues
from armdyn.simulation.methods.catalogue import Adaptive, FixedStep, SemiImplicitEuler
from armdyn.simulation.samples import Samples
from armdyn.simulation.system.problem import Problem
from armdyn.simulation.unfinished import SimulationError
from armdyn.spatial.rotations import Array

if TYPE_CHECKING:
    from armdyn.simulation.elements.contact_modes import ContactModes

NO_TIME = 1e-6
"""Events within this fraction of the duration count as simultaneous."""

MOMENT = 1e-9
"""Forces later by this fraction of the duration give the direction in which a joint without friction leaves rest."""

AT_REST = 1e-3
"""Longest adaptive step, over the duration, while nothing moves and a function of time may release joints."""

MOST_AT_ONCE = 100
"""A motion cannot be continued if it has this many events at one time."""

HELD_ON = 4
"""After this many events at one time, a step of the first order holds the barrier that is hit (`_held_on`)."""


Ended = tuple[Found | None, LocatedFunctions | None]
"""The event that changes a motion, with its source, None if it ends the motion; or None, None."""


class StateInMotion:
    """One state in motion, and the elements whose located functions change it."""

    modes: ContactModes | None = None
    """Barriers and joints that can stick."""

    events: NotedEvents | None = None
    """Events that are noted, and change nothing."""

    segments: SegmentLoops | None = None
    """Steps of one mode in a compiled loop, if there is one."""

    def __init__(self, problem: Problem, forces: Forces, samples: Samples, dense: Dense | None = None) -> None:
        self.system, self.method, self.duration = problem.system, problem.method, problem.duration
        self.n, self.has_states = self.system.size, self.system.has_states
        self.forces, self.samples, self.dense, self.corrector = forces, samples, dense, problem.corrector
        self.located: list[LocatedFunctions] = []
        self.occurred: list[tuple[float, str, str, Array, Array, float]] = []
        self.grid = problem.grid
        self.rows = rows_of_holds(forces) if self.grid is not None else None
        self.ends = ends_of_holds(self.grid, forces, self.duration, self.rows)
        self.end = self.ends[0]
        self.hold, self.at_once, self.starts = 0, 0, True
        self.before_events: tuple[int, Array] = (0, np.zeros(0, dtype=bool))
        """The number of events, and the rows that were held, before the events of this time."""
        self.acting = forces
        self.integrator = self.new_integrator()
        self.chattering = Chattering.of(self.system, self.method, forces, self.duration)
        self._held: tuple[Array, ...] | None = None
        self._once = isinstance(self.method, FixedStep) and self.method.scheme.once

    def add_modes(self, modes: ContactModes) -> None:
        """Let barriers and joints that stick take part."""
        self.modes = modes
        self.located.append(modes)
        rows = len(modes.barriers) + len(modes.dry)
        if rows and self.forces.by_callables and isinstance(self.integrator, BySolver):
            self.integrator.longest_at_rest = AT_REST * self.duration
        if isinstance(self.integrator, ByFormula):
            self.integrator.standing = modes.standing

    def new_integrator(self) -> ByFormula | BySolver:
        """An integrator of these equations that has made no step."""
        effort = self.samples.effort
        if isinstance(self.method, Adaptive):
            return BySolver(self.system, self.method, self.rates, effort)
        integrator = ByFormula(self.system, self.method, self.rates, effort, self.grid)
        integrator.needs_past(self.forces)
        return integrator

    # Equations of motion.

    def rates(self, t: float, y: Array) -> Array:
        """y' = (v, dv/dt, dz/dt, P)."""
        n = self.n
        x, v = y[:n], y[n : 2 * n]
        acting = forces = self._held or self.acting.at(self.hold, t, *self.system.seen(x, v))
        rate = np.empty(len(y))
        rate[:n] = v
        if self.has_states:
            acting, rate[2 * n : -1] = self._with_states(y, forces)
        if self.modes is None:
            rate[n : 2 * n], rate[-1] = self.system.motion(x, v, *acting)
        else:
            rate[n : 2 * n], rate[-1] = self.modes.rates(x, v, acting)[:2]
            if self.system.own_states:
                rate[-1] += self.modes.rows.on_links @ v[: self.system.dof]
        self.samples.effort.evaluations += 1
        if self.chattering is not None:
            self.chattering.saw(t, y, v, forces)
        return rate

    def _acting(self, t: float, x: Array, v: Array) -> tuple[Array, ...]:
        """The joint forces, and the wrench if there is one."""
        return self._held or self.acting.at(self.hold, t, *self.system.seen(x, v))

    def bristle_force(self, y: Array) -> Any:
        """The force of bristles, N m or N."""
        if not self.system.carries:
            return 0.0
        z, v = y[2 * self.n : 2 * self.n + self.system.bristles], self.parts(y)[1]
        return self.system.bending(z, v)[0]

    def forces_with_states(self, t: float, y: Array) -> tuple[Array, ...]:
        """The joint forces less those of bristles, and the wrench if there is one; the mode has those of elements."""
        acting = self._acting(t, *self.parts(y))
        return self._with_states(y, acting)[0] if self.has_states else acting

    def _with_states(self, y: Array, acting: tuple[Array, ...]) -> tuple[tuple[Array, ...], Array]:
        """Forces with those of bristles; dz/dt. The mode gets those of elements, which act on the links."""
        tau, *f_tip = acting
        bends, on_links, rate = self.system.of_states(y[2 * self.n : -1], *self.parts(y), tau)
        if self.system.own_states:
            self.modes.rows.on_links = on_links  # type: ignore[union-attr]
        return (tau - bends, *f_tip), rate

    def parts(self, y: Array) -> tuple[Array, Array]:
        """x and v."""
        return y[: self.n], y[self.n : 2 * self.n]

    def seen(self, y: Array) -> tuple[Array, Array]:
        """q and qd of the joints, on which forces and events depend."""
        return self.system.seen(*self.parts(y))

    def moved_to(self, y: Array, x: Array, v: Array, work: float = 0.0) -> Array:
        """The state with other positions and velocities, and ``work`` added to its work."""
        return np.concatenate([x, v, y[2 * self.n : -1], [y[-1] + work]])

    def a_moment_after(self, t: float) -> float:
        """A time so close that the state is the same, in the same hold of the forces, s."""
        return min(t + MOMENT * self.duration, self.end)

    @property
    def holds(self) -> bool:
        """True if rows of barriers or of joints at rest are held."""
        return self.modes is not None and self.modes.any_held

    # From the begin to the end.

    def run(self, x: Array, v: Array, *z: Array) -> Generator[float]:
        """Integrate from 0 to the end; yields the fraction that is done."""
        stored = self.system.energy_of_states(z[0], x) if z else 0.0
        t, y = 0.0, np.concatenate([x, v, *z, [-stored]])
        self._check_start(x, v)
        self._follow_events(t, y)
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
                self._end_hold()
        except Exception:  # also of a torque that is a user's own function
            self._keep_last(t, y)
            raise
        self.hold = (self.forces.rows or len(self.ends)) - 1
        self._record_state(t, y)
        if isinstance(self.integrator, ByFormula):
            self.samples.memory = dict(zip(self.method.scheme.memory, self.integrator.memory, strict=True))

    def _end_hold(self) -> None:
        """Prepare for other forces."""
        self.integrator.end_hold()
        if self.chattering is not None:
            self.chattering.watch.rest()

    def _check_start(self, x: Array, v: Array) -> None:
        if not np.isfinite([x, v]).all():
            raise SimulationError("the initial state is not finite")
        if self.modes is not None:
            self.modes.refuse_start(x)

    def _entered(self, hold: int, t: float, end: float, y: Array) -> Array:
        """The state with which a hold of the forces begins."""
        self.hold, self.end = hold if self.rows is None else self.rows[hold], end
        self.acting = self.forces if self.grid is not None else self.forces.between(t, end)  # steps go over corners
        self.acting = self.acting.in_step(hold, t, *self.seen(y))
        if hold == 0:
            for one in self.located:
                y = one.begun(t, y)
        elif self.modes is not None and self.forces.jump:
            before, y = y, self.modes.after_jump(t, y)
            if y is not before:
                self.integrator.restart()
                self.starts = True
        return y

    def _stepped(self, t: float, y: Array, end: float) -> tuple[float, Array, bool]:
        """One step, or its part until an event; the third result is true if that ends the motion.

        Forces that are evaluated once per step act in all of it, so that nothing switches within.
        """
        chatters = self.chattering is not None and self.chattering.goes_on
        self._held = self._acting(t, *self.parts(y)) if self._once or chatters else None
        try:
            return self._until_event(t, y, end)
        finally:
            self._held = None

    def _until_event(self, t: float, y: Array, end: float) -> tuple[float, Array, bool]:
        holds_on = self.modes is not None and self.modes.holds_on
        reached = self.segments.advance(t, y, end) if self.segments is not None and not holds_on else None
        integrator = None
        if reached is None:
            reached, integrator = self._by_step(t, y, end)
        stop, there, event, source = reached
        self.at_once = self.at_once + 1 if event is not None and stop <= t + NO_TIME * self.duration else 0
        if self.at_once > MOST_AT_ONCE:
            if self.chattering is None or not self.chattering.begins(stop):
                raise self._too_many(t, y)
            self.at_once = 0
        begin, t, y, self.starts = y, stop, there, event is not None
        if event is not None:
            if source is None:
                self._end(t, y)
                return t, y, True
            self.integrator.restart()
            if self.at_once == 0:
                self._note_begin_of_events()
            y = self._held_on(t, source.changed(t, y, event), event)
        elif holds_on:
            y = self._released(t, self.corrected(y, after_step=True, since=self.parts(begin)[0]))
        elif integrator is not None and (
            self.corrector is not None or (self.modes is not None and self.modes.any_held)
        ):
            y = self.corrected(there, after_step=True, since=self.parts(begin)[0])
            if not np.array_equal(y, there):
                integrator.moved(t, y)
        self._follow_events(t, y)
        return t, y, False

    def _note_begin_of_events(self) -> None:
        if self.modes is not None:
            self.before_events = len(self.occurred), self.modes.mode.held.copy()

    def _held_on(self, t: float, y: Array, event: Found) -> Array:
        """The state after an event; a barrier that is hit again at once, at rest, is held until the next step ends.

        A step of the first order that leaves a barrier may lead back into it, by its error of the second order. Held
        for as many steps as that goes on, the motion has an error of the first order. Events of this time that undo
        each other are left out.
        """
        modes = self.modes
        first_order = isinstance(self.method, FixedStep) and self.method.scheme.order == 1
        if modes is None or not first_order or self.at_once < HELD_ON or event.kind != "hit":
            return y
        (first, rested), name = self.before_events, modes.barriers.names[event.place]
        events, others = ([one for one in self.occurred[first:] if (one[1] == name) is its] for its in (True, False))
        self.occurred[first:] = others if rested[event.place] else [*events[:1], *others]
        return modes.held_on(y, event.place)

    def _released(self, t: float, y: Array) -> Array:
        """The state after a step that held barriers on, in which these are released if their forces would pull."""
        assert self.modes is not None  # noqa: S101 - it has held them
        self.modes.holds_on = False
        self._note_begin_of_events()
        self.starts = True
        return self.modes.after_jump(t, y)

    def _by_step(self, t: float, y: Array, end: float) -> tuple[Reached, ByFormula | BySolver | None]:
        """The end of one step, or of its part until an event, and the integrator that made it; None at rest."""
        step, integrator = self._next_step(t, y, end)
        event, source = self._first(step)
        stop, there = (step.end, step.y_end) if event is None else self._cut(step, event, source)
        self._look_for_chattering(t, stop, y)
        self._record(step, stop)
        return Reached(stop, there, event, source), integrator

    def _next_step(self, t: float, y: Array, end: float) -> tuple[Step, ByFormula | BySolver | None]:
        """The next step, and the integrator that made it; None at rest."""
        if self._rests(t, y):
            self.integrator.restart()
            self.samples.effort.steps += 1
            return Step(t, y, min(t + AT_REST * self.duration, end), y, lambda _: y, lambda _: y), None
        chattering = self.chattering
        if chattering is None or not chattering.goes_on:
            step = self._integrated(t, y, end)
            if step is not None:
                return step, self.integrator
            if chattering is None or not chattering.begins(t):
                raise self.integrator.stuck(t, y)
        assert chattering is not None  # noqa: S101 - it has begun
        steps = ByFormula(self.system, SemiImplicitEuler(chattering.step), self.rates, self.samples.effort)
        by_line = "Use --method rk4 and a short --set method.step=1e-4."
        steps.remedy = either("Use a shorter Adaptive(chattering_step=...).", by_line)
        return steps.step(t, y, min(end, t + chattering.step)), steps

    def _integrated(self, t: float, y: Array, end: float) -> Step | None:
        """A step of the method; None if it has none that is long enough."""
        integrator = self.integrator
        if isinstance(integrator, ByFormula) and integrator.before is not None:
            return integrator.step(t, y, end, self.acting.held_at(self.hold, t, *self.seen(y)))
        return integrator.step(t, y, end)

    def _look_for_chattering(self, t: float, stop: float, y: Array) -> None:
        """Recognise chattering by the lengths of steps, and its end by the forces after a fixed step."""
        chattering = self.chattering
        if chattering is None:
            return
        if chattering.goes_on:
            x, v = self.parts(y)
            if chattering.ends(stop, v, self._acting(t, x, v)):
                self.integrator.restart()
        elif chattering.watch.collapsed(stop - t) and chattering.begins(stop):
            self.at_once = 0

    def _rests(self, t: float, y: Array) -> bool:
        """True if all coordinates are held at rest, so that nothing moves until a function of time releases one."""
        modes = self.modes
        if modes is None or self.integrator.longest_at_rest == np.inf or not modes.all_rest:
            return False
        return not self.rates(t, y).any()

    def corrected(self, y: Array, *, after_step: bool, since: Array | None = None) -> Array:
        """The state put onto constraints and held rows, after a step from positions ``since``, or between two steps."""
        if self.modes is not None:
            return self.modes.corrected(y, after_step=after_step, since=since)
        if self.corrector is None:
            return y
        put = (
            self.corrector.after_step(*self.parts(y), since=since)
            if after_step
            else self.corrector.onto(*self.parts(y))
        )
        return self.moved_to(y, *put)

    # Events.

    def _first(self, step: Step) -> Ended:
        """The first event in a step."""
        if not self.located and self.events is None:
            return None, None
        times = points_of(step.t, step.end)
        return self.ending(
            step, [(event, one) for one in self.located for event in one.zeros(step, times, starts=self.starts)]
        )

    def ending(self, step: Step, zeros: list[tuple[Found, LocatedFunctions]]) -> Ended:
        """The first zero of a step, or the event before it that ends the motion; events before are noted."""
        first, source = min(zeros, key=lambda each: each[0], default=(None, None))
        ended = self.events.note_until(step, first) if self.events is not None else None
        return (first, source) if ended is None else (ended, None)

    @staticmethod
    def _cut(step: Step, event: Found, source: LocatedFunctions | None) -> tuple[float, Array]:
        """The time of an event in a step, and the state there."""
        return (event.t, step.at(event.t)) if source is None else source.state_at(step, event)

    def _follow_events(self, t: float, y: Array) -> None:
        if self.events is not None:
            self.events.follow(t, y)

    def note(self, t: float, name: str, kind: str, y: Array, energy: float = 0.0) -> None:
        """Record an event."""
        q, qd = self.seen(y)
        self.occurred.append((t, name, kind, q.copy(), qd.copy(), energy))

    # Samples.

    def _record(self, step: Step, until: float) -> None:
        """The samples of a step before a time of it, and its interpolant."""
        if self.dense is not None:
            self.dense.add(until, step.interpolant())
        first, times = self.samples.count, self.samples.t[:-1]
        last = int(np.searchsorted(times, until))
        at = step.states_between() if last > first else step.at
        corrects = self.modes is not None or self.corrector is not None
        for t in times[first:last].tolist():
            y = at(t) if step.t < t else step.y
            self._record_state(t, self.corrected(y, after_step=False) if corrects and step.t < t else y)

    def _record_state(self, t: float, y: Array) -> None:
        z, (x, v), system = y[2 * self.n : -1], self.parts(y), self.system
        if self.modes is not None:
            self.modes.record(self.samples.count, t, y)
        stored = system.energy_of_states(z, x) if self.has_states else 0.0
        self.samples.record((x, v, y[-1] + stored, *system.parts_of_states(z)), self._acting(t, x, v))

    def _end(self, t: float, y: Array) -> None:
        """The last sample is that at which the motion ends."""
        if self.samples.make_last_row(t):
            self._record_state(t, y)

    def _keep_last(self, t: float, y: Array) -> None:
        """Keep the state from which the motion cannot be continued; forces that cannot be computed there are NaN."""

        def forget_forces() -> None:
            self.acting = self.acting.unknown(self.system.dof)

        self.samples.keep_end(t, lambda: self._record_state(t, y), forget_forces)

    # Errors.

    def _too_many(self, t: float, y: Array) -> SimulationError:
        last = ", ".join(f"{kind} of {name}" for _, name, kind, *_ in self.occurred[-4:])
        return SimulationError(
            f"more than {MOST_AT_ONCE} events at t = {t:g} s, the last of them {last}: {self._why_too_many(y)}"
        )

    def _why_too_many(self, y: Array) -> str:
        """The message for a motion with too many events at one time: springs, or functions that may switch in steps."""
        usual = "the motion cannot be continued"
        if isinstance(self.method, Adaptive) or not self.system.places:
            return usual
        springs = too_long_for_springs(self.system.bare, self.method, self.seen(y)[0])
        if springs or self._once or not self.forces.by_callables:
            return springs or usual
        return (
            f"{usual}. If torque or f_tip jumps when a velocity changes its sign, use {option('method', 'adaptive')}, "
            "'semi_implicit_euler', or a smooth law, such as tanh(qd / eps) in the place of sign(qd)"
        )


def rows_of_holds(forces: Forces) -> list[int] | None:
    """The rows of tables of steps at which a force differs from the row before; None without tables."""
    tables = [one.values for one in (forces.torque, forces.f_tip) if isinstance(one, StepValues)]
    if not (tables and forces.are_known):
        return None
    changes = [(table[1:] != table[:-1]).reshape(len(table) - 1, -1).any(axis=1) for table in tables]
    return [0, *(1 + np.flatnonzero(np.any(changes, axis=0))).tolist()]


def ends_of_holds(grid: StepGrid | None, forces: Forces, duration: float, rows: list[int] | None = None) -> list[float]:
    """Ends of the holds of the forces, s: the steps of a grid if forces change, or the times between smooth forces.

    ``rows`` are those of tables with a row for each step of the grid, by `rows_of_holds`.
    """
    if grid is None:
        ends = forces.edges(duration)[1:]
    elif forces.are_known and forces.rows is None:
        return [duration]
    elif rows is not None:
        ends = grid.times(np.array([*rows[1:], grid.steps]))
    else:
        ends = grid.times(np.arange(1, grid.steps + 1))
    return [float(end) for end in ends]
