"""The rank of A at a state: the rows that depend on others, their factors, and the rank near the state.

Rows are compared as directions: each is measured in the metric of M^-1 and brought to length one, so that neither their
units nor the caller's choice of factors affect the rank.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import ArrayLike

from armdyn.base.checks import per_joint
from armdyn.base.errors import ShapeError
from armdyn.constraints.arguments import CLOSED, RANK_TOLERANCE, ConstrainedRobot, rank_tolerance_of
from armdyn.constraints.checks import check_motion
from armdyn.constraints.closing import close_loop
from armdyn.constraints.errors import OpenLoop, SingularState
from armdyn.constraints.row_sizes import holonomic, unit_rows
from armdyn.constraints.rows_of import RowsOf
from armdyn.model.constraints import Constraint
from armdyn.spatial.rotations import Array

SHOWN_COEFFICIENT = 1e-8
"""Coefficients below this part of the greatest are not shown."""

NEARBY_STEPS = (0.03, 0.03, 0.1, 0.1, 0.3, 0.3)
"""Distance of the guesses for other states from a state, rad or m."""

DUPLICATE_STATE_TOLERANCE = 1e-3
"""States closer than this, rad or m, are one: when an isolated one is found again, half of its digits are lost."""


@dataclass(frozen=True)
class ConstraintRank:
    """The number of independent constraints at a state, and the rows that depend on others.

    Args:
        rank: of A.
        rows: names of all rows.
        independent: names of rows that span the others.
        dependent: by the name of each other row, the coefficients of those that it is the sum of; empty for a row that
            is zero.
        singular_values: of the rows as unit vectors in the metric of M^-1, greatest first.
    """

    rank: int
    rows: tuple[str, ...]
    independent: tuple[str, ...]
    dependent: Mapping[str, Mapping[str, float]]
    singular_values: Array = field(repr=False)

    def __str__(self) -> str:
        """One line for each dependent row."""
        lines = [f"rank {self.rank} of {len(self.rows)} constraints"]
        for row, terms in self.dependent.items():
            made_of = " + ".join(f"{factor:.6g} {name!r}" for name, factor in terms.items())
            lines.append(f"{row!r} = {made_of}" if terms else f"{row!r} is zero: nothing here moves against it")
        return "; ".join(lines)


def constraint_rank(robot: ConstrainedRobot, q: ArrayLike, *, rank_tolerance: float = RANK_TOLERANCE) -> ConstraintRank:
    """The rank of A(q) at one state, and the dependences between its rows.

    The rank is that of the singular values of A's rows; QR with pivoting selects a set of rows that spans all.

    Args:
        robot: with constraints.
        q: joint positions, rad or m, shape (n,).
        rank_tolerance: singular values of A below this part of the greatest count as zero.

    >>> twice = [armdyn.constraints.PointOnPlane("tip", n, (1, 0, 0), name=str(n)) for n in ((1, 0, 0), (-2, 0, 0))]
    >>> print(armdyn.load("planar_2r").with_constraints(*twice).constraint_rank([-1.0, 2.0]))
    rank 1 of 2 constraints; '(-2, 0, 0)' = -1 '(1, 0, 0)'
    """
    rank_tolerance = rank_tolerance_of(rank_tolerance)
    (state,) = per_joint(robot, q=q)
    if state.ndim != 1:
        raise ShapeError(f"q has shape {state.shape}; the rank is found for one state, shape ({robot.dof},)")
    A = np.asarray(robot.constraint_jacobian(state))
    return rank_of(A, np.asarray(robot.mass_matrix(state)), tuple(row.name for row in robot.constraint_rows),
                   rank_tolerance)  # fmt: skip


def rank_of(A: Array, M: Array, names: tuple[str, ...], rank_tolerance: float) -> ConstraintRank:
    """The rank of given rows."""
    import scipy.linalg  # noqa: PLC0415 - slow to import, and only bad states need it

    B, length = unit_rows(A, M)
    values = scipy.linalg.svdvals(B)
    rank = int(np.count_nonzero(values > rank_tolerance * max(values[0], np.finfo(float).tiny)))
    _, _, order = scipy.linalg.qr(B, pivoting=True, mode="economic")
    independent = sorted(int(i) for i in order[:rank])
    dependent: dict[str, dict[str, float]] = {}
    for i in sorted(int(i) for i in order[rank:]):
        moves = rank and length[i] > 0.0
        factors = np.linalg.lstsq(A[independent].T, A[i], rcond=None)[0] if moves else np.zeros(rank)
        scale = np.abs(factors).max(initial=0.0)
        dependent[names[i]] = {
            names[j]: float(f) for j, f in zip(independent, factors, strict=True) if abs(f) > SHOWN_COEFFICIENT * scale
        }
    return ConstraintRank(rank, names, tuple(names[i] for i in independent), dependent, values)


def states_near(robot: ConstrainedRobot, q: Array) -> list[Array]:
    """Some other states near q at which the constraints hold; equal at every call."""
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
    """The reason why rows that depend on others at q may not do so elsewhere; empty if they do everywhere near q."""
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
    """Constraints equivalent to all of the robot's, without dependent rows, and the rows left out.

    The rank at the state is compared with that at a few closed states near it, so that no row is lost that depends on
    others only at a singular state.

    Args:
        robot: with constraints.
        q: joint positions of a general state at which the loops are closed, rad or m, shape (n,).
        rank_tolerance: as for `constraint_rank`.

    Raises:
        OpenLoop: a state at which the constraints do not hold.
        SingularState: a state at which more rows depend on others than near it.
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
    independent = set(here.independent)
    result: list[Constraint] = []
    for constraint in robot.model.constraints:
        rows = [row.name for row in constraint.rows if row.name in independent]
        if rows:
            result.append(constraint if len(rows) == len(constraint.rows) else RowsOf(constraint, rows))
    return tuple(result), tuple(here.dependent)
