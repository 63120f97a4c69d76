"""Which constraints follow from others at a state: the rank of A, and what each dependent row is made of.

Rows are judged as directions: each is measured in the metric of M^-1 and brought to length one, so that neither their
units nor the caller's choice of factors bear on the rank.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import ArrayLike

from armdyn.constraints.checks import rank_tolerance_of
from armdyn.constraints.states import ConstrainedRobot, per_joint
from armdyn.errors import ShapeError
from armdyn.spatial.rotations import Array

RANK_TOLERANCE = 1e-10
"""Singular values of the rows as unit vectors below this part of the greatest count as zero."""

SMALL = 1e-8
"""Coefficients below this are not shown."""


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
            names[j]: float(f) for j, f in zip(independent, factors, strict=True) if abs(f) > SMALL * scale
        }
    return ConstraintRank(rank, names, tuple(names[i] for i in independent), dependent, values)


def unit_rows(A: Array, M: Array) -> tuple[Array, Array]:
    """Columns L^-1 a_j / |L^-1 a_j|, with M = L L^T, and the lengths; zero rows stay zero. Batches in front.

    Where M is singular, as of robots without masses, the rows are measured as they stand.
    """
    try:
        B = np.linalg.solve(np.linalg.cholesky(M), np.swapaxes(A, -1, -2))
    except np.linalg.LinAlgError:
        B = np.swapaxes(A, -1, -2)
    length = np.linalg.norm(B, axis=-2)
    largest = np.linalg.norm(A, axis=-1).max(axis=-1, keepdims=True)
    zero = np.linalg.norm(A, axis=-1) <= ZERO_ROW * largest
    length = np.where(zero, 0.0, length)
    return np.where(zero[..., None, :], 0.0, B) / np.where(zero, 1.0, length)[..., None, :], length


ZERO_ROW = 1e-13
"""A row this much smaller than the largest is what rounding left of zero."""
