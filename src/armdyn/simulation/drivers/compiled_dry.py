"""Adaptive motions of joints that stick and slip in compiled loops, from event to event, all states side by side.

The loop makes steps of a state until the friction of a sticking joint exceeds its bounds, or a slipping joint stops: it
locates that time to rounding. Then the joints at rest stick or slip anew, for all those states at once
(`armdyn.simulation.drivers.dry_modes`). A step in which the loop cannot decide that, or after which modes are not
found, is made by `armdyn.simulation.drivers.state_in_motion`.
"""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from armdyn.base.progress import Report
from armdyn.constraints.arguments import Redundant
from armdyn.functions.integrations import Arrays, CompiledIntegration
from armdyn.motion.motion_data import Occurrence
from armdyn.program import EmbeddedPair
from armdyn.robot import Robot
from armdyn.simulation.drivers.compiled_adaptive import Run, are_known, formula_of
from armdyn.simulation.drivers.dry_modes import Acting, Bounds, DryModes, States
from armdyn.simulation.drivers.known_rates import Kind
from armdyn.simulation.drivers.room import Room
from armdyn.simulation.drivers.segment_rates import segment_rates
from armdyn.simulation.drivers.state_in_motion import MOST_AT_ONCE, NO_TIME, StateInMotion
from armdyn.simulation.elements.contact_modes import ContactModes
from armdyn.simulation.elements.dry_joints import DryJoints, rub_without_load
from armdyn.simulation.forces import Constant, Forces, Index
from armdyn.simulation.system.bounded import SLACK
from armdyn.simulation.system.bounded_rows import BoundedRows, Mode, rows_of_joints
from armdyn.simulation.system.problem import Problem
from armdyn.simulation.unfinished import SimulationError
from armdyn.spatial.rotations import Array


def has_loop(problem: Problem, joints: DryJoints) -> bool:
    """True if a compiled loop can make the motion: an explicit pair, held forces, one coordinate for each dry joint."""
    system, forces = problem.system, problem.forces
    plain = not (system.places or system.carries or system.robot.model.constraints or problem.corrector is not None)
    known = are_known(forces) and forces.held
    loaded = plain and rub_without_load(system.robot.mechanism.drive)
    return formula_of(problem.method) is not None and known and loaded and bool((joints.moved_by >= 0).all())


def integrate(problem: Problem, report: Report, joints: DryJoints) -> None:
    """Integrate all states to the duration and fill the samples."""
    run = _DryRun(problem, report, joints)
    try:
        run.to_the_end()
    finally:
        run.keep_forces()
        run.keep_motion()


class _DryRun(Run):
    """A batch on its way: the state (q, qd, W) and the direction of slip of each coordinate, (states, n)."""

    def __init__(self, problem: Problem, report: Report, joints: DryJoints) -> None:
        super().__init__(problem, report)
        self.problem, robot, samples = problem, problem.robot, problem.samples
        self.bounds = Bounds.of(joints, robot.dof)
        self.names = dict(zip(joints.moved_by.tolist(), joints.names, strict=True))
        self.rows, self.modes = _equations_of(robot, joints, problem.redundant)
        self.places = np.flatnonzero(self.bounds.dry)
        """The coordinates of the margins."""
        self.slip = np.zeros(self.state["q"].shape)
        self.slips = np.full((len(samples.t), *self.slip.shape), np.nan)
        """The directions at the saved times, (times, states, n)."""
        self.at_once, self.last_event = np.zeros(self.states, dtype=int), np.full(self.states, -np.inf)
        self.room = Room.of(samples, 0, robot.dof)
        samples.qdd, samples.signals = self.room.qdd, {"friction": self.room.friction}

    def _loop(self) -> CompiledIntegration:
        formula = formula_of(self.method)
        assert formula is not None  # noqa: S101 - by `has_loop`
        return loop_of(self.robot, formula)

    def to_the_end(self) -> list[Index]:
        """Integrate from hold to hold of the forces."""
        for k, (begin, end) in enumerate(pairwise(map(float, self.edges))):
            held = self._held(k, begin, end)
            self._enter(k, begin, held)
            for _ in self._calls(end):
                self._call(held | self._given(self.slip), end)
                self._through_events(held, end)
            self.progress = self.progress.to_next_hold()
        self._finish()
        self.slips[-1] = self.slip
        return []

    def _given(self, slip: Array) -> Arrays:
        bounds = self.bounds
        room = SLACK * (bounds.most - bounds.least)
        held = bounds.resting(slip).astype(float)
        return {"slip": slip, "held": held, "least": bounds.least, "most": bounds.most, "room": room}

    def _acting(self, held: Arrays, which: Array) -> Acting:
        return tuple(held[name][which] for name in ("tau", "f_tip") if name in held)

    def _states(self, which: Array) -> States:
        return States(self.state["q"][which], self.state["qd"][which], self.slip[which])

    def _put(self, which: Array, some: States) -> None:
        self.state["q"][which], self.state["qd"][which], self.slip[which] = some

    def _enter(self, k: int, begin: float, held: Arrays) -> None:
        """Let joints stick or slip under the forces of a hold."""
        which = np.flatnonzero(~self.progress.failed)
        finite = np.isfinite(self.state["q"][which]).all(axis=-1) & np.isfinite(self.state["qd"][which]).all(axis=-1)
        lost = np.zeros(self.states, dtype=bool)
        lost[which[~finite]] = True
        if k == 0:
            self.failures |= {int(n): SimulationError("the initial state is not finite") for n in np.flatnonzero(lost)}
        self.progress = self.progress.with_failed(lost)
        which = which[finite]
        if not len(which):
            return
        some, fine = self._states(which), np.ones(len(which), dtype=bool)
        if k == 0:
            fine = self.modes.begun(some, self._acting(held, which))
        elif self.forces.jump and self.grid is None:
            before = some.slip.copy()
            fine = self.modes.decided(some, self._acting(held, which))
            self._note(which[fine], np.full(len(which), begin)[fine], before[fine], some.of(fine))
        self._put(which[fine], some.of(fine))
        for n in which[~fine].tolist():
            self._alone(n, held, begin, begin, begins=k == 0)
        self.slips[self.samples.t == begin] = self.slip

    def _call(self, held: Arrays, end: float) -> None:
        """Steps without events, whose samples have the directions of now."""
        before = self.progress.row
        super()._call(held, end)
        self._keep_slips(before, self.slip)

    def _keep_slips(self, before: Array, slip: Array) -> None:
        after = self.progress.row
        for n in np.flatnonzero(after > before).tolist():
            self.slips[int(before[n]) : int(after[n]), n] = slip[n]

    def _through_events(self, held: Arrays, end: float) -> None:
        """The modes of the states in which a joint has stopped or can stick no longer, and unusual steps."""
        which = np.flatnonzero(self.progress.located)
        if len(which):
            self._change_modes(which, held)
        for n in np.flatnonzero(self.progress.stopped).tolist():
            t, h = float(self.progress.t[n]), float(self.progress.h[n])
            self._alone(n, held, t, min(t + h if self.grid is None else self.grid.following(t), end))

    def _change_modes(self, which: Array, held: Arrays) -> None:
        """Let the joints at rest of some states stick or slip after an event."""
        t, some, acting = self.progress.t[which], self._states(which), self._acting(held, which)
        before, place = some.slip.copy(), self.places[self.progress.which[which].astype(int)]
        stops = before[np.arange(len(which)), place] != 0.0
        self.state["qd"][which[stops], place[stops]] = 0.0
        well = self.modes.after_event(some, place, acting)
        soon = t - self.last_event[which] <= NO_TIME * self.duration
        self.at_once[which] = np.where(soon, self.at_once[which] + 1, 0)
        self.last_event[which] = t
        well &= self.at_once[which] <= MOST_AT_ONCE
        done = which[well]
        self._note(done, t[well], before[well], some.of(well))
        self._put(done, some.of(well))
        row = self.progress.row[done].astype(int) - 1
        at_sample = self.samples.t[row] == t[well]
        self.slips[row[at_sample], done[at_sample]] = self.slip[done[at_sample]]
        self.progress = self.progress.moved(done, t[well], np.zeros(len(done))).stopping(which[~well])

    def _note(self, which: Array, t: Array, before: Array, after: States) -> None:
        """Note the joints that stick, slip, or turn round."""
        for k, c in np.argwhere(before != after.slip).tolist():
            kind = "stick" if after.slip[k, c] == 0 else "slip" if before[k, c] == 0 else "reversal"
            self._occurs(int(which[k]), float(t[k]), self.names[c], kind, after.q[k], after.qd[k])

    def _occurs(self, n: int, t: float, name: str, kind: str, q: Array, qd: Array, energy: float = 0.0) -> None:
        self.samples.events.append(Occurrence(t, name, kind, q, qd, energy, self._index(n)))

    def _index(self, n: int) -> Index:
        return tuple(map(int, np.unravel_index(n, self.batch))) if self.batch else ()

    def _alone(self, n: int, held: Arrays, begin: float, end: float, *, begins: bool = False) -> None:
        """One state from a time to another by `StateInMotion`, or its begin."""
        tau, *f_tip = self._acting(held, np.array([n]))
        forces = Forces(Constant(tau[0]), Constant(f_tip[0][0]) if f_tip else None)
        own, index = self.samples.of(self._index(n)), self._index(n)
        own.count, dense = int(self.progress.row[n]), self.dense[n] if self.dense else None
        motion = StateInMotion(self.problem, forces, own, dense)
        modes = ContactModes(motion, self.rows, self.room.at(index))
        motion.add_modes(modes)
        motion.ends = [begin, end]
        y = np.array([*self.state["q"][n], *self.state["qd"][n], self.state["work"][n]])
        try:
            if begins:
                y = motion.begin(*motion.parts(y))
            else:
                modes.mode = self._mode(self.slip[n])
                y, _ = motion.one_hold(1, y)
        except SimulationError as error:
            self.failures[n] = error
            self.progress = self.progress.with_failed(np.arange(self.states) == n)
            return
        finally:
            for event in motion.occurred:
                self._occurs(n, *event)
        rows = slice(int(self.progress.row[n]), own.count)
        self.slips[rows, n] = np.where(self.bounds.dry, np.sign(self._rows("qd")[n, rows]), 0.0)
        size = self.robot.dof
        self.state["q"][n], self.state["qd"][n], self.state["work"][n] = y[:size], y[size:-1], y[-1]
        self.slip[n] = self._slip(modes.mode)
        self.at_once[n] = 0
        numbers = self.progress.row.copy()
        numbers[n] = own.count
        self.progress = self.progress.with_rows(numbers)
        self.progress = self.progress.moved(np.array([n]), np.array([end]), np.zeros(1))

    def _mode(self, slip: Array) -> Mode:
        own = slip[self.rows.dry.moved_by].astype(int)
        return Mode(own == 0, own)

    def _slip(self, mode: Mode) -> Array:
        slip = np.zeros(self.robot.dof)
        slip[self.rows.dry.moved_by] = mode.slip
        return slip

    def _keep_end(self) -> None:
        """The last state of a single motion that cannot be continued, and its modes."""
        first = self.samples.count
        super()._keep_end()
        self.slips[first : self.samples.count] = self.slip

    def keep_motion(self) -> None:
        """Accelerations and friction at the samples that were reached, and the events in the order of time."""
        samples, count = self.samples, self.samples.count
        samples.events.sort(key=lambda one: one.t)
        q, qd, forces = samples.q[:count], samples.qd[:count], [force[:count] for force in samples.forces]
        states = States(q, qd, self.slips[:count].reshape(q.shape))
        self.room.qdd[:count], self.room.friction[:count] = self.modes.motion(states, tuple(forces))


def _equations_of(robot: Robot, joints: DryJoints, redundant: Redundant) -> tuple[BoundedRows, DryModes]:
    """The equations of motion and the modes of joints, which the robot keeps for the next one."""
    kept, name = vars(robot), f"_dry_equations_{redundant}"
    if name not in kept:
        rows = rows_of_joints(robot, redundant)
        kept[name] = rows, DryModes(rows, Bounds.of(joints, robot.dof))
    found: tuple[BoundedRows, DryModes] = kept[name]
    return found


def loop_of(robot: Robot, formula: EmbeddedPair) -> CompiledIntegration:
    """The compiled loop of a robot with dry joints, which keeps it for the next motion."""
    kept, name = vars(robot), f"_{formula.name}_dry"
    if name not in kept:
        rates = segment_rates(Kind(), stops=False)
        kept[name] = CompiledIntegration(robot, rates, Kind().rates, formula, watched="margins", slopes="slopes")
    loop: CompiledIntegration = kept[name]
    return loop
