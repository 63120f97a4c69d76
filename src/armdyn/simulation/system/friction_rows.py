"""The joints with dry friction as rows of velocities, of floats or traced scalars, and the bounds of their friction.

A row is the velocity r . v of a joint in the velocities v of all coordinates: those of the links and, after them, those
of rotors on springs. Joints that one coordinate, or several in proportion, move together are one row.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from armdyn.actuators.flexible_joints import FlexibleJoint, flexible_joints, links_side
from armdyn.algorithms.load_friction import own_coordinates
from armdyn.algorithms.load_laws import lines, loaded_friction
from armdyn.base.threads import cached_property
from armdyn.base.type_rounding import rounding
from armdyn.constraints.under_load import breakaway_of_available, friction_of_available
from armdyn.declaration import function
from armdyn.model.friction import TINY, is_dry
from armdyn.model.mechanism import Mechanism
from armdyn.program import less, sign
from armdyn.robot import Robot
from armdyn.simulation.drivers.crossings import SLOW
from armdyn.simulation.elements.dry_joints import moved_together, row_forces
from armdyn.simulation.elements.springs import rotor_friction
from armdyn.simulation.equations import SOURCES
from armdyn.simulation.system.bounded import ROUNDING
from armdyn.simulation.system.mode_motion import sliding_friction, sliding_under_load
from armdyn.spatial.rotations import Array

STEPS = 3
"""Most steps of Newton's method for the load of a joint that begins to slip; no more than friction has lines."""


class Bounds(NamedTuple):
    """Friction bounds of each row, N m or N, (m,) each.

    Args:
        least, most: at rest.
        backwards, forwards: when it begins to slip.
    """

    least: Array
    most: Array
    backwards: Array
    forwards: Array

    def of(self, which: Array) -> Bounds:
        """The bounds of some rows."""
        return Bounds(*(bound[which] for bound in self))

    @property
    def fall(self) -> bool:
        """True if friction may fall as a joint begins to slip."""
        pairs = zip((*self.least, *self.most), (*self.backwards, *self.forwards), strict=True)
        return not all(a is b or _are_equal(a, b) for a, b in pairs)


def slips(speed: Array) -> Array:
    """1 or -1 for joints that move forwards or backwards, 0 for those that rest to rounding."""
    return np.where(np.abs(speed) <= SLOW, 0, np.sign(speed)).astype(int)


class Slid(NamedTuple):
    """Friction under load of a joint that begins to slip.

    Args:
        force: f, N m or N.
        gain: dl/dt = 1/(1 + s), of the slope s of the friction by the load.
        load: l, N m or N.
    """

    force: Any
    gain: Any
    load: Any


class FrictionRows:
    """The rows of the links' joints, then those of rotors.

    Args:
        links: the arm on the links' side of its springs; the friction under load of each of its joints is moved by a
            coordinate of its own.
        joints: the flexible joints.
    """

    def __init__(self, links: Mechanism, joints: Sequence[FlexibleJoint] = ()) -> None:
        self.links, self.n = links, links.dof
        self.loaded = (own_coordinates(links.drive) or {}) if links.drive.depends_on_load else {}
        """The bodies of the links whose friction depends on the load, and the coordinate that moves each."""
        self.together = moved_together(links.drive) if self.loaded or not links.drive.depends_on_load else {}
        self.rotors = [k for k, joint in enumerate(joints) if any(map(is_dry, joint.laws))]
        """The flexible joints whose rotors have dry friction."""
        self.joints = [joints[k] for k in self.rotors]
        self.of_links = len(self.together)
        """The number of rows of the links."""
        self.matrix = np.zeros((self.of_links + len(self.rotors), self.n + len(joints)))
        for row, terms in zip(self.matrix, self.together, strict=False):
            for i, factor in terms:
                row[i] = factor
        for row, k in zip(self.matrix[self.of_links :], self.rotors, strict=True):
            row[self.n + k] = 1.0
        single = np.count_nonzero(self.matrix, axis=1) == 1
        self.own: Array = np.where(single, np.argmax(self.matrix != 0.0, axis=1) if len(self.matrix) else 0, -1)
        """The coordinate that alone moves each row, -1 if several do."""

    @classmethod
    def of(cls, robot: Robot) -> FrictionRows:
        """The rows of a robot, which keeps them; none of links if friction depends on the load of coupled joints."""
        cache = vars(robot)
        if "_friction_rows" not in cache:
            joints = flexible_joints(robot.mechanism)
            cache["_friction_rows"] = cls(links_side(robot.mechanism, joints) if joints else robot.mechanism, joints)
        rows: FrictionRows = cache["_friction_rows"]
        return rows

    def __len__(self) -> int:
        return len(self.matrix)

    @cached_property
    def names(self) -> list[str]:
        """Names of joints, those of joints that move together joined by "and", and of rotors."""
        joints, bodies = self.links.model.joints, self.links.bodies
        of_links = (" and ".join(joints[bodies[k].joint].name for k, _ in each) for each in self.together.values())
        coordinates = self.links.model.coordinates
        return [*of_links, *(f"{coordinates[joint.coordinate].name} rotor" for joint in self.joints)]

    @cached_property
    def constant(self) -> Bounds:
        """The bounds of floats without the friction that depends on the load of joints and rotors."""
        return Bounds(*np.array(self.bounds(np.zeros(self.matrix.shape[1] - self.n)), dtype=float))

    def coordinates(self, which: Array) -> Array:
        """The coordinates that rest if these rows do, of rows that are coordinates."""
        own = self.own[which]
        return own[own >= 0]

    @cached_property
    def signs(self) -> Array:
        """The directions of all joints of the model if a row of the links slips forwards, (of_links, joints)."""
        count = len(self.links.model.joints)
        return np.array([self.of_joints(row) for row in np.eye(self.of_links)], dtype=float).reshape(-1, count)

    def of_joints(self, slip: Array) -> Array:
        """1, -1 or 0 of every joint of the model, from those of the rows."""
        directions = np.zeros(len(self.links.model.joints), dtype=object)
        for one, bodies in zip(slip, self.together.values(), strict=False):
            for k, factor in bodies:
                directions[self.links.bodies[k].joint] = np.sign(factor) * one
        return directions

    def directions(self, v: Array) -> Array:
        """1, -1 or 0 of each: slips forwards, backwards, or is at rest."""
        rates = self.matrix @ v
        sizes = abs(self.matrix) @ abs(v)
        moves = [
            1.0 if i >= 0 else less(rounding(size, *ROUNDING), abs(rate))
            for i, size, rate in zip(self.own, sizes, rates, strict=True)
        ]
        return np.array([move * sign(rate) for move, rate in zip(moves, rates, strict=True)], dtype=object)

    def of_coordinates(self, slip: Array) -> Array:
        """Directions of the coordinates that alone move a row, 1 for all others."""
        directions = np.ones(self.matrix.shape[1], dtype=object)
        for one, i in zip(slip, self.own, strict=True):
            if i >= 0:
                directions[i] = one
        return directions

    def sliding(self, qd: Array, slip: Array) -> Array:
        """Friction of the links without that under load, dry friction in these directions, N m or N, (n,)."""
        friction: Array = sliding_friction(self.links, qd, self.of_joints(slip))
        return friction

    def bounds(self, springs: Array, available: Array | None = None, near: Mapping[int, Any] | None = None) -> Bounds:
        """Friction bounds of each row.

        Args:
            springs: forces of the springs of all flexible joints.
            available: the joint force that remains for load and friction of the links' coordinates at rest, (n,);
                bounds are without the friction under load if it is left out.
            near: loads by body with which Newton's method begins.
        """
        forces = [row_forces(self.links.drive, bodies) for bodies in self.together.values()]
        for k, joint in zip(self.rotors, self.joints, strict=True):
            dry = [law.at_rest(springs[k]) for law in joint.laws if is_dry(law)]
            at_rest = [sum(each) for each in zip(*dry, strict=True)]
            forces.append([*at_rest, *(rotor_friction(joint.laws, 0.0, springs[k], side) for side in (-1.0, 1.0))])
        without_load = Bounds(*np.array(forces, dtype=object).reshape(-1, 4).T)
        if available is None or not self.loaded:
            return without_load
        return self._under_load(without_load, available, near or {k: available[i] for k, i in self.loaded.items()})

    def at_rest(self, bounds: Bounds, loads: Mapping[int, Any]) -> tuple[Array, Array]:
        """The least and the most friction of rows at rest, from those without friction under load, and the loads."""
        least, most = bounds.least.copy(), bounds.most.copy()
        for k, row in self.loaded_rows.items():
            for law in self.links.drive.laws[k]:
                if law.depends_on_load and is_dry(law):
                    low, high = law.at_rest(loads[k])
                    least[row], most[row] = least[row] + low, most[row] + high
        return least, most

    @property
    def loaded_rows(self) -> dict[int, int]:
        """The row of each body of `loaded` that has dry friction."""
        places = {int(i): row for row, i in enumerate(self.own[: self.of_links])}
        return {k: places[i] for k, i in self.loaded.items() if i in places}

    def _under_load(self, known: Bounds, available: Array, near: Mapping[int, Any]) -> Bounds:
        """The bounds with the friction under load, of joint forces t: the load l solves l + f(l) = t."""
        bounds = [bound.copy() for bound in known]
        for place, (each, side) in enumerate(zip(bounds, (-1.0, 1.0, -1.0, 1.0), strict=True)):
            remaining = np.array(available, dtype=object)
            for k, row in self.loaded_rows.items():
                remaining[self.loaded[k]] = remaining[self.loaded[k]] - each[row]
            slid = self.under_load(remaining, np.full(self.n, side), near)
            for k, row in self.loaded_rows.items():
                own = slid[k]
                each[row] = each[row] + own.force + (own.gain * self._more_at_rest(k, side, own) if place < 2 else 0.0)
        return Bounds(*bounds)

    def under_load(
        self, available: Array, directions: Array, near: Mapping[int, Any], qd: Array | None = None
    ) -> dict[int, Slid]:
        """Friction under load, by body, of coordinates that slip in directions under joint forces t, (n,).

        Velocities qd are 0, of coordinates that begin to slip, if they are left out.

        Newton's method for l + f(l) = t, begun at loads nearby.
        """
        drive, rates = sliding_under_load(self.links.drive, directions), np.zeros(len(self.links.drive.terms))
        rates = rates if qd is None else self.links.drive.rates(qd)
        loads, of_bodies = dict(near), [lines(drive, k) or STEPS for k in self.loaded]
        for _ in range(min(STEPS, max(of_bodies))):
            friction = loaded_friction(drive, rates, loads)
            loads = {k: friction[k].gain * available[i] - friction[k].offset for k, i in self.loaded.items()}
        friction = loaded_friction(drive, rates, loads)
        return {k: Slid(available[i] - loads[k], friction[k].gain, loads[k]) for k, i in self.loaded.items()}

    def _more_at_rest(self, k: int, side: float, own: Slid) -> Any:
        """Friction that a body has at rest, in addition to that with which it begins to slip to a side."""
        dry = [law for law in self.links.drive.laws[k] if law.depends_on_load and is_dry(law)]
        at_rest = (law.at_rest(own.load)[0 if side < 0.0 else 1] for law in dry)
        return sum(a - law.sliding(side, 0.0, own.load) for a, law in zip(at_rest, dry, strict=True))

    def resting(self, rests: Array, v: Array, none: Array) -> Array:
        """Velocities, or accelerations, exactly zero of coordinates that rest with their joints.

        Args:
            rests: 1 of each row that rests, else 0.
            v: velocities, (n,).
            none: 1 for each that is zero to rounding, else 0: of several coordinates, those that rest with their joint.
        """
        v = v.copy()
        for one, row in zip(rests, self.matrix[:, : len(v)], strict=False):
            coordinates = np.flatnonzero(row)
            for i in coordinates:
                still = one if len(coordinates) == 1 else one * none[i]
                v[i] = v[i] - still * v[i]  # no negative zero
        return v


@function("(n)->(n),(n),(n),(n)", sources=SOURCES)
def bounds_under_load(model: Any, available: Any) -> Bounds:
    """`Bounds` of the coordinates that alone move a joint, 0 of others, to the last digit, N m or N, shape (..., n).

    Args:
        available: tau, the joint forces that remain for load and friction of a joint at rest, N m or N, shape (..., n).
    """
    rows, own = FrictionRows(model), np.zeros((4, model.dof), dtype=object)
    alone = rows.own >= 0
    own[:, rows.own[alone]] = np.array(rows.bounds(np.zeros(0)), dtype=object)[:, alone]
    least, most, backwards, forwards = available - own
    of_load = (
        *breakaway_of_available(model, least, most)[:2],
        *(friction_of_available(model, remaining, np.full(model.dof, side * TINY))[0]
          for remaining, side in ((backwards, -1.0), (forwards, 1.0))),
    )  # fmt: skip
    dry = np.zeros(model.dof)
    dry[rows.own[alone]] = 1.0
    return Bounds(*(dry * (without_load + more) for without_load, more in zip(own, of_load, strict=True)))


def _are_equal(a: Any, b: Any) -> bool:
    """True of two numbers that are equal but for the slope of friction near rest; traced scalars may differ."""
    return isinstance(a, float | int) and isinstance(b, float | int) and abs(a - b) <= ROUNDING[0] * (abs(a) + abs(b))
