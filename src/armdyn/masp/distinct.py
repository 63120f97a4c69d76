"""Identification of joint positions that are one configuration: the hand can stay at its pose between them."""

from __future__ import annotations

import numpy as np

from armdyn.kinematics.limits import FULL_TURN
from armdyn.robot import Robot
from armdyn.spatial.rotations import Array

KEPT = 3e-10
"""Largest deviation of the hand on the line between two joint positions of one configuration, m and rad."""

MOST = 16
"""Largest number of configurations of an arm of six joints that are not part of a continuum."""

SINGULAR = 1e-4
"""Joints can move with the hand at rest if the ratio of smallest to largest singular value of J is below this."""

ALIKE = 1e-3
"""Largest difference of the other joints between members of one continuum, rad or m."""

BETWEEN = np.array([0.25, 0.5, 0.75])


def less_turns(robot: Robot, q: Array) -> Array:
    """q without whole turns: each angle in -pi to pi."""
    turns = np.array([joint.kind == "revolute" for joint in robot.joints])
    return np.where(turns, q - FULL_TURN * np.round(q / FULL_TURN), q)


def is_among(robot: Robot, T: Array, q: Array, solutions: list[Array]) -> bool:
    """Return True if the hand stays at T on the straight line from q to one of the found configurations.

    This is so between two results of a search for one configuration. Near a singularity their distance is larger than
    rounding, because the hand hardly moves between them. If two axes of a wrist coincide, all positions with an equal
    sum of these angles are one configuration.
    """
    if not solutions:
        return False
    between = q + BETWEEN[:, None, None] * less_turns(robot, np.array(solutions) - q)
    return bool((np.abs(robot.forward_kinematics(between) - T).max(axis=(0, -2, -1)) < KEPT).any())


def one_of_each_continuum(robot: Robot, solutions: Array) -> Array:
    """One of each set of joint positions, shape (m, n), that differ only in joints that move with the hand at rest."""
    representatives: list[Array] = []
    for q, J in zip(solutions, robot.jacobian(solutions), strict=True):
        _, sizes, directions = np.linalg.svd(J)
        rests = ~(np.abs(directions[sizes < SINGULAR * sizes[0]]) > SINGULAR).any(axis=0)
        if rests.all() or not any(
            np.abs(less_turns(robot, q - other))[rests].max(initial=0.0) < ALIKE for other in representatives
        ):
            representatives.append(q)
    return np.array(representatives)
