"""Quantities of a motion that need the robot: the motion of its tip, the forces of constraints."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple, Protocol

import numpy as np

from armdyn.actuators.flexible_joints import flexible_places
from armdyn.base.checks import objects_with
from armdyn.base.errors import ShapeError, Unsupported, excerpt
from armdyn.constraints.arguments import Redundant
from armdyn.constraints.point_on_plane import PointOnPlane
from armdyn.functions.robot_like import compile_for
from armdyn.kinematics.motion import frame_motion
from armdyn.motion.motion_data import MotionData
from armdyn.robot import Robot
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
    """Forces of a robot on its constraints over time; the reactions of the constraints are the opposite.

    Args:
        multipliers: lambda, N or N m, one for each of ``robot.constraint_rows``, shape (T, ..., constraints).
        joint_forces: A^T lambda, N m or N, shape (T, ..., n).
    """

    multipliers: Array
    joint_forces: Array


class Touching(Protocol):
    """Interface of `armdyn.simulation.Contact`: a point above a plane."""

    @property
    def plane(self) -> PointOnPlane:
        """The point and its plane."""


def check_it_moved(trajectory: MotionData, robot: object) -> None:
    """Refuse a robot whose joints are not those of the motion."""
    if not isinstance(robot, Robot):
        raise ShapeError(f"robot is {excerpt(robot)}; expected the Robot that moved")
    kinds = tuple(joint.kind for joint in robot.joints)
    if (robot.joint_names, kinds) != (trajectory.joint_names, trajectory.joint_kinds):
        raise ShapeError(
            f"the joints of {robot.name!r} are {', '.join(robot.joint_names)}; those that moved are "
            f"{', '.join(trajectory.joint_names)}. Give the robot that was simulated"
        )


def tip_motion(trajectory: MotionData, robot: Robot, *, frame: str | None = None) -> TipMotion:
    """Pose, twist and its rate of the tip, or of any frame, over time.

    V = J qd and Vdot = J qdd + Jdot qd (Kazerounian and Gupta 1985, 4a, 4b).

    Args:
        trajectory: the motion.
        robot: the robot that moved.
        frame: name of the frame; the tip by default.

    Raises:
        ShapeError: a robot of other joints.
        UnknownName: a frame that the robot does not have.

    >>> arm = armdyn.load("rp")
    >>> hand = armdyn.simulate(arm, [0.0, 1.0], duration=1.0).tip_motion(arm)
    >>> hand.position.shape, hand.twist.shape
    ((1001, 3), (1001, 6))
    """
    check_it_moved(trajectory, robot)
    q, qd, qdd = trajectory.q, trajectory.qd, trajectory.qdd
    with np.errstate(all="ignore"):  # diverged states of a batch are NaN
        pose = robot.forward_kinematics(q, frame=frame)
        J, bias = compile_for(frame_motion, robot)(q, qd, frame=frame, expressed_in="world")
        twist, rate = (np.einsum("...ij,...j->...i", J, x) for x in (qd, qdd))
    return TipMotion(pose, twist, rate + bias)


def constraint_forces(
    trajectory: MotionData, robot: Robot, *, redundant: Redundant = "auto", contacts: Sequence[Touching] = ()
) -> ConstraintForces:
    """Multipliers lambda and joint forces A^T lambda of the constraints over time (Modern Robotics 8.93, 8.98).

    Friction of joints that stick, stops and contacts count as they did in the motion. The saved states may have a small
    drift from the constraints.

    Args:
        trajectory: the motion.
        robot: the robot that moved, with its constraints.
        redundant: as of `constrained_forward_dynamics`.
        contacts: those of the motion, if it has some.

    Raises:
        ShapeError: a robot of other joints, or more or fewer contacts than the motion has.
        SettingError: an entry of contacts that is not a contact.
        ModelError: a robot without constraints.
        RedundantConstraints: by redundant="error", constraints that follow from others.
        Unsupported: stops, contacts or links that stick in an arm with flexible joints.
    """
    check_it_moved(trajectory, robot)
    wrench: dict[str, Any] = {} if trajectory.f_tip is None else {"f_tip": trajectory.f_tip}
    if flexible_places(robot.model):
        _refuse_more_forces(trajectory, robot)
        rotors, tau, moved = [trajectory.signals[name] for name in ("theta", "thetad")], trajectory.tau, robot
        if (
            "friction" in trajectory.signals
            and not trajectory.signals["friction"][..., flexible_places(robot.model)].any()
        ):
            tau, moved = tau - trajectory.signals["friction"], robot.without_friction()
        multipliers = moved.flexible_multipliers(trajectory.q, trajectory.qd, *rotors, tau, **wrench)
        return ConstraintForces(multipliers, robot.constraint_forces(trajectory.q, multipliers))
    tau, moved = trajectory.tau + _pushed(trajectory, robot, contacts), robot
    if "friction" in trajectory.signals:  # friction does not follow from the state if joints stick
        tau, moved = tau - trajectory.signals["friction"], robot.without_friction()
    motion = moved.constrained_forward_dynamics(
        trajectory.q, trajectory.qd, tau, redundant=redundant, tolerance=np.inf, **wrench
    )
    return ConstraintForces(motion.multipliers, robot.constraint_forces(trajectory.q, motion.multipliers))


def _refuse_more_forces(trajectory: MotionData, robot: Robot) -> None:
    """Refuse motions with flexible joints in which stops, contacts or links that stick push on constraints."""
    signals, flexible = trajectory.signals, flexible_places(robot.model)
    friction = signals.get("friction", np.zeros(trajectory.q.shape))
    if not friction[..., flexible].any():
        friction = np.zeros(trajectory.q.shape)  # that of rigid joints is counted as it was
    does = {
        "press against stops": signals.get("stop_force", np.zeros(1)).any(),
        "press against contacts": signals.get("contact_force", np.zeros(1)).any(),
        "stick": ((friction != 0.0) & (trajectory.qd == 0.0)).any(),
        "rub while brakes or bristles hold others": friction.any()
        and ("bristles" in signals or any(event.kind in ("engaged", "released") for event in trajectory.events)),
    }
    for source, happens in does.items():
        if happens:
            raise Unsupported(
                f"links of {robot.name!r}, which has flexible joints, {source} in this motion; constraint_forces does "
                "not count that. Use a part of the motion in which they do not: trajectory.between(start, end)"
            )


def _pushed(trajectory: MotionData, robot: Robot, contacts: Sequence[Touching]) -> Array:
    """The joint forces of stops and contacts, a^T p, shape (T, ..., n)."""
    pushed, pushes = np.zeros(trajectory.q.shape), trajectory.signals
    if "stop_force" in pushes:
        sides = (("lower", 1.0), ("upper", -1.0))
        joints_and_signs = {
            f"{joint} {side} stop": (k, sign) for k, joint in enumerate(robot.joint_names) for side, sign in sides
        }
        named = [label.name for label in trajectory.signal_labels.get("stop_force", ())]
        if len(named) != pushes["stop_force"].shape[-1] or not joints_and_signs.keys() >= set(named):
            raise ShapeError(
                "the signal 'stop_force' of this motion does not say which stops push. Give their names, as "
                "trajectory.with_signal_labels(stop_force=[('joint_1 upper stop', 'N m')])"
            )
        for (k, sign), force in zip(
            map(joints_and_signs.__getitem__, named), np.moveaxis(pushes["stop_force"], -1, 0), strict=True
        ):
            pushed[..., k] += sign * force
    if "contact_force" in pushes:
        p, contacts = pushes["contact_force"], objects_with("contacts", contacts, "plane", "Contact(PointOnPlane(...))")
        if len(contacts) != p.shape[-1]:
            raise ShapeError(
                f"constraint_forces has {len(contacts)} contacts; {p.shape[-1]} push in this motion, and the "
                "constraints do not carry what they take. Give contacts= as they were given to simulate"
            )
        planes = robot.without_constraints().with_constraints(*(contact.plane for contact in contacts))
        pushed = pushed + np.einsum("...k,...kn->...n", p, planes.constraint_jacobian(trajectory.q))
    return pushed
