"""Motions of joints that stick and slip, of all states of a batch side by side in one compiled loop between events.

The loop makes steps of a state until the friction of a sticking joint exceeds its bounds, or a slipping joint stops: it
locates that time to rounding. Then the joints at rest stick or slip anew (`DryModes`), for all those states at once. A
step in which the loop cannot decide that is tried again with a shorter length. A state of which that fails, or whose
modes are not found, is integrated again by itself.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from armdyn.base.progress import Report
from armdyn.functions.integrations import Arrays, CompiledIntegration
from armdyn.motion.motion_data import Occurrence
from armdyn.simulation.drivers.compiled_loops import has_steps, loop_of
from armdyn.simulation.drivers.crossings import SLOW
from armdyn.simulation.drivers.side_by_side import Run
from armdyn.simulation.drivers.state_in_motion import MOST_AT_ONCE, NO_TIME
from armdyn.simulation.elements.dry_joints import rub_without_load
from armdyn.simulation.system.bounded import SLACK
from armdyn.simulation.system.bounded_rows import BoundedRows
from armdyn.simulation.system.friction_rows import Bounds, FrictionRows, slips
from armdyn.simulation.system.frictional_arm import modes_at_rest
from armdyn.simulation.system.problem import Problem
from armdyn.simulation.system.rates import forces_in_modes
from armdyn.simulation.system.segment import ModeKinds
from armdyn.simulation.system.state_parts import StateParts
from armdyn.simulation.unfinished import SimulationError
from armdyn.spatial.rotations import Array

CLEAR = 1e-9
"""Friction holds a joint if its margin to both bounds, over their distance, is above this."""

STARTS = 1e-6
"""A joint starts if its acceleration, over the largest of all, is above this."""

Acting = tuple[Array, ...]


class States(NamedTuple):
    """Positions and velocities, and the direction of slip of each coordinate, 0 at rest, (states, n)."""

    q: Array
    qd: Array
    slip: Array

    def of(self, which: Array) -> States:
        """Some of them."""
        return States(*(array[which] for array in self))


class DryModes:
    """The modes of joints with dry friction: they stick, or slip in a direction."""

    def __init__(self, rows: BoundedRows) -> None:
        self.dry, of_coordinates = np.zeros(rows.robot.dof, dtype=bool), np.zeros((4, rows.robot.dof))
        """True for the coordinates with dry friction."""
        self.dry[rows.dry.own], of_coordinates[:, rows.dry.own] = True, rows.dry.constant
        self.bounds = Bounds(*of_coordinates)
        """Bounds of the friction of each coordinate without that under load, 0 of those without dry friction, (n,)."""
        self.rows, self._forces = rows, rows.robot.compile(forces_in_modes(StateParts()))
        self._modes: Callable[..., Any] = rows.robot.compile(modes_at_rest)

    @classmethod
    def of(cls, rows: BoundedRows) -> DryModes:
        """The modes of the joints of a robot, which keeps them for the next motion."""
        modes: DryModes = vars(rows.robot).setdefault("_dry_modes", None) or cls(rows)
        vars(rows.robot)["_dry_modes"] = modes
        return modes

    def resting(self, slip: Array) -> Array:
        """True for the coordinates with dry friction that do not slip."""
        resting: Array = self.dry & (slip == 0.0)
        return resting

    def motion(self, states: States, acting: Acting) -> tuple[Array, Array]:
        """Accelerations and friction of states in their modes."""
        held = self.resting(states.slip).astype(float)
        qdd, friction = self._forces(*states, held, *acting)
        return qdd, friction

    def begun(self, states: States, acting: Acting) -> Array:
        """Initialise modes: joints that move slip, those that rest stick or slip; returns success per state."""
        states.slip[:] = np.where(self.dry, slips(states.qd), 0.0)
        decision = self.decided(states, acting)
        states.qd[self.dry & (states.slip == 0.0)] = 0.0
        return decision

    def after_event(self, states: States, place: Array, acting: Acting) -> Array:
        """Change modes after coordinate number ``place`` of each state has stopped or its friction is at its bound.

        Returns:
            Success per state.
        """
        every = np.arange(len(place))
        stuck = states.slip[every, place] == 0.0
        beyond = self._margins(states, acting)[1][every, place] if stuck.any() else 0.0
        states.slip[every, place] = np.where(stuck, beyond, 0.0)
        states.qd[every[~stuck], place[~stuck]] = 0.0
        creeps = self.dry & (states.slip != 0.0) & (np.abs(states.qd) <= SLOW) & (states.qd != 0.0)
        determinate: Array = ~creeps.any(axis=-1)
        return determinate & self.decided(states, acting)

    def _margins(self, states: States, acting: Acting) -> tuple[Array, Array, Array]:
        """True for each coordinate that does not rest or is held; the direction of the force on it; accelerations."""
        least, most = self.bounds_under(acting)
        qdd, friction = self.motion(states, acting)
        rests = self.resting(states.slip)
        holds = np.minimum(friction - least, most - friction) > CLEAR * (most - least)
        return holds | ~rests, np.where(most - friction < friction - least, 1.0, -1.0), qdd

    def bounds_under(self, acting: Acting) -> tuple[Array, Array]:
        """The least and the largest friction of joints at rest under these forces, (states, n) or (n,)."""
        if not self.rows.loaded:
            return self.bounds.least, self.bounds.most
        least, most, *_ = self.rows.bounds_under_load(acting[0])
        return least, most

    def decided(self, states: States, acting: Acting) -> Array:
        """Let joints that rest stick or slip; returns success per state.

        Modes by a compiled program count if friction holds those that stick, and the others start the way they slip.
        """
        if self.rows.loaded and len(states.q) == 1:  # the program takes as long to compile as 400 decisions on numbers
            return np.array([self._decided_alone(states, acting, 0)])
        rests, slip = self.resting(states.slip), states.slip.copy()
        states.slip[:] = np.where(rests, self._modes(*states, *acting), slip)
        holds, _, qdd = self._margins(states, acting)
        starts = states.slip * qdd > STARTS * np.abs(qdd).max(axis=-1, keepdims=True)
        right: Array = (holds & (starts | ~rests | (states.slip == 0.0))).all(axis=-1)
        for k in np.flatnonzero(~right).tolist():
            states.slip[k] = slip[k]
            right[k] = self._decided_alone(states, acting, k)
        return right

    def _decided_alone(self, states: States, acting: Acting, k: int) -> bool:
        """Let joints of one state that rest stick or slip; returns success."""
        places = self.rows.dry.own
        slip, forces = states.slip[k, places].astype(int), tuple(array[k] for array in acting)
        try:
            mode = self.rows.decided(states.q[k], states.qd[k], forces, slip == 0, slip)
        except SimulationError:
            return False
        states.slip[k, places] = mode.slip
        return True


SHORTER = 0.25
"""Length of the next trial of a step in which a margin may fall below zero and rise again, over that of the last."""


def has_loop(problem: Problem, joints: FrictionRows) -> bool:
    """True if a compiled loop can make the motion: an explicit formula, held forces, each dry joint a coordinate."""
    system, forces = problem.system, problem.forces
    plain = not (system.places or system.has_states or system.robot.model.constraints or problem.corrector is not None)
    predictable = forces.held and has_steps(problem.method, forces) and not problem.within_steps
    return plain and predictable and rub_without_load(system.robot.mechanism.drive) and bool((joints.own >= 0).all())


class StickingRun(Run):
    """A batch on its way: the state (q, qd, W) and the direction of slip of each coordinate, (states, n)."""

    def __init__(self, problem: Problem, report: Report, rows: BoundedRows) -> None:
        super().__init__(problem, report)
        self.modes = DryModes.of(rows)
        joints = rows.dry
        self.names = dict(zip(joints.own.tolist(), joints.names, strict=True))
        self.places = np.flatnonzero(self.modes.dry)
        """The coordinates of the margins."""
        self.slip = np.zeros(self.state["q"].shape)
        self.slips = np.full((len(self.samples.t), *self.slip.shape), np.nan)
        """The directions at the saved times, (times, states, n)."""
        self.at_once, self.last_event = np.zeros(self.states, dtype=int), np.full(self.states, -np.inf)

    def _loop(self) -> CompiledIntegration:
        return loop_of(self.robot, self.method, self.parts, ModeKinds())

    def _acting(self, held: Arrays, which: Array) -> Acting:
        return tuple(held[name][which] for name in ("tau", "f_tip") if name in held)

    def _states(self, which: Array) -> States:
        return States(self.state["q"][which], self.state["qd"][which], self.slip[which])

    def _put(self, which: Array, some: States) -> None:
        self.state["q"][which], self.state["qd"][which], self.slip[which] = some

    def _leave(self, which: Array) -> None:
        """Some states are integrated again without this loop."""
        self.again[which] = True
        self.progress = self.progress.with_failed(self.again)

    def _enter(self, k: int, begin: float, held: Arrays) -> None:
        """Let joints stick or slip under the forces of a hold."""
        finite = np.asarray(np.isfinite(self.state["q"] + self.state["qd"]).all(axis=-1))
        if k == 0:
            self._leave(~finite)
        self.progress = self.progress.with_failed(self.progress.failed | ~finite)
        which = np.flatnonzero(~self.progress.failed)
        if len(which):
            some, fine = self._states(which), np.ones(len(which), dtype=bool)
            if k == 0:
                fine = self.modes.begun(some, self._acting(held, which))
            elif self.forces.jump and self.grid is None:
                before = some.slip.copy()
                fine = self.modes.decided(some, self._acting(held, which))
                self._note(which[fine], np.full(len(which), begin)[fine], before[fine], some.of(fine))
            self._put(which[fine], some.of(fine))
            self._leave(which[~fine])
        self.slips[self.samples.t == begin] = self.slip

    def _advance(self, held: Arrays, end: float) -> None:
        """Steps without events, whose samples have the directions of now; then the changes of modes."""
        bounds, before = self.modes.bounds, self.progress.row
        room, resting = SLACK * (bounds.most - bounds.least), self.modes.resting(self.slip).astype(float)
        modes = {"slip": self.slip, "held": resting, "least": bounds.least, "most": bounds.most, "room": room}
        super()._advance(held | modes, end)
        after = self.progress.row
        for n in np.flatnonzero(after > before).tolist():
            self.slips[int(before[n]) : int(after[n]), n] = self.slip[n]
        which = np.flatnonzero(self.progress.located)
        if len(which):
            self._change_modes(which, held)
        self._shorten(np.flatnonzero(self.progress.stopped))

    def _shorten(self, which: Array) -> None:
        """Try shorter steps of some states, in whose next steps a margin may fall below zero and rise again."""
        t, h = self.progress.t[which], SHORTER * self.progress.h[which]
        short = (h < NO_TIME * self.duration) | (self.grid is not None)
        self.progress = self.progress.moved(which[~short], t[~short], h[~short])
        self._leave(which[short])

    def _change_modes(self, which: Array, held: Arrays) -> None:
        """Let the joints at rest of some states stick or slip after an event."""
        t, some, acting = self.progress.t[which], self._states(which), self._acting(held, which)
        before, place = some.slip.copy(), self.places[self.progress.which[which].astype(int)]
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
        self.progress = self.progress.moved(done, t[well], np.zeros(len(done)))
        self._leave(which[~well])

    def _note(self, which: Array, t: Array, before: Array, after: States) -> None:
        """Note the joints that stick, slip, or turn round."""
        for k, c in np.argwhere(before != after.slip).tolist():
            kind = "stick" if after.slip[k, c] == 0 else "slip" if before[k, c] == 0 else "reversal"
            index = self._index(int(which[k]))
            occurrence = Occurrence(float(t[k]), self.names[c], kind, after.q[k], after.qd[k], 0.0, index)
            self.samples.events.append(occurrence)

    def _finish(self) -> None:
        """The last rows and modes; the events of states that are integrated again are not kept."""
        super()._finish()
        self.slips[-1] = self.slip
        if self.again.any():
            again = {self._index(n) for n in np.flatnonzero(self.again).tolist()}
            self.samples.events[:] = [one for one in self.samples.events if one.index not in again]

    def _keep_end(self) -> None:
        """The last state of a single motion that cannot be continued, and its modes."""
        first = self.samples.count
        super()._keep_end()
        self.slips[first : self.samples.count] = self.slip

    def keep_forces(self) -> None:
        """The forces, accelerations and friction at the samples that were reached, and the events in order."""
        super().keep_forces()
        samples, count = self.samples, self.samples.count
        samples.events.sort(key=lambda one: one.t)
        q, qd, forces = samples.q[:count], samples.qd[:count], [force[:count] for force in samples.forces]
        states = States(q, qd, self.slips[:count].reshape(q.shape))
        qdd, friction = self.modes.motion(states, tuple(forces))
        samples.keep_forces(slice(count), qdd, samples.push[:count], friction)
