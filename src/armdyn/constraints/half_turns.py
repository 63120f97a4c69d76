"""Frames that are held about axes and are half a turn apart: phi is zero there, or what rounding makes of 0 / 0.

About one axis, phi is the sine of how far A's next axis is from a right angle to B's one after; so it is zero where A
is turned by pi about that axis, too. A universal joint gets there without leaving its constraint, by half a turn about
either of its axes; a mechanism that only turns about the axis does not. About two or three axes phi = 2 tan(angle / 2)
grows without bound; but what rounding leaves at pi is any number.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from armdyn.constraints.arm import ConstrainedRobot
from armdyn.constraints.held import Held
from armdyn.constraints.rows_of import RowsOf
from armdyn.constraints.state import State
from armdyn.model.constraints import Constraint
from armdyn.spatial.rotations import Array


def flipped_constraints(robot: ConstrainedRobot, q: Array) -> tuple[str, ...]:
    """Names of the rows, or of constraints of several axes, whose frames are nearer to half a turn than to agreement.

    q is a closed state: but for rounding, the frames agree about the held axes or are half a turn apart.
    """
    return tuple(name for name, held in _held_about_axes(robot) if _is_half_turned(robot, held, q))


def restarts_flipped_by_pi(
    robot: ConstrainedRobot, q: Array, names: tuple[str, ...], free: Array, guess: Array
) -> list[Array]:
    """Starts half a turn about the named rows away from q, both ways, the one nearer to the guess first."""
    known = [row.name for row in robot.constraint_rows]
    starts = []
    for name in names:
        if name not in known:
            continue  # of several axes: phi is steep beside q, and leads away
        a = np.asarray(robot.constraint_jacobian(q))[known.index(name)] * free
        if a @ a > 0.0:
            starts += [q + np.pi * a / (a @ a), q - np.pi * a / (a @ a)]
    return sorted(starts, key=lambda start: float(np.linalg.norm(start - guess)))


def _held_about_axes(robot: ConstrainedRobot) -> Iterator[tuple[str, Held]]:
    for constraint in robot.model.constraints:
        held, chosen = _whole(constraint)
        if held is None or not held.rotations:
            continue
        names = [row.name for row in held.rows if row.unit == "rad"]
        if set(names) <= set(chosen):
            yield (names[0] if len(names) == 1 else constraint.name), held


def _whole(constraint: Constraint) -> tuple[Held | None, list[str]]:
    """The held frame of a constraint or of some of its rows, and the names of the rows."""
    chosen = [row.name for row in constraint.rows]
    while isinstance(constraint, RowsOf):
        constraint = constraint.constraint
    return (constraint if isinstance(constraint, Held) else None), chosen


def _is_half_turned(robot: ConstrainedRobot, held: Held, q: Array) -> bool:
    state = State(robot.mechanism, q, np.zeros(robot.dof))
    R = np.asarray(state.relative(held.frame, held.T_frame_A, held.to, held.T_to_B).R, dtype=float)
    about = held.rotations
    if len(about) == 3:
        return bool(np.trace(R) < 1.0)  # beyond a right angle
    if len(about) == 2:
        (c,) = set(range(3)) - set(about)
        return bool(R[c, c] < 0.0)
    b, c = (about[0] + 1) % 3, (about[0] + 2) % 3
    return bool(R[b, b] < 0.0 and R[c, c] < 0.0)
