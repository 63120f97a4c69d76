"""Solutions of inverse kinematics as a table, a row a target."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from armdyn.tabular import Table, figures

if TYPE_CHECKING:
    from armdyn.kinematics.solution import Solution

MOST_ROWS = 20


def summary(solution: Solution) -> Table:
    """A row for each target, failed ones first where there are many: how it went, what is left, the joints."""
    places = [tuple(map(int, index)) for index in np.ndindex(solution.success.shape)]
    if len(places) > MOST_ROWS:
        places.sort(key=lambda index: bool(solution.success[index]))
    rows = [_row(solution, index) for index in places[:MOST_ROWS]]
    more = len(places) - MOST_ROWS
    below = (f"and {more} more targets",) if more > 0 else ()
    headings = ("target", "status", "left [m]", "left [rad]", "steps", "starts", *solution.joint_names)
    return Table(headings, rows, "llrrrr" + "r" * len(solution.joint_names), repr(solution), below)


def _row(solution: Solution, index: tuple[int, ...]) -> tuple[str, ...]:
    left = (f"{solution.position_error[index]:.2g}", f"{solution.angle_error[index]:.2g}")
    effort = (str(solution.iterations[index]), str(solution.starts[index]))
    q = figures(solution.q[index], size=1.0)
    return (",".join(map(str, index)), str(solution.status[index]), *left, *effort, *q)
