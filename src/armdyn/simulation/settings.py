"""Checks of the settings of a caller: numbers, and the initial state."""

from __future__ import annotations

import math
from typing import Any, get_args

import numpy as np

from armdyn.actuators.flexible_joints import flexible_places
from armdyn.base.advice import either, option
from armdyn.base.checks import choice, per_joint
from armdyn.base.errors import SettingError, ShapeError
from armdyn.constraints.arguments import Redundant
from armdyn.robot import Robot
from armdyn.simulation.elements.own import without_elements_with_states
from armdyn.simulation.methods.catalogue import FixedStep
from armdyn.spatial.rotations import Array


def initial_state(robot: Robot, q0: Any, qd0: Any) -> tuple[Array, Array]:
    """q0 and qd0 as float64 arrays of one shape (..., n). One state must be finite; in a batch, bad rows stay alone."""
    if qd0 is None:
        (q,) = per_joint(robot, q0=q0)
        qd = np.zeros(q.shape)
    else:
        q, qd = per_joint(robot, q0=q0, qd0=qd0)
    if not q.size:
        raise ShapeError(f"q0 and qd0 hold no state: shape {q.shape}")
    if q.ndim == 1:
        _must_be_finite(robot, "q0", q)
        _must_be_finite(robot, "qd0", qd)
    return q, qd


def check_constraints(robot: Robot, q: Array, qd: Array, redundant: Redundant = "error") -> None:
    """Refuse initial states that the robot's constraints do not allow, and constraints that depend on each other."""
    choice("redundant", redundant, get_args(Redundant), error=SettingError)
    if not robot.model.constraints:
        return
    if redundant != "error" and flexible_places(robot.model):
        asked = either(f"Constraints(redundant={redundant!r})", f"--set redundant={redundant}")
        raise SettingError(
            f"{asked} is not for arms with flexible joints; "
            + either("robot.with_independent_constraints(q) leaves out", "give a robot without")
            + " the constraints that follow from others"
        )
    bare = without_elements_with_states(robot)
    bare.constrained_forward_dynamics(q, qd, np.zeros(robot.dof), redundant=redundant)


def check_keeps_constraints(robot: Robot, method: FixedStep) -> None:
    """Refuse a method whose formula does not keep constraints, for a robot that has some."""
    if robot.model.constraints and not method.scheme.constrained:
        raise SettingError(
            f"{method} does not keep constraints, and {robot.name!r} has some; use {option('method', 'rk4')} or "
            "'adaptive'"
        )


def _must_be_finite(robot: Robot, name: str, state: Array) -> None:
    if np.isfinite(state).all():
        return
    for joint, value in zip(robot.joint_names, state, strict=True):
        if not math.isfinite(value):
            raise SettingError(f"{name} of joint {joint!r} is {value}; a simulation starts from finite numbers")
