"""The rank of A at a state: which rows follow from others, and by which factors.

Rows are judged as directions: each is measured in the metric of M^-1 and brought to length one, so that neither their
units nor the caller's choice of factors bear on the rank.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import ArrayLike

from armdyn.checks import per_joint
from armdyn.constraints.arguments import rank_tolerance_of
from armdyn.constraints.arm import ConstrainedRobot
from armdyn.constraints.least_squares import RANK_TOLERANCE, unit_rows
from armdyn.errors import ShapeError
from armdyn.spatial.rotations import Array

SHOWN_COEFFICIENT = 1e-8
"""Coefficients below this part of the greatest are not shown."""


@dataclass(frozen=True)
class ConstraintRank:
    """How many constraints there are at a state that say something of their own.

    Args:
        rank: of A.
        rows: names of all rows.
        independent: names of rows that span the others.
        dependent: by the name of each other row, the coefficients of those that it is the sum of; none for a row that
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
    """The rank of A(q) at one state, and which rows follow from which.

    By the singular values of A's rows, and QR with pivoting for a set of rows that spans all.

    Args:
        robot: with constraints.
        q: joint positions, rad or m, shape (n,).
        rank_tolerance: singular values below this part of the greatest count as zero.

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

    B, _ = unit_rows(A, M)
    values = scipy.linalg.svdvals(B)
    rank = int(np.count_nonzero(values > rank_tolerance * max(values[0], np.finfo(float).tiny)))
    _, _, order = scipy.linalg.qr(B, pivoting=True, mode="economic")
    independent = sorted(int(i) for i in order[:rank])
    dependent: dict[str, dict[str, float]] = {}
    for i in sorted(int(i) for i in order[rank:]):
        factors = np.linalg.lstsq(A[independent].T, A[i], rcond=None)[0] if rank else np.empty(0)
        scale = np.abs(factors).max(initial=0.0)
        dependent[names[i]] = {
            names[j]: float(f) for j, f in zip(independent, factors, strict=True) if abs(f) > SHOWN_COEFFICIENT * scale
        }
    return ConstraintRank(rank, names, tuple(names[i] for i in independent), dependent, values)
