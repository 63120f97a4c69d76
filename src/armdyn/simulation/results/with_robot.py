"""Quantities of a motion that need the robot: the motion of its tip, the forces of constraints."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from armdyn.actuators.flexible_joints import flexible_places
from armdyn.constraints.arguments import Redundant
from armdyn.errors import ShapeError, shown
from armdyn.functions.robot_like import compiled
from armdyn.kinematics.motion import frame_motion
from armdyn.robot import Robot
from armdyn.simulation.results.motion_data import MotionData
from armdyn.spatial.rotations import Array


class TipMotion(NamedTuple):
    """The motion of a frame over time.

    Args:
        pose: T of the frame in the base, lengths in m, shape (T, ..., 4, 4).
        twist: V = (w, v), in base axes, v that of the frame's origin, rad/s and m/s, shape (T, ..., 6).
        twist_rate: Vdot = (wd, a), in base axes, a the acceleration of the frame's origin, shape (T, ..., 6).
    """

    pose: Array
    twist: Array
    twist_rate: Array

    @property
    def position(self) -> Array:
        """p of the frame's origin in base axes, m, shape (T, ..., 3)."""
        position: Array = self.pose[..., :3, 3]
        return position


class ConstraintForces(NamedTuple):
    """Forces of a robot on its constraints over time; the constraints react with the opposite.

    Args:
        multipliers: lambda, N or N m, one for each of ``robot.constraint_rows``, shape (T, ..., constraints).
        joint_forces: A^T lambda, N m or N, shape (T, ..., n).
    """

    multipliers: Array
    joint_forces: Array


def check_it_moved(trajectory: MotionData, robot: Any) -> None:
    """Refuse a robot whose joints are not those of the motion."""
    if not isinstance(robot, Robot):
        raise ShapeError(f"robot is {shown(robot)}; expected the Robot that moved")
    kinds = tuple(joint.kind for joint in robot.joints)
    if (robot.joint_names, kinds) != (trajectory.joint_names, trajectory.joint_kinds):
        raise ShapeError(
            f"the joints of {robot.name!r} are {', '.join(robot.joint_names)}; those that moved are "
            f"{', '.join(trajectory.joint_names)}. Give the robot that was simulated"
        )


def tip_motion(trajectory: MotionData, robot: Robot, frame: str | None) -> TipMotion:
    """V = J qd and Vdot = J qdd + Jdot qd (Kazerounian and Gupta 1985, 4a, 4b)."""
    check_it_moved(trajectory, robot)
    q, qd, qdd = trajectory.q, trajectory.qd, trajectory.qdd
    with np.errstate(all="ignore"):  # states of a batch that are lost are NaN
        pose = robot.forward_kinematics(q, frame=frame)
        J, bias = compiled(frame_motion, robot)(q, qd, frame=frame, expressed_in="world")
        twist, rate = (np.einsum("...ij,...j->...i", J, x) for x in (qd, qdd))
    return TipMotion(pose, twist, rate + bias)


def constraint_forces(trajectory: MotionData, robot: Robot, redundant: Redundant) -> ConstraintForces:
    """Of the states as they are: integration lets them drift from the constraints a little."""
    check_it_moved(trajectory, robot)
    wrench: dict[str, Any] = {} if trajectory.f_tip is None else {"f_tip": trajectory.f_tip}
    if flexible_places(robot.model):
        rotors = (trajectory.signals[name] for name in ("theta", "thetad"))
        multipliers = robot.flexible_multipliers(trajectory.q, trajectory.qd, *rotors, trajectory.tau, **wrench)
        return ConstraintForces(multipliers, robot.constraint_forces(trajectory.q, multipliers))
    motion = robot.constrained_forward_dynamics(
        trajectory.q, trajectory.qd, trajectory.tau, redundant=redundant, tolerance=np.inf, **wrench
    )
    return ConstraintForces(motion.multipliers, robot.constraint_forces(trajectory.q, motion.multipliers))
