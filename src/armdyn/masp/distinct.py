"""Which joint positions are one configuration: those between which the hand can stay where it is."""

from __future__ import annotations

import numpy as np

from armdyn.kinematics.limits import FULL_TURN
from armdyn.robot import Robot
from armdyn.spatial.rotations import Array

KEPT = 3e-10
"""How far the hand may leave its pose on the way between two joint positions that are one configuration, m and rad."""

MOST = 16
"""As many configurations an arm of six joints can have that are not part of a continuum."""

SINGULAR = 1e-4
"""Smallest to largest singular value of the Jacobian, below which joints are taken to turn with the hand at rest."""

ALIKE = 1e-3
"""How near joints that do not turn then have to be in members of one continuum, rad or m."""

BETWEEN = np.array([0.25, 0.5, 0.75])


def less_turns(robot: Robot, q: Array) -> Array:
    """q without whole turns: each angle from -pi to pi."""
    turns = np.array([joint.kind == "revolute" for joint in robot.joints])
    return np.where(turns, q - FULL_TURN * np.round(q / FULL_TURN), q)


def is_among(robot: Robot, T: Array, q: Array, found: list[Array]) -> bool:
    """Whether the hand stays at T on the straight way from q to one of those found.

    So it does between two results of a search for one configuration. Near a singularity these lie farther apart than
    rounding, since the hand hardly moves between them. Where two axes of a wrist agree, all that have the
    same sum are one.
    """
    if not found:
        return False
    between = q + BETWEEN[:, None, None] * less_turns(robot, np.array(found) - q)
    return bool((np.abs(robot.forward_kinematics(between) - T).max(axis=(0, -2, -1)) < KEPT).any())


def one_of_each_continuum(robot: Robot, found: Array) -> Array:
    """The first of those joint positions, shape (m, n), that differ only in joints which turn with the hand at rest."""
    kept: list[Array] = []
    for q, J in zip(found, robot.jacobian(found), strict=True):
        _, sizes, directions = np.linalg.svd(J)
        rests = ~(np.abs(directions[sizes < SINGULAR * sizes[0]]) > SINGULAR).any(axis=0)
        if rests.all() or not any(
            np.abs(less_turns(robot, q - other))[rests].max(initial=0.0) < ALIKE for other in kept
        ):
            kept.append(q)
    return np.array(kept)
