"""The path of the tip: complete for a recording, point by point for an arm that is moved."""

from __future__ import annotations

import numpy as np

from armdyn.robot import Robot
from armdyn.spatial.rotations import Array
from armdyn.viewer.recording import Recording

MOST_POINTS = 1500
"""Largest number of points of a path on the screen; for an arm that is moved, the latest ones."""

CLOSEST = 0.002
"""Smallest distance of consecutive points, as a fraction of the size of the arm."""


def trace_of(robot: Robot, recording: Recording) -> Array:
    """The points of the tip of a recorded arm, in base axes, m, shape (k, 3)."""
    if robot.tip is None:
        return np.empty((0, 3))
    thin = recording.q[:: max(-(-len(recording.q) // MOST_POINTS), 1)]
    points: Array = robot.forward_kinematics(thin)[:, :3, 3]
    return points


class TipTrace:
    """The latest points of a tip that is moved.

    >>> way = TipTrace(size=1.0)
    >>> [way.add(np.array([x, 0.0, 0.0])) for x in (0.0, 0.001, 0.1)]
    [True, False, True]
    >>> way.points.shape
    (2, 3)
    """

    def __init__(self, size: float) -> None:
        self._closest = CLOSEST * size
        self._points: list[Array] = []

    @property
    def points(self) -> Array:
        """The points in base axes, m, shape (k, 3)."""
        return np.array(self._points).reshape(-1, 3)

    def add(self, point: Array) -> bool:
        """Add a point; return True if it is far enough from the last one."""
        if self._points and np.linalg.norm(point - self._points[-1]) < self._closest:
            return False
        self._points.append(np.array(point))
        del self._points[:-MOST_POINTS]
        return True

    def clear(self) -> None:
        """Remove all points."""
        self._points.clear()
