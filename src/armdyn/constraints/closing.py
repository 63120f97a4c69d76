"""States within the constraints: positions that close the loops, and velocities and accelerations to go with them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import numpy as np
from numpy.typing import ArrayLike

from armdyn.constraints.checks import check_inertia, tolerance_of
from armdyn.constraints.errors import ContradictingConstraints, InconsistentMotion, OpenLoop
from armdyn.constraints.half_turns import half_a_turn_from, half_turned
from armdyn.constraints.ranks import RANK_TOLERANCE
from armdyn.constraints.search import Found, Search, beside
from armdyn.constraints.states import (
    CLOSED,
    NO_GRADIENT,
    ConstrainedRobot,
    check_closed,
    check_velocities,
    held_values,
    holonomic,
    listed,
    per_joint,
    sizes_at,
    state_name,
)
from armdyn.spatial.rotations import Array

Held = Mapping[str, float] | Iterable[str]
"""Joints that stay: by name, at their values in the guess, or where the mapping says."""

HALF_TURNS = 4
"""From how many states that are half a turn from closed the search starts again."""

AROUND, SAME = 4, 1e-7
"""States around the best one at which a contradiction is looked for, and what counts as zero there."""


def close_loop(
    robot: ConstrainedRobot,
    q: ArrayLike,
    *,
    held: Held = (),
    tolerance: float = 1e-10,
) -> Array:
    """Joint positions q, rad or m, shape (..., n), near a guess, at which all constraints phi(q) = 0 hold.

    By least squares with a trust region (SciPy), and Newton's steps at the end, whose corrections are the smallest that
    do. Which of the ways to assemble a mechanism is found, the guess decides; joint limits are not looked at. From a
    guess that leads nowhere, such as one where a constraint has no gradient, the search starts again up to 0.01 rad or
    m beside it. Frames whose held axes are half a turn apart are not closed, even where phi is zero, as that of a
    single held axis is there: the search starts again half a turn away.

    Args:
        robot: with holonomic constraints.
        q: the guess, rad or m, shape (..., n).
        held: joints that stay where they are, or where a mapping puts them, rad or m: those that one chooses, such as
            the crank of a linkage.
        tolerance: how far from closed the result may be, m or rad. A row that is a function of your own, without a
            unit, counts as phi / |A_i|: the least motion of the joints, rad or m, that makes it zero to first order. So
            no factor in front of the function matters, neither here nor in the search.

    Raises:
        OpenLoop: a loop that cannot be closed from there, with by how much and where; `ContradictingConstraints` where
            no other guess could help.
        UnknownName: a joint the robot does not have.
        ModelError: a robot without holonomic constraints, or all joints held.

    >>> channel = armdyn.constraints.PointOnPlane("tip", normal=(1, 0, 0), through=(1, 0, 0), name="channel")
    >>> arm = armdyn.load("planar_2r").with_constraints(channel)
    >>> arm.close_loop([0.0, 2.0], held={"joint_1": -np.pi / 3}).round(6)
    array([-1.047198,  2.094395])
    """
    tolerance = tolerance_of(tolerance)
    (guess,) = per_joint(robot, q=q)
    closed, free = held_values(robot, held, guess)
    for index in np.ndindex(guess.shape[:-1]):
        closed[index] = _closed(robot, closed[index], free, tolerance, index)
    return closed


def _closed(robot: ConstrainedRobot, guess: Array, free: Array, tolerance: float, index: tuple[int, ...]) -> Array:
    """The first closed state found: from the guess, from beside it, and half a turn from one that is none."""
    search = Search(robot, guess, free)
    starts, best, turned = [guess, *beside(guess, free)], None, list[tuple[str, ...]]()
    while starts:
        found = search.from_start(starts.pop(0))
        if found is None:
            continue
        if not (np.abs(found.measured) <= tolerance).all():
            if best is None and _cannot_change(robot, found, free, search.sizes):
                raise ContradictingConstraints(_what_contradicts(robot, found, free, index))
            best = min((one for one in (best, found) if one), key=lambda one: float(np.abs(one.measured).max()))
            continue
        names = half_turned(robot, found.q)
        if not names:
            return found.q
        if len(turned) < HALF_TURNS:  # beside the guess the same would be found again
            starts = [*(starts if turned else ()), *half_a_turn_from(robot, found.q, names, free, guess)]
        turned.append(names)
    if turned:
        raise OpenLoop(_why_turned(robot, turned[0], index))
    if best is None:
        raise OpenLoop(
            f"the guess q{state_name(index)} of {robot.name!r} does not give finite constraints, nor a state beside "
            f"it: {np.array2string(guess, precision=6)}; {NO_GRADIENT}. Choose another guess."
        )
    raise OpenLoop(_why_open(robot, best, free, index))


def _why_turned(robot: ConstrainedRobot, names: tuple[str, ...], index: tuple[int, ...]) -> str:
    return (
        f"the loops of {robot.name!r} do not close from the guess q{state_name(index)}: what is found has the frames "
        f"of {', '.join(map(repr, names))} half a turn apart. Choose a guess nearer to where they agree, or hold other "
        "joints."
    )


def _why_open(robot: ConstrainedRobot, best: Found, free: Array, index: tuple[int, ...]) -> str:
    rows = [row for row in robot.constraint_rows if row.holonomic]
    joints = ", ".join(name for name, moves in zip(robot.joint_names, free, strict=True) if moves)
    return (
        f"the loops of {robot.name!r} do not close from the guess q{state_name(index)}: at best "
        f"{listed(rows, best.left, '', best.size)}, with {joints} free to move, at q = "
        f"{np.array2string(best.q, precision=6)}. Choose another guess, hold other joints, or see whether the parts "
        "can reach each other."
    )


def _cannot_change(robot: ConstrainedRobot, best: Found, free: Array, sizes: Array) -> bool:
    """Whether what is left of phi lies where no free joint moves it, here and at states around.

    At the best q, A^T phi = 0, be it a contradiction or a part that does not reach. Of a contradiction y = phi / |phi|
    is a combination of rows that is zero at other states too, y^T A(q) = 0, so that y . phi is the same everywhere.
    Rows are measured by the sizes of the search.
    """
    left = best.left / sizes
    rng, rows, size = np.random.default_rng(0), holonomic(robot), np.linalg.norm(left)
    for _ in range(AROUND):
        state = best.q + free * rng.uniform(-0.5, 0.5, len(best.q))
        A = np.asarray(robot.constraint_jacobian(state))[rows][:, free] / sizes[:, None]
        if not np.linalg.norm(left @ A) <= SAME * size * np.linalg.norm(A):
            return False
    return True


def _what_contradicts(robot: ConstrainedRobot, best: Found, free: Array, index: tuple[int, ...]) -> str:
    rows, most = [row for row in robot.constraint_rows if row.holonomic], np.abs(best.measured).max()
    held = [name for name, moves in zip(robot.joint_names, free, strict=True) if not moves]
    against = [row.name for row, value in zip(rows, best.measured, strict=True) if abs(value) > 1e-3 * most]
    what = "contradict each other" if len(against) > 1 else "cannot hold"
    return (
        f"constraints of {robot.name!r} {what}{state_name(index)}"
        f"{' while ' + ', '.join(held) + (' is' if len(held) == 1 else ' are') + ' held' if held else ''}: "
        f"{' and '.join(map(repr, against))}. At best {listed(rows, best.left, '', best.size)}, which no motion of the "
        f"joints that are free changes, whatever the guess. Change or leave out "
        f"{'one of them' if len(against) > 1 else 'it'}{', or hold other joints.' if held else '.'}"
    )


def close_velocities(
    robot: ConstrainedRobot, q: ArrayLike, qd: ArrayLike, *, held: Held = (), tolerance: float = CLOSED
) -> Array:
    """Joint velocities qd, rad/s or m/s, shape (..., n), nearest to given ones, that the constraints allow: A qd = 0.

    The correction is the one of the least kinetic energy. Without held joints it is what an impact that the
    constraints take without bouncing leaves: P_qdd qd (Modern Robotics 8.102).

    Args:
        robot: with constraints.
        q: joint positions at which they hold, rad or m, shape (..., n).
        qd: velocities, rad/s or m/s, shape (..., n).
        held: joints whose velocities stay as they are, or as a mapping says.
        tolerance: of phi, m or rad, at q, and of A qd in the result for each unit of the fastest joint's speed; rows of
            functions of your own count as phi / |A_i| and A_i qd / |A_i|.

    Raises:
        OpenLoop: a state at which the constraints do not hold.
        InconsistentMotion: held joints that the constraints do not let move so.
        UnknownName: a joint the robot does not have.

    >>> channel = armdyn.constraints.PointOnPlane("tip", normal=(1, 0, 0), through=(1, 0, 0), name="channel")
    >>> arm = armdyn.load("planar_2r").with_constraints(channel)
    >>> arm.close_velocities([-np.pi / 3, 2 * np.pi / 3], [1.0, 0.7], held=["joint_1"]).round(12) + 0.0
    array([1., 0.])
    """
    tolerance = tolerance_of(tolerance)
    q_, qd_ = per_joint(robot, q=q, qd=qd)
    if tolerance < np.inf:
        check_closed(robot, q_, tolerance)
    qd_, free = held_values(robot, held, qd_)
    return _corrected(robot, "velocities qd", q_, qd_, np.zeros(len(robot.constraint_rows)), free, tolerance)


def close_accelerations(
    robot: ConstrainedRobot,
    q: ArrayLike,
    qd: ArrayLike,
    qdd: ArrayLike,
    *,
    held: Held = (),
    tolerance: float = CLOSED,
) -> Array:
    """Joint accelerations qdd, rad/s^2 or m/s^2, shape (..., n), nearest to given ones, that the constraints allow.

    A qdd + Adot qd = 0 (Modern Robotics 8.95), nearest in the metric of M.

    Args:
        robot: with constraints.
        q: joint positions at which they hold, rad or m, shape (..., n).
        qd: velocities that they allow, rad/s or m/s, shape (..., n).
        qdd: accelerations, rad/s^2 or m/s^2, shape (..., n).
        held: joints whose accelerations stay as they are, or as a mapping says.
        tolerance: of phi, of A qd, and of A qdd + Adot qd in the result.

    Raises:
        OpenLoop: a state at which the constraints do not hold.
        InconsistentMotion: velocities that leave the constraints, or held joints that they do not let move so.
        UnknownName: a joint the robot does not have.
    """
    tolerance = tolerance_of(tolerance)
    q_, qd_, qdd_ = per_joint(robot, q=q, qd=qd, qdd=qdd)
    if tolerance < np.inf:
        check_closed(robot, q_, tolerance)
        check_velocities(robot, q_, qd_, tolerance)
    qdd_, free = held_values(robot, held, qdd_)
    drift = np.asarray(robot.constraint_drift(q_, qd_))
    return _corrected(robot, "accelerations qdd", q_, qdd_, drift, free, tolerance)


def _corrected(
    robot: ConstrainedRobot, what: str, q: Array, rates: Array, drift: Array, free: Array, tolerance: float
) -> Array:
    """Rates x with A x + drift = 0: the free ones corrected as little as may be in the metric of M."""
    A, M = np.asarray(robot.constraint_jacobian(q)), np.asarray(robot.mass_matrix(q))
    size = np.broadcast_to(sizes_at(robot, q), A.shape[:-1])
    A, rows = A / size[..., None], np.broadcast_to(drift, A.shape[:-1]) / size
    result = rates.copy()
    for index in np.ndindex(rates.shape[:-1]):
        x = result[index]
        if not (np.isfinite(x).all() and np.isfinite(A[index]).all() and np.isfinite(rows[index]).all()):
            x[free] = np.nan
            continue
        check_inertia(robot, M[index][None], [index], free)
        L = np.linalg.cholesky(M[index][np.ix_(free, free)])
        B = np.linalg.solve(L, A[index][:, free].T).T
        y = np.linalg.lstsq(B, -(A[index] @ x + rows[index]), rcond=RANK_TOLERANCE)[0]
        x[free] += np.linalg.solve(L.T, y)
        left = A[index] @ x + rows[index]
        if not np.abs(left).max() <= max(tolerance, 1e-12) * max(1.0, float(np.abs(x).max())):
            per = "/s" if what.startswith("velocities") else "/s^2"
            held = ", ".join(name for name, moves in zip(robot.joint_names, free, strict=True) if not moves)
            raise InconsistentMotion(
                f"no {what}{state_name(index)} of {robot.name!r} keep the constraints with {held or 'no joint'} as "
                f"given: {listed(robot.constraint_rows, left * size[index], per, size[index])} at best. "
                "Hold fewer joints, or others."
            )
    return result
