"""Friction forces on the coordinates of an arm during a step, at rest and when they slip."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from armdyn.simulation.sticking.slides import Slides
from armdyn.spatial.rotations import Array


class Slipping(NamedTuple):
    """Friction of coordinates that slip, on straight lines f = c + s l of the loads l.

    Args:
        force: at the loads of the predicted step, N m or N, (n,).
        passed: force/phi, (n,).
        reciprocal: 1/phi = 1/(1 + s), (n,).
        pieces: numbers that are others on other lines.
    """

    force: Array
    passed: Array
    reciprocal: Array
    pieces: list[Any]


@dataclass(frozen=True, eq=False)
class SlipFriction:
    """Friction of an arm at the end of a predicted step.

    Args:
        arm: with its forces.
        before: the velocities at the begin of the step, (n,).
        predicted: the velocities at its end, (n,).
        loads: transmitted by joints whose friction depends on them, by body, at the step's beginning.
        least, most: bounds at rest of the friction that does not depend on these, by place among the dry coordinates.
        backwards, forwards: the friction, likewise, of a coordinate that begins to slip.
    """

    arm: Slides
    before: Array
    predicted: Array
    loads: Mapping[int, Any]
    least: Array
    most: Array
    backwards: Array
    forwards: Array

    @classmethod
    def of(cls, arm: Slides, q: Array, qd: Array, predicted: Array, loads: Mapping[int, Any]) -> SlipFriction:
        """The friction from the state at the step's beginning."""
        bounds = (np.asarray(each, dtype=object)[arm.dry] for each in arm.bounds(q, qd))
        return cls(arm, qd, predicted, loads, *bounds)

    @property
    def dry(self) -> Sequence[int]:
        """The dry coordinates."""
        return self.arm.dry

    @property
    def rubbing(self) -> list[int]:
        """The coordinates whose friction a change of velocities may change."""
        return sorted({*self.dry, *self.arm.loaded.values()})

    @property
    def taken(self) -> Array:
        """Friction in the predicted step, N m or N, (n,); without meaning for resting coordinates."""
        return self.slipping(self.arm.slip[self.dry], self.loads).force

    def at_rest(self, loads: Mapping[int, Any]) -> tuple[Array, Array]:
        """The least and the most that it may take from each dry coordinate at rest, at these loads."""
        if not loads:
            return self.least, self.most
        least, most = (each[self.dry] for each in self.arm.bounds_under_load(loads))
        return self.least + least, self.most + most

    def slipping(self, direction: Array, loads: Mapping[int, Any]) -> Slipping:
        """Friction of dry coordinates that slip in directions 1 and -1, linearized at these loads.

        Its dependence on speeds is evaluated at the step's beginning, so that a change differs by the order of h.
        """
        n = len(self.before)
        force, slip, reciprocal = np.zeros(n, dtype=object), np.ones(n, dtype=object), np.ones(n, dtype=object)
        mean, half = 0.5 * (self.forwards + self.backwards), 0.5 * (self.forwards - self.backwards)
        slip[self.dry], force[self.dry] = direction, mean + half * direction
        passed = force.copy()
        of_loads = self.arm.loaded_friction(slip, self.before, loads) if loads else {}
        for k, own in of_loads.items():
            i, load = self.arm.loaded[k], self.loads[k]
            on_line = own.force if loads[k] is load else own.force + own.slope * (load - loads[k])
            # (f + c + s l)/phi without a division: s/phi is 1 - 1/phi
            passed[i] = force[i] * own.passed + own.kept + (1.0 - own.passed) * load
            force[i], reciprocal[i] = force[i] + on_line, own.passed
        return Slipping(force, passed, reciprocal, [piece for own in of_loads.values() for piece in own.pieces])
