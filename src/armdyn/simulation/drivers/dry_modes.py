"""Joints with dry friction that stop, stick, or begin to slip, for many states at once."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from armdyn.simulation.drivers.crossings import SLOW, slips
from armdyn.simulation.elements.dry_joints import DryJoints
from armdyn.simulation.system.at_rest import modes_of_many
from armdyn.simulation.system.bounded_rows import BoundedRows
from armdyn.simulation.system.mode_motion import mode_motion
from armdyn.simulation.system.rates import forces_in_modes
from armdyn.simulation.system.state_parts import StateParts
from armdyn.simulation.unfinished import SimulationError
from armdyn.spatial.rotations import Array

CLEAR = 1e-9
"""Friction holds a joint if its margin to both bounds, over their distance, is above this."""

STARTS = 1e-6
"""A joint starts if its acceleration, over the largest of all, is above this."""

Acting = tuple[Array, ...]


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

    def resting(self, slip: Array) -> Array:
        """True for the coordinates with dry friction that do not slip."""
        found: Array = self.dry & (slip == 0.0)
        return found

    @property
    def of_holding(self) -> tuple[Array, Array, Array, Array]:
        """Bounds of the forces that hold a joint, which are the opposite of its friction."""
        return -self.most, -self.least, -self.most_sliding, -self.least_sliding


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
        bounds = self.bounds = Bounds.of(rows.dry, rows.robot.dof)
        self.rows, self._forces = rows, rows.robot.compile(forces_in_modes(StateParts()))
        same = (bounds.least == bounds.least_sliding) & (bounds.most == bounds.most_sliding)
        self._one_size = bool(same.all())
        """True if static friction is kinetic friction."""
        self._free: Callable[..., Any] = rows.robot.compile(mode_motion)

    @classmethod
    def of(cls, rows: BoundedRows) -> DryModes:
        """The modes of the joints of a robot, which keeps them for the next motion."""
        modes: DryModes = vars(rows.robot).setdefault("_dry_modes", None) or cls(rows)
        vars(rows.robot)["_dry_modes"] = modes
        return modes

    def motion(self, states: States, acting: Acting) -> tuple[Array, Array]:
        """Accelerations and friction of states in their modes."""
        held = self.bounds.resting(states.slip).astype(float)
        qdd, friction = self._forces(*states, held, *acting)
        return qdd, friction

    def begun(self, states: States, acting: Acting) -> Array:
        """Initialise modes: joints that move slip, those that rest stick or slip; returns success per state."""
        states.slip[:] = np.where(self.bounds.dry, slips(states.qd), 0.0)
        found = self.decided(states, acting)
        states.qd[self.bounds.dry & (states.slip == 0.0)] = 0.0
        return found

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
        creeps = self.bounds.dry & (states.slip != 0.0) & (np.abs(states.qd) <= SLOW) & (states.qd != 0.0)
        found: Array = ~creeps.any(axis=-1)
        others = np.flatnonzero(~self._evident(states, acting))
        if len(others):
            some = states.of(others)
            found[others] &= self.decided(some, tuple(array[others] for array in acting))
            states.slip[others] = some.slip
        return found

    def _evident(self, states: States, acting: Acting) -> Array:
        """The states whose modes satisfy the boxed LCP of `decided`, which has one solution, as a mask.

        Friction holds all joints at rest within its bounds; or all but one, which slips on in the direction of the
        force beyond its bound.
        """
        holds, beyond, _ = self._margins(states, acting)
        held: Array = np.asarray(holds.all(axis=-1))
        alone = (~holds).sum(axis=-1) == 1
        which = np.flatnonzero(alone & ~held & self._one_size)
        if len(which):
            some, own = states.of(which), tuple(array[which] for array in acting)
            place = np.argmin(holds[which], axis=-1)
            every = np.arange(len(which))
            some.slip[every, place] = beyond[which][every, place]
            holds, _, qdd = self._margins(some, own)
            along = some.slip[every, place] * qdd[every, place]
            starts = holds.all(axis=-1) & (along > STARTS * np.abs(qdd).max(axis=-1))
            states.slip[which[starts]] = some.slip[starts]
            held[which[starts]] = True
        return held

    def _margins(self, states: States, acting: Acting) -> tuple[Array, Array, Array]:
        """True for each coordinate that does not rest or is held; the direction of the force on it; accelerations."""
        least, most = self.bounds_under(acting)
        qdd, friction = self.motion(states, acting)
        rests = self.bounds.resting(states.slip)
        holds = np.minimum(friction - least, most - friction) > CLEAR * (most - least)
        return holds | ~rests, np.where(most - friction < friction - least, 1.0, -1.0), qdd

    def bounds_under(self, acting: Acting) -> tuple[Array, Array]:
        """The least and the largest friction of joints at rest under these forces, (states, n) or (n,)."""
        own, tau = self.bounds, acting[0]
        if self.rows.loaded is None:
            return own.least, own.most
        least, most, _, _ = self.rows.loaded.breakaway(tau - own.least, tau - own.most)
        return np.where(own.dry, own.least + least, 0.0), np.where(own.dry, own.most + most, 0.0)

    def decided(self, states: States, acting: Acting) -> Array:
        """Let joints that rest stick or slip, under load state by state; returns success per state."""
        if self.rows.loaded is not None:
            return np.array([self._decided_alone(states, acting, k) for k in range(len(states.q))], dtype=bool)
        rests, (tau, *f_tip) = self.bounds.resting(states.slip), acting
        directions, none = self.rows.dry.directions(states.slip[:, self.rows.dry.moved_by]), np.zeros_like(states.q)
        b, *_ = self._free(states.q, states.qd, tau, directions, none + 1.0, none, *f_tip)
        inverse = self.rows.robot.inverse_mass_matrix(states.q)
        kinds = modes_of_many(self.rows.robot, inverse, b, states.slip, rests, self.bounds.of_holding)
        states.slip[:] = kinds.slip
        return kinds.found

    def _decided_alone(self, states: States, acting: Acting, k: int) -> bool:
        """Let joints of one state that rest stick or slip; returns success."""
        places = self.rows.dry.moved_by
        slip, forces = states.slip[k, places].astype(int), tuple(array[k] for array in acting)
        try:
            mode = self.rows.decided(states.q[k], states.qd[k], forces, slip == 0, slip)
        except SimulationError:
            return False
        states.slip[k, places] = mode.slip
        return True
