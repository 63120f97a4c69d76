"""Symbols of joints and frames in space and in a plane: a drum for a revolute, a block for a prismatic joint."""

from __future__ import annotations

from typing import Any

import numpy as np
from matplotlib.collections import PolyCollection
from mpl_toolkits.mplot3d.art3d import Poly3DCollection  # type: ignore[import-untyped]

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

LIGHT = np.array([0.35, -0.55, 0.76])
"""The unit vector towards the light, in base axes."""


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


def shaded(triangles: Array, colour: Array) -> Array:
    """The colour of each triangle in the light, RGB, shape (k, 3)."""
    normals = np.cross(triangles[:, 1] - triangles[:, 0], triangles[:, 2] - triangles[:, 0])
    lengths = np.linalg.norm(normals, axis=1, keepdims=True)
    normals = np.divide(normals, lengths, out=np.zeros_like(normals), where=lengths > 0.0)
    bright = 0.60 + 0.36 * np.abs(normals @ LIGHT)
    colours: Array = np.clip(bright[:, None] * colour, 0.0, 1.0)
    return colours


def draw_solids(axes: Any, triangles: Array, colours: Array, plane: Array | None, *, alpha: float, z: float) -> None:
    """Draw shaded triangles, in space or in a plane, the farthest first."""
    if not len(triangles):
        return
    faces = np.column_stack([colours, np.full(len(colours), alpha)])
    if plane is None:
        edges: Any = faces if alpha == 1.0 else "none"  # otherwise gaps between triangles are visible
        solid = Poly3DCollection(triangles, facecolors=faces, edgecolors=edges, linewidths=0.2 if alpha == 1.0 else 0.0)
        solid.set_zorder(z)
        solid.set_clip_on(False)
        solid.set_in_layout(False)  # before it is projected its extent means nothing
        axes.add_collection3d(solid, autolim=False)
        return
    normal = np.cross(plane[:, 0], plane[:, 1])
    order = np.argsort(triangles.mean(axis=1) @ normal)
    flat = PolyCollection(list(triangles[order] @ plane), facecolors=faces[order], edgecolors="none", zorder=z)
    axes.add_collection(flat, autolim=False)


def draw_line(axes: Any, points: Array, plane: Array | None, **style: Any) -> None:
    """Draw a line through points in base axes, m, (points, 3); in space it may extend beyond the square of its axes."""
    line = axes.plot(*(points if plane is None else points @ plane).T, **style)[0]
    if plane is None:
        line.set_clip_on(False)
        line.set_in_layout(False)  # before it is projected its extent means nothing


def draw_triad(axes: Any, T: Array, size: float, plane: Array | None, *, z: float) -> None:
    """Draw the axes of a frame: x red, y green, z blue; in a plane only those that lie in it."""
    for axis, colour in zip(T[:3, :3].T, AXES, strict=True):
        ends = np.array([T[:3, 3], T[:3, 3] + TRIAD * size * axis])
        shown = ends if plane is None else ends @ plane
        if np.linalg.norm(shown[1] - shown[0]) < 0.05 * TRIAD * size:
            continue
        draw_line(axes, ends, plane, color=colour, linewidth=1.8, solid_capstyle="round", zorder=z)
