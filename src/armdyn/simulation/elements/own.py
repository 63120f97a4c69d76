"""Elements of a user's own: the functions at whose zeros their forces have kinks, and the forces that are lost."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from armdyn.algorithms.elements import dissipative_forces
from armdyn.declaration import function
from armdyn.model.model import Model
from armdyn.robot import Robot
from armdyn.spatial.rotations import Array

Kinks = Callable[[Array, Array], Array]
"""The located functions of all elements at (q, qd), shape (kinks,)."""


def _count(model: Model) -> int:
    """The number of located functions."""
    mechanism = Robot(model).mechanism.rounded
    at_rest = np.zeros(mechanism.dof)
    return sum(len(element.located(mechanism, at_rest, at_rest)) for element in model.elements)


@function("(n),(n)->(kinks)", sizes={"kinks": _count})
def located_functions(model: Any, q: Any, qd: Any) -> Any:
    """Functions at whose zeros the forces of elements have kinks or jumps, shape (..., kinks).

    Args:
        q: joint positions, rad or m, shape (..., n).
        qd: joint velocities, rad/s or m/s, shape (..., n).
    """
    return np.array([value for element in model.elements for value in element.located(model, q, qd)])


@function("(n),(n)->(n)")
def lost_to_elements(model: Any, q: Any, qd: Any) -> Any:
    """Joint forces of elements that do not come from their energy, N m or N, shape (..., n).

    Args:
        q: joint positions, rad or m, shape (..., n).
        qd: joint velocities, rad/s or m/s, shape (..., n).
    """
    return dissipative_forces(model, q, qd)


def kinks_of(robot: Robot) -> Kinks | None:
    """The located functions of a robot's elements; None if there are none."""
    has_kinks = bool(robot.model.elements) and _count(robot.model) > 0
    return robot.compile(located_functions) if has_kinks else None
