"""Positions that close the loops, from a guess."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from armdyn.base.checks import per_joint
from armdyn.constraints.arguments import ConstrainedRobot, LockedJoints, state_name, tolerance_of, with_locked
from armdyn.constraints.closure import ClosureCandidate, ClosureSolver, perturbed_guesses
from armdyn.constraints.errors import ContradictingConstraints, OpenLoop
from armdyn.constraints.row_sizes import NO_GRADIENT, holonomic, holonomic_rows, list_rows
from armdyn.constraints.state import State
from armdyn.spatial.rotations import Array

FLIPPED_RESTARTS = 4
"""The number of restarts from states with frames half a turn apart."""

CONTRADICTION_SAMPLES, CONTRADICTION_TOLERANCE = 4, 1e-7
"""Number of states around the best one that test for a contradiction, and the part of |A| that counts as zero there."""


def close_loop(
    robot: ConstrainedRobot,
    q: ArrayLike,
    *,
    locked: LockedJoints = (),
    tolerance: float = 1e-10,
) -> Array:
    """Joint positions q, rad or m, shape (..., n), near a guess, at which all constraints phi(q) = 0 hold.

    The solver is least squares with a trust region (SciPy), then Newton's steps of least norm. The guess decides which
    assembly of the mechanism is found; joint limits are not considered. From a guess without success, e.g. one at which
    a constraint has no gradient, the search starts again up to 0.01 rad or m away. Frames whose held axes are half a
    turn apart are not closed, even if phi is zero, as it is for a single held axis: the search starts again half a turn
    away.

    Args:
        robot: with holonomic constraints.
        q: the guess, rad or m, shape (..., n).
        locked: joints that stay at the guess, or at the positions of a mapping, rad or m: e.g. the crank of a linkage.
        tolerance: largest violation of the result, m or rad. A row that is a function of your own, without a unit,
            counts as phi / |A_i|: the least motion of the joints, rad or m, that makes it zero to first order. So no
            factor in front of the function matters, neither here nor in the search.

    Raises:
        OpenLoop: a loop that cannot be closed from there, with the remaining violation and its place;
            `ContradictingConstraints` if no other guess could help.
        UnknownName: a joint the robot does not have.
        ModelError: a robot without holonomic constraints, or all joints held.

    >>> channel = armdyn.constraints.PointOnPlane("tip", normal=(1, 0, 0), through=(1, 0, 0), name="channel")
    >>> arm = armdyn.load("planar_2r").with_constraints(channel)
    >>> arm.close_loop([0.0, 2.0], locked={"joint_1": -np.pi / 3}).round(6)
    array([-1.047198,  2.094395])
    """
    tolerance = tolerance_of(tolerance)
    (guess,) = per_joint(robot, q=q)
    closed, free = with_locked(robot, locked, guess)
    for index in np.ndindex(guess.shape[:-1]):
        closed[index] = _close(robot, closed[index], free, tolerance, index)
    return closed


def _close(robot: ConstrainedRobot, guess: Array, free: Array, tolerance: float, index: tuple[int, ...]) -> Array:
    """The first closed state: from the guess, perturbed guesses, then false roots (frames 180 deg apart) flipped."""
    solver = ClosureSolver(robot, guess, free)
    starts, best, flipped = [guess, *perturbed_guesses(guess, free)], None, list[tuple[str, ...]]()
    while starts:
        candidate = solver.solve_from(starts.pop(0))
        if candidate is None:
            continue
        if not (np.abs(candidate.violation) <= tolerance).all():
            if best is None and _cannot_change(robot, candidate, free, solver.sizes):
                raise ContradictingConstraints(_what_contradicts(robot, candidate, free, index))
            best = min((one for one in (best, candidate) if one), key=lambda one: float(np.abs(one.violation).max()))
            continue
        names = _false_roots(robot, candidate.q)
        if not names:
            return candidate.q
        if len(flipped) < FLIPPED_RESTARTS:  # a perturbed guess would end there again
            starts = [*(starts if flipped else ()), *_flipped_by_pi(robot, candidate.q, names, free, guess)]
        flipped.append(names)
    if flipped:
        raise OpenLoop(_why_flipped(robot, flipped[0], index))
    if best is None:
        raise OpenLoop(
            f"the guess q{state_name(index)} of {robot.name!r} does not give finite constraints, nor a state beside "
            f"it: {np.array2string(guess, precision=6)}; {NO_GRADIENT}. Choose another guess."
        )
    raise OpenLoop(_why_open(robot, best, free, index))


def _why_flipped(robot: ConstrainedRobot, names: tuple[str, ...], index: tuple[int, ...]) -> str:
    return (
        f"the loops of {robot.name!r} do not close from the guess q{state_name(index)}: what is found has the frames "
        f"of {', '.join(map(repr, names))} half a turn apart. Choose a guess nearer to where they agree, or hold other "
        "joints."
    )


def _why_open(robot: ConstrainedRobot, best: ClosureCandidate, free: Array, index: tuple[int, ...]) -> str:
    rows = holonomic_rows(robot)
    joints = ", ".join(name for name, moves in zip(robot.joint_names, free, strict=True) if moves)
    return (
        f"the loops of {robot.name!r} do not close from the guess q{state_name(index)}: at best "
        f"{list_rows(rows, best.phi, '', best.size)}, with {joints} free to move, at q = "
        f"{np.array2string(best.q, precision=6)}. Choose another guess, hold other joints, or see whether the parts "
        "can reach each other."
    )


def _cannot_change(robot: ConstrainedRobot, best: ClosureCandidate, free: Array, sizes: Array) -> bool:
    """True if the rest of phi lies along rows that no free joint moves, here and at states around.

    At the best q, A^T phi = 0, for a contradiction and for a part that does not reach. For a contradiction
    y = phi / |phi| is a combination of rows that is zero at other states too, y^T A(q) = 0, so that y . phi is equal
    everywhere. Rows are measured by the sizes of the search.
    """
    violations = best.phi / sizes
    rng, rows, size = np.random.default_rng(0), holonomic(robot), np.linalg.norm(violations)
    for _ in range(CONTRADICTION_SAMPLES):
        state = best.q + free * rng.uniform(-0.5, 0.5, len(best.q))
        A = np.asarray(robot.constraint_jacobian(state))[rows][:, free] / sizes[:, None]
        if not np.linalg.norm(violations @ A) <= CONTRADICTION_TOLERANCE * size * np.linalg.norm(A):
            return False
    return True


def _what_contradicts(robot: ConstrainedRobot, best: ClosureCandidate, free: Array, index: tuple[int, ...]) -> str:
    rows, most = holonomic_rows(robot), np.abs(best.violation).max()
    locked = [name for name, moves in zip(robot.joint_names, free, strict=True) if not moves]
    against = [row.name for row, value in zip(rows, best.violation, strict=True) if abs(value) > 1e-3 * most]
    verb = "contradict each other" if len(against) > 1 else "cannot hold"
    return (
        f"constraints of {robot.name!r} {verb}{state_name(index)}"
        f"{' while ' + ', '.join(locked) + (' is' if len(locked) == 1 else ' are') + ' held' if locked else ''}: "
        f"{' and '.join(map(repr, against))}. At best {list_rows(rows, best.phi, '', best.size)}, which no motion of "
        f"the joints that are free changes, whatever the guess. Change or leave out "
        f"{'one of them' if len(against) > 1 else 'it'}{', or hold other joints.' if locked else '.'}"
    )


def _false_roots(robot: ConstrainedRobot, q: Array) -> tuple[str, ...]:
    """Names of the rows, or of constraints of several, whose zeros at a closed state q are false roots."""
    state, names = State(robot.mechanism, q, np.zeros(robot.dof)), []
    for constraint in robot.model.constraints:
        rows = constraint.false_roots(state)
        if rows:
            names.append(rows[0].name if len(rows) == 1 else constraint.name)
    return tuple(names)


def _flipped_by_pi(robot: ConstrainedRobot, q: Array, names: tuple[str, ...], free: Array, guess: Array) -> list[Array]:
    """Starts half a turn about the named rows away from q, both ways, the one nearer to the guess first."""
    rows = [row.name for row in robot.constraint_rows]
    starts = []
    for name in names:
        if name not in rows:
            continue  # several axes: phi is steep near q, so that no restart is needed
        a = np.asarray(robot.constraint_jacobian(q))[rows.index(name)] * free
        if a @ a > 0.0:
            starts += [q + np.pi * a / (a @ a), q - np.pi * a / (a @ a)]
    return sorted(starts, key=lambda start: float(np.linalg.norm(start - guess)))
