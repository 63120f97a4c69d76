"""Diagnosis of failed searches from their final configurations."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from armdyn.functions.robot_like import RobotLike
from armdyn.kinematics import solution as words
from armdyn.kinematics.aims import Aim, TaskAim, each
from armdyn.kinematics.descent import DampedLeastSquares
from armdyn.kinematics.limits import Range, reach
from armdyn.kinematics.solution import ReachBound
from armdyn.spatial.rotations import Array

STILL_MOVING = 1e-4
"""A search has not converged if the free joints can lower the residual by more than this fraction of it."""


def out_of_reach(
    robot: RobotLike, aims: Sequence[Aim | TaskAim], target: Array, limits: Range
) -> dict[int, ReachBound]:
    """The targets, of shape (N, size), that no configuration can meet, by the triangle inequality alone."""
    result: dict[int, ReachBound] = {}
    for aim, numbers in each(aims, target):
        if not isinstance(aim, Aim) or aim.kind != "position" or len(aim.counted) < 3 or not len(numbers):
            continue
        origin, at_most, joint = reach(robot, limits, aim.frame, numbers[0, 3:6])
        distance = np.linalg.norm(numbers[:, :3] - origin, axis=1)
        for k in np.flatnonzero(distance > at_most * (1.0 + 1e-12)):
            result.setdefault(int(k), ReachBound(float(distance[k]), at_most, joint, aim.frame))
    return result


def diagnose(solver: DampedLeastSquares, target: Array, q: Array, limits: Range) -> tuple[Array, Array, Array]:
    """Status, active limits (-1, 0, 1) and relative smallest singular value of failed searches that ended at q."""
    e, J = solver.residuals(q, target)
    J = J * limits.unit
    gradient = np.einsum("kij,ki->kj", J, e)
    lower, upper = np.array(limits.bounds).T
    bound_sides = np.where((q >= upper) & (gradient > 0.0), 1, 0) - np.where((q <= lower) & (gradient < 0.0), 1, 0)
    singular_values = np.linalg.svd(J, compute_uv=False)
    with np.errstate(all="ignore"):
        steepness = np.linalg.norm(np.where(bound_sides != 0, 0.0, gradient), axis=1) / np.linalg.norm(e, axis=1)
        smallest = singular_values[:, -1] / singular_values[:, 0]
    bound_sides = np.where(np.abs(gradient) > STILL_MOVING * np.linalg.norm(e, axis=1)[:, None], bound_sides, 0)
    rest = words.TOO_FEW_JOINTS if J.shape[1] > J.shape[2] else words.SINGULAR
    status = np.where(bound_sides.any(axis=1), words.AT_LIMIT, rest)
    return np.where(steepness > STILL_MOVING, words.ITERATION_LIMIT, status), bound_sides, smallest
