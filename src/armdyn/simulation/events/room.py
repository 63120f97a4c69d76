"""Room for what a motion in pieces finds on its way: accelerations, forces of stops, contacts and friction."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from armdyn.simulation.events.pushing import Rates
from armdyn.simulation.forces import Index
from armdyn.simulation.results.samples import Samples
from armdyn.spatial.rotations import Array


class Room(NamedTuple):
    """Room for what becomes known on the way: accelerations, forces of barriers and friction over time."""

    qdd: Array
    push: Array
    friction: Array

    @classmethod
    def of(cls, samples: Samples, barriers: int) -> Room:
        """For the samples of a motion with so many barriers."""
        shapes = (samples.q.shape, (*samples.q.shape[:-1], barriers), samples.q.shape)
        return cls(*(np.full(shape, np.nan) for shape in shapes))

    def at(self, index: Index) -> Room:
        """That of one state of the batch."""
        where: Any = (slice(None), *index)
        return Room(self.qdd[where], self.push[where], self.friction[where])

    def signals(self, stops: int, *, friction: bool) -> dict[str, Array]:
        """The forces by name, as far as there are some."""
        pushed = {"stop_force": self.push[..., :stops], "contact_force": self.push[..., stops:]}
        return {
            **{name: values for name, values in pushed.items() if values.shape[-1]},
            **({"friction": self.friction} if friction else {}),
        }

    def keep(self, row: int, found: Rates) -> None:
        """Store accelerations, pushes and friction of a sample."""
        self.qdd[row], self.push[row], self.friction[row] = found.qdd, found.push, found.friction
