"""Constrained forward dynamics and actuator forces with their preconditions checked: closed loops, motions, rank."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from armdyn.constraints.checks import check_inertia, gain_of, rank_tolerance_of, tolerance_of
from armdyn.constraints.dynamics import ConstrainedMotion
from armdyn.constraints.errors import ConstraintError, InconsistentMotion, RedundantConstraints, SingularState
from armdyn.constraints.nearby import why_singular
from armdyn.constraints.ranks import RANK_TOLERANCE, ConstraintRank, rank_of, unit_rows
from armdyn.constraints.states import (
    CLOSED,
    ConstrainedRobot,
    check_closed,
    check_gradients,
    check_velocities,
    coordinates,
    listed,
    per_joint,
    sizes_at,
    state_name,
)
from armdyn.errors import ModelError
from armdyn.spatial.rotations import Array

SAFE = 1e-4
"""Where every row is this independent of those before it, the straight-line solution has its digits."""

Redundant = Literal["error", "least_squares"]


def constrained_forward_dynamics(
    robot: ConstrainedRobot,
    q: ArrayLike,
    qd: ArrayLike,
    tau: ArrayLike,
    f_tip: ArrayLike | None = None,
    f_ext: ArrayLike | None = None,
    *,
    redundant: Redundant = "error",
    tolerance: float = CLOSED,
    damping: float = 0.0,
    stiffness: float = 0.0,
    rank_tolerance: float = RANK_TOLERANCE,
    workers: int | None = None,
) -> ConstrainedMotion:
    """Joint accelerations qdd, rad/s^2 or m/s^2, and multipliers lambda, N or N m, of a robot with constraints.

    M qdd + h + A^T lambda = tau with A qdd + Adot qd = 0 (Modern Robotics 8.93-8.98). A^T lambda are the joint forces
    that the robot puts into its constraints. States whose constraints are well apart are solved by compiled
    straight-line code, the function of the same name in `armdyn.constraints`; the others by the singular values of A in
    the metric of M^-1. All is computed in float64, and returned so, whatever the dtype of the arguments: the checks of
    q and qd need its digits. The compiled function has a loop for float32.

    Args:
        robot: with constraints.
        q: joint positions, rad or m, shape (..., n).
        qd: joint velocities, rad/s or m/s, shape (..., n).
        tau: joint forces, N m or N, shape (..., n).
        f_tip: wrench (m, f) the tip applies to its surroundings, beside the constraints, shape (..., 6).
        f_ext: wrenches that the surroundings apply on the links, shape (..., links, 6).
        redundant: "error", or "least_squares": qdd, which is unique as long as the constraints agree, and of all
            lambda with the same effect the one whose rows, each by itself, would cause the least accelerations in the
            metric of M; where constraints contradict each other, the least contradiction, row by row in that metric.
        tolerance: how far phi, m or rad, and A qd, m/s or rad/s (for each unit of the fastest joint's speed above one),
            may be from zero; ``np.inf``: take states as they are. Not applied where there is stabilisation. Rows of
            functions of your own are measured by their gradients: phi / |A_i| and A_i qd / |A_i|, rad or m of the
            joints, and that a second.
        damping: alpha, 1/s, of Baumgarte's stabilisation A qdd + Adot qd + alpha A qd + beta phi = 0; off by default.
        stiffness: beta, 1/s^2. Critical damping: beta = alpha^2 / 4.
        rank_tolerance: singular values of A below this part of the greatest count as zero.
        workers: threads for a batch; -1: one a core.

    Raises:
        ConstraintError: a tolerance or gain that is none.
        OpenLoop: a state at which the constraints do not hold; `ContradictingConstraints` where none is near at which
            they do.
        InconsistentMotion: velocities that leave them.
        RedundantConstraints: constraints that follow from others: which, and how; `SingularState` where they do at
            this state alone, or have no gradient there.
        ModelError: a robot without constraints, or with a joint that moves no inertia.

    >>> channel = armdyn.constraints.PointOnPlane("tip", normal=(1, 0, 0), through=(1, 0, 0), name="channel")
    >>> arm = armdyn.load("planar_2r", gravity=(0, 0, 0)).with_constraints(channel)
    >>> motion = arm.constrained_forward_dynamics([-np.pi / 3, 2 * np.pi / 3], [1, 0], tau=[0, 0])
    >>> motion.qdd.round(3), motion.multipliers.round(3)
    (array([ 0.289, -1.155]), array([-0.167]))
    """
    check_redundant(redundant)
    tolerance, rank_tolerance = tolerance_of(tolerance), rank_tolerance_of(rank_tolerance)
    gains = {"damping": gain_of("damping", damping), "stiffness": gain_of("stiffness", stiffness)}
    options = {name: value for name, value in gains.items() if value}
    q_, qd_, tau_ = per_joint(robot, q=q, qd=qd, tau=tau)
    forces: dict[str, Any] = {name: f for name, f in (("f_tip", f_tip), ("f_ext", f_ext)) if f is not None}
    threads = {} if workers is None else {"workers": workers}
    motion = _in_straight_line(robot, q_, qd_, tau_, forces | options | threads)
    if not options and tolerance < np.inf:
        check_closed(robot, q_, tolerance)
        check_velocities(robot, q_, qd_, tolerance)
    unsafe = ~(motion.independence > SAFE).all(axis=-1) & finite(q_, qd_, tau_)
    if not np.any(unsafe):
        return motion
    rest = np.asarray(tau_ - _rest(robot, q_, qd_, forces))
    return _with_dense_solutions(robot, motion, unsafe, (q_, qd_, rest), options, redundant, rank_tolerance)


def _in_straight_line(
    robot: ConstrainedRobot, q: Array, qd: Array, tau: Array, keywords: dict[str, Any]
) -> ConstrainedMotion:
    """What the compiled function makes of all states; NaN where a row follows from others whatever the state."""
    try:
        with np.errstate(all="ignore"):  # what has no rank is looked at afterwards
            motion: ConstrainedMotion = robot._constrained_forward_dynamics(q, qd, tau, **keywords)
    except RedundantConstraints:
        h = _rest(robot, q, qd, {name: keywords[name] for name in ("f_tip", "f_ext") if name in keywords})
        rows = np.full((*np.shape(h)[:-1], len(robot.constraint_rows)), np.nan)
        return ConstrainedMotion(np.full(np.shape(h), np.nan), rows, rows.copy())
    return motion


def check_redundant(redundant: str) -> None:
    """Raise where it is none of the two choices."""
    if redundant not in ("error", "least_squares"):
        raise ModelError(f"redundant={redundant!r}; expected 'error' or 'least_squares'")


def finite(*arrays: Array) -> Array:
    """Which states are numbers throughout."""
    are: Array = np.all([np.isfinite(a).all(axis=-1) for a in arrays], axis=0)
    return are


def _rest(robot: ConstrainedRobot, q: Array, qd: Array, forces: dict[str, Any]) -> Array:
    """h, and what the wrenches ask for."""
    h: Array = robot._constrained_inverse_dynamics(q, qd, np.zeros(robot.dof), **forces)
    return h


def _with_dense_solutions(
    robot: ConstrainedRobot,
    motion: ConstrainedMotion,
    unsafe: Array,
    state: tuple[Array, Array, Array],
    options: dict[str, float],
    redundant: Redundant,
    rank_tolerance: float,
) -> ConstrainedMotion:
    """The motion with the solutions of unsafe states put in."""
    shape = np.broadcast_shapes(unsafe.shape, motion.qdd.shape[:-1])
    unsafe = np.broadcast_to(unsafe, shape)
    q, qd, pushed = (np.broadcast_to(a, (*shape, robot.dof))[unsafe] for a in state)
    states = places_of(unsafe)
    A, M = rows_and_inertia(robot, q, states)
    target = -_stabilised_drift(robot, q, qd, A, options)
    qdd, multipliers, rank = constrained_least_squares(M, A, pushed, target, rank_tolerance)
    if redundant == "error":
        refuse_redundant(robot, q, A, M, rank, states, rank_tolerance)
    new = [np.array(np.broadcast_to(a, (*shape, a.shape[-1]))) for a in motion]
    new[0][unsafe], new[1][unsafe] = qdd, multipliers
    return ConstrainedMotion(*new)


def places_of(unsafe: Array) -> list[tuple[int, ...]]:
    """The index of each state of a batch that is meant."""
    return [tuple(map(int, index)) for index in np.argwhere(unsafe)]


def rows_and_inertia(robot: ConstrainedRobot, q: Array, states: Sequence[tuple[int, ...]]) -> tuple[Array, Array]:
    """A and M of the states that are looked at singly, where both are what can be solved with."""
    A, M = np.asarray(robot.constraint_jacobian(q)), np.asarray(robot.mass_matrix(q))
    check_gradients(robot, A, states)
    check_inertia(robot, M, states, np.ones(robot.dof, dtype=bool))
    return A, M


def refuse_redundant(
    robot: ConstrainedRobot,
    q: Array,
    A: Array,
    M: Array,
    rank: Array,
    states: Sequence[tuple[int, ...]],
    rank_tolerance: float,
) -> None:
    """Raise where rows follow from others: which, and of which state."""
    low = np.flatnonzero(rank < A.shape[-2])
    if len(low):
        first = int(low[0])
        found = rank_of(A[first], M[first], tuple(row.name for row in robot.constraint_rows), rank_tolerance)
        raise _redundant(robot, q[first], f"q{state_name(states[first])}", found, rank_tolerance)


def _redundant(
    robot: ConstrainedRobot, q: Array, where: str, found: ConstraintRank, rank_tolerance: float
) -> RedundantConstraints:
    """Whether rows follow from others at this state alone, and what to do."""
    what = f"constraints of {robot.name!r} are redundant at {where}: {found}. "
    if why_singular(robot, q, found, rank_tolerance):
        return SingularState(
            what + "They are so at this state and not near it, so all of them are needed: choose another state, or "
            "redundant='least_squares'."
        )
    return RedundantConstraints(
        what + "Leave them out, as robot.with_independent_constraints(q) does, or choose redundant='least_squares'."
    )


def _stabilised_drift(robot: ConstrainedRobot, q: Array, qd: Array, A: Array, options: dict[str, float]) -> Array:
    drift = np.array(robot.constraint_drift(q, qd))
    drift += options.get("damping", 0.0) * np.einsum("...ij,...j->...i", A, qd)
    if options.get("stiffness"):
        is_holonomic = [row.holonomic for row in robot.constraint_rows]
        drift[..., is_holonomic] += options["stiffness"] * np.asarray(robot.constraint_error(q))
    return drift


def constrained_least_squares(
    M: Array, A: Array, pushed: Array, target: Array, rank_tolerance: float
) -> tuple[Array, Array, Array]:
    """qdd and lambda with M qdd + A^T lambda = pushed and A qdd = target as near as may be, and the rank of A.

    With M = L L^T, x = L^T qdd and the columns B = L^-1 A^T N brought to length one by N:
    x = L^-1 pushed - B y, B^T x = N target, so y = B^+ L^-1 pushed - B^+ B^+T N target and lambda = N y.
    """
    L = np.linalg.cholesky(M)
    B, length = unit_rows(A, M)
    N = np.where(length > 0.0, 1.0 / np.where(length > 0.0, length, 1.0), 0.0)
    U, s, Vt = np.linalg.svd(B, full_matrices=False)
    kept = _kept(s, rank_tolerance)
    inverse = np.where(kept, 1.0 / np.where(kept, s, 1.0), 0.0)
    free = np.linalg.solve(L, pushed[..., None])[..., 0]
    along = inverse * np.einsum("...ij,...i->...j", U, free)
    wanted = inverse**2 * np.einsum("...ij,...j->...i", Vt, N * target)
    y = np.einsum("...ji,...j->...i", Vt, along - wanted)
    x = free - np.einsum("...ij,...j->...i", B, y)
    qdd = np.linalg.solve(np.swapaxes(L, -1, -2), x[..., None])[..., 0]
    return qdd, N * y, kept.sum(axis=-1)


def _kept(s: Array, rank_tolerance: float) -> Array:
    """Which singular values count as none of zero."""
    kept: Array = s > rank_tolerance * np.maximum(s[..., :1], np.finfo(float).tiny)
    return kept


def projection_of(M: Array, A: Array, rank_tolerance: float) -> tuple[Array, Array]:
    """P of 8.100 from what the rows of A span, be they independent or not, and the rank of A.

    With M = L L^T and U an orthonormal basis of what the columns of L^-1 A^T span: P = 1 - L U U^T L^-1.
    """
    L = np.linalg.cholesky(M)
    U, s, _ = np.linalg.svd(unit_rows(A, M)[0], full_matrices=False)
    kept = _kept(s, rank_tolerance)
    U = U * kept[..., None, :]
    against = np.linalg.solve(np.swapaxes(L, -1, -2), U @ np.swapaxes(U, -1, -2) @ np.swapaxes(L, -1, -2))
    return np.eye(M.shape[-1]) - np.swapaxes(against, -1, -2), kept.sum(axis=-1)


class DrivenForces(NamedTuple):
    """What drives a mechanism.

    Args:
        tau: joint forces, N m or N, shape (..., n); zero on the joints that are not actuated.
        multipliers: lambda, N or N m, shape (..., constraints).
    """

    tau: Array
    multipliers: Array


def actuator_forces(
    robot: ConstrainedRobot,
    q: ArrayLike,
    qd: ArrayLike,
    qdd: ArrayLike,
    *,
    actuated: Iterable[str],
    tolerance: float = CLOSED,
    rank_tolerance: float = RANK_TOLERANCE,
) -> DrivenForces:
    """Joint forces tau, N m or N, of the actuated joints alone that move a closed mechanism, shape (..., n).

    The passive joints carry nothing, so that their rows of M qdd + h + A^T lambda = tau give lambda, and the others the
    forces of the actuators. With more actuators than freedoms, the forces with the least sum of squares.

    Args:
        robot: with constraints.
        q: joint positions, rad or m, shape (..., n).
        qd: joint velocities, rad/s or m/s, shape (..., n).
        qdd: joint accelerations that the constraints allow, rad/s^2 or m/s^2, shape (..., n); `close_accelerations`
            finds them.
        actuated: names of the joints that are driven.
        tolerance: of phi, A qd and A qdd + Adot qd, as for `constrained_forward_dynamics`; the last for each unit of
            the greatest acceleration above one.
        rank_tolerance: singular values below this part of the greatest count as zero.

    Raises:
        OpenLoop, InconsistentMotion: a state or motion that the constraints do not allow.
        ConstraintError: actuators that cannot give this motion: too few, or in a singular place; a tolerance that is
            none.
        UnknownName: a joint the robot does not have.

    >>> channel = armdyn.constraints.PointOnPlane("tip", normal=(1, 0, 0), through=(1, 0, 0))
    >>> arm = armdyn.load("planar_2r", gravity=(0, 0, 0)).with_constraints(channel)
    >>> q, qd = [-np.pi / 3, 2 * np.pi / 3], [1.0, 0.0]
    >>> arm.actuator_forces(q, qd, [0.0, -2 / np.sqrt(3)], actuated=["joint_1"]).tau.round(4) + 0.0
    array([-0.5774,  0.    ])
    """
    tolerance, rank_tolerance = tolerance_of(tolerance), rank_tolerance_of(rank_tolerance)
    driven = coordinates(robot, actuated)
    if not driven:
        raise ConstraintError(
            f"actuated={actuated!r} names no joint that drives {robot.name!r}; name some of "
            f"{', '.join(robot.joint_names)}"
        )
    q_, qd_, qdd_ = per_joint(robot, q=q, qd=qd, qdd=qdd)
    if tolerance < np.inf:
        check_closed(robot, q_, tolerance)
        check_velocities(robot, q_, qd_, tolerance)
        check_accelerations(robot, q_, qd_, qdd_, tolerance)
    passive = [i for i in range(robot.dof) if i not in driven]
    forces = np.asarray(robot._constrained_inverse_dynamics(q_, qd_, qdd_))
    A = np.asarray(robot.constraint_jacobian(q_))
    tau, multipliers = np.zeros_like(forces), np.zeros(A.shape[:-1])
    for index in np.ndindex(forces.shape[:-1]):
        r, rows = forces[index], A[index]
        if not (np.isfinite(r).all() and np.isfinite(rows).all()):  # a state that is none has no forces
            tau[index], multipliers[index] = np.nan, np.nan
            continue
        y, spare = _from_passive(rows[:, passive].T, -r[passive], rank_tolerance)
        missing = rows[:, passive].T @ y + r[passive]
        scale = max(1.0, float(np.abs(r).max()))
        if passive and np.abs(missing).max() > tolerance * scale:
            worst = passive[int(np.abs(missing).argmax())]
            raise ConstraintError(
                f"the actuators {', '.join(robot.joint_names[i] for i in driven)} of {robot.name!r} cannot give qdd"
                f"{state_name(index)}: passive joint {robot.joint_names[worst]!r} would have to carry "
                f"{np.abs(missing).max():.6g} {_unit_of_force(robot, worst)}. The mechanism has more freedoms "
                "than actuators there, or is singular."
            )
        along = rows[:, driven].T @ spare
        y = y - spare @ np.linalg.pinv(along, rcond=rank_tolerance) @ (r[driven] + rows[:, driven].T @ y)
        multipliers[index] = y
        tau[(*index, driven)] = r[driven] + rows[:, driven].T @ y
    return DrivenForces(tau, multipliers)


def _unit_of_force(robot: ConstrainedRobot, place: int) -> str:
    return "N" if robot.model.coordinates[place].kind == "prismatic" else "N m"


def _from_passive(C: Array, b: Array, rank_tolerance: float) -> tuple[Array, Array]:
    """The least y with C y = b as near as may be, and the directions of y that change nothing of it."""
    if not len(C):
        return np.zeros(C.shape[1]), np.eye(C.shape[1])
    U, s, Vt = np.linalg.svd(C)
    rank = int(np.count_nonzero(s > rank_tolerance * s[0]))
    return Vt[:rank].T @ ((U[:, :rank].T @ b) / s[:rank]), Vt[rank:].T


def check_accelerations(robot: ConstrainedRobot, q: Array, qd: Array, qdd: Array, tolerance: float) -> None:
    """Raise an `InconsistentMotion` where A qdd + Adot qd is not zero."""
    A = np.asarray(robot.constraint_jacobian(q))
    against = np.einsum("...ij,...j->...i", A, qdd) + np.asarray(robot.constraint_drift(q, qd))
    size = np.broadcast_to(sizes_at(robot, q), against.shape)
    fastest = np.maximum(1.0, np.abs(qdd).max(axis=-1, keepdims=True))
    beyond: Array = ~(np.abs(against / size / fastest) <= tolerance).all(axis=-1) & finite(q, qd, qdd)
    if beyond.any():
        index = places_of(beyond)[0]
        raise InconsistentMotion(
            f"the accelerations qdd{state_name(index)} leave the constraints of {robot.name!r}: A qdd + Adot qd is "
            f"{listed(robot.constraint_rows, against[index], '/s^2', size[index])}. "
            "robot.close_accelerations(q, qd, qdd) has the nearest that they allow."
        )
