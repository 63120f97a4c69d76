"""Steps in which joints come to rest or begin to slip, for many states at once, each divided at its own times."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from armdyn.model.friction import TINY
from armdyn.robot import Robot
from armdyn.simulation.drivers.crossings import POINTS, SLOW, slips
from armdyn.simulation.drivers.many_zeros import zeros_between
from armdyn.simulation.elements.dry_joints import DryJoints
from armdyn.simulation.system.bounded import SLACK
from armdyn.simulation.system.bounded_many import sticks_or_slips
from armdyn.simulation.system.pushing import Pushing
from armdyn.simulation.system.pushing_under_load import PushingUnderLoad
from armdyn.simulation.system.sticking import let_go
from armdyn.simulation.system.under_load import breakaway_of_available
from armdyn.simulation.unfinished import SimulationError
from armdyn.spatial.rotations import Array

MOST_EVENTS = 12
"""Steps in which more happens are left to `armdyn.simulation.drivers.event_driven`, state by state."""

Acting = tuple[Array, ...]


class States(NamedTuple):
    """States (q, qd, W), modes of joints, and the time since the begin of the step; (states, n) or (states,)."""

    q: Array
    qd: Array
    work: Array
    slip: Array
    elapsed: Array

    def of(self, which: Array) -> States:
        """Some of them."""
        return States(*(array[which] for array in self))

    def put(self, which: Array, others: States) -> None:
        """Write some of them."""
        for array, values in zip(self, others, strict=True):
            array[which] = values


class Change(NamedTuple):
    """Directions of slip of a state before and after an event, at a time since the beginning of the step."""

    place: int
    elapsed: float
    q: Array
    qd: Array
    before: Array
    after: Array


@dataclass(frozen=True)
class Bounds:
    """The friction of each coordinate at rest, and that with which it begins to slip, (n,); 0 of those without any."""

    dry: Array
    least: Array
    most: Array
    least_sliding: Array
    most_sliding: Array

    @classmethod
    def of(cls, joints: DryJoints, dof: int) -> Bounds:
        """The bounds of joints each of which one coordinate moves."""
        which = joints.moved_by
        dry = np.zeros(dof, dtype=bool)
        dry[which] = True
        arrays = []
        for values in (joints.least, joints.most, joints.least_sliding, joints.most_sliding):
            arrays.append(np.zeros(dof))
            arrays[-1][which] = values
        return cls(dry, *arrays)

    @property
    def of_holding(self) -> tuple[Array, Array, Array, Array]:
        """Bounds of the forces that hold a joint, which are the opposite of its friction."""
        return -self.most, -self.least, -self.most_sliding, -self.least_sliding

    def margins(self, friction: Array, slip: Array) -> Array:
        """Margin of the friction of sticking joints to its bounds, over their width; 1 for others."""
        width = np.where(self.dry, np.maximum(self.most - self.least, TINY), 1.0)
        margins = np.minimum(friction - self.least, self.most - friction) / width + SLACK
        return np.where(self.dry & (slip == 0.0), margins, 1.0)


class _Looked(NamedTuple):
    """The state at some times, with margins of sticking joints and speeds of slipping joints there, (..., 2 n)."""

    state: tuple[Array, Array, Array]
    watched: Array
    rates: Array
    friction: Array


class DryEvents:
    """Events of dry friction within steps of a method: joints that stick, slip and turn.

    Args:
        robot: the robot that moves.
        part: a step of any length in which each joint keeps its mode, e.g. `part_of_step` of a method, compiled.
        bounds: of friction.
    """

    def __init__(self, robot: Robot, part: Callable[..., Any], bounds: Bounds) -> None:
        self.bounds, self._part = bounds, part
        self._let_go: Callable[..., Any] = robot.compile(let_go)

    def begun(self, states: States, acting: Acting) -> Array:
        """Initialise modes: joints that move slip, those that rest stick or slip; returns success per state."""
        states.slip[:] = np.where(self.bounds.dry, slips(states.qd), 0.0)
        found = self._decided(states, acting)
        states.qd[self.bounds.dry & (states.slip == 0.0)] = 0.0
        return found

    def through(self, states: States, h: Array, acting: Acting, jump: bool) -> tuple[Array, Array, list[Change]]:
        """Advance states by a step each.

        Args:
            states: at the begin of the step; states with unusual events are left in the middle of the step.
            h: the lengths of the steps, s.
            acting: forces.
            jump: true if forces may jump at the begin of the step.

        Returns:
            Modes of the joints after the events at the begin of the step, (states, n), success per state, and the
            changes.
        """
        fine, changes = np.ones(len(h), dtype=bool), list[Change]()
        if jump:
            changes += self.after_jump(states, acting, fine)
        at_begin = states.slip.copy()
        for _ in range(MOST_EVENTS):
            on = np.flatnonzero(fine & (states.elapsed < h))
            if not len(on):
                break
            some, own = states.of(on), tuple(array[on] for array in acting)
            found, happened, well = self.until_event(some, h[on], own)
            changes += [change._replace(place=int(on[change.place])) for change in found]
            states.put(on, some)
            fine[on] = well
            begin = on[happened & (some.elapsed == 0.0)]
            at_begin[begin] = states.slip[begin]
        return at_begin, fine & (states.elapsed >= h), changes

    def after_jump(self, states: States, acting: Acting, fine: Array) -> list[Change]:
        """Let joints go that friction cannot hold under new forces; ``fine`` becomes false of undecided states."""
        lost = (self._look(states, states.elapsed, acting).watched < 0.0)[:, : len(self.bounds.dry)].any(axis=-1)
        which = np.flatnonzero(lost)
        return self._settled(states, which, acting, fine) if len(which) else []

    def _bounds_under(self, acting: Acting) -> Bounds:
        """The bounds of friction under these forces."""
        return self.bounds

    def _look(self, states: States, h: Array, acting: Acting) -> _Looked:
        """The state and the watched functions a time h later."""
        *state, qdd, friction = self._part(states.q, states.qd, states.work, states.slip, h, *acting)
        margins = self._bounds_under(acting).margins(friction, states.slip)
        slips = self.bounds.dry & (states.slip != 0.0)
        speeds = np.where(slips, states.slip * state[1], 1.0)
        return _Looked(
            tuple(state),
            np.concatenate([margins, speeds], axis=-1),
            np.where(slips, states.slip * qdd, 0.0),
            friction,
        )

    def until_event(self, states: States, h: Array, acting: Acting) -> tuple[list[Change], Array, Array]:
        """Go on to the first event of each state, or to the end of the step.

        Returns:
            The changes, and two masks: the states with an event, and those whose event was decided.
        """
        n, left = len(self.bounds.dry), h - states.elapsed
        times = np.linspace(0.0, 1.0, POINTS)[:, None] * left
        seen = self._look(states, times, acting)
        happens, at_once, crossing, interval, well = _first_crossings(seen, times, n)
        after = np.where(at_once, 0.0, left)
        which = np.flatnonzero(happens & ~at_once & well)
        if len(which):
            after[which] = self._zeros(states, which, acting, times, seen.watched, crossing, interval)
        own = self._look(states, after, acting)
        for array, values in zip(states, own.state, strict=False):
            array[:] = values
        states.elapsed[:] = np.where(happens, states.elapsed + after, h)
        well &= np.isfinite(states.q).all(axis=-1) & np.isfinite(states.qd).all(axis=-1)
        which = np.flatnonzero(happens & well)
        if not len(which):
            return [], happens, well
        before = states.slip[which].copy()
        crossing = np.where(at_once[:, None], seen.watched[0] < 0.0, crossing)
        self._enter(states, which, own, crossing, self._bounds_under(acting))
        return self._settled(states, which, tuple(acting), well, before), happens, well

    def _zeros(
        self,
        states: States,
        which: Array,
        acting: Acting,
        times: Array,
        watched: Array,
        crossing: Array,
        interval: Array,
    ) -> Array:
        """The times of the first zero crossing in an interval of each state."""
        some, own, counted = states.of(which), tuple(array[which] for array in acting), crossing[which]

        def first(values: Array) -> Array:
            least: Array = np.where(counted, values, np.inf).min(axis=-1)
            return least

        def at(t: Array) -> Array:
            return first(self._look(some, t, own).watched)

        k = interval[which]
        ends = [(times[at_k, which], first(watched[at_k, which])) for at_k in (k, k + 1)]
        (a, f_a), (b, f_b) = ends
        return zeros_between(at, a, b, f_a, f_b)

    def _enter(self, states: States, which: Array, own: _Looked, crossing: Array, bounds: Bounds) -> None:
        """Bring joints to rest that have stopped, and release the first whose friction is at its bound."""
        values = np.where(crossing[which], own.watched[which], np.inf)
        place, n = np.argmin(values, axis=-1), len(bounds.dry)
        least, most = (np.broadcast_to(bound, states.q.shape) for bound in (bounds.least, bounds.most))
        for k, c in zip(which, place, strict=True):
            if c < n:
                f = own.friction[k, c]
                states.slip[k, c] = 1.0 if most[k, c] - f < f - least[k, c] else -1.0
            else:
                states.slip[k, c - n] = states.qd[k, c - n] = 0.0

    def _settled(
        self, states: States, which: Array, acting: Acting, well: Array, before: Array | None = None
    ) -> list[Change]:
        """Determine the modes of the joints at rest of some states; returns the changes."""
        some, own = states.of(which), tuple(array[which] for array in acting)
        before = some.slip.copy() if before is None else before
        creeps = self.bounds.dry & (some.slip != 0.0) & (np.abs(some.qd) <= SLOW) & (some.qd != 0.0)
        well[which] = self._decided(some, own) & ~creeps.any(axis=-1)
        states.put(which, some)
        rows = zip(which.tolist(), some.elapsed.tolist(), some.q, some.qd, before, some.slip.copy(), strict=True)
        return [Change(*row) for row in rows if well[row[0]]]

    def _decided(self, states: States, acting: Acting) -> Array:
        """Let joints that rest stick or slip; returns success per state."""
        rests = self.bounds.dry & (states.slip == 0.0)
        b, inverse = self._let_go(states.q, states.qd, states.slip, *acting)
        kinds = sticks_or_slips(inverse, b, states.slip, rests, self.bounds.of_holding)
        states.slip[:] = kinds.slip
        return kinds.found


def events_of(pushing: Pushing, part: Callable[..., Any], bounds: Bounds) -> DryEvents:
    """The events of an arm, of friction that depends on its load too."""
    if isinstance(pushing, PushingUnderLoad):
        return EventsUnderLoad(pushing, part, bounds)
    return DryEvents(pushing.robot, part, bounds)


class EventsUnderLoad(DryEvents):
    """Events of dry friction that depends on the load: its bounds follow from the joint forces.

    The sticking joints are determined state by state.

    Args:
        pushing: the equations of motion.
        part: as of `DryEvents`.
        bounds: of the friction that does not depend on the load.
    """

    def __init__(self, pushing: PushingUnderLoad, part: Callable[..., Any], bounds: Bounds) -> None:
        super().__init__(pushing.robot, part, bounds)
        self._pushing, self._breakaway = pushing, pushing.robot.compile(breakaway_of_available)

    def _bounds_under(self, acting: Acting) -> Bounds:
        """The bounds of friction under these joint forces, (states, n)."""
        own, tau = self.bounds, acting[0]
        least, most, _, _ = self._breakaway(tau - own.least, tau - own.most)
        return replace(
            own, least=np.where(own.dry, own.least + least, 0.0), most=np.where(own.dry, own.most + most, 0.0)
        )

    def _decided(self, states: States, acting: Acting) -> Array:
        """Let joints that rest stick or slip; returns success per state."""
        places, found = self._pushing.dry.moved_by, np.ones(len(states.q), dtype=bool)
        for k in range(len(found)):
            slip = states.slip[k, places].astype(int)
            try:
                forces = tuple(array[k] for array in acting)
                mode = self._pushing.decided(states.q[k], states.qd[k], forces, slip == 0, slip)
            except SimulationError:
                found[k] = False
            else:
                states.slip[k, places] = mode.slip
        return found


class _First(NamedTuple):
    """The first event of each state, see `_first_crossings`."""

    happens: Array
    at_once: Array
    crossing: Array
    interval: Array
    usual: Array


def _first_crossings(seen: _Looked, times: Array, n: int) -> _First:
    """The first event of each state: its existence, true if at once, its function, its interval, and true if usual.

    A joint that reverses between two of the times, or starts from rest against its direction, is unusual: the signs at
    these times alone do not determine if it came to rest.
    """
    watched, (before, behind) = seen.watched, (seen.watched[:-1], seen.watched[1:])
    margin = np.arange(watched.shape[-1]) < n
    falls = (before > 0.0) & np.where(margin, behind < 0.0, behind <= 0.0)
    at_once = np.any(watched[0, :, :n] < 0.0, axis=-1)
    happens = at_once | np.any(falls, axis=(0, -1))
    interval = np.argmax(np.any(falls, axis=-1), axis=0)
    crossing = falls[interval, np.arange(len(interval))]
    return _First(*map(np.asarray, (happens, at_once, crossing, interval, _usual(seen, times, n))))


def _usual(seen: _Looked, times: Array, n: int) -> Array:
    """True if the signs of the speeds at these times determine the joints that have come to rest."""
    speeds, a, b = seen.watched[..., n:], seen.rates[:-1], seen.rates[1:]
    lowest = speeds[:-1] + a * np.diff(times, axis=0)[..., None]
    dips = (a < 0.0) & (b > 0.0) & (speeds[1:] > 0.0) & (lowest < 0.0)
    back = (speeds[0] <= SLOW) & (speeds[1] < 0.0)
    finite = np.all(np.isfinite(seen.watched), axis=(0, -1))
    return np.asarray(finite & ~np.any(dips, axis=(0, -1)) & ~np.any(back, axis=-1))
