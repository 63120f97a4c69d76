"""Checks of what a caller sets: numbers, and the initial state."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from armdyn.arrays import Names, as_plain
from armdyn.constraints.arguments import Redundant
from armdyn.errors import ArmdynError, DTypeError, ShapeError
from armdyn.robot import Robot
from armdyn.simulation.errors import SettingError
from armdyn.spatial.rotations import Array

_KINDS = {"c": "complex numbers", "U": "text", "S": "text", "O": "Python objects"}


def positive_number(name: str, value: Any, unit: str = "") -> float:
    """``value`` as a float, where it is a finite number above zero."""
    try:
        number = float(value)
    except (TypeError, ValueError, OverflowError):
        number = math.nan
    if isinstance(value, str) or not (math.isfinite(number) and number > 0):
        raise SettingError(f"{name}={value!r}; expected a number above zero{', in ' + unit if unit else ''}")
    return number


def real_array(name: str, value: Any, expected: str, names: Names = None, whose: str = "") -> Array:
    """``value`` as float64 numbers of any shape; tables by the names of what their last axis counts."""
    try:
        array = np.asarray(as_plain(name, value, (names,), whose))
    except ArmdynError:
        raise
    except ValueError:
        raise ShapeError(f"{name} is ragged: its rows differ in length; expected {expected}") from None
    if array.dtype.kind not in "biuf":
        raise DTypeError(f"{name} holds {_KINDS.get(array.dtype.kind, array.dtype)}; expected real numbers: {expected}")
    return array.astype(np.float64)


def initial_state(robot: Robot, q0: Any, qd0: Any) -> tuple[Array, Array]:
    """q0 and qd0 as float64 arrays of one shape (..., n). One state must be finite; in a batch, bad rows stay alone."""
    q = _per_joint(robot, "q0", q0)
    qd = np.zeros(robot.dof) if qd0 is None else _per_joint(robot, "qd0", qd0)
    try:
        shape = np.broadcast_shapes(q.shape, qd.shape)
    except ValueError:
        raise ShapeError(f"the batches of q0 {q.shape} and qd0 {qd.shape} do not broadcast together") from None
    if 0 in shape:
        raise ShapeError(f"q0 and qd0 hold no state: shape {shape}")
    q, qd = (np.ascontiguousarray(np.broadcast_to(a, shape)) for a in (q, qd))
    if len(shape) == 1:
        _must_be_finite(robot, "q0", q)
        _must_be_finite(robot, "qd0", qd)
    return q, qd


def shown_joints(robot: Robot) -> str:
    """The joints as messages show them: all of a few, the first and the last of many."""
    names = robot.joint_names
    return " ".join(names if len(names) <= 3 else (names[0], "...", names[-1]))


def check_constraints(robot: Robot, q: Array, qd: Array, redundant: Redundant = "error") -> None:
    """Refuse initial states that the robot's constraints do not allow, and constraints that depend on each other."""
    if redundant not in ("error", "least_squares"):
        raise SettingError(f"redundant={redundant!r}; expected 'error' or 'least_squares'")
    if robot.model.constraints:
        robot.constrained_forward_dynamics(q, qd, np.zeros(robot.dof), redundant=redundant)


def _per_joint(robot: Robot, name: str, value: Any) -> Array:
    expected = f"(..., {robot.dof}), one value per joint of {robot.name!r}: {shown_joints(robot)}"
    array = real_array(name, value, expected, robot.joint_names, repr(robot.name))
    if array.ndim == 0 or array.shape[-1] != robot.dof:
        raise ShapeError(f"{name} has shape {array.shape}; expected {expected}")
    return array


def _must_be_finite(robot: Robot, name: str, state: Array) -> None:
    for joint, value in zip(robot.joint_names, state, strict=True):
        if not math.isfinite(value):
            raise SettingError(f"{name} of joint {joint!r} is {value}; a simulation starts from finite numbers")
