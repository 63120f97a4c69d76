"""The initial configuration of a page: bent, so that links and joints do not cover each other."""

from __future__ import annotations

import numpy as np

from armdyn.robot import Robot
from armdyn.spatial.rotations import Array

BENT = (0.3, -1.2, 1.4, -0.7, 1.1, 0.2)
"""Angles of successive revolute joints, rad, repeated cyclically."""

SLID = 0.4
"""Position of a prismatic joint as a fraction of its range."""

MARGIN = 0.15
"""Fraction of a joint's range that is left free at both ends."""


def posture(robot: Robot) -> Array:
    """Joint positions within the limits, rad or m, shape (n,); for a robot with constraints the zero configuration."""
    if robot.model.constraints:
        return np.zeros(robot.dof)
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
