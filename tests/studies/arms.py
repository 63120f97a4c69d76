"""A robot, a controller and summaries for the tests of studies; they travel to workers by value."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

import armdyn

ROBOT = armdyn.load("planar_3r")
N = ROBOT.dof


class Pid(NamedTuple):
    """Torques, the integral of the error, and the error as a signal."""

    tau: Any
    integral: Any
    error: Any


@armdyn.function("(n),(n),(n),(),(n),(),()->(n),(n),(n)", result=Pid)
def pid(model: Any, q: Any, qd: Any, integral: Any, h: Any, target: Any, kp: Any, kd: Any) -> Pid:
    """Proportional-integral-derivative control with gravity compensation."""
    error = target - q
    integral = integral + h * error
    return Pid(armdyn.algorithms.gravity_forces(model, q) + kp * error - kd * qd + integral, integral, error)


def worst(runs: Any) -> Any:
    """The largest error of any joint at any recorded step."""
    return np.abs(runs.rows.error).max(axis=(0, 2))


def settled(runs: Any) -> Any:
    """Whether it ends near the target."""
    return np.abs(runs.final.q - runs.inputs["target"]).max(axis=1) < 0.05
