"""Encoder quantisation: positions as whole multiples of a resolution."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from armdyn.base.checks import without_booleans
from armdyn.base.errors import SettingError, ShapeError
from armdyn.control.wrapping import Inside, Run, Values
from armdyn.declaration import Function
from armdyn.model.mechanism import Mechanism


def quantised(controller: Function, resolution: float | Sequence[float]) -> Function:
    """A controller with encoder quantisation: it receives q rounded to the resolution r, r floor(q / r + 1/2).

    Velocities are left as they are: around `differencing` it gives those that follow from the rounded positions. By q
    the rounded positions have zero derivative, in gradients too.

    Args:
        controller: the controller inside.
        resolution: r, rad or m, one for all joints or one for each, above zero: 2 pi / counts in a turn.

    Raises:
        SettingError: a resolution that is not above zero.
        TraceError: a controller that does not take q.

    >>> coarse = armdyn.control.quantised(armdyn.control.pd_gravity, resolution=2 * np.pi / 4096)
    >>> robot = armdyn.load("ur5")
    >>> loop = armdyn.ClosedLoop(robot, coarse)
    >>> M = robot.mass_matrix(np.zeros(6)).diagonal()
    >>> gains = {"Kp": 100 * M, "Kd": 20 * M}
    >>> rolled = loop(np.zeros(6), steps=2000, q_ref=np.full(6, 0.5), qd_ref=np.zeros(6), **gains)
    >>> bool(1e-5 < abs(rolled.final.q - 0.5).max() < 1e-2)
    True
    """
    try:
        r = np.array(without_booleans("resolution", resolution), dtype=float)
    except (TypeError, ValueError):
        r = np.array(np.nan)
    if r.ndim > 1 or not ((r > 0.0) & np.isfinite(r)).all():
        raise SettingError(f"resolution={resolution!r}; expected a number above zero, or one for each joint, rad or m")
    inside = Inside(controller)
    inside.needs("q", subject="quantised()")

    def law(model: Mechanism, values: Values, run: Run) -> Values:
        if r.ndim and len(r) != model.dof:
            raise ShapeError(f"resolution has {len(r)} values; expected one for each of the {model.dof} joints")
        result = run(values | {"q": r * np.floor(values["q"] / r + 0.5)})
        return result

    doc = "Joint forces tau from positions in whole steps of the encoders, N m or N, shape (..., n)."
    return inside.wrapped(quantised, law, doc, settings={"resolution": resolution})
