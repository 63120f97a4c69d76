"""Velocities and accelerations that were not recorded, from the positions."""

from __future__ import annotations

import numpy as np

from armdyn.logs.joint_tables import spline_through
from armdyn.spatial.rotations import Array


def rates_of(t: Array, q: Array, qd: Array | None, qdd: Array | None) -> tuple[Array, Array, list[str]]:
    """Velocities and accelerations, recorded or differentiated by quintic splines, and notes that state which.

    Rates that were not recorded are derivatives of the quintic spline through the positions, or through recorded
    velocities. They are accurate for smooth motions up to the first and last row, at which finite differences have an
    error of the order of their step. The spline does not smooth: the noise of positions appears in accelerations as
    about its size over the square of the time between rows.

    Args:
        t: times, s, rising, shape (T,).
        q: joint positions, rad or m, shape (T, n).
        qd: joint velocities, rad/s or m/s, shape (T, n); None if they were not recorded.
        qdd: joint accelerations, rad/s^2 or m/s^2, shape (T, n); None if they were not recorded.
    """
    if len(t) < 2:
        return np.zeros_like(q) if qd is None else qd, np.zeros_like(q) if qdd is None else qdd, []
    if qd is not None and qdd is not None:
        return qd, qdd, []
    said = "quintic spline through the recorded"
    if qd is not None:
        return qd, spline_through(t, qd)(t, nu=1), [f"qdd: derivative of the {said} velocities"]
    spline = spline_through(t, q)
    if qdd is not None:
        return spline(t, nu=1), qdd, [f"qd: derivative of the {said} positions"]
    return spline(t, nu=1), spline(t, nu=2), [f"qd and qdd: derivatives of the {said} positions"]
