"""Solutions of inverse kinematics as a table, one row per target."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from armdyn.base.tabular import TextTable, figures

if TYPE_CHECKING:
    from armdyn.kinematics.solution import Solution

MOST_ROWS = 20


def summary(solution: Solution, most: int = MOST_ROWS) -> TextTable:
    """One row per target, up to ``most``, then failed ones first: status, remaining errors, joint positions."""
    places = [tuple(map(int, index)) for index in np.ndindex(solution.success.shape)]
    if len(places) > most:
        places.sort(key=lambda index: bool(solution.success[index]))
    rows = [_row(solution, index) for index in places[:most]]
    values = [_values(solution, index) for index in places[:most]]
    more = len(places) - most
    below = (f"and {more} more targets",) if more > 0 else ()
    headings = ("target", "status", "left [m]", "left [rad]", "steps", "starts", *solution.joint_names)
    return TextTable(headings, rows, "llrrrr" + "r" * len(solution.joint_names), repr(solution), below, values)


def _row(solution: Solution, index: tuple[int, ...]) -> tuple[str, ...]:
    remaining = (f"{solution.position_error[index]:.2g}", f"{solution.angle_error[index]:.2g}")
    effort = (str(solution.iterations[index]), str(solution.starts[index]))
    q = figures(solution.q[index], size=1.0)
    return (",".join(map(str, index)), str(solution.status[index]), *remaining, *effort, *q)


def _values(solution: Solution, index: tuple[int, ...]) -> tuple[object, ...]:
    """The values of one row of the table as numbers."""
    remaining = float(solution.position_error[index]), float(solution.angle_error[index])
    effort = int(solution.iterations[index]), int(solution.starts[index])
    return ",".join(map(str, index)), str(solution.status[index]), *remaining, *effort, *map(float, solution.q[index])
