"""Joints with dry friction that stop, stick, or begin to slip, for many states at once."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from armdyn.simulation.drivers.crossings import SLOW
from armdyn.simulation.system.bounded_rows import BoundedRows
from armdyn.simulation.system.friction_rows import Bounds, slips
from armdyn.simulation.system.frictional_arm import modes_at_rest
from armdyn.simulation.system.rates import forces_in_modes
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
        found = self.decided(states, acting)
        states.qd[self.dry & (states.slip == 0.0)] = 0.0
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
        creeps = self.dry & (states.slip != 0.0) & (np.abs(states.qd) <= SLOW) & (states.qd != 0.0)
        found: Array = ~creeps.any(axis=-1)
        return found & self.decided(states, acting)

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
