"""Motions of joints that stick and slip, of all states of a batch side by side in one compiled loop between events.

The loop makes steps of a state until the friction of a sticking joint exceeds its bounds, or a slipping joint stops: it
locates that time to rounding. Then the joints at rest stick or slip anew, for all those states at once
(`armdyn.simulation.drivers.dry_modes`). A step in which the loop cannot decide that is tried again with a shorter
length. A state of which that fails, or whose modes are not found, is integrated again by itself.
"""

from __future__ import annotations

import numpy as np

from armdyn.base.progress import Report
from armdyn.functions.integrations import Arrays, CompiledIntegration
from armdyn.motion.motion_data import Occurrence
from armdyn.simulation.drivers.compiled_loops import has_steps, loop_of
from armdyn.simulation.drivers.dry_modes import Acting, DryModes, States
from armdyn.simulation.drivers.side_by_side import Run
from armdyn.simulation.drivers.state_in_motion import MOST_AT_ONCE, NO_TIME
from armdyn.simulation.elements.dry_joints import rub_without_load
from armdyn.simulation.system.bounded import SLACK
from armdyn.simulation.system.bounded_rows import BoundedRows
from armdyn.simulation.system.friction_rows import FrictionRows
from armdyn.simulation.system.problem import Problem
from armdyn.simulation.system.segment import ModeKinds
from armdyn.spatial.rotations import Array

SHORTER = 0.25
"""Length of the next trial of a step in which a margin may fall below zero and rise again, over that of the last."""


def has_loop(problem: Problem, joints: FrictionRows) -> bool:
    """True if a compiled loop can make the motion: an explicit formula, held forces, each dry joint a coordinate."""
    system, forces = problem.system, problem.forces
    plain = not (system.places or system.has_states or system.robot.model.constraints or problem.corrector is not None)
    known = forces.held and has_steps(problem.method, forces) and not problem.within_steps
    return plain and known and rub_without_load(system.robot.mechanism.drive) and bool((joints.own >= 0).all())


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
            left = {self._index(n) for n in np.flatnonzero(self.again).tolist()}
            self.samples.events[:] = [one for one in self.samples.events if one.index not in left]

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
