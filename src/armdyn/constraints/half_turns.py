"""Frames that are held about axes and are half a turn apart: phi is zero there, or what rounding makes of 0 / 0.

About one axis, phi is the sine of how far A's next axis is from a right angle to B's one after; so it is zero where A
is turned by pi about that axis, too. A universal joint gets there without leaving its constraint, by half a turn about
either of its axes; a mechanism that only turns about the axis does not. About two or three axes phi = 2 tan(angle / 2)
grows without bound; but what rounding leaves at pi is any number.
"""

from __future__ import annotations

import numpy as np

from armdyn.constraints.arm import ConstrainedRobot
from armdyn.constraints.state import State
from armdyn.spatial.rotations import Array


def flipped_constraints(robot: ConstrainedRobot, q: Array) -> tuple[str, ...]:
    """Names of the rows, or of constraints of several, whose zeros at a closed state q are false roots."""
    state, names = State(robot.mechanism, q, np.zeros(robot.dof)), []
    for constraint in robot.model.constraints:
        rows = constraint.false_roots(state)
        if rows:
            names.append(rows[0].name if len(rows) == 1 else constraint.name)
    return tuple(names)


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
