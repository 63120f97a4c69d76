"""The reason why a controller of a frame gives no torque: a configuration in which its task is singular."""

from __future__ import annotations

import numpy as np

from armdyn.algorithms.task_rows import SingularTask
from armdyn.declaration import Function
from armdyn.robot import Robot
from armdyn.spatial.rotations import Array

OF_TASKS = {"frame", "components", "damping"}
"""Options of the controllers whose torques come from the inverse of J M^-1 J^T."""


def singular_task(robot: Robot, controller: Function, q: Array) -> str:
    """A text with the singularity of a task at q, and the remedy; empty if it is regular, or there is no task.

    Args:
        robot: the robot that the controller computes with.
        controller: e.g. `armdyn.control.operational_space`, with any wrappers around it.
        q: joint positions, rad or m, shape (n,).
    """
    options = controller.options
    if not options.keys() >= OF_TASKS or options["damping"] or robot.model.constraints or not np.isfinite(q).all():
        return ""
    try:
        robot.task_space(
            q, np.zeros(robot.dof), frame=options["frame"], components=options["components"], expressed_in="world"
        )
    except SingularTask as error:
        said = str(error).removesuffix(".")
        return f"the task of the controller is singular, so that it has no torque: {said}; both are its options"
    return ""
