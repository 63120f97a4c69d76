"""The camera of a saved page, from which a motion fills the window."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from armdyn.spatial.rotations import Array
from armdyn.viewer.panels.camera import MARGIN

ASPECT = 1.0
"""Width over height of the narrowest window in which the whole motion is visible at first."""


class CameraPlace(NamedTuple):
    """A place from which a camera looks at a point, m, shape (3,) each."""

    position: Array
    target: Array


def camera_around(points: Array, pad: float, up: Array, towards: Array, field: float) -> CameraPlace:
    """The nearest camera in a direction whose picture contains all points, with a margin.

    A point at height y and depth z towards the camera is in the picture if |y - y_c| <= k (z_c - z), with k the tangent
    of half the field of view over the margin. So z_c is at least (max(y + k z) - min(y - k z)) / (2 k), and y_c is then
    (max(y + k z) + min(y - k z)) / 2; likewise across.

    Args:
        points: m, shape (k, 3).
        pad: distance around each point that the picture contains too, m.
        up: upward direction, a unit vector, shape (3,).
        towards: direction from the points to the camera, a unit vector not parallel to ``up``, shape (3,).
        field: angle of the picture from top to bottom, rad.

    >>> square = np.array([[x, y, 0.0] for x in (0.0, 1.0) for y in (0.0, 2.0)])
    >>> camera_around(square, 0.0, np.array([0.0, 1.0, 0.0]), np.array([0.0, 0.0, 1.0]), np.pi / 2).position
    array([0.5 , 1.  , 1.15])
    """
    across = np.cross(up, towards)
    across = across / np.linalg.norm(across)
    upwards = np.cross(towards, across)
    depth = points @ towards
    distance, centres = -np.inf, []
    for axis, slope in ((across, ASPECT), (upwards, 1.0)):
        k = slope * np.tan(0.5 * field) / MARGIN
        along, reach = points @ axis, pad * np.hypot(1.0, k)
        high, low = float((along + k * depth).max() + reach), float((along - k * depth).min() - reach)
        distance = max(distance, (high - low) / (2.0 * k))
        centres.append(0.5 * (high + low) * axis)
    centre: Array = np.sum(centres, axis=0)
    return CameraPlace(centre + distance * towards, centre + 0.5 * float(depth.max() + depth.min()) * towards)
