"""The initial configuration of a page: bent, so that links and joints do not cover each other."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress

import numpy as np

from armdyn.base.errors import ArmdynError
from armdyn.robot import Robot
from armdyn.spatial.rotations import Array

BENT = (0.3, -1.2, 1.4, -0.7, 1.1, 0.2)
"""Angles of successive revolute joints, rad, repeated cyclically."""

SLID = 0.4
"""Position of a prismatic joint as a fraction of its range."""

MARGIN = 0.15
"""Fraction of a joint's range that is left free at both ends."""


def posture(robot: Robot) -> Array:
    """Joint positions within the limits, rad or m, shape (n,); loops are closed near them, if they can be."""
    if any(row.holonomic for row in robot.constraint_rows):
        return closed_near(robot, [_bent_posture(robot), np.zeros(robot.dof)])
    return _bent_posture(robot)


def closed_near(robot: Robot, guesses: Sequence[Array]) -> Array:
    """The first closed positions of loops near guesses, rad or m, shape (n,); otherwise the last guess."""
    for guess in guesses:
        with suppress(ArmdynError):
            return np.asarray(robot.close_loop(guess))
    return guesses[-1]


def _bent_posture(robot: Robot) -> Array:
    q = np.zeros(robot.dof)
    for k, joint in enumerate(robot.joints):
        low, high = joint.limits.lower, joint.limits.upper
        bounded = np.isfinite(low) and np.isfinite(high) and low < high
        if joint.kind == "revolute":
            free = MARGIN * (high - low) if bounded else 0.0
            q[k] = np.clip(BENT[k % len(BENT)], low + free, high - free) if low < high else 0.0
        elif bounded:
            q[k] = low + SLID * (high - low)
    return q
