"""Joint forces within the limits of the drives, and integrals that do not wind up there."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from armdyn.base.advice import either
from armdyn.base.checks import without_booleans
from armdyn.base.errors import SettingError, ShapeError, UnknownName
from armdyn.control.wrapping import Inside, Run, Values
from armdyn.declaration import Function
from armdyn.program import clip, greater, select
from armdyn.spatial.rotations import Array


def saturated(
    controller: Function, limits: float | Sequence[float] | None = None, *, integrals: Sequence[str] = ("integral",)
) -> Function:
    """A controller whose tau is kept within effort limits: tau_i = clip(tau_i, -limit_i, limit_i), N m or N.

    Against wind-up, by conditional integration: while tau_i is beyond its limit, the i-th element of an integral keeps
    its value if its step has the sign of the excess, and so would make it larger (Astrom and Hagglund 1995, 3.5).
    The unlimited tau is the signal ``tau_unlimited``.

    Args:
        controller: whose tau is limited.
        limits: N m or N, one for all joints or one for each, above zero; those of the description if none are
            given, and infinite ones have no effect.
        integrals: states of the controller, shape (n), that do not wind up; each acts on its own joint with a positive
            gain, as in `pid` and, but for the coupling by M, in `computed_torque`. A name that the controller does not
            have is an error unless it is the default one.

    Raises:
        SettingError: limits that are not above zero, or when it is traced a robot without any.
        UnknownName: an integral that is not a state.

    >>> weak = armdyn.control.saturated(armdyn.control.pid, limits=[150, 150, 150, 28, 28, 28])
    >>> loop = armdyn.ClosedLoop(armdyn.load("ur5"), weak, record=["tau", "tau_unlimited"])
    >>> gains = {"Kp": np.full(6, 900.0), "Ki": np.full(6, 300.0), "Kd": np.full(6, 90.0)}
    >>> rolled = loop(np.zeros(6), steps=500, q_ref=np.ones(6), qd_ref=np.zeros(6), **gains)
    >>> bool(abs(rolled.rows.tau).max() == 150.0 < abs(rolled.rows.tau_unlimited).max())
    True
    """
    inside = Inside(controller)
    arguments = None if limits is None else _check_limits(limits)
    integrals_in_state = [name for name in integrals if name in inside.state]
    for name in integrals:
        if name not in integrals_in_state and name != "integral":
            raise UnknownName.of("state", name, inside.state, controller.name)
        if name in integrals_in_state and inside.state[name].shape != ("n",):
            raise ShapeError(f"integral {name!r} of {controller.name} has shape {inside.state[name].shape}; expected n")
    signal = inside.new("tau_unlimited")

    def law(model: object, values: Values, run: Run) -> Values:
        result = run(values)
        demand = result["tau"]
        bounds = _bounds(model, arguments)
        tau = [x if math.isinf(b) else clip(x, -b, b) for x, b in zip(demand, bounds, strict=True)]
        excess = demand - np.array(tau)
        for name in integrals_in_state:
            old, new = values[name], result[name]
            result[name] = select(greater(excess * (new - old), 0.0), old, new)
        return result | {"tau": np.array(tau), signal: demand}

    doc = "Joint forces tau within effort limits, N m or N, shape (..., n); integrals stop if they would add to it."
    settings = {"limits": limits, "integrals": tuple(integrals)}
    return inside.wrapped(saturated, law, doc, signals={signal: ("n",)}, settings=settings)


def _check_limits(limits: object) -> Array:
    try:
        result = np.array(without_booleans("limits", limits), dtype=float)
    except (TypeError, ValueError):
        result = np.array(math.nan)
    if result.ndim > 1 or not (result > 0.0).all():
        raise SettingError(f"limits={limits!r}; expected a number above zero, or one for each joint, N m or N")
    return result


def _bounds(model: Any, limits: Any) -> list[float]:
    """The limit of each coordinate."""
    coordinates = model.model.coordinates
    if limits is None:
        bounds = [c.limits.effort for c in coordinates]
        if all(map(math.isinf, bounds)):
            given_here = either("saturated(..., limits=)", "{saturated: {limits: [...]}}")
            raise SettingError(f"{model.name!r} has no effort limits; give {given_here}, N m or N")
        return bounds
    if limits.ndim and len(limits) != len(coordinates):
        raise ShapeError(f"limits has {len(limits)} values; expected one for each of the {len(coordinates)} joints")
    return [float(x) for x in np.broadcast_to(limits, len(coordinates))]
