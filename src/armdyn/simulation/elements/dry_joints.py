"""The joints of a drive that can stick, and their friction without that which depends on their load."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from armdyn.actuators.flexible_joints import flexible_joints, flexible_places, links_side
from armdyn.algorithms.load_friction import own_coordinates
from armdyn.base.exact import is_zero, rounded
from armdyn.model.drive import Drive, Terms
from armdyn.model.friction import TINY, is_dry
from armdyn.robot import Robot


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
    groups: dict[Terms, list[tuple[int, float]]] = {}
    for k in rubbing_bodies(drive):
        first = drive.terms[k][0][1]
        groups.setdefault(tuple((i, factor / first) for i, factor in drive.terms[k]), []).append((k, first))
    return groups


def row_forces(drive: Drive, bodies: Sequence[tuple[int, float]]) -> list[Any]:
    """The least and the largest dry friction of a row at rest, and that with which it slips either way.

    Without the laws that depend on the load; numbers or traced scalars, as the drive has them.
    """
    forces: list[Any] = [0.0] * 4
    for k, factor in bodies:
        c = rounded(drive.friction[k])
        dry = [law for law in drive.laws[k] if is_dry(law) and not law.depends_on_load]
        laws = [(*law.at_rest(0.0), law.force(-TINY, 0.0), law.force(TINY, 0.0)) for law in dry]
        least, most, backwards, forwards = (sum(each) for each in zip((-c, c, -c, c), *laws, strict=True))
        own = (most, least, forwards, backwards) if factor < 0 else (least, most, backwards, forwards)
        forces = [a + factor * b for a, b in zip(forces, own, strict=True)]
    return forces
