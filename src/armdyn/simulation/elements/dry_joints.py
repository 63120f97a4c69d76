"""The joints of a robot that can stick: their breakaway forces and directions of slip."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from armdyn.actuators.flexible_joints import flexible_joints, flexible_places, links_side
from armdyn.algorithms.load_friction import own_coordinates
from armdyn.base.exact import is_zero, rounded
from armdyn.base.threads import cached_property
from armdyn.model.drive import Drive, Terms
from armdyn.model.friction import TINY, is_dry
from armdyn.robot import Robot
from armdyn.spatial.rotations import Array


@dataclass(frozen=True, eq=False)
class DryJoints:
    """The joints with dry friction; joints that one coordinate moves in proportion are one of them.

    Args:
        names: of each; those of joints that move together are joined by "and".
        rows: a, of the velocity a . qd, shape (m, n); they do not depend on q.
        least: the least force of friction at rest, N m or N, shape (m,): the negative of a breakaway force.
        most: the largest force of friction at rest, N m or N, shape (m,): a breakaway force.
        least_sliding: the friction of a joint that begins to slip backwards.
        most_sliding: the friction of a joint that begins to slip forwards.
        signs: direction of every joint of the model when each of these slips forwards, shape (m, joints).
    """

    names: list[str]
    rows: Array
    least: Array
    most: Array
    least_sliding: Array
    most_sliding: Array
    signs: Array

    @classmethod
    def of(cls, robot: Robot) -> DryJoints:
        """The dry joints of a robot, which keeps them; none if friction depends on the load of coupled joints.

        Forces are those of the friction that does not depend on the load:
        `armdyn.simulation.system.bounded_rows` adds the friction that does.
        """
        cache = vars(robot)
        if "_dry_joints" not in cache:
            cache["_dry_joints"] = cls._of(robot)
        joints_of_robot: DryJoints = cache["_dry_joints"]
        return joints_of_robot

    @classmethod
    def _of(cls, robot: Robot) -> DryJoints:
        drive, joints = robot.mechanism.drive, [body.joint for body in robot.mechanism.bodies]
        together = moved_together(drive) if can_hold(robot) else {}
        m, names = len(together), []
        rows, signs = np.zeros((m, drive.size)), np.zeros((m, len(robot.model.joints)))
        for row, sign, (terms, bodies) in zip(rows, signs, together.items(), strict=True):
            for i, factor in terms:
                row[i] = factor
            for k, factor in bodies:
                sign[joints[k]] = np.sign(factor)
            names.append(" and ".join(robot.model.joints[joints[k]].name for k, _ in bodies))
        forces = np.array([row_forces(drive, bodies) for bodies in together.values()], dtype=float).reshape(m, 4)
        least, most, backwards, forwards = forces.T
        return cls(names, rows, least, most, backwards, forwards, signs)

    def __len__(self) -> int:
        return len(self.names)

    def coordinates(self, which: Array) -> Array:
        """The coordinates that rest if these joints stick, for joints that one coordinate alone moves."""
        moved = self.moved_by[which]
        return moved[moved >= 0]

    @cached_property
    def moved_by(self) -> Array:
        """The coordinate that alone moves each joint, -1 if several do."""
        return np.where(np.count_nonzero(self.rows, axis=1) == 1, np.argmax(self.rows != 0.0, axis=1), -1)

    def directions(self, slip: Array) -> Array:
        """1, -1 or 0 of every joint of the model, from those of these joints."""
        directions: Array = slip @ self.signs
        return directions


def drive_of_links(robot: Robot) -> Drive:
    """The drive between coordinates and joints; that on the link side of the springs if joints are flexible."""
    mechanism = robot.mechanism
    return links_side(mechanism, flexible_joints(mechanism)).drive if flexible_places(robot.model) else mechanism.drive


def can_hold(robot: Robot) -> bool:
    """True if a simulation can compute friction at rest: under load, if each joint is moved by its own coordinate.

    The load of a rotor of a flexible joint is the force of its spring.
    """
    drive = drive_of_links(robot)
    return not drive.depends_on_load or own_coordinates(drive) is not None


def rubbing_bodies(drive: Drive) -> list[int]:
    """The bodies whose joints have friction that jumps at zero velocity, friction under load included."""
    return [k for k in range(len(drive.terms)) if can_stick(drive, k)]


def rubbing_names(robot: Robot) -> list[str]:
    """Texts that name the friction of the joints with dry friction."""
    joints, bodies = robot.model.joints, robot.mechanism.bodies
    return [f"the friction of {joints[bodies[k].joint].name!r}" for k in rubbing_bodies(robot.mechanism.drive)]


def can_stick(drive: Drive, body: int) -> bool:
    """True if the joint of a body has dry friction, and some coordinate moves it."""
    rubs = not is_zero(drive.friction[body]) or any(map(is_dry, drive.laws[body]))
    return rubs and bool(drive.terms[body])


def rub_without_load(drive: Drive) -> bool:
    """True if each joint that can stick has dry friction without load too."""
    return all(
        not is_zero(drive.friction[k]) or any(low < 0.0 or high > 0.0 for low, high in _without_load(drive, k))
        for k in rubbing_bodies(drive)
    )


def _without_load(drive: Drive, body: int) -> list[tuple[float, float]]:
    return [law.at_rest(0.0) for law in drive.laws[body]]


def moved_together(drive: Drive) -> dict[Terms, list[tuple[int, float]]]:
    """Bodies with dry friction that move in proportion, with their factors, by the terms of their row."""
    found: dict[Terms, list[tuple[int, float]]] = {}
    for k in rubbing_bodies(drive):
        first = drive.terms[k][0][1]
        found.setdefault(tuple((i, factor / first) for i, factor in drive.terms[k]), []).append((k, first))
    return found


def row_forces(drive: Drive, bodies: Sequence[tuple[int, float]]) -> list[Any]:
    """The least and the largest dry friction of a row at rest, and that with which it slips either way.

    Without the laws that depend on the load; numbers or traced scalars, as the drive has them.
    """
    found: list[Any] = [0.0] * 4
    for k, factor in bodies:
        c = rounded(drive.friction[k])
        dry = [law for law in drive.laws[k] if is_dry(law) and not law.depends_on_load]
        laws = [(*law.at_rest(0.0), law.force(-TINY, 0.0), law.force(TINY, 0.0)) for law in dry]
        least, most, backwards, forwards = (sum(each) for each in zip((-c, c, -c, c), *laws, strict=True))
        own = (most, least, forwards, backwards) if factor < 0 else (least, most, backwards, forwards)
        found = [a + factor * b for a, b in zip(found, own, strict=True)]
    return found
