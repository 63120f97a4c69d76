"""A smooth curve of poses through points."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike
from scipy.interpolate import make_interp_spline

from armdyn.spatial.rotations import Array
from armdyn.trajectory.checks import MotionError, fixed
from armdyn.trajectory.curves import Curve

NATURAL = [(3, np.zeros(3)), (4, np.zeros(3))]
"""Third and fourth derivative at each end of the natural quintic spline."""


class Through(Curve):
    """A natural quintic spline from pose to pose through points in between, with four continuous derivatives.

    The parameter s runs from 0 to 1 in proportion to the polygon through the points, so the tip's speed changes little
    along the curve. The orientation rotates evenly about one axis, as along a `Line`.

    Args:
        start: T at s = 0, lengths in m, shape (4, 4).
        points: in between, m, shape (m, 3).
        end: T at s = 1, shape (4, 4).

    Raises:
        MotionError: not poses, two equal consecutive points, orientations half a turn apart.

    >>> T0, T1 = np.eye(4), np.eye(4)
    >>> T1[0, 3] = 2.0
    >>> curve = armdyn.trajectory.Through(T0, [[1.0, 1.0, 0.0]], T1)
    >>> curve.pose(0.5)[:3, 3].round(12)
    array([1., 1., 0.])
    """

    extent = 1.0

    def __init__(self, start: ArrayLike, points: ArrayLike, end: ArrayLike) -> None:
        T1 = self._turned(start, end)
        knots = np.vstack([self._T0[:3, 3], fixed("points", points, ("m", 3)), T1[:3, 3]])
        ways = np.linalg.norm(np.diff(knots, axis=0), axis=1)
        if not (ways > 0.0).all():
            k = int(np.argmin(ways))
            raise MotionError(f"points {k} and {k + 1} of the curve, the start being 0, are the same; leave one out")
        s = np.concatenate([[0.0], np.cumsum(ways) / ways.sum()])
        s[-1] = 1.0
        self._position = make_interp_spline(s, knots, k=5, bc_type=(NATURAL, NATURAL))

    def _points(self, s: Array, _: Array) -> tuple[Array, Array, Array]:
        p, dp, ddp = (self._position(s, order) for order in range(3))
        return p, dp, ddp
