"""The kinds of a controller's gains in a study or a scenario, with the axes before those of one value."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from armdyn.declaration import Function
from armdyn.functions.gains import KINDS, free, with_kinds
from armdyn.robot import Robot
from armdyn.studies.declared_controllers import shape_of


def with_gain_kinds(
    controller: Function, robot: Robot, values: Mapping[str, tuple[Any, int]], *, numbers: bool = False
) -> Function:
    """The controller with a kind chosen for each of its gains, so that no shape has two meanings.

    Args:
        controller: any declared function.
        robot: the robot that it controls.
        values: by name, each with the number of its axes before those of one value.
        numbers: keep a gain that is a number; otherwise it becomes a vector of equal numbers.
    """
    kinds = dict.fromkeys(free(controller), "vector")
    for name in kinds:
        components = (shape_of(controller, robot, name) or (0,))[0]
        axes = _axes(*values.get(name, (None, 0)))
        if axes == 2 and components > 1:
            kinds[name] = "matrix"
        elif axes == 0 and numbers and name in values:
            kinds[name] = "number"
    return with_kinds(controller, kinds) if kinds else controller


def _axes(value: Any, leading: int) -> int:
    """The number of axes of one value; that of a vector if it cannot be counted, which raises an error later."""
    try:
        axes = np.ndim(value) - leading
    except ValueError:
        return KINDS.index("vector")
    return axes if value is not None else KINDS.index("vector")
