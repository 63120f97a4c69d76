"""Rows that follow from others everywhere, and rows that do so at one state only: the rank of A at states near it."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from armdyn.checks import per_joint
from armdyn.constraints.arguments import CLOSED
from armdyn.constraints.arm import ConstrainedRobot
from armdyn.constraints.closing import close_loop
from armdyn.constraints.errors import OpenLoop, SingularState
from armdyn.constraints.least_squares import RANK_TOLERANCE
from armdyn.constraints.motion import check_motion
from armdyn.constraints.rank import ConstraintRank, constraint_rank
from armdyn.constraints.rows_of import RowsOf
from armdyn.constraints.scales import holonomic
from armdyn.model.constraints import Constraint
from armdyn.spatial.rotations import Array

NEARBY_STEPS = (0.03, 0.03, 0.1, 0.1, 0.3, 0.3)
"""How far from a state the guesses for others are, rad or m."""

DUPLICATE_STATE_TOLERANCE = 1e-3
"""States closer than this, rad or m, are one: where an isolated one is found again, half of its digits are lost."""


def states_near(robot: ConstrainedRobot, q: Array) -> list[Array]:
    """Some other states near q at which the constraints hold; the same at every call."""
    rng, near = np.random.default_rng(0), []
    for step in NEARBY_STEPS:
        guess = q + step * rng.uniform(-1.0, 1.0, robot.dof)
        try:
            state = close_loop(robot, guess) if holonomic(robot).any() else guess
        except OpenLoop:
            continue
        if np.abs(state - q).max() > DUPLICATE_STATE_TOLERANCE:
            near.append(state)
    return near


def why_singular(robot: ConstrainedRobot, q: Array, here: ConstraintRank, rank_tolerance: float) -> str:
    """Why rows that follow from others at q need not do so elsewhere; empty where they do everywhere near q."""
    if here.rank == min(robot.dof, len(here.rows)):
        return ""  # no state has more
    near = states_near(robot, q)
    if not near:
        return (
            f"rank {here.rank} of {len(here.rows)} constraints, which leaves {robot.dof - here.rank} freedoms, yet no "
            "other closed state is near"
        )
    best = max(constraint_rank(robot, state, rank_tolerance=rank_tolerance).rank for state in near)
    if best <= here.rank:
        return ""
    return f"rank {here.rank} of {len(here.rows)} constraints, and {best} at closed states near it"


def independent_constraints(
    robot: ConstrainedRobot, q: ArrayLike, *, rank_tolerance: float = RANK_TOLERANCE
) -> tuple[tuple[Constraint, ...], tuple[str, ...]]:
    """Constraints that say the same as all of the robot's, with no row that follows from others, and the rows left out.

    The rank at the state is compared with that at a few closed states near it, so that no row is lost that only seems
    to follow from others in a singular place.

    Args:
        robot: with constraints.
        q: joint positions of a general state at which the loops are closed, rad or m, shape (n,).
        rank_tolerance: as of `constraint_rank`.

    Raises:
        OpenLoop: a state at which the constraints do not hold.
        SingularState: a state at which more rows follow from others than near it.
    """
    here = constraint_rank(robot, q, rank_tolerance=rank_tolerance)
    (state,) = per_joint(robot, q=q)
    check_motion(robot, CLOSED, state)
    why = why_singular(robot, state, here, rank_tolerance)
    if why:
        raise SingularState(
            f"q is a singular state of {robot.name!r}: {why}. Which rows follow from others everywhere cannot be told "
            f"from it ({', '.join(map(repr, here.dependent))} do so here); choose a general state."
        )
    kept = set(here.independent)
    result: list[Constraint] = []
    for constraint in robot.model.constraints:
        rows = [row.name for row in constraint.rows if row.name in kept]
        if rows:
            result.append(constraint if len(rows) == len(constraint.rows) else RowsOf(constraint, rows))
    return tuple(result), tuple(here.dependent)
