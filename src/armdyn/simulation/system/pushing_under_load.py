"""The equations of motion with unilateral constraints and dry friction that depends on the load, by Newton's method.

Friction of a joint at rest lies between bounds that depend on its joint force alone: with the load l and the friction
f = tau - l, -F(-l) <= f <= F(l) means l_- <= l <= l_+ for l_- + F(l_-) = tau and l_+ - F(-l_+) = tau, because l + F(l)
grows with l. The forces of stops and contacts are part of the load, and do not move these bounds.

The friction of a joint that slips depends on t = tau - d - a qdd, so that the acceleration of the arm without held
rows is not linear in the forces p of these rows. With the slope f' of the friction by t it changes with p as if the
rotor had the inertia a (1 - f'): Newton's method for p, whose last step is exact if friction is piecewise linear in
the load.

All of this holds within the constraints of a robot too, whose forces are a part of the load. A joint that sticks is
then held by a force p like the rows of stops, because the constraints may hold it as well.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from armdyn.constraints.arguments import Redundant
from armdyn.robot import Robot
from armdyn.simulation.elements.dry_joints import DryJoints, can_hold
from armdyn.simulation.elements.stops import Barriers
from armdyn.simulation.system.bounded import Holding
from armdyn.simulation.system.pushing import Forces, Mode, Pushing, Rates
from armdyn.simulation.system.resting_under_load import Kept, LoadedFriction, Resting, forces_that_cancel
from armdyn.simulation.system.under_load import sliding_under_load_of
from armdyn.simulation.unfinished import SimulationError
from armdyn.spatial.rotations import Array

SOLVED = 1e-12
"""The largest acceleration of held rows, as a fraction of the accelerations that all forces alone would cause."""

HELD_BY_ROUNDING = 1e-12
"""Least friction that holds a joint without load, over the forces that cancel; more than when its mode was decided."""

MOST_STEPS = 50
"""Iterations of Newton's method for the forces of the held rows."""


def pushing_of(robot: Robot, barriers: Barriers, dry: DryJoints, redundant: Redundant) -> Pushing:
    """The equations of a robot, those under load if its friction depends on the load."""
    if robot.mechanism.drive.depends_on_load and can_hold(robot):
        return PushingUnderLoad(robot, barriers, dry, redundant)
    return Pushing(robot, barriers, dry, redundant)


class _Held(NamedTuple):
    """A motion with the held rows at rest.

    Args:
        qdd: accelerations.
        power: of the forces.
        sliding: friction of the coordinates that slide.
        hidden: inertia of rotors that friction hides, (n,).
        p: the forces of the held rows, one of several solutions if the motion does not determine them.
        against: the forces of constraints, (n,).
    """

    qdd: Array
    power: float
    sliding: Array
    hidden: Array
    p: Array
    against: Array


class PushingUnderLoad(Pushing):
    """`Pushing` for joints that move by themselves and have friction that depends on the load."""

    def __init__(self, robot: Robot, barriers: Barriers, dry: DryJoints, redundant: Redundant) -> None:
        super().__init__(robot, barriers, dry, redundant)
        self._under_load, self._friction = sliding_under_load_of(robot, redundant), LoadedFriction(robot, dry)
        self._constrained = bool(robot.model.constraints)
        self._alone = np.zeros(len(self.is_joint), dtype=bool)  # rows of joints that one coordinate moves
        self._alone[self.is_joint] = (dry.moved_by >= 0) & (not self._constrained)

    def rates(self, q: Array, qd: Array, acting: Forces, mode: Mode, *, shared: bool = False) -> Rates:
        """As of `Pushing`."""
        found = self._held(q, qd, acting, mode)
        held, p = mode.held, found.p
        if (held & ~self._alone).any():
            holding = self._holding(q, acting, mode, found, kept_open=False)
            p[held] = holding.within_bounds() if shared else holding.forces
        friction = found.sliding - self.dry.rows.T @ p[self.is_joint]
        qdd = found.qdd.copy()
        qdd[self.dry.coordinates(held[self.is_joint])] = 0.0
        return Rates(qdd, found.power, p[~self.is_joint], friction)

    def holding(self, q: Array, qd: Array, acting: Forces, mode: Mode) -> Holding:
        """As of `Pushing`."""
        return self._holding(q, acting, mode, self._held(q, qd, acting, mode), kept_open=True)

    def decided(self, q: Array, qd: Array, acting: Forces, resting: Array, slip: Array) -> Mode:
        """The mode as of `Pushing.decided`: with kinetic friction for all, there is one solution."""
        slip = np.where(resting[self.is_joint], 0, slip)
        if not resting.any():
            return Mode(np.zeros(len(self.is_joint), dtype=bool), slip)
        rows, drift = self.rows(q)[resting], self._drift(q, qd)[resting]
        places = np.flatnonzero(resting[self.is_joint])
        kept = Kept.of(self.robot, q, qd) if self._constrained else None
        own = Resting.of(self._friction, q, qd, acting, rows, drift, places, slip, kept)
        held, directions = np.zeros(len(self.is_joint), dtype=bool), np.zeros(len(self.is_joint), dtype=int)
        held[resting], ways, qdd = own.decided()
        if self._constrained:
            dead = self.is_joint[resting] & (ways == 0) & ~self.metric(q, resting).B.any(axis=0)
            ways += self._from_dead_points(q, qd, acting, qdd, resting, dead)
        held[resting] &= ways == 0
        directions[resting] = ways
        return Mode(held, slip + directions[self.is_joint])

    def _held(self, q: Array, qd: Array, acting: Forces, mode: Mode) -> _Held:
        """The motion with the held rows at rest, whatever force that takes."""
        tau, *f_tip = acting
        held, directions = mode.held, self.dry.directions(mode.slip)
        stuck = held[self.is_joint] & self._alone[self.is_joint]
        moves, p = np.ones(len(q)), np.zeros(len(held))
        moves[self.dry.coordinates(stuck)] = 0.0
        others = np.flatnonzero(held & ~self._alone)
        A = self.rows(q)[others] if len(others) else np.zeros((0, len(q)))
        drift, size = self._drift(q, qd)[others], np.zeros(len(others))
        for _ in range(MOST_STEPS):
            found = self._under_load(q, qd, tau, directions, moves, A.T @ p[others], *f_tip)
            qdd, power, sliding, holding, hidden = found
            if not len(others):
                break
            left, moving = A @ qdd + drift, moves == 1.0
            M = (self.robot.mass_matrix(q) - np.diag(hidden))[np.ix_(moving, moving)]
            made = np.abs(qdd[moving]) + np.abs(np.linalg.inv(M)) @ (np.abs(tau) + np.abs(A.T @ p[others]))[moving]
            size = np.maximum(size, np.abs(A[:, moving]) @ made + np.abs(drift))
            B = self._metric_of(q, M, others, A[:, moving])
            decides = B.any(axis=0)  # at a dead point the constraints do
            if not (np.abs(left) > SOLVED * size)[decides].any():
                break
            p[others] += Holding.of(B, np.where(decides, left, 0.0)).forces
        else:
            raise SimulationError(
                f"the forces that hold {self._names(others)} of {self.robot.name!r} together with friction that "
                f"depends on the load were not found in {MOST_STEPS} steps. Use friction that does not depend on it"
            )
        if self._constrained:
            return _Held(qdd, float(power), sliding, hidden, p, np.asarray(holding))
        p[self._alone & held] = -holding[self.dry.moved_by[stuck]]
        return _Held(qdd, float(power), sliding, hidden, p, np.zeros(len(q)))

    def _metric_of(self, q: Array, M: Array, rows: Array, A: Array) -> Array:
        """B of some rows, whose A is given, in the metric of M."""
        if not self._constrained:
            return np.asarray(np.linalg.solve(np.linalg.cholesky(M), A.T))
        return self.metric(q, np.isin(np.arange(len(self.is_joint)), rows), M).B

    def _holding(self, q: Array, acting: Forces, mode: Mode, found: _Held, *, kept_open: bool) -> Holding:
        """The forces of the held rows with their bounds, the friction of slipping joints being linearized.

        ``kept_open``: bounds that close leave room for rounding.
        """
        held, M, rows = mode.held, self.robot.mass_matrix(q), self.rows(q)
        B = self.metric(q, held, M - np.diag(found.hidden)).B
        least, most = self._friction.at_rest(acting[0])
        if kept_open:
            forces = np.abs(acting[0]) + np.abs(found.sliding) + np.abs(rows.T) @ np.abs(found.p)
            forces += np.abs(found.against)
            little = HELD_BY_ROUNDING * forces_that_cancel(M, forces, self.dry.rows)
            little = np.maximum(little - (most - least), 0.0)
            least, most = least - little, most + little
        low, high = self.bounds.low.copy(), self.bounds.high.copy()
        low[self.is_joint], high[self.is_joint] = -most, -least
        return Holding(B, -(B.T @ (B @ found.p[held])), low[held], high[held])

    def _drift(self, q: Array, qd: Array) -> Array:
        """Adot qd of all rows."""
        joints = np.zeros(len(self.dry))
        return np.concatenate([self.barriers.drift(q, qd), joints]) if len(self.barriers) else joints

    def _names(self, rows: Array) -> str:
        """Names of the stops, contacts or joints of these rows."""
        names = [*self.barriers.names, *self.dry.names]
        return ", ".join(repr(names[k]) for k in rows)
