"""Steps of one length of joints that stick and slip, in one compiled loop for all states, between events.

The loop runs a part of the motion for all states at once. A state whose joints may change their modes within a step
stays before it. `DryEvents` makes that step, for all those states at once; unusual steps are made by
`armdyn.simulation.drivers.event_driven`, state by state, with equal results. Then the loop goes on with
those states.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from armdyn.functions import CompiledRollout
from armdyn.simulation.drivers.dry_events import Acting, Bounds, Change, States, events_of
from armdyn.simulation.drivers.room import Room
from armdyn.simulation.drivers.state_in_motion import StateInMotion
from armdyn.simulation.elements.contact_modes import ContactModes
from armdyn.simulation.elements.dry_joints import DryJoints, rub_without_load
from armdyn.simulation.elements.stops import Barriers
from armdyn.simulation.forces import Forces, Index, Table
from armdyn.simulation.progress import Report
from armdyn.simulation.results.motion_data import Occurrence
from armdyn.simulation.results.samples import Samples
from armdyn.simulation.system.problem import Problem
from armdyn.simulation.system.pushing import Mode, Pushing
from armdyn.simulation.system.pushing_under_load import pushing_of
from armdyn.simulation.system.sticking import part_of_step, step_of_loop, sticking_motion
from armdyn.simulation.unfinished import SimulationError
from armdyn.spatial.rotations import Array

RECORDED = ("q", "qd", "work", "slip")

MOST_STEPS, LEAST_STEPS, STATES_AND_STEPS = 512, 32, 16384
"""Steps of a part of the motion, which are made in vain by a state that waits for its event, and times the states."""


def has_loop(problem: Problem, joints: DryJoints) -> bool:
    """True if each joint with dry friction is moved by one coordinate, without constraints, by forces known before.

    Each of them must have friction without load too: else its bounds may close, which
    `armdyn.simulation.drivers.event_driven` handles.
    """
    system, fixed = problem.system, problem.grid is not None
    plain = fixed and not (system.places or system.carries or system.robot.model.constraints)
    loaded = plain and rub_without_load(system.robot.mechanism.drive)
    return loaded and problem.forces.are_known and bool((joints.moved_by >= 0).all())


@dataclass(frozen=True)
class _Given:
    """The forces with the axes of the batch as one, by name, and which of them are tables over time."""

    arrays: dict[str, Array]
    over_time: frozenset[str]

    @classmethod
    def of(cls, forces: Forces) -> _Given:
        given = {name: one for name, one in (("tau", forces.torque), ("f_tip", forces.f_tip)) if one is not None}
        over_time = frozenset(name for name, one in given.items() if isinstance(one, Table))
        arrays = {name: one.values if isinstance(one, Table) else one.value for name, one in given.items()}  # type: ignore[attr-defined]
        shapes = {name: array.shape[: name in over_time] for name, array in arrays.items()}
        return cls({n: a.reshape(*shapes[n], -1, a.shape[-1]) for n, a in arrays.items()}, over_time)

    def during(self, steps: slice, which: Array) -> dict[str, Array]:
        """The arrays of a compiled loop for these steps of some states."""
        return {name: a[steps, which] if name in self.over_time else a[which] for name, a in self.arrays.items()}

    def at(self, steps: Array, which: Array) -> Acting:
        """The values in a step of each of some states; or in steps (T, 1) of states (S,)."""
        return tuple(
            a[np.minimum(steps, len(a) - 1), which] if name in self.over_time else a[which]
            for name, a in self.arrays.items()
        )


def integrate(problem: Problem, report: Report, joints: DryJoints) -> None:
    """Advance over the grid, and keep the state after each of the ``saved`` steps."""
    robot = problem.robot
    motion = _Motions(pushing_of(robot, Barriers(robot, None, []), joints, problem.redundant), problem)
    try:
        motion.run(report)
    finally:
        motion.keep_events(problem.batch)
    if len(motion.failures) == len(motion.states.q):
        motion.keep_last()
        raise motion.failures[min(motion.failures)]


class _Motions:
    """All states on their way, with one axis for the batch."""

    def __init__(self, pushing: Pushing, problem: Problem) -> None:
        self.problem, robot, joints, (q, qd) = problem, pushing.robot, pushing.dry, problem.start
        method, forces, grid, samples = problem.method, problem.forces, problem.grid, problem.samples
        self.pushing, self.method, self.forces, self.grid, self.saved = pushing, method, forces, grid, problem.saved
        self.samples, self.batch, n = samples, q.shape[:-1], robot.dof
        q, qd = (np.array(np.broadcast_to(a, q.shape)).reshape(-1, n) for a in (q, qd))
        self.states = States(q, qd, np.zeros(len(q)), np.zeros(q.shape), np.zeros(len(q)))
        self.count, self.lost = np.zeros(len(q), dtype=int), np.full(len(q), grid.steps + 1)
        self.failures: dict[int, SimulationError] = {}
        self.changes: list[tuple[float, str, str, Array, Array, int]] = []
        self.given = _Given.of(forces)
        bounds = Bounds.of(joints, n)
        self.bounds, self.names = bounds, dict(zip(joints.moved_by.tolist(), joints.names, strict=True))
        self.events = events_of(pushing, robot.compile(part_of_step(method)), bounds)
        over_time = ["number", *self.given.over_time]
        self.loop = CompiledRollout(robot, step_of_loop(method), over_time=over_time, record=RECORDED)
        self.loop.warns = False  # a simulation has words of its own
        self.motion = robot.compile(sticking_motion)
        self.qdd, self.friction = np.full(samples.q.shape, np.nan), np.full(samples.q.shape, np.nan)
        samples.qdd, samples.signals = self.qdd, {"friction": self.friction}
        self.alone: dict[int, tuple[StateInMotion, ContactModes]] = {}

    # From begin to end.

    def run(self, report: Report) -> None:
        """Integrate from 0 to the end."""
        grid, states = self.grid, len(self.count)
        full = grid.steps if grid.last_step == grid.step else grid.steps - 1
        at_once = int(np.clip(STATES_AND_STEPS // states, LEAST_STEPS, MOST_STEPS)) if states else MOST_STEPS
        self._begin()
        first = 0
        while first < grid.steps and (self.lost > grid.steps).any():
            last = min(first + at_once, full) if first < full else grid.steps
            self._advance(first, last, grid.last_step if last > full else grid.step)
            first = last
            report(first / grid.steps)
        if (self.lost > grid.steps).any():
            kept = [array[None] for array in self.states[:4]]
            self._keep(np.array([grid.steps]), dict(zip(RECORDED, kept, strict=True)))

    def _begin(self) -> None:
        """Let moving joints slip, and resting joints stick or slip; states that are not finite count as diverged."""
        every = np.arange(len(self.count))
        finite = np.isfinite(self.states.q).all(axis=-1) & np.isfinite(self.states.qd).all(axis=-1)
        which = every[finite]
        some = self.states.of(which)
        found = self.events.begun(some, self.given.at(np.zeros(len(which), dtype=int), which))
        self.states.put(which, some)
        for k in [*every[~finite], *which[~found]]:
            self._alone(int(k), -1)

    def _advance(self, first: int, last: int, h: float) -> None:
        """All states from one step to another."""
        n, shape = self.states.q.shape[-1], (last - first, len(self.count))
        rows = {name: np.full((*shape, n) if name != "work" else shape, np.nan) for name in RECORDED}
        which = np.flatnonzero(self.lost > self.grid.steps)
        while len(which):
            self._run_loop(which, first, last, h, rows)
            which = which[self.count[which] < last]
            if len(which):
                self._through_events(which, h, first, rows)
                which = which[(self.lost[which] > self.grid.steps) & (self.count[which] < last)]
        self._keep(np.arange(first, last), rows)

    def _run_loop(self, which: Array, first: int, last: int, h: float, rows: dict[str, Array]) -> None:
        """Steps of some states without events."""
        count = self.count[which]
        numbers = np.arange(int(count.min()), last)
        given: dict[str, Any] = dict(zip(RECORDED, (array[which] for array in self.states[:4]), strict=True))
        given |= {"least": self.bounds.least, "most": self.bounds.most, "h": h}
        given |= {"count": count.astype(float), "number": numbers.astype(float)}
        given |= self.given.during(slice(numbers[0], last), which)
        rolled = self.loop(**given, steps=len(numbers))
        for name, array in zip(RECORDED, self.states[:4], strict=True):
            array[which] = getattr(rolled.final, name)
        self.count[which] = rolled.final.count.astype(int)
        self.samples.effort.steps += int((self.count[which] - count).sum())
        own = numbers[:, None] >= count
        for name, array in rows.items():
            found = getattr(rolled.rows, name)
            there = own[..., None] if found.ndim > own.ndim else own
            array[numbers[0] - first :, which] = np.where(there, found, array[numbers[0] - first :, which])

    # Steps with events.

    def _through_events(self, which: Array, h: float, first: int, rows: dict[str, Array]) -> None:
        """The next step of each of some states."""
        steps, some = self.count[which], self.states.of(which)
        some.elapsed[:] = 0.0
        acting = self.given.at(steps, which)
        jump = self.forces.jump
        at_begin, fine, changes = self.events.through(some, np.full(len(which), h), acting, jump)
        done = which[fine]
        self.states.put(done, some.of(fine))
        for change in changes:
            if fine[change.place]:
                self._note(change, int(which[change.place]), float(steps[change.place]) * self.grid.step)
        for k, step, slip in zip(which, steps, at_begin, strict=True):
            rows["slip"][step - first, k] = slip
        self.count[done] += 1
        self.samples.effort.steps += len(done)
        for k, step in zip(which[~fine].tolist(), steps[~fine].tolist(), strict=True):
            begin = self._alone(k, step)
            if begin is not None:
                rows["slip"][step - first, k] = begin

    def _note(self, change: Change, k: int, begin: float) -> None:
        """Note which joints stick, slip, or turn round."""
        for c in np.flatnonzero(change.before != change.after).tolist():
            kind = "stick" if change.after[c] == 0 else "slip" if change.before[c] == 0 else "reversal"
            self.changes.append((begin + change.elapsed, self.names[c], kind, change.q, change.qd, k))

    def _alone(self, k: int, step: int) -> Array | None:
        """One state in a step from event to event, or its begin if the step is -1; slip there."""
        if k not in self.alone:
            self.alone[k] = self._motion_of(k)
        (motion, modes), states = self.alone[k], self.states
        motion.occurred.clear()
        try:
            if step < 0:
                y = motion.begin(states.q[k], states.qd[k])
                begin = modes.mode
            else:
                y = np.array([*states.q[k], *states.qd[k], states.work[k]])
                modes.mode = self._mode(states.slip[k])
                y, begin = motion.one_hold(step, y)
                self.count[k] += 1
        except SimulationError as error:
            self.lost[k], self.failures[k] = step, error
            return None
        finally:
            self.changes += [(*each[:5], k) for each in motion.occurred]
        n = states.q.shape[-1]
        states.q[k], states.qd[k], states.work[k], states.slip[k] = y[:n], y[n:-1], y[-1], self._slip(modes.mode)
        return self._slip(begin)

    def _motion_of(self, k: int) -> tuple[StateInMotion, ContactModes]:
        index: Index = np.unravel_index(k, self.batch) if self.batch else ()  # type: ignore[assignment]
        nothing = Samples.empty(np.zeros(1), (), self.states.q.shape[-1], with_f_tip=self.forces.f_tip is not None)
        nothing.effort, nothing.count = self.samples.effort, 1
        room = Room.of(nothing, 0, self.states.q.shape[-1])
        motion = StateInMotion(self.problem, self.forces.of(index), nothing)
        modes = ContactModes(motion, self.pushing, room)
        motion.add_modes(modes)
        return motion, modes

    def _mode(self, slip: Array) -> Mode:
        own = slip[self.pushing.dry.moved_by].astype(int)
        return Mode(own == 0, own)

    def _slip(self, mode: Mode) -> Array:
        slip = np.zeros(self.states.q.shape[-1])
        slip[self.pushing.dry.moved_by] = mode.slip
        return slip

    # What is kept.

    def _keep(self, numbers: Array, rows: dict[str, Array]) -> None:
        """Fill the samples that belong to some steps, and the quantities that follow from them."""
        samples = self.samples
        own = (self.saved >= numbers[0]) & (self.saved <= numbers[-1])
        if not own.any():
            return
        steps = self.saved[own]
        kept = {name: array[steps - numbers[0]] for name, array in rows.items()}
        gone = steps[:, None] > self.lost
        for array in kept.values():
            array[gone] = np.nan
        which = np.broadcast_to(np.arange(len(self.count)), gone.shape)
        acting = self.given.at(np.broadcast_to(steps[:, None], gone.shape), which)
        self._fill(own, kept, tuple(np.where(gone[..., None], np.nan, one) for one in acting))
        samples.count = int(np.count_nonzero(self.saved <= min(numbers[-1], self.lost.max())))
        each = self.method.scheme.evaluations + 1  # friction at the end of a step
        samples.effort.evaluations = samples.effort.steps * each

    def _fill(self, own: Any, kept: dict[str, Array], acting: Acting) -> None:
        """Fill rows of the samples with states and forces, and with the quantities that follow from them."""
        samples = self.samples
        found = self.motion(kept["q"], kept["qd"], kept["slip"], *acting)
        places = (samples.q, samples.qd, samples.work, self.qdd, self.friction, *samples.forces)
        values = (kept["q"], kept["qd"], kept["work"], found[0], found[2], *acting)
        for array, new in zip(places, values, strict=True):
            array[own] = new.reshape(-1, *array.shape[1:])

    def keep_last(self) -> None:
        """Keep the state from which a motion that is alone cannot be continued."""
        step = int(self.lost[0])
        if step < 0 or self.batch or not self.samples.make_last_row(step * self.grid.step):
            return
        kept = dict(zip(RECORDED, self.states[:4], strict=True))
        self._fill(
            slice(self.samples.count, self.samples.count + 1), kept, self.given.at(np.array([step]), np.array([0]))
        )
        self.samples.count += 1

    def keep_events(self, batch: tuple[int, ...]) -> None:
        """All events in the order of time."""
        occurred = [
            Occurrence(t, name, kind, q, qd, 0.0, tuple(map(int, np.unravel_index(k, batch))) if batch else ())
            for t, name, kind, q, qd, k in self.changes
        ]
        self.samples.events = sorted(occurred, key=lambda one: one.t)
