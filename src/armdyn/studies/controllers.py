"""Controllers that a scenario names. Each compensates the robot as described, not what varies from run to run."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from armdyn import control
from armdyn.declaration import Function, function
from armdyn.robot import Robot
from armdyn.simulation.loop.controller import Controller
from armdyn.studies.declared import declared

TARGETED = ("target", "kp", "kd")
"""Inputs of "pd" and "computed_torque"."""

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


def following_gravity_compensation(robot: Robot) -> Function:
    """The same of a reference over time: tau = g(q) + kp (q_ref - q) + kd (qd_ref - qd)."""
    known = robot.mechanism

    @function("(n),(n),(n),(n),(n),(n)->(n)")
    def pd(model: Any, q: Any, qd: Any, q_ref: Any, qd_ref: Any, kp: Any, kd: Any) -> Any:
        return control.pd_gravity(known, q, qd, q_ref, qd_ref, kp, kd)

    return pd


def following_computed_torque(robot: Robot) -> Function:
    """The same of a reference: tau = M(q) (qdd_ref + kp (q_ref - q) + kd (qd_ref - qd)) + h(q, qd)."""
    known, no_integral, h = robot.mechanism, np.zeros(robot.dof), 0.0

    @function("(n),(n),(n),(n),(n),(n),(n)->(n)")
    def computed(model: Any, q: Any, qd: Any, q_ref: Any, qd_ref: Any, qdd_ref: Any, kp: Any, kd: Any) -> Any:
        return control.computed_torque(known, q, qd, no_integral, q_ref, qd_ref, qdd_ref, kp, kd, h).tau

    return computed


FOLLOWERS: Mapping[str, Callable[[Robot], Function]] = {
    "pd": following_gravity_compensation,
    "computed_torque": following_computed_torque,
}
"""The same controllers with a reference over time in the place of a target."""


def inputs_of_any() -> frozenset[str]:
    """The names of the inputs of all controllers, which no arm without one takes."""
    every = (name for function in declared().values() for name in Controller(function).inputs)
    return frozenset((*TARGETED, *every))


def offered() -> tuple[str, ...]:
    """The names of all controllers of scenarios."""
    return tuple(dict.fromkeys((*CONTROLLERS, *declared())))
