"""What friction takes from the coordinates of an arm that a step carries on, at rest and where they slip."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from armdyn.algorithms.holding_forces import friction_at_rest
from armdyn.algorithms.load_laws import loaded_friction
from armdyn.simulation.sticking.sliding_arm import SlidingArm
from armdyn.spatial.rotations import Array


class Slipping(NamedTuple):
    """Friction of coordinates that slip, on straight lines f = c + s l of the loads l.

    Args:
        force: at the loads of the predicted step, N m or N, (n,).
        passed: force/phi, (n,).
        reciprocal: 1/phi = 1/(1 + s), (n,).
    """

    force: Array
    passed: Array
    reciprocal: Array


@dataclass(frozen=True, eq=False)
class SlipFriction:
    """Of an arm at the end of a predicted step.

    Args:
        arm: with its forces.
        dry: its dry coordinates.
        before: the velocities at the begin of the step, (n,).
        predicted: the velocities at its end, (n,).
        loads: which joints transmit whose friction depends on it, by body, at the step's beginning.
        least, most: the bounds at rest of what does not depend on loads, by place among the dry coordinates.
        backwards, forwards: the same of one that begins to slip.
    """

    arm: SlidingArm
    dry: Sequence[int]
    before: Array
    predicted: Array
    loads: Mapping[int, Any]
    least: Array
    most: Array
    backwards: Array
    forwards: Array

    @classmethod
    def of(
        cls, arm: SlidingArm, dry: Sequence[int], before: Array, predicted: Array, loads: Mapping[int, Any]
    ) -> SlipFriction:
        """With the bounds that do not depend on loads."""
        drive, n = arm.without_loads.drive, arm.mechanism.dof
        at_rest = friction_at_rest(drive, list(np.zeros(len(drive.terms))))
        slipping = (arm.friction(np.zeros(n), np.full(n, side)) for side in (-1.0, 1.0))
        bounds = (np.asarray(each, dtype=object)[dry] for each in (*at_rest, *slipping))
        return cls(arm, dry, before, predicted, loads, *bounds)

    @property
    def rubbing(self) -> list[int]:
        """The coordinates whose friction a change of velocities may change."""
        return sorted({*self.dry, *self.arm.loaded.values()})

    @property
    def taken(self) -> Array:
        """That of the predicted step, N m or N, (n,); of what rests without meaning."""
        return self.slipping(self.arm.slip[self.dry], self.loads).force

    def at_rest(self, loads: Mapping[int, Any]) -> tuple[Array, Array]:
        """The least and the most that it may take from each dry coordinate at rest, at these loads."""
        if not loads:
            return self.least, self.most
        drive = self.arm.under_load(self.arm.slip)
        of_bodies = [loads.get(k, 0.0) for k in range(len(drive.terms))]
        least, most = (each[self.dry] for each in friction_at_rest(drive, of_bodies))
        return self.least + least, self.most + most

    def slipping(self, direction: Array, loads: Mapping[int, Any]) -> Slipping:
        """Of dry coordinates that slip in directions 1 and -1, on the straight lines at these loads.

        What friction depends on speeds is that of the step's beginning, by which a change differs by the order of h.
        """
        n = self.arm.mechanism.dof
        force, slip, reciprocal = np.zeros(n, dtype=object), np.ones(n, dtype=object), np.ones(n, dtype=object)
        mean, half = 0.5 * (self.forwards + self.backwards), 0.5 * (self.forwards - self.backwards)
        slip[self.dry], force[self.dry] = direction, mean + half * direction
        passed = force.copy()
        if loads:
            drive, rates = self.arm.under_load(slip), self.arm.mechanism.drive.rates(self.before)
            for k, own in loaded_friction(drive, rates, loads).items():
                i, load = self.arm.loaded[k], self.loads[k]
                on_line = own.force if loads[k] is load else own.force + own.slope * (load - loads[k])
                # (f + c + s l)/phi without a division: s/phi is 1 - 1/phi
                passed[i] = force[i] * own.passed + own.kept + (1.0 - own.passed) * load
                force[i], reciprocal[i] = force[i] + on_line, own.passed
        return Slipping(force, passed, reciprocal)
