"""Segments of an event-driven motion in compiled loops: steps of one mode, up to the event that ends it.

The loop makes the steps of a mode whose margins are numbers of one program (`armdyn.simulation.system.rates`),
and locates the first margin that falls below zero. `armdyn.simulation.drivers.state_in_motion` then determines the next
mode. Steps that a loop does not make are made there too: in modes with held contacts, or before an unusual event.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from armdyn.actuators.flexible_joints import flexible_places
from armdyn.constraints import PointOnPlane
from armdyn.constraints.dead_points import DeadPoints
from armdyn.constraints.row_sizes import moving_part, unit_rows
from armdyn.functions.integrations import Arrays, IntegrationProgress, polynomial
from armdyn.motion.interpolation import cubic
from armdyn.program.integration import PROGRESS, RUNNING, SEARCH
from armdyn.robot import Robot
from armdyn.simulation.drivers.compiled_loops import ATTEMPTS_AT_FIRST, Attempts, has_steps, loop_of
from armdyn.simulation.drivers.crossings import points_of
from armdyn.simulation.drivers.grid import MOST_STEPS
from armdyn.simulation.drivers.integrators import Step
from armdyn.simulation.drivers.located import Found, LocatedFunctions, Reached
from armdyn.simulation.drivers.state_in_motion import Ended, StateInMotion
from armdyn.simulation.elements.bristles import NAME, count
from armdyn.simulation.elements.dry_joints import can_hold, drive_of_links, rub_without_load
from armdyn.simulation.elements.events_in_motion import BacklashInMotion, BrakesInMotion, LoadKinks
from armdyn.simulation.methods.catalogue import Adaptive
from armdyn.simulation.samples import ELEMENTS
from armdyn.simulation.system.bounded import SLACK
from armdyn.simulation.system.corrections import put_on_constraints, velocities_within
from armdyn.simulation.system.problem import Problem
from armdyn.simulation.system.rates import forces_in_modes
from armdyn.simulation.system.segment import ModeKinds, watched_margins
from armdyn.simulation.system.state_parts import DRIFT, SPRINGS, Correction, N, StateParts
from armdyn.spatial.rotations import Array

LEAST_ATTEMPTS, PIECES_AT_ONCE, ATTEMPTS_OF_PART = 64, 24, 64
"""Steps that a call tries: at least; if their polynomials are read; up to a time within a step."""

PAST = 1e-11
"""A step up to an event is searched for others this fraction of the duration beyond it."""

DETERMINED = 1e-3
"""Forces of constraints are determined if the least singular value of the rows, in the coordinates that move, is above
this."""

UNUSUAL = 2
"""After this many events at one time, the next step is made without the loop."""


_SEARCH = [PROGRESS.index(name) for name in SEARCH]


class Segments:
    """The compiled steps of one state on its way."""

    def __init__(self, motion: StateInMotion, problem: Problem) -> None:
        adaptive = isinstance(problem.method, Adaptive)
        self.motion, self.problem, self.places = motion, problem, flexible_places(problem.robot.model)
        correction: Correction = "positions" if problem.corrects else ""
        self.parts = StateParts.of(problem.system, along=not adaptive, correction=correction)
        self.attempts, self.h, self.rejected = Attempts(ATTEMPTS_AT_FIRST, LEAST_ATTEMPTS), 0.0, 0.0
        self.search: tuple[float, Array] = np.nan, np.zeros(len(SEARCH))
        """The search for an event that a call has begun and not ended, with its time, s."""
        self.linear = not motion.forces.held
        self.most_steps = problem.method.max_steps if adaptive else MOST_STEPS
        of = {N: problem.robot.dof, SPRINGS: len(self.places), (NAME,): count(problem.robot.model), (): 1, (2,): 2}
        of |= {(ELEMENTS,): problem.system.own_states}
        self.sizes = {name: of[shape] for name, shape in self.parts.shapes.items()}
        self.places_of_state, times = self._places_of_state(), len(motion.samples.t)
        self.rows = {name: np.full((1, times, size), np.nan) for name, size in self.sizes.items()}
        self.rows["work"] = self.rows["work"][..., 0]
        self._unusual = False
        assert motion.modes is not None  # noqa: S101 - `of` looks for them
        self.modes = motion.modes
        self.kinks, self.backlash = self._source(LoadKinks), self._source(BacklashInMotion)
        self.brakes, watched = self._source(BrakesInMotion), (self.modes, self.kinks, self.backlash)
        self.others = [one for one in motion.located if not any(one is each for each in watched)]
        """Sources of events that the loop does not watch."""
        self.dead_points = DeadPoints(problem.robot, "error")
        self.enter()

    @classmethod
    def of(cls, problem: Problem, motion: StateInMotion) -> Segments | None:
        """The segments of a motion that loops can make, else None.

        A method with a loop, forces that are known and held, constraints that do not depend on each other, at every dry
        joint one coordinate whose friction has bounds apart, and no brakes that switch in arms with states: the
        equations of states are those of the robot as it begins.
        """
        method, system = problem.method, problem.system
        has_loop = has_steps(method, motion.forces) and motion.chattering is None
        if not has_loop or motion.modes is None or problem.within_steps:
            return None
        drive = drive_of_links(system.bare)
        alone = all(np.count_nonzero(row) == 1 for row in motion.modes.dry.matrix)
        own = not drive.depends_on_load or (rub_without_load(drive) and can_hold(system.bare))
        braked = system.has_states and any(isinstance(one, BrakesInMotion) for one in motion.located)
        by_rows = not system.robot.model.constraints or (problem.redundant == "error" and not drive.depends_on_load)
        if not by_rows or not alone or not own or braked:
            return None
        return cls(motion, problem)

    def enter(self) -> None:
        """Take the equations that the motion has now."""
        modes, system = self.modes, self.problem.system
        self.equations, self.bare = modes.rows, modes.rows.robot
        robot = system.robot if system.has_states else self.bare
        self.stops = modes.barriers.stops > 0
        self.constrained = bool(self.bare.model.constraints)
        self.loaded = drive_of_links(self.bare).depends_on_load
        self.contacts = len(modes.barriers) > modes.barriers.stops and not (self.constrained or self.loaded)
        """True if the loop has the contacts, each closed or open; else they are looked for in its steps."""
        if self.contacts:
            robot = with_contacts(robot, modes.barriers.planes)
        self.at_contacts = robot
        correction: Correction = "contacts" if self.contacts else ""
        if self.problem.corrects:
            correction = "positions"
        elif self.constrained and (len(modes.dry) or self.stops):
            correction = "velocities"
        self.parts, kinds = self.parts._replace(correction=correction), ModeKinds(self.stops, self.contacts)
        self.loop = loop_of(robot, self.problem.method, self.parts, kinds, linear=self.linear)
        rigid = self.parts._replace(along=False, correction="")
        self.forces = robot.compile(forces_in_modes(rigid, contacts=self.contacts))
        contacts = len(robot.constraint_rows) if self.contacts else 0
        self.watched = watched_margins(self.bare.mechanism, self.parts.flexible, self.stops, contacts)
        coordinates = [int(np.argmax(row != 0.0)) for row in modes.dry.matrix]
        n = self.problem.robot.dof
        self.row_of_link = {i: k for k, i in enumerate(coordinates) if i < n}
        self.row_of_rotor = {i - n: k for k, i in enumerate(coordinates) if i >= n}
        self.stop_of = modes.barriers.stops_of_coordinates() if self.stops else {}

    def _source(self, kind: type[Any]) -> Any:
        """The located functions of a kind, None if the motion has none."""
        return next((one for one in self.motion.located if isinstance(one, kind)), None)

    def advance(self, t: float, y: Array, end: float) -> Reached | None:
        """Steps of the mode, up to its end or that of the hold; None if the next step is not one of the loop."""
        motion = self.motion
        if self.equations is not self.modes.rows:
            self.enter()
        steps_before = motion.integrator.made
        usual, self._unusual = not self._unusual and motion.at_once <= UNUSUAL, False
        arguments, end = self._arguments(t, y) if usual else None, min([end, *self._switch_times(t)])
        if usual and arguments is None and t < end and self._rests(t, y):
            return self._at_rest(y, end)
        if arguments is None or steps_before >= self.most_steps:
            return None
        attempts, keeps = min(self.attempts.count, self.most_steps - steps_before), self._keeps_pieces()
        attempts = min(attempts, PIECES_AT_ONCE) if keeps else attempts
        numbers = np.zeros((1, len(PROGRESS)))
        before = motion.samples.count
        numbers[0, PROGRESS.index("t")], numbers[0, PROGRESS.index("h")] = t, self.h
        numbers[0, PROGRESS.index("row")], numbers[0, PROGRESS.index("rejected")] = before, self.rejected
        if self.search[0] == t:
            numbers[0, _SEARCH] = self.search[1]
        state = self._parts(y)
        pieces = self.loop.piece_room(state, attempts) if keeps else None
        times, rows = motion.samples.t[:-1], {name: array[:, :-1] for name, array in self.rows.items()}
        limits = self._limits(end, attempts, arguments)
        with self.attempts:
            progress, state = self.loop.advance(
                IntegrationProgress(numbers), state, arguments, times, rows, limits=limits, pieces=pieces
            )
        if motion.corrector is not None and DRIFT in state:
            motion.corrector.saw(*state[DRIFT][0])
        steps, reached = int(progress.steps[0]), float(progress.t[0])
        motion.samples.effort.steps += steps
        motion.samples.effort.evaluations += int(progress.evaluations[0])
        motion.integrator.made += steps
        self.h, self.rejected = float(progress.h[0]), float(progress.rejected[0])
        running = bool(progress.status[0] == RUNNING)
        self.search = reached if running else np.nan, progress.numbers[0, _SEARCH].copy()
        located = bool(progress.located[0])
        self._unusual = not located and bool(progress.stopped[0] or progress.failed[0])
        event = self._event(int(progress.which[0]), reached, arguments) if located else (None, None)
        y_end = np.concatenate([np.ravel(state[name]) for name in self.parts.state])
        result = Reached(reached, y_end, *event)
        if pieces is not None:
            result = self._through_pieces(result, pieces[0], arguments)
        self._fill(t, y, arguments, slice(before, int(progress.row[0])), result.t)
        if result.t == t and result.event is None:
            return self.advance(t, y, end) if running and not keeps else None  # the search goes on, or Python searches
        motion.integrator.restart()
        self.h, self.rejected = (self.h, self.rejected) if result.event is None else (0.0, 0.0)
        self._keep(before, result.t, int(progress.row[0]), arguments)
        return result

    def _rests(self, t: float, y: Array) -> bool:
        """True if nothing moves until a force changes: joints that stick hold all coordinates, and no event is near."""
        changes = self.linear or self.problem.system.has_states or self._keeps_pieces()
        return not changes and self.modes.all_rest and not self.motion.rates(t, y).any()

    def _at_rest(self, y: Array, end: float) -> Reached:
        """The end of a rest; the saved states until then are equal."""
        motion, samples = self.motion, self.motion.samples
        first = samples.count
        last = first + int(np.searchsorted(samples.t[first:-1], end, side="left"))
        if last > first:
            motion._record_state(float(samples.t[first]), y)
            samples.repeat(last)
        motion.integrator.restart()
        return Reached(end, y)

    def _limits(self, end: float, attempts: int, given: Arrays) -> dict[str, Any]:
        method = self.problem.method
        limits = {"end": end, "attempts": attempts, "corrects": self._corrects(given)}
        if self.problem.grid is not None:
            return limits | {"step": self.problem.grid.step}
        return limits | {"rtol": method.rtol, "atol": method.atol}

    def _corrects(self, given: Arrays) -> bool:
        """True if states are corrected: always, or while joints are held, at rest then to rounding."""
        return self.parts.along or self._projects(given)

    def _projects(self, given: Arrays) -> bool:
        """True if the constraints correct a state."""
        by = {"positions": True, "velocities": given["held"].any(), "contacts": np.any(given.get("closed", 0.0))}
        return bool(by.get(self.parts.correction, False))

    def _parts(self, y: Array) -> Arrays:
        """The state as arrays of one state."""
        parts, first = {}, 0
        for name in self.parts.state:
            parts[name] = y[None, first : first + self.sizes[name]].copy()
            first += self.sizes[name]
        parts["work"] = parts["work"][:, 0]
        parts |= {begin: parts[name].copy() for name, begin in self.parts.begin.items()}
        return parts | ({DRIFT: np.zeros((1, 2))} if DRIFT in self.sizes else {})

    def _places_of_state(self) -> Array:
        """The places of the numbers of y among those of the state of the loop."""
        ends = np.cumsum([*self.sizes.values()])
        places = {name: np.arange(end - size, end) for (name, size), end in zip(self.sizes.items(), ends, strict=True)}
        return np.concatenate([places[name] for name in self.parts.state])

    # Modes.

    def _arguments(self, t: float, y: Array) -> Arrays | None:
        """The mode as arguments of the rates; None of a mode that the loop does not have."""
        modes, n = self.modes, self.problem.robot.dof
        barriers, mode, dry = modes.barriers, modes.mode, modes.dry
        held_rows = mode.held[len(barriers) :]
        slip, held, (least, most) = np.zeros(n), np.zeros(n), np.zeros((2, n))
        for i, k in self.row_of_link.items():
            slip[i], held[i] = mode.slip[k], held_rows[k]
            least[i], most[i] = dry.constant.least[k], dry.constant.most[k]
        room = SLACK * (most - least)
        arguments: Arrays = {"slip": slip, "held": held, "least": least, "most": most, "room": room}
        if self.stops:
            lower, upper = np.full(n, -np.inf), np.full(n, np.inf)
            for place, (i, side, limit) in self.stop_of.items():
                if not mode.held[place]:
                    (lower if side < 0 else upper)[i] = limit
                elif self.loaded:
                    return None
                else:
                    held[i], bound = 1.0, least if side < 0 else most
                    bound[i], room[i] = side * np.inf, 0.0
            arguments |= {"lower": lower, "upper": upper}
        closed = mode.held[barriers.stops : len(barriers)]
        if len(self.stop_of) < barriers.stops or (closed.any() and not self.contacts):
            return None
        if self.contacts:
            arguments["closed"] = closed.astype(float)
            if closed.any() and not self._is_determined(y, held, closed):
                return None
        if self.parts.flexible:
            arguments |= self._rotors(y)
        arguments |= self._forces(t, y)
        if self.constrained:
            if held.any() and not self._is_determined(y, held):
                return None
            arguments["usual"] = self.dead_points.usual_pivots
        return {name: np.array(values, dtype=float)[None] for name, values in arguments.items()}

    def _forces(self, t: float, y: Array) -> Arrays:
        """The forces as arguments of the rates: at a time, and their rates until the end of the hold."""
        motion = self.motion
        first, last = (motion.acting.at(motion.hold, time, *motion.seen(y)) for time in (t, motion.end))
        forces = dict(zip(("tau", "f_tip"), first, strict=False))
        if not self.linear:
            return forces
        rates = {name: (b - a) / (motion.end - t) for name, a, b in zip(forces, first, last, strict=True)}
        return forces | {f"{name}_rate": rate for name, rate in rates.items()} | {"t_0": np.array(t)}

    def _is_determined(self, y: Array, held: Array, rows: Any = slice(None)) -> bool:
        """True if the coordinates that are not held determine the forces of the constraints, or of some rows."""
        q, ways = self.motion.seen(y)[0], np.eye(len(held))[:, held == 0.0]
        if not ways.shape[1]:
            return False
        M, A = np.asarray(self.bare.mass_matrix(q)), np.asarray(self.at_contacts.constraint_jacobian(q))[rows]
        unit, _ = unit_rows(A @ ways, ways.T @ M @ ways)
        s = np.linalg.svd(moving_part(M, A, ways) * unit, compute_uv=False)
        return len(s) == len(A) and bool(s[-1] > DETERMINED)

    def _rotors(self, y: Array) -> Arrays:
        """The modes of rotors."""
        modes, count = self.modes, len(self.places)
        slip, held = np.zeros(count), np.zeros(count)
        held_rows = modes.mode.held[len(modes.barriers) :]
        for k, row in self.row_of_rotor.items():
            slip[k], held[k] = modes.mode.slip[row], held_rows[row]
        signs = np.ones(count)
        if self.kinks is not None:
            self.kinks.signs[held > 0.0] = 0
            loads = np.sign(modes.rows.loads(*self.motion.parts(y)))
            signs = np.where(self.kinks.signs != 0, self.kinks.signs, np.where(loads == 0.0, 1.0, loads))
        return {"rotor_slip": slip, "rotor_held": held, "touches": modes.rows.touches, "signs": signs}

    def _event(self, which: int, t: float, given: Arrays) -> tuple[Found, LocatedFunctions]:
        """The event at which a margin falls below zero, with its source."""
        one, modes = self.watched[which], self.modes
        held_rows = modes.mode.held[len(modes.barriers) :]
        if one.kind == "stop":
            places = [place for place, stop in self.stop_of.items() if stop[:2] == (one.place, one.side)]
            return Found(t, "hit", places[0]), modes
        if one.kind == "contact":
            place = modes.barriers.stops + one.place
            return (Found(t, "leave", 0) if modes.mode.held[place] else Found(t, "hit", place)), modes
        if one.kind == "touch":
            ends = self.backlash.ends
            link = self.places[one.place]
            touch = next(k for k, end in enumerate(ends) if end.link == link and end.side == one.side)
            return Found(t, "touch", touch + 1), self.backlash
        if one.kind == "load":
            return Found(t, "load", -int(given["signs"][0, one.place]) * (one.place + 1)), self.kinks
        row = (self.row_of_link if one.kind == "link" else self.row_of_rotor).get(one.place)
        if row is None or held_rows[row]:
            return Found(t, "leave", 0), modes
        return Found(t, "rest", row), modes

    # Events that the loop does not watch.

    def _switch_times(self, t: float) -> list[float]:
        """The times at which brakes switch."""
        return [] if self.brakes is None else [max(one, t) for one in self.brakes.times if one is not None]

    def _keeps_pieces(self) -> bool:
        """True if polynomials of the steps are read."""
        motion, barriers = self.motion, self.modes.barriers
        noted = motion.events is not None and motion.events.watches
        beside = len(barriers) > barriers.stops and not self.contacts
        return motion.dense is not None or noted or bool(self.others) or beside

    def _through_pieces(self, result: Reached, pieces: Array, given: Arrays) -> Reached:
        """The first event of the steps that the loop does not watch; earlier ones are noted."""
        motion, places = self.motion, self.places_of_state
        pieces = pieces[pieces[:, 1] > 0.0]
        unknown = ~np.isfinite(pieces).all(axis=1)
        if unknown.any():  # a dead point lies between the stages of a step
            first, self._unusual = int(np.argmax(unknown)), True
            result = Reached(float(pieces[first, 0]), pieces[first, 2 + places])
            pieces = pieces[:first]
        for k, piece in enumerate(pieces):
            last = k == len(pieces) - 1
            begin, y = float(piece[0]), piece[2 + places]
            end, y_end = (result.t, result.y) if last else (float(pieces[k + 1, 0]), pieces[k + 1, 2 + places])
            near, at = self._near(piece, y, end, y_end), partial(self._at, begin, y, given)
            last_event = [(result.event, result.source)] if last and result.event is not None else []
            beyond = end + PAST * motion.duration if last_event else end
            step = Step(begin, y, beyond, at(beyond) if last_event else y_end, near, at)
            event, source = self._first_beside(step, last_event)
            if motion.dense is not None:
                motion.dense.add(end if event is None else event.t, near)
            if event is not None and event is not result.event:
                return Reached(event.t, step.at(event.t), event, source)
            motion._follow_events(end, y_end)
        return result

    def _near(self, piece: Array, y: Array, end: float, y_end: Array) -> Callable[[float], Array]:
        """The state along a step to search for events: by its polynomial, or by Hermite's.

        Polynomials of steps of one length are straight lines, which leave constraints by more than the distance that
        counts as held.
        """
        n, events, line = self.motion.n, self.motion.events, polynomial(piece, self.loop.pair, self.places_of_state)
        if self.problem.grid is None or not (self.constrained and events is not None and events.may_be_held):
            return line
        times, ends = np.array([piece[0], end]), np.array([y, y_end])

        def near(t: float) -> Array:
            return np.concatenate([*cubic(np.array(t), times, ends[:, :n], ends[:, n : 2 * n]), line(t)[2 * n :]])

        return near

    def _first_beside(self, step: Step, known: list[Any]) -> Ended:
        """The first of the known events of a step and those outside its mode."""
        motion, times, starts = self.motion, points_of(step.t, step.end), self.motion.starts
        barriers = self.modes.barriers
        hits = self.modes.hits(step, times, starts, first=len(barriers) if self.contacts else barriers.stops)
        zeros: list[tuple[Found, LocatedFunctions]] = [(event, self.modes) for event in hits]
        zeros += [(event, one) for one in self.others for event in one.zeros(step, times, starts=starts)]
        motion.starts = False
        return motion.ending(step, [*zeros, *known])

    def _at(self, begin: float, y: Array, given: Arrays, t: float) -> Array:
        """The state at a time of a step, by a step up to there."""
        return self._state_at(begin, y, given, t, ATTEMPTS_OF_PART)[1]

    def _state_at(self, begin: float, y: Array, given: Arrays, t: float, attempts: int) -> tuple[float, Array]:
        """A time, and the state there, by at most so many steps towards it."""
        numbers, state = np.zeros((1, len(PROGRESS))), self._parts(y)
        numbers[0, PROGRESS.index("t")], numbers[0, PROGRESS.index("h")] = begin, t - begin
        none = {name: np.empty((1, 0, *array.shape[1:])) for name, array in state.items()}
        limits = {**self._limits(t, attempts, given), "watches": False, "corrects": self.parts.along}
        progress, state = self.loop.advance(
            IntegrationProgress(numbers), state, given, np.zeros(0), none, limits=limits
        )
        return float(progress.t[0]), np.concatenate([np.ravel(state[name]) for name in self.parts.state])

    # Samples.

    def _fill(self, begin: float, y: Array, given: Arrays, rows: slice, end: float) -> None:
        """Saved states before a time by steps up to them, if dense output has none: its stages met a dead point.

        Steps of the loop end before the neighbourhood of the dead point; those of the integrator go on in it.
        """
        unknown = ~np.isfinite(self.rows["qd"][0, rows]).all(axis=1)
        for k in rows.start + np.flatnonzero(unknown & (self.motion.samples.t[rows] < end)):
            saved = float(self.motion.samples.t[k])
            state = self._on_to(*self._state_at(begin, y, given, saved, self.attempts.count), saved)
            for name, values in self._parts(state).items():
                if name in self.rows:
                    self.rows[name][0, k] = values[0]

    def _on_to(self, t: float, y: Array, end: float) -> Array:
        """The state at a later time, by steps of the integrator; NaN if there are none."""
        integrator = self.motion.integrator
        integrator.restart()
        while t < end:
            step = integrator.step(t, y, end)
            if step is None:
                return np.full_like(y, np.nan)
            t, y = step.end, step.y_end
        return y

    def _keep(self, first: int, t: float, row: int, given: Arrays) -> None:
        """Keep the saved states before a time, with accelerations and friction."""
        samples, system = self.motion.samples, self.problem.system
        last = first + int(np.searchsorted(samples.t[first:row], t, side="left"))
        if last <= first:
            return
        own = {name: array[0, first:last] for name, array in self.rows.items()}
        if self._projects(given):
            own |= self._put_on_constraints(own["q"], own["qd"], given)
        samples.q[first:last], samples.qd[first:last] = own["q"], own["qd"]
        samples.work[first:last] = own["work"]
        if samples.bristles is not None:
            samples.bristles[first:last] = own[NAME]
        if ELEMENTS in own:
            samples.signals[ELEMENTS][first:last] = own[ELEMENTS]
        if system.has_states:
            z = samples.states(slice(first, last))
            samples.work[first:last] += system.energy_of_states(z, samples.q[first:last])
        if self.places:
            for name, links in (("theta", own["q"]), ("thetad", own["qd"])):
                rotors = links.copy()
                rotors[:, self.places] = own[name]
                samples.signals[name][first:last] = rotors
        acting = self._acting(samples.t[first:last], given)
        for array, force in zip(samples.forces, acting.values(), strict=True):
            array[first:last] = force
        samples.count = last
        self._keep_forces(slice(first, last), own, given | acting)

    def _acting(self, t: Array, given: Arrays) -> Arrays:
        """The forces at some times, (times, n) and (times, 6)."""
        names = [name for name in ("tau", "f_tip") if name in given]
        elapsed = t[:, None] - given["t_0"] if self.linear else 0.0
        return {name: given[name] + elapsed * given.get(f"{name}_rate", 0.0) for name in names}

    def _put_on_constraints(self, q: Array, qd: Array, given: Arrays) -> Arrays:
        """States between two steps, put onto the constraints or closed contacts."""
        held = given["held"]
        if self.contacts:
            q, qd = self.at_contacts.compile(put_on_constraints)(q, qd, held, given["closed"])
            return {"q": q, "qd": qd}
        if self.parts.correction == "velocities":
            return {"qd": self.bare.compile(velocities_within)(q, qd, held)}
        q, qd = self.bare.compile(put_on_constraints)(q, qd, held)
        return {"q": q, "qd": qd}

    def _keep_forces(self, rows: slice, own: Arrays, given: Arrays) -> None:
        """Accelerations, the forces of stops and the friction of some rows."""
        modes = self.modes
        names = [a.name for a in self.forces.function.arguments if a.name in own or a.name in given]
        forces = self.forces(**{name: own[name] if name in own else given[name] for name in names})
        friction, push = np.array(forces.friction), np.zeros((len(own["q"]), len(modes.barriers)))
        for place, (i, side, _) in self.stop_of.items():
            if modes.mode.held[place]:
                row = self.row_of_link.get(i)
                bounds = (0.0, 0.0) if row is None else (modes.dry.constant.least[row], modes.dry.constant.most[row])
                own_part = np.clip(0.5 * friction[:, i], *bounds)  # two forces hold the joint
                own_part = np.where(side * friction[:, i] > 0.0, own_part, friction[:, i])
                push[:, place] = side * (friction[:, i] - own_part)
                friction[:, i] = own_part
        if self.contacts:
            push[:, modes.barriers.stops :] = forces.push
        rotors = [forces.rotor_friction] if self.places else []
        self.motion.samples.keep_forces(rows, forces.qdd, push, np.concatenate([friction, *rotors], axis=-1))


def with_contacts(robot: Robot, planes: tuple[PointOnPlane, ...]) -> Robot:
    """A robot without constraints with contacts in their place, which it keeps for the next motion."""
    cache, name = vars(robot), f"_with_contacts_{planes!r}"
    if name not in cache:
        cache[name] = robot.with_constraints(*planes)
    robot_at_contacts: Robot = cache[name]
    return robot_at_contacts
