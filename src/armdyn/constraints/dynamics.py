"""Constrained dynamics for constraints of full rank, in straight-line code (Modern Robotics 8.7).

    tau = M qdd + h + A^T lambda,    A qdd + Adot qd = 0                            MR 8.93, 8.95

`armdyn.constraints.multipliers` solves the KKT system of these equations, `armdyn.constraints.under_load` adds friction
that depends on the load. The functions check neither states nor rank; those of `armdyn.constraints.checked` do.
"""

from __future__ import annotations

from functools import reduce

import numpy as np

from armdyn.algorithms.factors import factored_mass_matrix
from armdyn.algorithms.newton_euler import inverse_dynamics
from armdyn.base.scalars import Scalar
from armdyn.constraints.equations import all_equations, function
from armdyn.constraints.multipliers import (
    ConstrainedMotion,
    independence_of,
    moved_within,
    row_squares,
    schur_complement,
)
from armdyn.constraints.under_load import constrained_under_load, forces_under_load
from armdyn.model.constraints import rows_of
from armdyn.model.mechanism import Mechanism
from armdyn.program import minimum, select
from armdyn.spatial.positive_definite import Cholesky
from armdyn.spatial.rotations import Array

RANK_LOSS_PIVOT = 1e-12
"""A pivot below this part of its diagonal entry is rounding: the row depends on those before it."""


@function("(n),(n),(n),(6)?,(links,6)?->(n),(constraints),(constraints)", result=ConstrainedMotion)
def constrained_forward_dynamics(
    model: Mechanism,
    q: Array,
    qd: Array,
    tau: Array,
    f_tip: Array | None = None,
    f_ext: Array | None = None,
    *,
    damping: float = 0.0,
    stiffness: float = 0.0,
) -> ConstrainedMotion:
    """Joint accelerations qdd(q, qd, tau) and multipliers lambda, rad/s^2 or m/s^2 and N or N m.

    lambda = (A M^-1 A^T)^-1 (A M^-1 (tau - h) + Adot qd), qdd = M^-1 (tau - h - A^T lambda) (Modern Robotics 8.96,
    8.98). For constraints of full rank: the rank is not checked, `ConstrainedMotion.independence` shows it.

    Friction that depends on the load is solved for along with these, as by `armdyn.algorithms.forward_dynamics`; a
    state at which it is not found is NaN.

    Arguments, with units and shapes, are those of `armdyn.Robot.constrained_forward_dynamics`.
    """
    phi, A, drift = all_equations(model, q, qd)
    if damping:
        drift = drift + damping * (A @ qd)
    if stiffness:
        drift = drift + stiffness * phi_by_row(model, phi)
    if model.drive.depends_on_load:
        return constrained_under_load(model, q, qd, tau, A, drift, f_tip, f_ext)[0]
    pushed = tau - inverse_dynamics(model, q, qd, np.zeros(model.dof), f_tip, None, None, f_ext)  # tau - h
    return moved_within(model, A, drift, factored_mass_matrix(model, q), pushed)


def _or_nan(S: Cholesky) -> Cholesky:
    """The factors with NaN in place of 1 / D if a row depends on those before it, to rounding."""
    factors = [_nan_unless(pivot > RANK_LOSS_PIVOT * whole) for pivot, whole in zip(S.D, row_squares(S), strict=True)]
    return S._replace(reciprocal=[one * reciprocal for one, reciprocal in zip(factors, S.reciprocal, strict=True)])


def nan_without_rank(independence: Array) -> Scalar:
    """1, or NaN if a row of A depends on those before it, to rounding; of `ConstrainedMotion.independence`."""
    return _nan_unless(reduce(minimum, independence) > RANK_LOSS_PIVOT)


def _nan_unless(condition: Scalar) -> Scalar:
    """1 if a condition holds, else NaN."""
    return np.sqrt(select(condition, 1.0, -1.0))


def phi_by_row(model: Mechanism, phi: Array) -> Array:
    """phi with a zero for every row that has none."""
    values = iter(phi)
    return np.array([next(values) if row.holonomic else 0.0 for row in rows_of(model.model.constraints)])


@function("(n)->(constraints)")
def independence(model: Mechanism, q: Array) -> Array:
    """Independence of each row of A from those before it, between 1 and 0, shape (..., constraints).

    The square of the sine of the angle in the metric of M^-1, as in `ConstrainedMotion.independence`.

    Args:
        q: joint positions, rad or m, shape (..., n).
    """
    _, S = schur_complement(model, factored_mass_matrix(model, q), all_equations(model, q).A)
    return np.array(independence_of(S))


@function("(n),(n),(n),(constraints)?,(6)?,(links,6)?->(n)")
def constrained_inverse_dynamics(
    model: Mechanism,
    q: Array,
    qd: Array,
    qdd: Array,
    multipliers: Array | None = None,
    f_tip: Array | None = None,
    f_ext: Array | None = None,
) -> Array:
    """Joint forces tau = M(q) qdd + h(q, qd) + A^T(q) lambda, N m or N, shape (..., n).

    As `armdyn.Robot.constrained_inverse_dynamics` (Modern Robotics 8.93). The rank of A does not matter.
    """
    if multipliers is None:
        return inverse_dynamics(model, q, qd, qdd, f_tip, None, None, f_ext)  # type: ignore[no-any-return]
    if model.drive.depends_on_load:
        return forces_under_load(model, q, qd, qdd, multipliers, f_tip, f_ext)
    tau = inverse_dynamics(model, q, qd, qdd, f_tip, None, None, f_ext)
    return np.asarray(tau + all_equations(model, q).A.T @ multipliers)


@function("(n),(n),(n),(constraints)->(n)")
def hybrid_forces(model: Mechanism, q: Array, qd: Array, qdd: Array, multipliers: Array) -> Array:
    """Joint forces tau for a desired motion and desired constraint forces, N m or N, shape (..., n).

    The equations and arguments are those of `armdyn.Robot.hybrid_forces` (Modern Robotics 8.7, 11.6), for constraints
    of full rank; if A has lost rank all of tau is NaN.
    """
    _, A, drift = all_equations(model, q, qd)
    factors = factored_mass_matrix(model, q)
    _, S = schur_complement(model, factors, A)
    excess = _or_nan(S).solve(A @ qdd + drift)
    if model.drive.depends_on_load:
        return forces_under_load(model, q, qd, qdd - factors.solve(A.T @ excess), multipliers)
    tau = inverse_dynamics(model, q, qd, qdd)
    return np.asarray(tau + A.T @ (multipliers - excess))


@function("(n)->(n,n)")
def force_projection(model: Mechanism, q: Array) -> Array:
    """Projection P(q) of joint forces onto those that move the robot, for N m and N alike, shape (..., n, n).

    As in `armdyn.Robot.force_projection`, P = 1 - A^T (A M^-1 A^T)^-1 A M^-1 (Modern Robotics 8.100), for constraints
    of full rank; if A has lost rank P is NaN.
    """
    A = all_equations(model, q).A
    factors = factored_mass_matrix(model, q)
    _, S = schur_complement(model, factors, A)
    S = _or_nan(S)
    AMinv = [factors.solve(row) for row in A]
    columns = [S.solve(column) for column in np.array(AMinv).T]
    P = np.eye(model.dof) - A.T @ np.array(columns).T
    return np.asarray(P)


@function("(n)->(n,n)")
def acceleration_projection(model: Mechanism, q: Array) -> Array:
    """Projection P_qdd(q) of accelerations onto those the constraints allow, for rad and m alike, shape (..., n, n).

    As in `armdyn.Robot.acceleration_projection`, P_qdd = P^T (Modern Robotics 8.101, 8.102), for constraints of full
    rank; NaN if A has lost rank.
    """
    return np.asarray(force_projection(model, q).T)
