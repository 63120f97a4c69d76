"""Joint forces that arrive late: computation and communication take some steps."""

from __future__ import annotations

import numpy as np

from armdyn.base.checks import whole_number
from armdyn.base.errors import SettingError
from armdyn.control.wrapping import Inside, Run, Values
from armdyn.declaration import Function
from armdyn.model.mechanism import Mechanism

MOST_STEPS = 1000
"""Each step of the delay keeps joint forces of its own, and code that moves them on."""


def delayed(controller: Function, steps: int) -> Function:
    """A controller whose tau acts d steps after the state that it was computed from.

    The forces on their way are a state, ``delayed_tau``, shape (d, n), the next one first. It begins at zero unless it
    is given: during the first d steps no force acts. Other results are not delayed.

    Args:
        controller: the controller inside.
        steps: d, from 1 to 1000.

    Raises:
        SettingError: another number.

    >>> late = armdyn.control.delayed(armdyn.control.pd_gravity, steps=2)
    >>> robot = armdyn.load("ur5")
    >>> loop = armdyn.ClosedLoop(robot, late, record=["tau"])
    >>> aim = {"q_ref": np.ones(6), "qd_ref": np.zeros(6), "Kp": np.full(6, 400.0), "Kd": np.full(6, 60.0)}
    >>> loop(np.zeros(6), steps=4, **aim).rows.tau.any(axis=1)
    array([False, False,  True,  True])

    One that has held the arm until then:

    >>> held = np.tile(robot.gravity_forces(np.zeros(6)), (2, 1))
    >>> bool((loop(np.zeros(6), steps=4, delayed_tau=held, **aim).rows.tau[:2] == held).all())
    True
    """
    d = whole_number("steps", steps, least=1, most=MOST_STEPS, error=SettingError)
    inside = Inside(controller)
    line = inside.new("delayed_tau")

    def law(model: Mechanism, values: Values, run: Run) -> Values:
        result = run(values)
        waiting = values[line]
        return result | {"tau": waiting[0], line: np.array([*waiting[1:], result["tau"]])}

    doc = f"Joint forces tau of {d} steps before, N m or N, shape (..., n)."
    return inside.wrapped(delayed, law, doc, states={line: (d, "n")}, settings={"steps": d})
