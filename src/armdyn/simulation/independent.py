"""Motions of robots whose constraints follow from others: those of the rows that span them all.

A planar linkage that a point closes in space has a row across its plane that nothing moves against. The accelerations
by least squares and those without such rows are one; without them they are compiled.
"""

from __future__ import annotations

from typing import get_args

import numpy as np

from armdyn.base.checks import choice
from armdyn.base.errors import ArmdynError, SettingError
from armdyn.constraints.arguments import Redundant
from armdyn.constraints.closing import close_loop
from armdyn.constraints.errors import ConstraintError, RedundantConstraints, SingularState
from armdyn.constraints.projection import DRIFTED
from armdyn.constraints.row_sizes import holonomic
from armdyn.robot import Robot
from armdyn.simulation.elements.own import without_elements_with_states
from armdyn.simulation.settings import check_constraints
from armdyn.spatial.rotations import Array


def checked_start(robot: Robot, q: Array, qd: Array, redundant: Redundant) -> tuple[Robot, Redundant, list[str]]:
    """The robot that moves from a state, the treatment of dependent rows, and notes on rows left out.

    With "auto" rows that follow from others at all states are left out; at a state at which more do than near it the
    motion is not determined.

    Args:
        robot: the robot given by the caller.
        q: joint positions at first, rad or m, shape (..., n).
        qd: joint velocities at first, rad/s or m/s, shape (..., n).
        redundant: as of `armdyn.simulate`.

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
