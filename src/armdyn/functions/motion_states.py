"""States of a motion, for programs that test exported code: positions and velocities that the constraints allow."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

import numpy as np

from armdyn.base.errors import ArmdynError
from armdyn.base.scalars import Array
from armdyn.functions.arm import Arm

STATES = 8


def motion_states(arm: Arm) -> dict[str, Array]:
    """Positions q and velocities qd that the constraints allow, by name, shape (m, n), m at most `STATES`.

    They are empty for an arm without constraints, or for one that is not a robot and so cannot close its loops.
    """
    robot: Any = arm
    if not arm.model.constraints or not hasattr(robot, "close_loop"):
        return {}
    q: list[Array] = []
    qd: list[Array] = []
    for guess in robot.random_configuration(0, 4 * STATES):
        with suppress(ArmdynError):  # a guess from which the loop does not close
            closed = robot.close_loop(guess)
            qd.append(robot.close_velocities(closed, np.cos(np.arange(robot.dof) + len(q))))
            q.append(closed)
        if len(q) == STATES:
            break
    return {"q": np.array(q), "qd": np.array(qd)} if q else {}
