"""The numbers of a report: extremes, rms force, power and work of each joint."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from armdyn.motion.limits_passed import integral
from armdyn.robot import Robot
from armdyn.simulation import Trajectory
from armdyn.spatial.rotations import Array


@dataclass(frozen=True)
class JointBounds:
    """The limits of a joint, infinite if there is none."""

    lower: float
    upper: float
    velocity: float
    effort: float


class JointAccount(NamedTuple):
    """The range, speed, force and work of a joint over a motion.

    Args:
        name: name of the joint.
        kind: "revolute" or "prismatic".
        bounds: its limits; None if the robot is unknown.
        lowest, highest: positions, rad or m.
        fastest: the largest speed, rad/s or m/s.
        strongest: the largest absolute force, N m or N.
        rms: the root mean square of the force over time, N m or N.
        peak_power: the largest absolute power of the joint's force, W.
        delivered: energy delivered by the joint's force, J.
        absorbed_energy: energy absorbed by the joint's force, J, a positive number.
    """

    name: str
    kind: str
    bounds: JointBounds | None
    lowest: float
    highest: float
    fastest: float
    strongest: float
    rms: float
    peak_power: float
    delivered: float
    absorbed_energy: float


def joint_accounts(motion: Trajectory, robot: Robot | None) -> list[JointAccount]:
    """The accounts of all joints over a motion."""
    power = motion.tau * motion.qd
    result = []
    for k, (name, kind) in enumerate(zip(motion.joint_names, motion.joint_kinds, strict=True)):
        q, qd, tau, P = motion.q[:, k], motion.qd[:, k], motion.tau[:, k], power[:, k]
        result.append(
            JointAccount(
                name,
                kind,
                None if robot is None else _bounds(robot, k),
                float(q.min()),
                float(q.max()),
                float(np.abs(qd).max()),
                float(np.abs(tau).max()),
                float(np.sqrt(mean_over(motion.t, tau * tau))),
                float(np.abs(P).max()),
                float(integral(motion.t, np.maximum(P, 0.0))),
                float(integral(motion.t, np.maximum(-P, 0.0))),
            )
        )
    return result


def _bounds(robot: Robot, k: int) -> JointBounds:
    limits = robot.joints[k].limits
    return JointBounds(limits.lower, limits.upper, limits.velocity, limits.effort)


def mean_over(t: Array, values: Array) -> float:
    """The mean over time; for a single time its value."""
    lasts = float(t[-1] - t[0])
    return integral(t, values) / lasts if lasts > 0.0 else float(values[0])
