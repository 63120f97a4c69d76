"""The velocities of joints with dry friction as rows of those of the coordinates, traced, and their friction bounds."""

from __future__ import annotations

import numpy as np

from armdyn.model.mechanism import Mechanism
from armdyn.program import less, sign
from armdyn.simulation.elements.dry_joints import dry_forces, rubbing_bodies
from armdyn.simulation.equations import sliding_friction
from armdyn.simulation.sticking.slides import Bounds
from armdyn.spatial.rotations import Array

ROUNDING = 1e-12
"""A joint rests if its velocity, over the velocities that cancel in it, is below this."""


class DryRows:
    """One row for each of these joints, be several moved by one coordinate, or one by several.

    Args:
        mechanism: whose friction depends on no load.
    """

    def __init__(self, mechanism: Mechanism) -> None:
        self.mechanism = mechanism
        self.bodies = rubbing_bodies(mechanism.drive)
        self.matrix = np.zeros((len(self.bodies), mechanism.dof))
        for row, k in zip(self.matrix, self.bodies, strict=True):
            for i, factor in mechanism.drive.terms[k]:
                row[i] = factor

    def __len__(self) -> int:
        return len(self.bodies)

    def directions(self, qd: Array) -> Array:
        """1, -1 or 0 of each: slips forwards, backwards, or is at rest."""
        rates = self.matrix @ qd
        sizes = abs(self.matrix) @ abs(qd)
        single = np.count_nonzero(self.matrix, axis=1) == 1
        moves = [1.0 if one else less(ROUNDING * s, abs(r)) for one, s, r in zip(single, sizes, rates, strict=True)]
        return np.array([move * sign(rate) for move, rate in zip(moves, rates, strict=True)], dtype=object)

    def friction(self, qd: Array, slip: Array) -> Array:
        """Friction forces on the coordinates, dry friction in these directions, N m or N, (n,)."""
        of_joints = np.zeros(len(self.mechanism.model.joints), dtype=object)
        for one, k in zip(slip, self.bodies, strict=True):
            of_joints[self.mechanism.bodies[k].joint] = one
        found: Array = sliding_friction(self.mechanism, qd, of_joints)
        return found

    @property
    def bounds(self) -> Bounds:
        """Friction bounds of each joint at rest, and its friction when it begins to slip, (m,) each."""
        least, most, backwards, forwards = np.array(
            [dry_forces(self.mechanism.drive, k) for k in self.bodies], dtype=object
        ).T
        return Bounds(least, most, backwards, forwards)

    def at_rest(self, rests: Array, qd: Array, none: Array) -> Array:
        """Velocities, or accelerations, exactly zero of coordinates that rest with their joints.

        Args:
            rests: 1 of each joint that rests, else 0.
            qd: velocities, (n,).
            none: 1 for each that is zero to rounding, else 0: of several coordinates, those that rest with their joint.
        """
        qd = qd.copy()
        for one, row in zip(rests, self.matrix, strict=True):
            coordinates = np.flatnonzero(row)
            for i in coordinates:
                still = one if len(coordinates) == 1 else one * none[i]
                qd[i] = qd[i] - still * qd[i]  # no negative zero
        return qd
