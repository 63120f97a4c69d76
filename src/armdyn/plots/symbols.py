"""Symbols of joints and frames in space and in a plane: a drum for a revolute, a block for a prismatic joint."""

from __future__ import annotations

from typing import Any

import numpy as np

from armdyn.plots.shaded_triangles import ShadedTriangles
from armdyn.plots.solids import box, cylinder
from armdyn.plots.style import COLOURS
from armdyn.spatial.rotations import Array

JOINT_COLOURS = {"revolute": COLOURS[0], "prismatic": COLOURS[1]}
AXES = ("#D62728", "#2CA02C", "#1F4FD6")
"""Colours of the x, y and z axis of a frame."""

RADIUS, LENGTH = 0.018, 0.07
"""Radius and length of a drum, by the size of the picture."""

TRIAD = 0.11
"""The length of a frame's axes, by the size of the picture."""


def symbol(kind: str, size: float) -> Array:
    """The triangles of a joint's symbol, its axis along z, m, shape (k, 3, 3)."""
    if kind == "revolute":
        return cylinder(RADIUS * size, LENGTH * size)
    width = 1.6 * RADIUS * size
    return box((width, width, LENGTH * size))


def along(axis: Array) -> Array:
    """A rotation matrix that maps z to a unit vector."""
    x = np.cross(axis, np.eye(3)[int(np.abs(axis).argmin())])
    x /= np.linalg.norm(x)
    return np.column_stack([x, np.cross(axis, x), axis])


def draw_solids(
    axes: Any, triangles: Array, colours: Array, plane: Array | None, *, alpha: float, z: float
) -> ShadedTriangles:
    """Draw triangles, each of a colour, in space or in a plane, without their hidden parts, and return the artist."""
    solid = ShadedTriangles(triangles, colours, plane, alpha=alpha, z=z)
    axes.add_artist(solid)
    solid.set_clip_on(plane is not None)
    return solid


def draw_line(axes: Any, points: Array, plane: Array | None, **style: object) -> None:
    """Draw a line through points in base axes, m, (points, 3); in space it may extend beyond the square of its axes."""
    line = axes.plot(*(points if plane is None else points @ plane).T, **style)[0]
    if plane is None:
        line.set_clip_on(False)
        line.set_in_layout(False)  # before it is projected its extent means nothing


def draw_triad(axes: object, T: Array, size: float, plane: Array | None, *, z: float) -> None:
    """Draw the axes of a frame: x red, y green, z blue; in a plane only those that lie in it."""
    for axis, colour in zip(T[:3, :3].T, AXES, strict=True):
        ends = np.array([T[:3, 3], T[:3, 3] + TRIAD * size * axis])
        points = ends if plane is None else ends @ plane
        if np.linalg.norm(points[1] - points[0]) < 0.05 * TRIAD * size:
            continue
        draw_line(axes, ends, plane, color=colour, linewidth=1.8, solid_capstyle="round", zorder=z)
