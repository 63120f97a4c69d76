"""Position servos: drives that take goals in place of joint forces."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from armdyn.base.checks import array
from armdyn.base.errors import SettingError, ShapeError
from armdyn.control.wrapping import QD, Inside, Q, Run, Values
from armdyn.declaration import Function
from armdyn.model.mechanism import Mechanism
from armdyn.program import clip
from armdyn.spatial.rotations import Array


def position_servo(
    controller: Function, stiffness: ArrayLike, *, damping: ArrayLike = 0.0, limit: ArrayLike | None = None
) -> Function:
    """A controller of goals in front of position servos: tau = clip(k (q_goal - q), -limit, limit) - d qd, N m or N.

    The first result of the controller inside, tau by its name, is the goals, rad or m; they are the signal ``q_goal``.
    A servo with a DC motor has d = kt^2/R (its back-EMF) and the limit kt V/R; `armdyn.actuators.published` has those
    of some. Around `sampled` the servo acts at each step on goals that change at the sample time of the controller.

    Args:
        controller: of goals, e.g. `floating_goal`.
        stiffness: k, N m/rad or N/m, one or one for each joint, above zero.
        damping: d, N m s/rad or N s/m, one or one for each joint.
        limit: N m or N, one or one for each joint, above zero; none if None.

    Raises:
        SettingError: a stiffness or limit that is not above zero, a negative damping.

    >>> robot, words = armdyn.load("planar_2r"), {name: np.zeros(2) for name in ("viscous", "coulomb", "load")}
    >>> servos = armdyn.control.position_servo(armdyn.control.floating_goal, stiffness=80.0, damping=0.5)
    >>> words |= {"limit": np.full(2, 100.0), "ramp": 1.0, "stiffness": np.full(2, 80.0)}
    >>> rolled = armdyn.ClosedLoop(robot, servos)(np.array([0.3, -0.2]), steps=1000, t0=5.0, **words)
    >>> bool(abs(rolled.final.q - [0.3, -0.2]).max() < 1e-9)
    True
    """
    k = _per_joint("stiffness", stiffness)
    d = _per_joint("damping", damping, least=0.0)
    bound = None if limit is None else _per_joint("limit", limit)
    inside = Inside(controller)
    signal = inside.new("q_goal")

    def law(model: Mechanism, values: Values, run: Run) -> Values:
        for name, numbers in (("stiffness", k), ("damping", d), ("limit", bound)):
            if numbers is not None and numbers.ndim and len(numbers) != model.dof:
                raise ShapeError(
                    f"{name} has {len(numbers)} values; expected one, or one for each of {model.dof} joints"
                )
        inner = run(values)
        drive = k * (inner["tau"] - values["q"])
        if bound is not None:
            most = np.broadcast_to(bound, model.dof)
            drive = clip(drive, -most, most)
        return inner | {"tau": drive - d * values["qd"], signal: inner["tau"]}

    doc = "Joint forces tau of position servos on the way to their goals, N m or N, shape (..., n)."
    settings = {"stiffness": stiffness, "damping": damping, "limit": limit}
    return inside.wrapped(position_servo, law, doc, more=[Q, QD], signals={signal: ("n",)}, settings=settings)


def _per_joint(name: str, value: ArrayLike, least: float | None = None) -> Array:
    """One number or one for each joint, above zero or not below ``least``."""
    numbers = array(name, value, None, "one number, or one for each joint", finite=SettingError)
    fits = numbers > 0.0 if least is None else numbers >= least
    if numbers.ndim > 1 or not fits.all():
        expected = "above zero" if least is None else f"of {least:g} or more"
        raise SettingError(f"{name}={numbers.tolist()}; expected a number {expected}, or one for each joint")
    return numbers
