"""The initial state of a motion: its checks, and the rows of constraints that span them all.

A planar linkage that a point closes in space has a row across its plane that nothing moves against. The accelerations
by least squares and those without such rows are one; without them they are compiled.
"""

from __future__ import annotations

import math
from typing import Any, get_args

import numpy as np

from armdyn.actuators.flexible_joints import flexible_places
from armdyn.base.advice import either
from armdyn.base.checks import choice, per_joint
from armdyn.base.errors import ArmdynError, SettingError, ShapeError
from armdyn.constraints.arguments import Redundant
from armdyn.constraints.closing import close_loop
from armdyn.constraints.errors import ConstraintError, RedundantConstraints, SingularState
from armdyn.constraints.projection import DRIFTED
from armdyn.constraints.row_sizes import holonomic
from armdyn.robot import Robot
from armdyn.simulation.elements.own import without_elements_with_states
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


def checked_start(robot: Robot, q: Array, qd: Array, redundant: Redundant) -> tuple[Robot, Redundant, list[str]]:
    """The robot that moves from a state, the treatment of dependent rows, and notes on rows left out.

    With "auto" rows that follow from others at all states are left out; at a state at which more do than near it the
    motion is not determined.

    Raises:
        ConstraintError: an initial state that the constraints do not allow, or at which they are redundant.
    """
    choice("redundant", redundant, get_args(Redundant), error=SettingError)
    if redundant != "auto" or not robot.model.constraints:
        check_constraints(robot, q, qd, redundant)
        return robot, "error" if redundant == "auto" else redundant, []
    try:
        bare = without_elements_with_states(robot)
        motion = bare.constrained_forward_dynamics(q, qd, np.zeros(robot.dof), redundant="error")
        if not (motion.independence <= DRIFTED**2).any():
            return robot, "error", []
    except SingularState:
        raise
    except RedundantConstraints:
        pass
    states = q.reshape(-1, robot.dof)
    smaller = without_redundant_rows(robot, states[np.isfinite(states).all(axis=1)][0])
    check_constraints(smaller, q, qd, "error")
    return smaller, "error", [note for note in smaller.notes if note not in robot.notes]


def without_redundant_rows(robot: Robot, q: Array) -> Robot:
    """The robot without the rows that follow from others at all states; unchanged if more do at q than near it."""
    try:
        smaller: Robot = robot.with_independent_constraints(q, rank_tolerance=DRIFTED)
    except SingularState:
        return robot
    return smaller


def spanning_rows(robot: Robot) -> Robot:
    """The robot without the rows that follow from others at all states, found at a state of its own choice.

    The robot is returned unchanged if its loops do not close from the middle of its joints' ranges.
    """
    if not robot.model.constraints:
        return robot
    q = np.array([_middle(joint.limits.lower, joint.limits.upper) for joint in robot.model.coordinates])
    try:
        at = close_loop(robot, q) if holonomic(robot).any() else q
        smaller, _, _ = checked_start(robot, np.asarray(at), np.zeros(robot.dof), "auto")
    except (ConstraintError, ArmdynError):
        return robot  # a call reports the error of its own state
    return smaller


def _middle(lower: float, upper: float) -> float:
    return 0.5 * (lower + upper) if np.isfinite(lower) and np.isfinite(upper) else 0.0


def _must_be_finite(robot: Robot, name: str, state: Array) -> None:
    if np.isfinite(state).all():
        return
    for joint, value in zip(robot.joint_names, state, strict=True):
        if not math.isfinite(value):
            raise SettingError(f"{name} of joint {joint!r} is {value}; a simulation starts from finite numbers")
