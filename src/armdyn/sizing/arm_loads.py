"""Loads of the joints of an arm over a task, without their drives; and the arm with the masses of drives."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from armdyn.actuators import Actuator, Coulomb, FrictionLaw, Gear, Motor, Viscous
from armdyn.base.advice import either, option
from armdyn.base.checks import places
from armdyn.base.errors import ShapeError, Unsupported
from armdyn.model import Inertia, Joint
from armdyn.robot import Robot
from armdyn.sizing.load import JointLoad
from armdyn.sizing.task import MotionCycle

AT_REST = 1e-9
"""A joint is at rest if its speed is below this fraction of its largest, e.g. rounding at a reversal.

Friction and the losses of gears depend on the sign of the velocity.
"""


def joint_loads(
    robot: Robot, task: MotionCycle, joints: Sequence[str] | None = None, turns: Mapping[str, float] | None = None
) -> dict[str, JointLoad]:
    """The loads of joints by name: torques of the links alone, friction of the joints, inertia of the links.

    Motors, gears and armatures of the joints are excluded; the friction of the joints is included.

    Args:
        robot: robot whose coordinates are its joints.
        task: task of all joints.
        joints: names of the joints; all by default.
        turns: ratio of the screw at the gear of a prismatic joint, rad/m; 2 pi over the lead.

    Raises:
        ShapeError: a task of another number of joints.
        Unsupported: coupled joints, loops; a prismatic joint without a screw.
    """
    names = _joints_of(robot, task, joints)
    turns = turns or {}
    for name in names:
        if robot.joints[robot.joint_names.index(name)].kind == "prismatic" and name not in turns:
            lead = option("leads", {name: 0.005})
            raise Unsupported(f"joint {name!r} slides; give the lead of its screw: {lead}, m a turn")
    light = robot.with_armature(dict.fromkeys(names, 0.0))
    bare = light.with_actuators({name: Actuator(Motor(), Gear(), own_friction(_joint(robot, name))) for name in names})
    qd = np.where(np.abs(task.qd) > AT_REST * np.abs(task.qd).max(axis=0), task.qd, 0.0)
    tau = bare.inverse_dynamics(task.q, qd, task.qdd, task.f_tip)
    of_links = bare.without_friction().inverse_dynamics(task.q, qd, task.qdd, task.f_tip)
    inertia = bare.mass_matrix(task.q)
    result = {}
    for name in names:
        k, s = robot.joint_names.index(name), turns.get(name, 1.0)
        result[name] = JointLoad(
            name, task, qd[:, k] * s, task.qdd[:, k] * s, of_links[:, k] / s,
            (tau[:, k] - of_links[:, k]) / s, inertia[:, k, k] / s**2,
        )  # fmt: skip
    return result


def _joints_of(robot: Robot, task: MotionCycle, joints: Sequence[str] | None) -> list[str]:
    if robot.model.coupling is not None:
        followers = either("robot.with_locked({...}) holds", "--lock JOINT=VALUE holds")
        raise Unsupported(
            f"{robot.name!r} has coupled joints, and the motion does not determine a drive of each; {followers} joints"
        )
    if robot.model.constraints:
        raise Unsupported(
            f"{robot.name!r} has loops or contacts; the drives' torques do not follow from the motion alone"
        )
    check_belongs(robot, task)
    if joints is None:
        return list(robot.joint_names)
    return [robot.joint_names[k] for k in places("joints", joints, robot.joint_names, "joint", repr(robot.name))]


def check_belongs(robot: Robot, task: MotionCycle) -> None:
    """Raise a ShapeError for a task of other joints than the robot's."""
    if task.q.shape[1] != robot.dof:
        raise ShapeError(
            f"the task has {task.q.shape[1]} joints; expected {robot.dof}, those of {robot.name!r}: "
            f"{', '.join(robot.joint_names)}"
        )
    if task.joint_names is not None and tuple(task.joint_names) != robot.joint_names:
        raise ShapeError(
            f"joint_names of the task are {', '.join(map(str, task.joint_names))}; expected those of {robot.name!r} in "
            f"their order: {', '.join(robot.joint_names)}"
        )


def _joint(robot: Robot, name: str) -> Joint:
    return robot.model.joint(name)


def own_friction(joint: Joint) -> tuple[FrictionLaw, ...]:
    """Friction of a joint without its drive: the laws of its actuator, in addition to its damping and friction."""
    values = joint.actuator.friction if isinstance(joint.actuator, Actuator) else None
    laws = (Viscous(joint.damping), Coulomb(joint.friction))
    own = (law for law, size in zip(laws, (joint.damping, joint.friction), strict=True) if size)
    return (*(values or ()), *own)  # type: ignore[misc]  # a tuple since it was made


def with_masses(robot: Robot, masses: Mapping[str, float], mounts: Mapping[str, str]) -> Robot:
    """The arm with drives as point masses, kg, by joint: at the joint, on its parent link.

    The rotor's inertia belongs to the drive. A mass on the base does not affect the motion.

    Args:
        robot: robot without the drives.
        masses: masses by joint, kg.
        mounts: by joint, the frame whose origin is the position of its drive instead.
    """
    loaded = robot
    for name, mass in masses.items():
        joint = _joint(robot, name)
        frame, place = (mounts[name], np.zeros(3)) if name in mounts else (joint.parent, joint.placement[:3, 3])
        loaded = loaded.with_payload(Inertia(mass, place), frame)
    return loaded
