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
"""Inputs of "pd"."""


def gravity_compensation(robot: Robot) -> Function:
    """Proportional-derivative control with gravity compensation: tau = g(q) + kp (target - q) - kd qd."""
    known, rest = robot.mechanism, np.zeros(robot.dof)

    @function("(n),(n),(n),(n),(n)->(n)")
    def pd(model: Any, q: Any, qd: Any, target: Any, kp: Any, kd: Any) -> Any:
        return control.pd_gravity(known, q, qd, target, rest, kp, kd)

    return pd


CONTROLLERS: Mapping[str, Callable[[Robot], Function | None]] = {
    "none": lambda robot: None,
    "pd": gravity_compensation,
}
"""Those that `armdyn.control` does not have; "none" leaves tau as an input, zero where it is not given."""


def following_gravity_compensation(robot: Robot) -> Function:
    """The same of a reference over time: tau = g(q) + kp (q_ref - q) + kd (qd_ref - qd)."""
    known = robot.mechanism

    @function("(n),(n),(n),(n),(n),(n)->(n)")
    def pd(model: Any, q: Any, qd: Any, q_ref: Any, qd_ref: Any, kp: Any, kd: Any) -> Any:
        return control.pd_gravity(known, q, qd, q_ref, qd_ref, kp, kd)

    return pd


def inputs_of_any() -> frozenset[str]:
    """The names of the inputs of all controllers, which no arm without one takes."""
    every = (name for function in declared().values() for name in Controller(function).inputs)
    return frozenset((*TARGETED, *every))


def offered() -> tuple[str, ...]:
    """The names of all controllers of scenarios."""
    return tuple(dict.fromkeys((*CONTROLLERS, *declared())))
