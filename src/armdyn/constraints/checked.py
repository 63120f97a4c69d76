"""Inverse dynamics, hybrid forces and projections within constraints, with what they presuppose checked.

Each runs the compiled function of the same name in `armdyn.constraints`. States whose rows are not well apart are
solved anew by the singular values of A in the metric of M^-1, as `constrained_forward_dynamics` does.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from armdyn.constraints.checks import rank_tolerance_of, tolerance_of
from armdyn.constraints.errors import RedundantConstraints
from armdyn.constraints.motion import (
    SAFE,
    Redundant,
    check_accelerations,
    check_redundant,
    constrained_least_squares,
    finite,
    places_of,
    projection_of,
    refuse_redundant,
    rows_and_inertia,
)
from armdyn.constraints.ranks import RANK_TOLERANCE
from armdyn.constraints.states import (
    CLOSED,
    ConstrainedRobot,
    check_closed,
    check_velocities,
    multipliers_of,
    per_joint,
)
from armdyn.errors import ShapeError
from armdyn.spatial.rotations import Array


def constrained_inverse_dynamics(
    robot: ConstrainedRobot,
    q: ArrayLike,
    qd: ArrayLike,
    qdd: ArrayLike,
    multipliers: ArrayLike | None = None,
    f_tip: ArrayLike | None = None,
    f_ext: ArrayLike | None = None,
    *,
    tolerance: float = CLOSED,
    workers: int | None = None,
    out: Any = None,
) -> Array:
    """Joint forces tau = M(q) qdd + h(q, qd) + A^T(q) lambda, N m or N, shape (..., n).

    Those that move the robot with qdd, which its constraints must allow (A qdd + Adot qd = 0), while it pushes against
    them with lambda (Modern Robotics 8.93). With every joint driven lambda is free to choose. As lambda is given and
    not sought, rows may follow from others: tau is unique all the same.

    Args:
        robot: with constraints.
        q: joint positions, rad or m, shape (..., n).
        qd: joint velocities, rad/s or m/s, shape (..., n).
        qdd: joint accelerations, rad/s^2 or m/s^2, shape (..., n).
        multipliers: lambda, N or N m, shape (..., constraints); no force against the constraints if left out.
        f_tip: wrench (m, f) the tip applies to its surroundings, beside the constraints, N m and N, shape (..., 6).
        f_ext: wrenches (m, f) that the surroundings apply on the links, shape (..., links, 6).
        tolerance: of phi and A qd, as of `constrained_forward_dynamics`, and of A qdd + Adot qd for each unit of the
            greatest acceleration above one; ``np.inf``: take states and motions as they are.
        workers: threads for a batch; -1: one a core.
        out: array for the result.

    Raises:
        OpenLoop: a state at which the constraints do not hold.
        InconsistentMotion: velocities or accelerations that leave them.

    >>> channel = armdyn.constraints.PointOnPlane("tip", normal=(1, 0, 0), through=(1, 0, 0), name="channel")
    >>> arm = armdyn.load("planar_2r", gravity=(0, 0, 0)).with_constraints(channel)
    >>> q, qd, qdd = [-np.pi / 3, 2 * np.pi / 3], [1.0, 0.0], [0.8, -2 / np.sqrt(3)]
    >>> arm.constrained_inverse_dynamics(q, qd, qdd, [1.3]).round(4)
    array([ 1.0226, -1.0145])
    """
    tolerance = tolerance_of(tolerance)
    q_, qd_, qdd_ = per_joint(robot, q=q, qd=qd, qdd=qdd)
    if tolerance < np.inf:
        check_closed(robot, q_, tolerance)
        check_velocities(robot, q_, qd_, tolerance)
        check_accelerations(robot, q_, qd_, qdd_, tolerance)
    given = {"multipliers": multipliers, "f_tip": f_tip, "f_ext": f_ext, "workers": workers, "out": out}
    tau: Array = robot._constrained_inverse_dynamics(q, qd, qdd, **{k: v for k, v in given.items() if v is not None})
    return tau


def hybrid_forces(
    robot: ConstrainedRobot,
    q: ArrayLike,
    qd: ArrayLike,
    qdd: ArrayLike,
    multipliers: ArrayLike,
    *,
    redundant: Redundant = "error",
    tolerance: float = CLOSED,
    rank_tolerance: float = RANK_TOLERANCE,
    workers: int | None = None,
    out: Any = None,
) -> Array:
    """Joint forces tau for a wanted motion and wanted constraint forces, N m or N, shape (..., n).

    tau = M qdd_c + h + A^T lambda, with qdd_c = P_qdd qdd - M^-1 A^T (A M^-1 A^T)^-1 Adot qd, the acceleration nearest
    to the wanted one, in the metric of M, that the constraints allow: what qdd asks against them is left out, and
    lambda comes about exactly (Modern Robotics 8.7, 11.6).

    Args:
        robot: with constraints.
        q: joint positions, rad or m, shape (..., n).
        qd: joint velocities, rad/s or m/s, shape (..., n).
        qdd: wanted joint accelerations, rad/s^2 or m/s^2, shape (..., n).
        multipliers: wanted lambda, N or N m, shape (..., constraints).
        redundant: "error", or "least_squares": qdd_c as `constrained_forward_dynamics` finds it, and of lambda what
            is told from joint forces, A^T lambda, comes about exactly.
        tolerance: of phi and A qd, as of `constrained_forward_dynamics`; ``np.inf``: take states as they are.
        rank_tolerance: singular values of A below this part of the greatest count as zero.
        workers: threads for a batch; -1: one a core.
        out: array for the result.

    Raises:
        OpenLoop: a state at which the constraints do not hold.
        InconsistentMotion: velocities that leave them.
        RedundantConstraints: constraints that follow from others: which, and how; `SingularState` where they do at
            this state alone.

    >>> channel = armdyn.constraints.PointOnPlane("tip", normal=(1, 0, 0), through=(1, 0, 0), name="channel")
    >>> arm = armdyn.load("planar_2r", gravity=(0, 0, 0)).with_constraints(channel)
    >>> arm.hybrid_forces([-np.pi / 3, 2 * np.pi / 3], [1.0, 0.0], [0.8, -2 / np.sqrt(3)], [1.3]).round(4)
    array([ 1.0226, -1.0145])
    """
    check_redundant(redundant)
    tolerance, rank_tolerance = tolerance_of(tolerance), rank_tolerance_of(rank_tolerance)
    q_, qd_, qdd_ = per_joint(robot, q=q, qd=qd, qdd=qdd)
    lam = multipliers_of(robot, multipliers)
    if tolerance < np.inf:
        check_closed(robot, q_, tolerance)
        check_velocities(robot, q_, qd_, tolerance)
    batch = _batch(q_, lam)
    tau = _in_straight_line(
        robot._hybrid_forces, (q, qd, qdd, multipliers), (*batch, robot.dof), workers=workers, out=out
    )
    unsafe = np.broadcast_to(_unsafe(robot, q_) & finite(qd_, qdd_), batch) & finite(lam)
    if unsafe.any():
        q_, qd_, qdd_ = (np.broadcast_to(a, (*batch, robot.dof))[unsafe] for a in (q_, qd_, qdd_))
        lam = np.broadcast_to(lam, (*batch, lam.shape[-1]))[unsafe]
        states = places_of(unsafe)
        A, M = rows_and_inertia(robot, q_, states)
        wanted, drift = np.einsum("sij,sj->si", M, qdd_), np.asarray(robot.constraint_drift(q_, qd_))
        nearest, _, rank = constrained_least_squares(M, A, wanted, -drift, rank_tolerance)
        if redundant == "error":
            refuse_redundant(robot, q_, A, M, rank, states, rank_tolerance)
        tau[unsafe] = robot._constrained_inverse_dynamics(q_, qd_, nearest, lam)
    return tau


def _batch(q: Array, lam: Array) -> tuple[int, ...]:
    try:
        return np.broadcast_shapes(q.shape[:-1], lam.shape[:-1])
    except ValueError:
        raise ShapeError(
            f"the batches of the arguments do not broadcast together: q, qd, qdd {q.shape[:-1]}, multipliers "
            f"{lam.shape[:-1]}"
        ) from None


def force_projection(
    robot: ConstrainedRobot,
    q: ArrayLike,
    *,
    redundant: Redundant = "error",
    tolerance: float = CLOSED,
    rank_tolerance: float = RANK_TOLERANCE,
    workers: int | None = None,
    out: Any = None,
) -> Array:
    """Projection P(q) of joint forces onto those that move the robot, of N m or N alike, shape (..., n, n).

    P = 1 - A^T (A M^-1 A^T)^-1 A M^-1 (Modern Robotics 8.100): P tau moves, (1 - P) tau pushes against the constraints,
    and P tau = P (M qdd + h) (8.99).

    Args:
        robot: with constraints.
        q: joint positions, rad or m, shape (..., n).
        redundant: "error", or "least_squares": P from what the rows span, with the pseudoinverse of A M^-1 A^T; it is
            unique, whichever of the rows follow from others.
        tolerance: of phi, as of `constrained_forward_dynamics`; ``np.inf``: take states as they are.
        rank_tolerance: singular values of A below this part of the greatest count as zero.
        workers: threads for a batch; -1: one a core.
        out: array for the result.

    Raises:
        OpenLoop: a state at which the constraints do not hold.
        RedundantConstraints: constraints that follow from others: which, and how; `SingularState` where they do at
            this state alone.

    >>> channel = armdyn.constraints.PointOnPlane("tip", normal=(1, 0, 0), through=(1, 0, 0), name="channel")
    >>> arm = armdyn.load("planar_2r").with_constraints(channel)
    >>> arm.force_projection([-np.pi / 3, 2 * np.pi / 3]).round(12) + 0.0
    array([[1.  , 0.  ],
           [0.25, 0.  ]])
    """
    options = redundant, tolerance, rank_tolerance, workers, out
    return _projection(robot, robot._force_projection, q, lambda P: P, *options)


def acceleration_projection(
    robot: ConstrainedRobot,
    q: ArrayLike,
    *,
    redundant: Redundant = "error",
    tolerance: float = CLOSED,
    rank_tolerance: float = RANK_TOLERANCE,
    workers: int | None = None,
    out: Any = None,
) -> Array:
    """Projection P_qdd(q) of accelerations onto those the constraints allow, of rad or m alike, shape (..., n, n).

    P_qdd = 1 - M^-1 A^T (A M^-1 A^T)^-1 A = M^-1 P M = P^T, and P_qdd qdd = P_qdd M^-1 (tau - h) (Modern Robotics
    8.101, 8.102). Of velocities it makes the nearest that the constraints allow, in the metric of M. P_qdd M^-1 is
    dqdd/dtau. Arguments, options and errors are those of `force_projection`.

    >>> channel = armdyn.constraints.PointOnPlane("tip", normal=(1, 0, 0), through=(1, 0, 0), name="channel")
    >>> arm = armdyn.load("planar_2r").with_constraints(channel)
    >>> arm.acceleration_projection([-np.pi / 3, 2 * np.pi / 3]).round(12) + 0.0
    array([[1.  , 0.25],
           [0.  , 0.  ]])
    """
    options = redundant, tolerance, rank_tolerance, workers, out
    return _projection(robot, robot._acceleration_projection, q, lambda P: np.swapaxes(P, -1, -2), *options)


def _projection(
    robot: ConstrainedRobot,
    kernel: Callable[..., Any],
    q: ArrayLike,
    of_P: Callable[[Array], Array],
    redundant: Redundant,
    tolerance: float,
    rank_tolerance: float,
    workers: int | None,
    out: Any,
) -> Array:
    """What the kernel makes of q, and ``of_P`` of P in states that it cannot solve."""
    check_redundant(redundant)
    tolerance, rank_tolerance = tolerance_of(tolerance), rank_tolerance_of(rank_tolerance)
    (q_,) = per_joint(robot, q=q)
    if tolerance < np.inf:
        check_closed(robot, q_, tolerance)
    result = _in_straight_line(kernel, (q,), (*q_.shape, robot.dof), workers=workers, out=out)
    unsafe = _unsafe(robot, q_)
    if unsafe.any():
        states = places_of(unsafe)
        A, M = rows_and_inertia(robot, q_[unsafe], states)
        P, rank = projection_of(M, A, rank_tolerance)
        if redundant == "error":
            refuse_redundant(robot, q_[unsafe], A, M, rank, states, rank_tolerance)
        result[unsafe] = of_P(P)
    return result


def _in_straight_line(
    kernel: Callable[..., Any], arrays: tuple[ArrayLike, ...], shape: tuple[int, ...], **options: Any
) -> Array:
    """What the compiled function makes of all states; NaN where a row follows from others whatever the state."""
    given = {name: value for name, value in options.items() if value is not None}
    try:
        with np.errstate(all="ignore"):  # what has no rank is looked at afterwards
            result: Array = kernel(*arrays, **given)
    except RedundantConstraints:
        out = given.get("out")
        result = np.empty(shape) if out is None else out[0] if isinstance(out, tuple) else out
        result[...] = np.nan
    return result


def _unsafe(robot: ConstrainedRobot, q: Array) -> Array:
    """The states that are numbers and whose rows are not well apart."""
    try:
        with np.errstate(all="ignore"):
            apart = (np.asarray(robot._independence(q)) > SAFE).all(axis=-1)
    except RedundantConstraints:
        apart = np.zeros(q.shape[:-1], dtype=bool)
    return np.asarray(~apart & finite(q))
