"""Velocities and accelerations that were not recorded, from the positions."""

from __future__ import annotations

import numpy as np

from armdyn.simulation.files.joint_tables import spline_through
from armdyn.spatial.rotations import Array


def rates_of(t: Array, q: Array, qd: Array | None, qdd: Array | None) -> tuple[Array, Array, list[str]]:
    """Velocities and accelerations, with those made up that were not recorded, and notes of them.

    They are derivatives of the quintic spline through the positions, or of that through recorded velocities: what a
    smooth motion has, up to its first and last row, where differences are off by their step. It does not smooth: the
    noise of positions comes into accelerations by about its size over the square of the time between rows.

    Args:
        t: times, s, rising, shape (T,).
        q: joint positions, rad or m, shape (T, n).
        qd: joint velocities, rad/s or m/s, shape (T, n); None where they are not known.
        qdd: joint accelerations, rad/s^2 or m/s^2, shape (T, n); None where they are not known.
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
