"""Inverse kinematics: joint positions, velocities and accelerations from those of frames."""

from armdyn.base.lazy import modules_of
from armdyn.kinematics.inverse import inverse_kinematics
from armdyn.kinematics.joint_motion import JointMotion
from armdyn.kinematics.rates import joint_accelerations, joint_rates
from armdyn.kinematics.solution import NoSolution, Solution
from armdyn.kinematics.task import Task, TaskError
from armdyn.kinematics.tasks import Orientation, Pointing, Pose, Position

__all__ = [
    "JointMotion",
    "NoSolution",
    "Orientation",
    "Pointing",
    "Pose",
    "Position",
    "Solution",
    "Task",
    "TaskError",
    "inverse_kinematics",
    "joint_accelerations",
    "joint_rates",
]

__getattr__ = modules_of(__name__)
