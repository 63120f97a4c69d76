"""The contact mode of one motion: barriers that are held closed, and joints with dry friction that stick or slip.

Events change it: a barrier is hit, a joint comes to rest, a held row is released because its force would leave its
bounds. The impacts of that time follow, then a boxed LCP that determines which rows at rest are held
(`armdyn.simulation.system.at_rest`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache, partial

import numpy as np

from armdyn.simulation.drivers.crossings import SLOW, Function, closes, falls, reverses
from armdyn.simulation.drivers.integrators import Step
from armdyn.simulation.drivers.located import At, Found, LocatedFunctions, found_in
from armdyn.simulation.drivers.state_in_motion import MOMENT, StateInMotion
from armdyn.simulation.elements.stops import TOUCHED
from armdyn.simulation.system.at_rest import Mode
from armdyn.simulation.system.bounded_rows import BoundedRows, Rates
from armdyn.simulation.system.friction_rows import slips
from armdyn.simulation.system.holding import Holding
from armdyn.spatial.rotations import Array

ROUNDING = 1e-12
"""A gap that is held closed and not wider than this, rad or m, is closed to rounding."""


class ContactModes(LocatedFunctions):
    """Barriers and joints that can stick, in one motion."""

    def __init__(self, motion: StateInMotion, rows: BoundedRows) -> None:
        self.motion, self.rows = motion, rows
        self.holds_on = False
        """True in a step that holds barriers whatever their forces."""
        self.barriers, self.dry = rows.barriers, rows.dry
        self.mode = Mode(np.zeros(len(rows.is_joint), dtype=bool), np.zeros(len(self.dry), dtype=int))

    # Equations of motion.

    @property
    def any_held(self) -> bool:
        """True if a barrier is held closed, or a joint sticks."""
        return bool(self.mode.held.any())

    @property
    def all_rest(self) -> bool:
        """True if joints that stick hold all coordinates."""
        if np.count_nonzero(self.mode.held) < self.motion.n:
            return False
        rows = self.dry.matrix[self.mode.held[len(self.barriers) :]]
        return bool(np.linalg.matrix_rank(rows) == self.motion.n)

    def rates(self, x: Array, v: Array, acting: tuple[Array, ...]) -> Rates:
        """Accelerations and the power of the forces in the present mode."""
        return self.rows.rates(x, v, acting, self.mode)

    def record(self, row: int, t: float, y: Array) -> None:
        """Store accelerations, the forces of barriers, and friction at a saved time."""
        motion, (x, v) = self.motion, self.motion.parts(y)
        rates = self.rows.rates(x, v, motion.forces_with_states(t, y), self.mode, shared=True)
        friction = rates.friction
        if motion.system.carries:
            friction = friction + motion.system.on_coordinates(motion.bristle_force(y))
        motion.samples.keep_forces(row, rates.qdd[: motion.system.dof], rates.push, friction)

    def _holding(self, t: float, y: Array) -> Holding:
        return self.rows.holding(*self.motion.parts(y), self.motion.forces_with_states(t, y), self.mode)

    # Located functions.

    def zeros(self, step: Step, times: Array, *, starts: bool) -> Iterator[Found]:
        """Barriers that are hit, held rows that are released, joints that come to rest."""
        yield from self.hits(step, times, starts)
        yield from self._leaves(step, times, starts)
        yield from self._rests(step, times)

    def hits(self, step: Step, times: Array, starts: bool, first: int = 0) -> Iterator[Found]:
        """Open barriers that are hit, from number ``first`` on."""
        for place in (first + np.flatnonzero(~self.mode.held[first : len(self.barriers)])).tolist():
            gap, speed = partial(self._gap, place), partial(self._speed, place)
            yield from found_in(step, "hit", place, gap, closes, times, rate=speed, starts=starts)

    def _leaves(self, step: Step, times: Array, starts: bool) -> Iterator[Found]:
        """A barrier would have to pull, or a joint to have more friction than it has."""
        if self.mode.held.any() and not self.holds_on:
            few = times[:: len(times) // 2]
            if self.motion.at_once > 1:  # newly held rows have a force of rounding only
                few = np.append(min(few[0] + MOMENT * self.motion.duration, few[1]), few[1:])
            yield from found_in(step, "leave", 0, self._reserve, falls, few, starts=starts)

    def _rests(self, step: Step, times: Array) -> Iterator[Found]:
        rates = cache(lambda at: cache(lambda t: self.motion.rates(t, at(t))))  # all joints look at the same ones
        for place in np.flatnonzero(self.mode.slip).tolist():
            speed, rate = partial(self._slip_speed, place), partial(self._slip_rate, place, rates)
            yield from found_in(step, "rest", place, speed, reverses, times, rate=rate)

    def _gap(self, place: int, at: At) -> Function:
        n = self.motion.n
        return lambda t: float(self.barriers.gaps(at(t)[:n])[place])

    def _speed(self, place: int, at: At) -> Function:
        def speed(t: float) -> float:
            x, v = self.motion.parts(at(t))
            return float(self.barriers.rows(x)[place] @ v)

        return speed

    def _slip_speed(self, place: int, at: At) -> Function:
        row, n = self.mode.slip[place] * self.dry.matrix[place], self.motion.n
        return lambda t: float(row @ at(t)[n : 2 * n])

    def _slip_rate(self, place: int, rates: Callable[[At], At], at: At) -> Function:
        return self._slip_speed(place, rates(at))

    def _reserve(self, at: At) -> Function:
        return lambda t: self._holding(t, at(t)).nearest.distance

    # Changes of the mode.

    def begun(self, t: float, y: Array) -> Array:
        """The first state: joints that move slip."""
        return self.settled(t, y, slip=slips(self.dry.matrix @ self.motion.parts(y)[1]), quiet=True)

    def after_jump(self, t: float, y: Array) -> Array:
        """The state after a jump of the forces; the same array if that changes nothing."""
        changes = len(self.barriers) > 0 or (self.any_held and self._holding(t, y).nearest.distance < 0)
        return self.settled(t, y) if changes else y

    def changed(self, t: float, y: Array, event: Found) -> Array:
        """The state after a hit, the stop of a joint, or the release of a held row."""
        if event.kind == "leave":  # from rest: rounding must not make it a hit
            y = self.corrected(y, after_step=True)
            return self.settled(t, y, leaves=self._leaving(t, y))
        x, v = self.motion.parts(y)
        closed = self.mode.held & self.rows.is_joint
        closed[event.place + (len(self.barriers) if event.kind == "rest" else 0)] = True
        x, v_at_rest = self.rows.closed(x, v, closed)
        if event.kind == "hit":
            return self.settled(t, self.motion.moved_to(y, x, v), soon=self.motion.at_once > 1)
        slip = np.where(np.abs(self.dry.matrix @ v_at_rest) <= SLOW, 0, self.mode.slip)
        return self.settled(t, self._moved(y, x, v_at_rest), slip=slip, rest=True)

    def held_on(self, y: Array, place: int) -> Array:
        """The state at rest on a barrier that is held until the next step ends, whatever its force."""
        rows = self.mode.held.copy()
        rows[place] = self.holds_on = True
        self.mode = Mode(rows, self.mode.slip)
        return self._moved(y, *self.rows.closed(*self.motion.parts(y), rows))

    def with_other_friction(self, t: float, y: Array, rows: BoundedRows, name: str, kind: str) -> Array:
        """The state after a change of the joints that have friction, an event of a name and a kind."""
        barriers, stuck = len(self.barriers), self.mode.held
        before = {name for name, held in zip(self.dry.names, stuck[barriers:], strict=True) if held}
        rows.touches = self.rows.touches
        self.rows, self.dry = rows, rows.dry
        slip = slips(self.dry.matrix @ self.motion.parts(y)[1])
        sticking = np.array([name in before for name in self.dry.names], dtype=bool)
        self.mode = Mode(np.concatenate([stuck[:barriers], sticking]), slip)
        self.motion.note(t, name, kind, y)
        return self.settled(t, y, slip=slip)

    def _leaving(self, t: float, y: Array) -> Array:
        """The rows that are left, as of `Face`.

        Friction that depends on the load may be none at this time, both of its bounds zero: which of them is left is
        seen a moment later, by the forces and the state of then.
        """
        later = self.motion.a_moment_after(t)
        nearest = self._holding(t, y).nearest
        if nearest.distance < 0 or not self.rows.robot.mechanism.drive.depends_on_load:
            return nearest.leaves
        soon = self._holding(later, y + (later - t) * self.motion.rates(t, y)).nearest
        return soon.leaves if soon.distance < 0 else nearest.leaves

    def settled(
        self,
        t: float,
        y: Array,
        leaves: Array | None = None,
        slip: Array | None = None,
        *,
        quiet: bool = False,
        soon: bool = False,
        rest: bool = False,
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
            rest: true if a joint has come to rest: a barrier is touched if it is closed to rounding, not at the top of
                a low rebound.
        """
        motion, (x, v) = self.motion, self.motion.parts(y)
        slip, barriers = self.mode.slip if slip is None else slip, len(self.barriers)
        near, open_from = (ROUNDING, 0.0) if rest else (TOUCHED, ROUNDING)
        touched = self.barriers.gaps(x) < near
        speed = self.barriers.rows(x) @ v
        hit = touched & (speed < -SLOW)
        if hit.any():
            after, took = self.rows.after_impact(x, v, touched)
            y = motion.moved_to(y, x, after, -took)
            for k, place in enumerate(np.flatnonzero(hit)):
                motion.note(t, self.barriers.names[place], "impact", y, took if k == 0 else 0.0)
            x, v = motion.parts(y)
            speed = self.barriers.rows(x) @ v
            slip = slips(self.dry.matrix @ v)
        touched &= np.abs(speed) < self.barriers.resting_speed
        if leaves is not None:
            releases = np.zeros(len(self.mode.held), dtype=int)
            releases[self.mode.held] = leaves
            touched, slip = touched & (releases[:barriers] == 0), slip + releases[barriers:]
        before, resting = self.mode, np.concatenate([touched, slip == 0])
        later = motion.a_moment_after(t) if soon else t
        soon_after = y + (later - t) * motion.rates(t, y) if soon else y
        acting = motion.forces_with_states(later, soon_after)
        self.mode = self.rows.decided(*motion.parts(soon_after), acting, resting, slip)
        open_yet = self.mode.held & np.append(self.barriers.gaps(x) > open_from, np.zeros(len(self.dry), dtype=bool))
        if open_yet.any():  # joints that are a little before a stop, which is then closed
            y = motion.moved_to(y, self.rows.closed(x, v, open_yet)[0], v)
            x, v = motion.parts(y)
        if (np.abs(self.rows.rows(x) @ v)[self.mode.held] > 0).any():
            y = self._moved(y, *self.rows.closed(x, v, self.mode.held))
        self._note_changes(t, y, before, quiet=quiet)
        return y

    def _moved(self, y: Array, x: Array, v: Array) -> Array:
        """The state with x and v put right, the kinetic energy that takes being counted as work."""
        kinetic = self.rows.kinetic_energy
        return self.motion.moved_to(y, x, v, kinetic(x, v) - kinetic(x, self.motion.parts(y)[1]))

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
                self.motion.note(t, names[place], kind, y)

    def corrected(self, y: Array, *, after_step: bool, since: Array | None = None) -> Array:
        """The state corrected onto the held rows, after a step, which began at positions ``since``, or between two."""
        (x, v), held, corrector = self.motion.parts(y), self.mode.held, self.motion.corrector
        if corrector is not None:
            before, at_rest = x, held[len(self.barriers) :]
            rows = self.dry.matrix[at_rest]
            x, v = corrector.after_step(x, v, rows, since=since) if after_step else corrector.onto(x, v, rows)
            stand = self.dry.coordinates(at_rest)  # to the last digit
            x[stand] = before[stand]
        if held.any():
            x, v = self.rows.closed(x, v, held)
        return self.motion.moved_to(y, x, v)

    def standing(self, since: Array, x: Array, v: Array) -> tuple[Array, Array]:
        """The state after a step by momenta, whose error moves joints at rest: they stand as when it began."""
        at_rest = self.mode.held & self.rows.is_joint
        return self.rows.closed(x, v, at_rest, since) if at_rest.any() else (x, v)

    def refuse_start(self, x: Array) -> None:
        """Refuse positions beyond a barrier."""
        self.barriers.require_free(x)
