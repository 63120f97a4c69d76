"""Arrays for results of an event-driven motion: accelerations, forces of stops, contacts and friction."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from armdyn.simulation.forces import Index
from armdyn.simulation.samples import Samples
from armdyn.spatial.rotations import Array


class Room(NamedTuple):
    """Arrays filled during a motion: accelerations of joints, forces of barriers, friction of coordinates."""

    qdd: Array
    push: Array
    friction: Array

    @classmethod
    def of(cls, samples: Samples, barriers: int, size: int) -> Room:
        """Empty arrays for the samples of a motion with these numbers of barriers and coordinates."""
        shapes = (samples.q.shape, (*samples.q.shape[:-1], barriers), (*samples.q.shape[:-1], size))
        return cls(*(np.full(shape, np.nan) for shape in shapes))

    def at(self, index: Index) -> Room:
        """The arrays of one state of the batch."""
        where: Any = (slice(None), *index)
        return Room(self.qdd[where], self.push[where], self.friction[where])

    def signals(self, stops: int) -> dict[str, Array]:
        """The forces of stops and contacts by name, if there are some."""
        pushed = {"stop_force": self.push[..., :stops], "contact_force": self.push[..., stops:]}
        return {name: values for name, values in pushed.items() if values.shape[-1]}

    def frictions(self, dof: int, places: tuple[int, ...]) -> dict[str, Array]:
        """The friction at joints, and at rotors on springs if there are some, (T, ..., n), by name."""
        if not places:
            return {"friction": self.friction}
        of_rotors = np.zeros((*self.friction.shape[:-1], dof))
        of_rotors[..., list(places)] = self.friction[..., dof:]
        of_rotors[np.isnan(self.qdd)] = np.nan
        return {"friction": self.friction[..., :dof], "rotor_friction": of_rotors}

    def keep(self, row: int, qdd: Array, push: Array, friction: Array) -> None:
        """Store accelerations of joints, pushes, and the friction of all coordinates."""
        self.qdd[row], self.push[row], self.friction[row] = qdd, push, friction
