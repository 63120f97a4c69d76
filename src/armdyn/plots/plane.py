"""The plane of motion of planar arms."""

from __future__ import annotations

import numpy as np

from armdyn.robot import Robot
from armdyn.spatial.rotations import Array

PARALLEL = 1e-9
"""Angles with a smaller sine count as zero."""


def plane_of_motion(robot: Robot) -> Array | None:
    """Directions to the right and up in the plane of a planar arm, as columns, shape (3, 2); None for a spatial arm.

    An arm is planar if the axes of all revolute joints are parallel and those of prismatic joints are perpendicular to
    them. Up is against gravity if gravity acts in the plane, otherwise the last axis of the base that is not normal to
    it; the plane is seen from the side from which x, y or z increases to the right.

    >>> from armdyn.plots.plane import plane_of_motion
    >>> plane_of_motion(armdyn.load("planar_2r"))
    array([[1., 0.],
           [0., 1.],
           [0., 0.]])
    >>> plane_of_motion(armdyn.load("ur5")) is None
    True
    """
    normal = _normal(robot)
    if normal is None:
        return None
    up = _up(robot, normal)
    right = np.cross(up, normal)
    right *= np.sign(right[np.abs(right).argmax()])
    plane = np.column_stack([right, up])
    plane[np.abs(plane) < PARALLEL] = 0.0
    return plane


def _normal(robot: Robot) -> Array | None:
    """The common unit axis of all revolute joints, if perpendicular to those of all prismatic ones; otherwise None."""
    turned = dict(zip(robot.link_names, robot.link_poses(np.zeros(robot.dof))[:, :3, :3], strict=True))
    axes = [(joint.kind, turned[joint.child] @ joint.axis) for joint in robot.model.joints]
    turning = [axis for kind, axis in axes if kind == "revolute"]
    sliding = [axis for kind, axis in axes if kind == "prismatic"]
    for normal in (*turning[:1], *np.eye(3)[::-1]):
        if all(np.linalg.norm(np.cross(normal, axis)) < PARALLEL for axis in turning) and all(
            abs(normal @ axis) < PARALLEL for axis in sliding
        ):
            return np.asarray(normal)
    if turning or np.linalg.matrix_rank(sliding, tol=PARALLEL) == 3:
        return None
    askew: Array = np.linalg.svd(sliding)[2][-1]
    return askew


def _up(robot: Robot, normal: Array) -> Array:
    for direction in (-robot.gravity, *np.eye(3)[::-1]):
        in_plane: Array = direction - (normal @ direction) * normal
        length = float(np.linalg.norm(in_plane))
        if length > 1e-6 * max(float(np.linalg.norm(direction)), 1e-12):
            return in_plane / length
    raise AssertionError("z and y are not both perpendicular to a plane")  # pragma: no cover
