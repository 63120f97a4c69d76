"""An error for a closed loop that ran away, with the arm, the time and the joint."""

from __future__ import annotations

import numpy as np

from armdyn.functions import RolloutResults
from armdyn.simulation.loop.closed_loop import ClosedLoop
from armdyn.simulation.loop.controlled_rollout import RUNS_AWAY
from armdyn.simulation.loop.controller import singular_task
from armdyn.simulation.unfinished import SimulationError

SHORTER = "Use a shorter step or lower gains, and record q, qd and tau with every=1 to see it begin"
"""The advice if there is no other cause."""


def require_finite(
    loop: ClosedLoop, rolled: RolloutResults, *, h: float | None = None, t0: float = 0.0
) -> RolloutResults:
    """The results of a closed loop, all finite; otherwise an error has the arm, the time and the joint.

    The call itself warns, by `armdyn.simulation.DivergenceWarning`, if the last state is not finite. This checks
    all records too, in which the first number that is not finite may be a torque or a signal.

    Args:
        loop: the closed loop that was called.
        rolled: its result.
        h: the step of that call, s; the method's by default.
        t0: the time at first, s.

    Raises:
        SimulationError: NaN or infinity.

    >>> import warnings
    >>> robot = armdyn.load("planar_2r")
    >>> loop = armdyn.ClosedLoop(robot, armdyn.control.pd_gravity)
    >>> aim = {"q_ref": np.zeros(2), "qd_ref": np.zeros(2), "Kp": np.full(2, 1e6), "Kd": np.zeros(2)}
    >>> with warnings.catch_warnings():
    ...     warnings.simplefilter("ignore")
    ...     rolled = loop([[0.1, 0.2], [0.0, 0.0]], steps=2000, every=10, **aim)
    >>> armdyn.control.require_finite(loop, rolled)
    Traceback (most recent call last):
        ...
    armdyn.simulation.unfinished.SimulationError: the motion of 'planar_2r' ran away: q of joint 'joint_1' of arm ...
    """
    result = rolled.first_not_finite()
    if result is None:
        return rolled
    t = t0 + result.step * (loop.method.step if h is None else h)
    joints = loop.robot.joint_names
    shape = rolled.shapes[result.name]
    entry = f" of joint {joints[result.entry[-1]]!r}" if shape == (len(joints),) else f"{list(result.entry) or ''}"
    arm = f" of arm {result.state}" if result.state else ""
    count = f" ({result.states} of the arms end so)" if result.state else ""
    remedy = SHORTER
    q = getattr(rolled.rows, "q", None)
    if result.name == "tau" and q is not None and loop.controller is not None:
        at = (result.step // rolled.every, *result.state)
        remedy = singular_task(loop.robot, loop.controller.function, q[at]) or remedy
        qd = getattr(rolled.rows, "qd", None)
        if remedy == SHORTER and np.isnan(result.value) and qd is not None and np.abs(qd[at]).max() < RUNS_AWAY:
            remedy = "Look at what computes tau"
    raise SimulationError(
        f"the motion of {loop.robot.name!r} ran away: {result.name}{entry}{arm} is {result.value} at t = {t:g} s, step "
        f"{result.step}{count}. {remedy}"
    )
