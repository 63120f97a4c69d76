"""Reasons why a controller drives an arm away, or has no torque: gains below zero, and tasks that are singular."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from armdyn.algorithms.task_rows import SingularTask
from armdyn.base.errors import warn_outside
from armdyn.declaration import Argument, Function
from armdyn.robot import Robot
from armdyn.simulation.errors import GainWarning
from armdyn.spatial.rotations import Array

OF_TASKS = {"frame", "components", "damping"}
"""Options of the controllers whose torques come from the inverse of J M^-1 J^T."""

ROUNDING = 1e-12
"""An eigenvalue is zero if its size, over the largest entry of the matrix, is below this."""


def warn_of_negative_gains(joint_names: Sequence[str], controller: Function, given: Mapping[str, Array]) -> None:
    """Warn of gains below zero of a controller of armdyn; the names may have another meaning in other controllers.

    For a full matrix K the eigenvalues of (K + K^T) / 2 count: with one below zero, K e has a part against e.
    """
    if not str(controller.implementation.__module__).startswith("armdyn."):
        return
    gains = [a for a in controller.arguments if a.name in controller.gains and a.name in given]
    for gain in gains:
        array = given[gain.name]
        below = _of_matrices(array) if len(gain.shape) == 2 else _of_components(gain, array, joint_names)
        if below:
            whose, value = below
            warn_outside(
                f"{gain.name}{whose} of {controller.name} {value}, below zero: with it the controller drives the arm "
                "away from its reference, or feeds energy into it. Expected gains of at least zero",
                GainWarning,
            )


def _of_components(gain: Argument, array: Array, joint_names: Sequence[str]) -> tuple[str, str] | None:
    """Texts of the component with the smallest gain, and of that gain; None if it is not below zero."""
    if not array.size or not np.min(array) < 0.0:
        return None
    where = ""
    if gain.shape:
        k = int(np.unravel_index(int(np.argmin(array)), array.shape)[-1])
        where = f" of joint {joint_names[k]!r}" if gain.shape == ("n",) else f" of component {k}"
    return where, f"is {np.min(array):g}"


def _of_matrices(array: Array) -> tuple[str, str] | None:
    """The smallest eigenvalue of all arms; None if it is not below zero."""
    if not array.size or not np.isfinite(array).all():
        return None
    symmetric = 0.5 * (array + np.swapaxes(array, -1, -2)).astype(np.float64)
    least = float(np.linalg.eigvalsh(symmetric).min())
    return ("", f"has the eigenvalue {least:g}") if least < -ROUNDING * float(np.abs(array).max()) else None


def singular_task(robot: Robot, controller: Function, q: Array) -> str:
    """A text with the singularity of a task at q, and the remedy; empty if it is regular, or there is no task."""
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
