"""Accelerations and multipliers within constraints of full rank, for one mass matrix and one set of joint forces.

    [M A^T; A 0] (qdd, lambda) = (pushed, -drift)                               Modern Robotics 8.93, 8.95

is solved by the Schur complement S = A M^-1 A^T, also called the Delassus matrix. With M = L^T D L and Y = L^-T A^T,
S = Y^T D^-1 Y; its pivots measure the independence of each row from those before it.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from typing import NamedTuple

import numpy as np

from armdyn.algorithms.factors import Factors
from armdyn.base.scalars import Scalar
from armdyn.constraints.errors import RedundantConstraints
from armdyn.model.constraints import rows_of
from armdyn.model.mechanism import Mechanism
from armdyn.program import maximum
from armdyn.spatial.positive_definite import Cholesky, ZeroPivot
from armdyn.spatial.rotations import Array

VANISHED = 1e-14
"""Part of the largest S_jj; a row below it may be rounding, so that this part replaces its S_jj."""


class ConstrainedMotion(NamedTuple):
    """The motion and the multipliers that joint forces cause in a robot with constraints.

    Args:
        qdd: joint accelerations, rad/s^2 or m/s^2, shape (..., n).
        multipliers: lambda, N or N m, shape (..., constraints): the forces of the robot on the constraints.
        independence: between 1 and 0, shape (..., constraints): the square of the sine of the angle between each row of
            A and the span of those before it, in the metric of M^-1; 0, except for rounding, for rows that are zero
            relative to others. If one is 0, A has lost rank. If friction depends on the load, this M includes the part
            of rotors that the friction leaves of them.
    """

    qdd: Array
    multipliers: Array
    independence: Array


def moved_within(
    model: Mechanism, A: Array, drift: Array, factors: Factors, pushed: Array, active: Sequence[Scalar] | None = None
) -> ConstrainedMotion:
    """The motion with A qdd + drift = 0 by joint forces, of the factors of M (Modern Robotics 8.96, 8.98).

    Args:
        model: the traced arm.
        A: constraint Jacobian.
        drift: Adot qd.
        factors: of M.
        pushed: joint forces less those of velocities and gravity.
        active: 1 for each row that counts, 0 for one that is left out, whose multiplier is zero; all count by default.
    """
    if active is not None:
        A, drift = np.array(active)[:, None] * A, np.array(active) * drift
    Y, S = schur_complement(model, factors, A, active)
    z = factors.over_D(factors.inwards(pushed))
    multipliers = S.solve(Y @ np.array(z) + drift)  # MR 8.98
    against = factors.over_D(list(multipliers @ Y))
    qdd = factors.outwards([a - b for a, b in zip(z, against, strict=True)])  # MR 8.96
    return ConstrainedMotion(qdd, multipliers, np.array(independence_of(S)))


def schur_complement(
    model: Mechanism, factors: Factors, A: Array, active: Sequence[Scalar] | None = None
) -> tuple[Array, Cholesky]:
    """Y^T = (L^-T A^T)^T, one row per constraint, and the factors of S = A M^-1 A^T.

    Rows of A that are zero because they are not ``active`` have 1 on the diagonal of S.
    """
    Y = [factors.inwards(row) for row in A]
    S = np.zeros((len(Y), len(Y)), dtype=object)
    for i, row in enumerate(Y):
        weighted = factors.over_D(row)
        for j in range(i, len(Y)):
            S[j, i] = S[i, j] = np.array(Y[j]) @ np.array(weighted)
    for k, one in enumerate(active or ()):
        S[k, k] = S[k, k] + (1.0 - one)
    try:
        return np.array(Y), Cholesky.of(S)
    except ZeroPivot as pivot:
        follower = rows_of(model.model.constraints)[pivot.row]
        raise RedundantConstraints(
            f"constraint {follower.name!r} of {model.name!r} follows from those before it whatever q, as "
            "rows out of the plane of a planar linkage do; robot.with_independent_constraints(q) leaves it out"
        ) from None


def independence_of(S: Cholesky) -> list[Scalar]:
    """D_jj / S_jj of every row, the square of a sine; 0, except for rounding, if a row is zero relative to the others.

    Such a row has any direction, which its own S_jj would bring to length one: a part of the largest replaces it.
    """
    return [pivot / whole for pivot, whole in zip(S.D, row_squares(S), strict=True)]


def row_squares(S: Cholesky) -> list[Scalar]:
    """S_jj of every row, the square of its length; a part of the largest for one that is zero to rounding."""
    if len(S.diagonal) == 1:
        return S.diagonal
    least = VANISHED * reduce(maximum, S.diagonal)
    return [maximum(whole, least) for whole in S.diagonal]
