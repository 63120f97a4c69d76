"""Checks that states and motions keep the constraints, that A is finite and that M has an inverse.

Values of rows in m or rad are judged as they stand, others by the length of the row's gradient.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from armdyn.constraints.arguments import ConstrainedRobot, finite, indices, state_name
from armdyn.constraints.errors import InconsistentMotion, OpenLoop, SingularState
from armdyn.errors import ModelError
from armdyn.model.constraints import Row
from armdyn.spatial.rotations import Array
from armdyn.spatial.singular_mass import is_singular, without_inertia

NO_GRADIENT = "a distance has none where its two points coincide, nor rotations where the frames are half a turn apart"
"""The places where A is not finite, for messages."""

GRADIENT_OFFSET = 0.1
"""The distance from a state at which gradients are evaluated for comparison, rad or m."""

VANISHED_GRADIENT = 1e-4
"""A gradient below this part of those near the state counts as zero."""

SHOWN = 4
"""Rows that a message lists at most."""


def holonomic(robot: ConstrainedRobot) -> Array:
    """True for rows that are equations for positions, shape (constraints,)."""
    return np.array([row.holonomic for row in robot.constraint_rows], dtype=bool)


def holonomic_rows(robot: ConstrainedRobot) -> list[Row]:
    """The rows that are equations for positions, in the order of phi."""
    return [row for row in robot.constraint_rows if row.holonomic]


def row_sizes(rows: Sequence[Row], A: Array, near: Array) -> Array:
    """Divisors of the values of rows before they are judged, shape (..., rows).

    1 for rows in m or rad. A row without a unit is a function of the user; any multiple of it is the same constraint.
    It is divided by the length of its gradient: phi_i / |A_i| is the least motion of the joints, rad or m, that makes
    it zero to first order. Where the gradient vanishes, as on a stretched arm, a part of that ``near`` the state is
    taken, so that rounding is not divided by rounding; where that vanishes too, 1.
    """
    has_unit = np.array([bool(row.unit) for row in rows], dtype=bool)
    gradient = np.fmax(np.linalg.norm(A, axis=-1), VANISHED_GRADIENT * near)
    return np.where(~has_unit & np.isfinite(gradient) & (gradient > 0.0), gradient, 1.0)


def gradients_near(robot: ConstrainedRobot, q: Array) -> Array:
    """The greatest |A_i| at two states near q, the same at every call, shape (..., constraints)."""
    asides = GRADIENT_OFFSET * np.random.default_rng(1).uniform(-1.0, 1.0, (2, robot.dof))
    lengths = np.linalg.norm([np.asarray(robot.constraint_jacobian(q + aside)) for aside in asides], axis=-1)
    greatest: Array = np.where(np.isfinite(lengths), lengths, 0.0).max(axis=0)
    return greatest


def sizes_at(robot: ConstrainedRobot, q: Array, *, holonomic_only: bool = False) -> Array:
    """`row_sizes` at states; A is evaluated where a row has no unit alone."""
    rows = holonomic_rows(robot) if holonomic_only else robot.constraint_rows
    if all(row.unit for row in rows):
        return np.ones(len(rows))
    kept = holonomic(robot) if holonomic_only else slice(None)
    A = np.asarray(robot.constraint_jacobian(q))[..., kept, :]
    return row_sizes(rows, A, gradients_near(robot, q)[..., kept])


def listed(rows: Iterable[Row], values: Array, per: str, sizes: Array) -> str:
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


def check_closed(robot: ConstrainedRobot, q: Array, tolerance: float) -> None:
    """Raise an `OpenLoop`, with the state, where phi(q) is not zero; states with NaN pass."""
    rows = holonomic_rows(robot)
    if not rows:
        return
    phi = np.asarray(robot.constraint_error(q))
    beyond = _first_beyond(rows, phi, sizes_at(robot, q, holonomic_only=True), "", tolerance, q)
    if beyond:
        index, values = beyond
        raise OpenLoop(
            f"the constraints of {robot.name!r} do not hold at q{state_name(index)}: {values}, more than the tolerance "
            f"of {tolerance:g}.",
            q[index],
        )


def check_velocities(robot: ConstrainedRobot, q: Array, qd: Array, tolerance: float) -> None:
    """Raise an `InconsistentMotion` where A qd is not zero."""
    against = np.asarray(robot.constraint_velocity(q, qd))
    beyond = _first_beyond(robot.constraint_rows, against, sizes_at(robot, q), "/s", tolerance, qd, q)
    if beyond:
        index, values = beyond
        raise InconsistentMotion(
            f"the velocities qd{state_name(index)} leave the constraints of {robot.name!r}: A qd is {values}. "
            "robot.close_velocities(q, qd) has the nearest that they allow."
        )


def check_accelerations(robot: ConstrainedRobot, q: Array, qd: Array, qdd: Array, tolerance: float) -> None:
    """Raise an `InconsistentMotion` where A qdd + Adot qd is not zero."""
    A = np.asarray(robot.constraint_jacobian(q))
    against = np.einsum("...ij,...j->...i", A, qdd) + np.asarray(robot.constraint_drift(q, qd))
    beyond = _first_beyond(robot.constraint_rows, against, sizes_at(robot, q), "/s^2", tolerance, qdd, q, qd)
    if beyond:
        index, values = beyond
        raise InconsistentMotion(
            f"the accelerations qdd{state_name(index)} leave the constraints of {robot.name!r}: A qdd + Adot qd is "
            f"{values}. robot.close_accelerations(q, qd, qdd) has the nearest that they allow."
        )


def _first_beyond(
    rows: Iterable[Row], values: Array, sizes: Array, per: str, tolerance: float, rates: Array, *others: Array
) -> tuple[tuple[int, ...], str] | None:
    """The first finite state with values beyond the tolerance: its index, and the values for a message.

    The tolerance of velocities and accelerations is for each unit of the fastest joint's above one.
    """
    sizes = np.broadcast_to(sizes, values.shape)
    scale = np.maximum(1.0, np.abs(rates).max(axis=-1, keepdims=True)) if per else 1.0
    beyond = ~(np.abs(values / sizes / scale) <= tolerance).all(axis=-1) & finite(rates, *others)
    if not beyond.any():
        return None
    index = indices(beyond)[0]
    return index, listed(rows, values[index], per, sizes[index])


def check_gradients(robot: ConstrainedRobot, A: Array, states: Sequence[tuple[int, ...]]) -> None:
    """Raise a `SingularState` where rows of A, shape (states, constraints, n), are not finite."""
    bad = np.asarray(~np.isfinite(A).all(axis=-1))
    if bad.any():
        first = int(np.flatnonzero(bad.any(axis=-1))[0])
        names = [repr(row.name) for row, is_bad in zip(robot.constraint_rows, bad[first], strict=True) if is_bad]
        raise SingularState(
            f"constraint{'s' if len(names) > 1 else ''} {', '.join(names)} of {robot.name!r} "
            f"{'have' if len(names) > 1 else 'has'} no gradient at q{state_name(states[first])}: {NO_GRADIENT}. Choose "
            "another state."
        )


def check_inertia(robot: ConstrainedRobot, M: Array, states: Sequence[tuple[int, ...]], moving: Array) -> None:
    """Refuse states where the moving coordinates have no inertia: M, of them alone, has no inverse.

    Args:
        robot: whose states they are.
        M: mass matrices, shape (states, n, n).
        states: the index of each in its batch.
        moving: which coordinates are free to move, shape (n,).
    """
    part = M[:, moving][:, :, moving]
    singular = is_singular(part)
    if singular.any():
        first = int(np.flatnonzero(singular)[0])
        names = [name for name, moves in zip(robot.joint_names, moving, strict=True) if moves]
        idle = without_inertia(part[first], names)
        which = f"joint {idle[0]!r} moves" if len(idle) == 1 else f"joints {', '.join(map(repr, idle))} can move with"
        raise ModelError(
            f"the mass matrix of {robot.name!r} is singular at q{state_name(states[first])}: {which} no inertia, so "
            "that no force decides the acceleration. Give links inertia, or joints armature, or lock such joints."
        )
