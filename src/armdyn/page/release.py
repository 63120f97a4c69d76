"""Forces on a released arm: damping at its joints, and stops at their limits. Both can be turned off."""

from __future__ import annotations

from typing import Any

import numpy as np

from armdyn.constraints.dynamics import constrained_forward_dynamics
from armdyn.declaration import function
from armdyn.model.mechanism import Mechanism
from armdyn.program import greater, maximum, minimum, select
from armdyn.robot import Robot
from armdyn.spatial.rotations import Array

DAMPING_TIME = 1.5
"""Time constant in which damping reduces a joint's speed, s."""

STOP_RATE = 60.0
"""Frequency of the lightest joint on its stop, rad/s, low enough for a step of 1 ms."""

LOSS_TIME = 0.012
"""Ratio of a stop's damping to its stiffness, s."""

SAMPLES = 64
"""Number of configurations in the search for the least inertia."""


@function("(n),(n),(n),(n)->(n)")
def released(model: Mechanism, q: Array, qd: Array, damping: Any, stiffness: Any) -> Array:
    """Joint forces of damping, and of stops at the limits, N m or N, shape (..., n).

    Args:
        q: joint positions, rad or m, shape (..., n).
        qd: joint velocities, rad/s or m/s, shape (..., n).
        damping: damping, N m s/rad or N s/m, shape (..., n); zero for none.
        stiffness: stiffness of the stops, N m/rad or N/m, shape (..., n); zero for none.
    """
    forces = np.empty(len(q), dtype=object)
    for k, joint in enumerate(model.model.coordinates):
        forces[k] = -(damping[k] * qd[k])
        low, high = joint.limits.lower, joint.limits.upper
        if not (np.isfinite(low) or np.isfinite(high)) or low > high:
            continue
        beyond: Any = 0.0
        if np.isfinite(high):
            beyond = beyond + maximum(q[k] - high, 0.0)
        if np.isfinite(low):
            beyond = beyond + minimum(q[k] - low, 0.0)
        loss = select(greater(beyond * beyond, 0.0), LOSS_TIME * qd[k], 0.0)
        forces[k] = forces[k] - stiffness[k] * (beyond + loss)
    return forces


@function("(n),(n),(n)->(n)")
def constrained_accelerations(model: Mechanism, q: Array, qd: Array, tau: Array) -> Array:
    """Joint accelerations under the constraints of the robot, rad/s^2 or m/s^2, shape (..., n).

    Args:
        q: joint positions, rad or m, shape (..., n).
        qd: joint velocities, rad/s or m/s, shape (..., n).
        tau: joint forces, N m or N, shape (..., n).
    """
    qdd: Array = constrained_forward_dynamics(model, q, qd, tau)[0]
    return qdd


def constants(robot: Robot) -> tuple[Array, Array]:
    """Suitable damping and stiffness of stops for the arm, shape (n,) each.

    Damping is that of each joint's own inertia over `DAMPING_TIME`. The stiffness follows from the least inertia that
    a joint has when the others are free, so that no step of the integration is too long for it.
    """
    q = robot.random_configuration(0, SAMPLES)
    M = np.asarray(robot.mass_matrix(q), dtype=float)
    least = 1.0 / np.max(np.diagonal(np.linalg.inv(M), axis1=-2, axis2=-1), axis=0)
    damping: Array = np.mean(np.diagonal(M, axis1=-2, axis2=-1), axis=0) / DAMPING_TIME
    return np.minimum(damping, 200.0 * least), STOP_RATE**2 * least
