"""Velocities and accelerations, corrected to the nearest that the constraints allow."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from armdyn.base.checks import per_joint
from armdyn.constraints.arguments import (
    CLOSED,
    RANK_TOLERANCE,
    ConstrainedRobot,
    LockedJoints,
    finite,
    indices,
    state_name,
    tolerance_of,
    with_locked,
)
from armdyn.constraints.checks import check_inertia, check_motion
from armdyn.constraints.errors import InconsistentMotion
from armdyn.constraints.row_sizes import list_rows, sizes_at
from armdyn.constraints.solving import least_change
from armdyn.spatial.rotations import Array


def close_velocities(
    robot: ConstrainedRobot, q: ArrayLike, qd: ArrayLike, *, locked: LockedJoints = (), tolerance: float = CLOSED
) -> Array:
    """Joint velocities qd, rad/s or m/s, shape (..., n), nearest to given ones, that the constraints allow: A qd = 0.

    The correction is the one of the least kinetic energy. Without held joints the result is P_qdd qd, the velocities
    after an impact without rebound on the constraints (Modern Robotics 8.102).

    Args:
        robot: with constraints.
        q: joint positions at which they hold, rad or m, shape (..., n).
        qd: velocities, rad/s or m/s, shape (..., n).
        locked: joints whose velocities stay as given, or are those of a mapping.
        tolerance: of phi, m or rad, at q, and of A qd in the result for each unit of the fastest joint's speed; rows of
            functions of your own count as phi / |A_i| and A_i qd / |A_i|.

    Raises:
        OpenLoop: a state at which the constraints do not hold.
        InconsistentMotion: held joints whose velocities the constraints do not allow.
        UnknownName: a joint the robot does not have.

    >>> channel = armdyn.constraints.PointOnPlane("tip", normal=(1, 0, 0), through=(1, 0, 0), name="channel")
    >>> arm = armdyn.load("planar_2r").with_constraints(channel)
    >>> arm.close_velocities([-np.pi / 3, 2 * np.pi / 3], [1.0, 0.7], locked=["joint_1"]).round(12) + 0.0
    array([1., 0.])
    """
    tolerance = tolerance_of(tolerance)
    q_, qd_ = per_joint(robot, q=q, qd=qd)
    check_motion(robot, tolerance, q_)
    qd_, free = with_locked(robot, locked, qd_)
    return _correct(robot, "velocities qd", q_, qd_, np.zeros(len(robot.constraint_rows)), free, tolerance)


def close_accelerations(
    robot: ConstrainedRobot,
    q: ArrayLike,
    qd: ArrayLike,
    qdd: ArrayLike,
    *,
    locked: LockedJoints = (),
    tolerance: float = CLOSED,
) -> Array:
    """Joint accelerations qdd, rad/s^2 or m/s^2, shape (..., n), nearest to given ones, that the constraints allow.

    A qdd + Adot qd = 0 (Modern Robotics 8.95), nearest in the metric of M.

    Args:
        robot: with constraints.
        q: joint positions at which they hold, rad or m, shape (..., n).
        qd: velocities that they allow, rad/s or m/s, shape (..., n).
        qdd: accelerations, rad/s^2 or m/s^2, shape (..., n).
        locked: joints whose accelerations stay as given, or are those of a mapping.
        tolerance: of phi, of A qd, and of A qdd + Adot qd in the result.

    Raises:
        OpenLoop: a state at which the constraints do not hold.
        InconsistentMotion: velocities that violate the constraints, or held joints whose accelerations they do not
            allow.
        UnknownName: a joint the robot does not have.
    """
    tolerance = tolerance_of(tolerance)
    q_, qd_, qdd_ = per_joint(robot, q=q, qd=qd, qdd=qdd)
    check_motion(robot, tolerance, q_, qd_)
    qdd_, free = with_locked(robot, locked, qdd_)
    drift = np.asarray(robot.constraint_drift(q_, qd_))
    return _correct(robot, "accelerations qdd", q_, qdd_, drift, free, tolerance)


def _correct(
    robot: ConstrainedRobot, subject: str, q: Array, rates: Array, drift: Array, free: Array, tolerance: float
) -> Array:
    """Rates x with A x + drift = 0: the least correction of the free ones in the metric of M."""
    A, M = np.asarray(robot.constraint_jacobian(q)), np.asarray(robot.mass_matrix(q))
    size = np.broadcast_to(sizes_at(robot, q), A.shape[:-1])
    A, drift = A / size[..., None], np.broadcast_to(drift, A.shape[:-1]) / size
    fine = finite(rates, drift) & np.isfinite(A).all(axis=(-2, -1))
    states, size, A, M, drift, x = indices(fine), size[fine], A[fine], M[fine], drift[fine], rates[fine]
    check_inertia(robot, M, states, free)
    missing = -(np.einsum("sij,sj->si", A, x) + drift)
    x += least_change(M, A, missing, RANK_TOLERANCE, np.eye(robot.dof)[:, free])
    violations = np.einsum("sij,sj->si", A, x) + drift
    allowed = max(tolerance, 1e-12) * np.maximum(1.0, np.abs(x).max(axis=-1))
    beyond = np.flatnonzero(~(np.abs(violations).max(axis=-1) <= allowed))
    if len(beyond):
        k = int(beyond[0])
        per = "/s" if subject.startswith("velocities") else "/s^2"
        text = ", ".join(name for name, moves in zip(robot.joint_names, free, strict=True) if not moves)
        raise InconsistentMotion(
            f"no {subject}{state_name(states[k])} of {robot.name!r} keep the constraints with {text or 'no joint'} as "
            f"given: {list_rows(robot.constraint_rows, violations[k] * size[k], per, size[k])} at best. "
            "Hold fewer joints, or others."
        )
    result = np.where(free, np.nan, rates)
    result[fine] = x
    return result
