"""Velocities and accelerations that were not recorded, from the positions."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

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
    method = "quintic spline through the recorded"
    if qd is not None:
        return qd, spline_through(t, qd)(t, nu=1), [f"qdd: derivative of the {method} velocities"]
    spline = spline_through(t, q)
    if qdd is not None:
        return spline(t, nu=1), qdd, [f"qd: derivative of the {method} positions"]
    return spline(t, nu=1), spline(t, nu=2), [f"qd and qdd: derivatives of the {method} positions"]


ALIKE = 5
"""A joint is at rest if its position is equal in this many consecutive rows or more."""

IN_STEPS = 0.1
"""Positions are rounded to few digits if the least change between rows, over the median change, exceeds this."""

SWINGS = 1e-6
"""Oscillation of a spline while a joint rests, away from the times at which it stops, over the largest velocity."""


def _in_steps(moved: Array) -> bool:
    """True if the least nonzero change between rows exceeds `IN_STEPS` times the median one."""
    moved = moved[moved > 0.0]
    return len(moved) > 0 and bool(moved.min() > IN_STEPS * np.median(moved))


def at_rest(q: Array, speeds: Array) -> Array:
    """True for rows in which a joint rests: inside of `ALIKE` rows or more with equal position, shape (rows, n).

    The spline oscillates slightly in them, and friction would follow the sign of its velocity. Positions with few
    digits are equal in some rows, too: they change in steps none of which is much smaller than others, and are never
    taken to be at rest.
    """
    still = np.diff(q, axis=0) == 0.0
    rests = np.zeros(q.shape, dtype=bool)
    for k, column in enumerate(still.T):
        if _in_steps(np.abs(np.diff(q[:, k]))):
            continue
        changes = np.diff(np.concatenate([[0], column.astype(int), [0]]))
        for first, last in zip(np.flatnonzero(changes == 1), np.flatnonzero(changes == -1), strict=True):
            if last - first + 1 >= ALIKE:  # rows first to last are alike
                rests[first : last + 1, k] = True
    slow: Array = speeds <= SWINGS * speeds.max(axis=0)
    return rests & slow


def spline_through(t: Array, values: Array) -> Callable[..., Array]:
    """The quintic spline through values over time, shape (rows, n); of fewer than six rows one of a lower degree.

    Its derivatives are ``spline(t, nu=1)`` and ``spline(t, nu=2)``.
    """
    from scipy.interpolate import make_interp_spline  # noqa: PLC0415 - slow to import

    spline: Callable[..., Array] = make_interp_spline(t, values, k=min(5, len(t) - 1))
    return spline
