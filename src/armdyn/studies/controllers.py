"""Controllers that a scenario names. Each compensates the robot as described, not what varies from run to run."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from armdyn import control
from armdyn.declaration import Function, function
from armdyn.robot import Robot
from armdyn.studies.declared import declared

PD = "(n),(n),(n),(n),(n)->(n)"


def gravity_compensation(robot: Robot) -> Function:
    """Proportional-derivative control with gravity compensation: tau = g(q) + kp (target - q) - kd qd."""
    known, rest = robot.mechanism, np.zeros(robot.dof)

    @function(PD)
    def pd(model: Any, q: Any, qd: Any, target: Any, kp: Any, kd: Any) -> Any:
        return control.pd_gravity(known, q, qd, target, rest, kp, kd)

    return pd


def computed_torque(robot: Robot) -> Function:
    """Computed torque control of a place: tau = M(q) (kp (target - q) - kd qd) + h(q, qd), friction in h."""
    known, rest = robot.mechanism, np.zeros(robot.dof)

    @function(PD)
    def computed(model: Any, q: Any, qd: Any, target: Any, kp: Any, kd: Any) -> Any:
        no_integral, h = rest, 0.0
        return control.computed_torque(known, q, qd, no_integral, target, rest, rest, kp, kd, h).tau

    return computed


CONTROLLERS: Mapping[str, Callable[[Robot], Function | None]] = {
    "none": lambda robot: None,
    "pd": gravity_compensation,
    "computed_torque": computed_torque,
}
"""By the names of a scenario; "none" leaves tau as an input, zero where it is not given."""


def offered() -> tuple[str, ...]:
    """The names of all controllers of scenarios."""
    return tuple(dict.fromkeys((*CONTROLLERS, *declared())))
