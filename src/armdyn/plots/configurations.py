"""The configurations of a robot that a picture or a view shows."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from armdyn.base.checks import joint_array
from armdyn.base.errors import ArmdynError, ShapeError
from armdyn.robot import Robot
from armdyn.spatial.rotations import Array


def shown_configurations(robot: Robot, q: ArrayLike | None, error: type[ArmdynError]) -> Array:
    """One configuration or several, rad or m, shape (k, n); zero if none is given.

    Args:
        robot: robot with these joints.
        q: joint positions, rad or m, shape (n,) or (k, n).
        error: error class for numbers that are not finite.

    Raises:
        ShapeError: another shape, or an empty array.
    """
    if q is None:
        return np.zeros((1, robot.dof))
    values = joint_array(robot, "q", q, None, "rad or m", finite=error)
    if values.ndim not in (1, 2) or values.shape[-1] != robot.dof or not values.size:
        raise ShapeError(
            f"q has shape {values.shape}; expected ({robot.dof},), or (k, {robot.dof}) for several configurations of "
            f"{robot.name!r}: {', '.join(robot.joint_names)}"
        )
    return np.atleast_2d(values)
