"""A robot as rods and joint symbols, drawn if its description has no shapes."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from armdyn.model.model import Model
from armdyn.plots.stick_figure import SHORTEST, held_lines, slide_starts, stick_lines
from armdyn.plots.symbols import along, symbol
from armdyn.robot import Robot
from armdyn.spatial.rotations import Array

ROUND = 24
"""Sides of a drawn rod."""

RADIUS = 0.012
"""Radius of a rod, as a fraction of the size of the robot."""

JOINT_SIZE = 1.25
"""Size of joint symbols, as a multiple of their size in plots."""

SMALLEST = 1e-6
"""Sizes below this, m, of robots all of whose frames coincide, are replaced by 1 m."""


@dataclass(frozen=True, eq=False)
class JointSymbol:
    """Triangles of a drum (revolute) or block (prismatic) in the frame of the link that the joint moves, m."""

    joint: str
    kind: str
    link: str
    triangles: Array


def size_of(robot: Robot, *configurations: Array) -> float:
    """The length of the lines of a robot from its base to its farthest end, m; 1 if that is zero.

    It is the largest of those at q = 0 and, for a robot with prismatic joints, at other configurations.

    Args:
        robot: the robot.
        configurations: its other configurations, rad or m, shape (n,) each.
    """
    slides = any(joint.kind == "prismatic" for joint in robot.model.joints)
    longest = max(
        float(np.linalg.norm(np.diff(line, axis=0), axis=1).sum())
        for q in (np.zeros(robot.dof), *(configurations if slides else ()))
        for line in stick_lines(robot, q)
    )
    return longest if longest > SMALLEST else 1.0


def rods(robot: Robot, q: Array) -> Array:
    """The ends of the rods of a robot in base axes, m, shape (rods, 2, 3); their number does not depend on q.

    Rods run from the origin of each link to those of its child links, along prismatic joints from their zero position,
    to the tip, and to the points of constraints.

    >>> rods(armdyn.load("planar_2r"), np.zeros(2)).shape
    (3, 2, 3)
    """
    poses = dict(zip(robot.link_names, robot.link_poses(q), strict=True))
    place = {name: T[:3, 3] for name, T in poses.items()}
    begins = slide_starts(robot, poses)
    ways = [
        (place[j.parent], *((begins[j.child],) if j.child in begins else ()), place[j.child])
        for j in robot.model.joints
    ]
    ends = [pair for way in ways for pair in pairwise(way)]
    if robot.tip is not None:
        ends.append((place[robot.model.frame(robot.tip).link], robot.forward_kinematics(q)[:3, 3]))
    lines: list[Array] = held_lines(robot, q) if robot.model.constraints else []
    return np.array([*ends, *lines])


def rod_pose(ends: Array) -> tuple[Array, float]:
    """The pose whose z axis runs from one end to the other, from the first end, and the length, m.

    >>> T, length = rod_pose(np.array([[0.0, 0.0, 1.0], [2.0, 0.0, 1.0]]))
    >>> bool(np.allclose(T @ [0.0, 0.0, length, 1.0], [2.0, 0.0, 1.0, 1.0]))
    True
    """
    T = np.eye(4)
    T[:3, 3] = ends[0]
    along_it = ends[1] - ends[0]
    length = float(np.linalg.norm(along_it))
    if length > SHORTEST:
        T[:3, :3] = along(along_it / length)
    return T, length


def unit_rod(radius: float) -> tuple[Array, Array]:
    """Vertices, m, and faces of a closed rod from the origin along z, of length 1."""
    angle = np.arange(ROUND) * (2.0 * np.pi / ROUND)
    ring = np.stack([radius * np.cos(angle), radius * np.sin(angle), np.zeros(ROUND)], axis=-1)
    vertices = np.concatenate([ring, ring + np.array([0.0, 0.0, 1.0])])
    k = np.arange(ROUND)
    after = (k + 1) % ROUND
    sides = np.concatenate([np.stack([k, after, k + ROUND], -1), np.stack([after, after + ROUND, k + ROUND], -1)])
    fan = np.arange(1, ROUND - 1)
    bottom = np.stack([np.zeros_like(fan), fan + 1, fan], -1)
    top = np.stack([np.zeros_like(fan), fan, fan + 1], -1) + ROUND
    return vertices, np.concatenate([sides, bottom, top])


def joint_symbols(model: Model, size: float) -> list[JointSymbol]:
    """The symbols of the joints of a robot of a size, m."""
    return [
        JointSymbol(joint.name, joint.kind, joint.child, symbol(joint.kind, JOINT_SIZE * size) @ along(joint.axis).T)
        for joint in model.joints
    ]
