"""Rows, measured: their values in m or rad, those without a unit by the row's gradient; A in the metric of M^-1."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from armdyn.constraints.arguments import ConstrainedRobot
from armdyn.model.constraints import Row
from armdyn.spatial.rotations import Array

NO_GRADIENT = "a distance has none where its two points coincide, nor rotations where the frames are half a turn apart"
"""The places at which A is not finite, for messages."""

GRADIENT_OFFSET = 0.1
"""The distance from a state at which gradients are evaluated for comparison, rad or m."""

VANISHED_GRADIENT = 1e-4
"""A gradient below this part of those near the state counts as zero."""

ZERO_ROW = 1e-13
"""A row below this part of the largest is zero to rounding."""

SHOWN = 4
"""The largest number of rows that a message lists."""


def holonomic(robot: ConstrainedRobot) -> Array:
    """True for rows that are equations for positions, shape (constraints,)."""
    return np.array([row.holonomic for row in robot.constraint_rows], dtype=bool)


def holonomic_rows(robot: ConstrainedRobot) -> list[Row]:
    """The rows that are equations for positions, in the order of phi."""
    return [row for row in robot.constraint_rows if row.holonomic]


def row_sizes(rows: Sequence[Row], A: Array, near: Array) -> Array:
    """Divisors of the values of rows before comparison with a tolerance, shape (..., rows).

    1 for rows in m or rad. A row without a unit is a function of the user; any multiple of it is the same constraint.
    It is divided by the length of its gradient: phi_i / |A_i| is the least motion of the joints, rad or m, that makes
    it zero to first order. If the gradient vanishes, as on a stretched arm, a part of that ``near`` the state is used,
    so that rounding is not divided by rounding; if that vanishes too, 1.
    """
    has_unit = np.array([bool(row.unit) for row in rows], dtype=bool)
    gradient = np.fmax(np.linalg.norm(A, axis=-1), VANISHED_GRADIENT * near)
    return np.where(~has_unit & np.isfinite(gradient) & (gradient > 0.0), gradient, 1.0)


def unit_rows(A: Array, M: Array) -> tuple[Array, Array]:
    """Columns L^-1 a_j / |L^-1 a_j|, with M = L L^T, and the lengths; zero rows stay zero. Batches in front.

    If M is singular, as for robots without masses, the rows are measured without it.
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


def moving_part(M: Array, A: Array, W: Array) -> Array:
    """The length of each row of A along some ways relative to the whole row, in the metric of M^-1, shape (..., rows).

    It is zero for zero rows. If held joints move no inertia, M is singular, and the rows are measured without it.

    Args:
        M: mass matrix, regular along the ways, shape (..., n, n).
        A: constraint Jacobian, shape (..., rows, n).
        W: the ways, orthonormal columns, shape (n, ways).
    """
    A_W, M_W = A @ W, W.T @ M @ W
    try:
        np.linalg.cholesky(M)
    except np.linalg.LinAlgError:
        along, whole = np.linalg.norm(A_W, axis=-1), np.linalg.norm(A, axis=-1)
    else:
        along, whole = unit_rows(A_W, M_W)[1], unit_rows(A, M)[1]
    return np.where(whole > 0.0, along / np.where(whole > 0.0, whole, 1.0), 0.0)


def gradients_near(robot: ConstrainedRobot, q: Array) -> Array:
    """The greatest |A_i| at two states near q, the same at every call, shape (..., constraints)."""
    asides = GRADIENT_OFFSET * np.random.default_rng(1).uniform(-1.0, 1.0, (2, robot.dof))
    lengths = np.linalg.norm([np.asarray(robot.constraint_jacobian(q + aside)) for aside in asides], axis=-1)
    greatest: Array = np.where(np.isfinite(lengths), lengths, 0.0).max(axis=0)
    return greatest


def sizes_at(robot: ConstrainedRobot, q: Array, *, holonomic_only: bool = False) -> Array:
    """`row_sizes` at states; A is evaluated only if a row has no unit."""
    rows = holonomic_rows(robot) if holonomic_only else robot.constraint_rows
    if all(row.unit for row in rows):
        return np.ones(len(rows))
    chosen = holonomic(robot) if holonomic_only else slice(None)
    A = np.asarray(robot.constraint_jacobian(q))[..., chosen, :]
    return row_sizes(rows, A, gradients_near(robot, q)[..., chosen])


def list_rows(rows: Iterable[Row], values: Array, per: str, sizes: Array) -> str:
    """The largest values, measured by the sizes, with the names of their rows."""
    measured = np.where(np.isnan(values), np.inf, np.abs(values / sizes))
    of_row = sorted(zip(rows, values, sizes, measured, strict=True), key=lambda one: -one[3])[:SHOWN]
    return ", ".join(
        _value(row, value, one, per)
        for row, value, one, much in of_row
        if much > 1e-3 * measured.max() or much == np.inf
    )


def _value(row: Row, value: float, size: float, per: str) -> str:
    if row.unit:
        return f"{row.name!r} is {value:.6g} {row.unit}{per}"
    by_gradient = "" if size == 1.0 else f", which is {value / size:.6g} by its gradient, rad or m of the joints{per}"
    return f"{row.name!r} is {value:.6g}{by_gradient}"
