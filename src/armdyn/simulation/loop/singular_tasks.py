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
    """What is singular there, and what to do, in words; empty where the task is regular, or the controller has none.

    Args:
        robot: that the controller computes with.
        controller: such as `armdyn.control.operational_space`, with anything around it.
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
