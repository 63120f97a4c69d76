"""Checks that states and motions satisfy the constraints, that A is finite and that M has an inverse."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from armdyn.base.errors import ModelError
from armdyn.constraints.arguments import ConstrainedRobot, finite, indices, state_name
from armdyn.constraints.closing import close_loop
from armdyn.constraints.errors import ContradictingConstraints, InconsistentMotion, OpenLoop, SingularState
from armdyn.constraints.row_sizes import NO_GRADIENT, holonomic_rows, list_rows, sizes_at
from armdyn.model.constraints import Row
from armdyn.spatial.rotations import Array
from armdyn.spatial.singular_mass import is_singular, without_inertia


def check_motion(
    robot: ConstrainedRobot, tolerance: float, q: Array, qd: Array | None = None, qdd: Array | None = None
) -> None:
    """Raise if q is open, or qd or qdd violate the constraints; an open loop is explained. Infinite: no check."""
    if not tolerance < np.inf:
        return
    try:
        check_closed(robot, q, tolerance)
    except OpenLoop as error:
        raise _explain(robot, error) from None
    if qd is not None:
        check_velocities(robot, q, qd, tolerance)
        if qdd is not None:
            check_accelerations(robot, q, qd, qdd, tolerance)


def _explain(robot: ConstrainedRobot, error: OpenLoop) -> OpenLoop:
    """The error of an open state, with the remedy: `close_loop`, if it finds a closed state from there."""
    if error.q is None:
        return error
    try:
        close_loop(robot, error.q)
    except ContradictingConstraints as why:
        return ContradictingConstraints(f"{error} No q is near at which they do: {why}", error.q)
    except OpenLoop:
        remedy = (
            "robot.close_loop, from a guess nearer to a closed state, finds a q where they do, if there is one; from "
            "this q it finds none."
        )
        return OpenLoop(f"{error} {remedy}", error.q)
    return OpenLoop(f"{error} robot.close_loop(q) finds a q where they do.", error.q)


def check_closed(robot: ConstrainedRobot, q: Array, tolerance: float) -> None:
    """Raise an `OpenLoop`, with the state, if phi(q) is not zero; states with NaN pass."""
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
    """Raise an `InconsistentMotion` if A qd is not zero."""
    against = np.asarray(robot.constraint_velocity(q, qd))
    beyond = _first_beyond(robot.constraint_rows, against, sizes_at(robot, q), "/s", tolerance, qd, q)
    if beyond:
        index, values = beyond
        raise InconsistentMotion(
            f"the velocities qd{state_name(index)} leave the constraints of {robot.name!r}: A qd is {values}. "
            "robot.close_velocities(q, qd) has the nearest that they allow."
        )


def check_accelerations(robot: ConstrainedRobot, q: Array, qd: Array, qdd: Array, tolerance: float) -> None:
    """Raise an `InconsistentMotion` if A qdd + Adot qd is not zero."""
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
    return index, list_rows(rows, values[index], per, sizes[index])


def check_gradients(robot: ConstrainedRobot, A: Array, states: Sequence[tuple[int, ...]]) -> None:
    """Raise a `SingularState` if rows of A, shape (states, constraints, n), are not finite."""
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
    """Refuse states at which the moving coordinates have no inertia: their part of M has no inverse.

    Args:
        robot: the robot of the states.
        M: mass matrices, shape (states, n, n).
        states: the index of each in its batch.
        moving: True for coordinates that are free to move, shape (n,).
    """
    part = M[:, moving][:, :, moving]
    singular = is_singular(part)
    if singular.any():
        first = int(np.flatnonzero(singular)[0])
        names = [name for name, moves in zip(robot.joint_names, moving, strict=True) if moves]
        idle = without_inertia(part[first], names)
        joints = f"joint {idle[0]!r} moves" if len(idle) == 1 else f"joints {', '.join(map(repr, idle))} can move with"
        raise ModelError(
            f"the mass matrix of {robot.name!r} is singular at q{state_name(states[first])}: {joints} no inertia, so "
            "that no force decides the acceleration. Give links inertia, or joints armature, or lock such joints."
        )
