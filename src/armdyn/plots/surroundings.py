"""Planes of an arm's contacts and constraints in the picture of its motion."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from mpl_toolkits.mplot3d.art3d import Poly3DCollection  # type: ignore[import-untyped]

from armdyn.constraints import PointOnPlane
from armdyn.plots.style import INK
from armdyn.robot import Robot
from armdyn.spatial.rotations import Array

COLOUR = "#9A9A9A"
OF_REACH, AROUND = 0.2, 1.15
"""Least half side of a square, by the distance from the base to the point, and its margin factor around the paths."""


@dataclass(frozen=True, eq=False)
class PlanePatch:
    """A part of a plane near the path of a point.

    Args:
        name: name of the plane.
        normal: unit normal in base axes, shape (3,).
        centre: centre, m, shape (3,).
        corners: corners of a square, m, shape (4, 3).
    """

    name: str
    normal: Array
    centre: Array
    corners: Array


def surfaces_of(robot: Robot, planes: Iterable[object], q: Array) -> Iterator[PlanePatch]:
    """The parts of planes fixed to the base, near the paths of their points.

    Args:
        robot: the moving robot.
        planes: any constraints; those that are not a `PointOnPlane`, or whose plane is fixed to a link, are skipped.
        q: finite joint positions of the motion, rad or m, shape (states, n).
    """
    for plane in planes:
        if not isinstance(plane, PointOnPlane) or plane.of not in ("", robot.model.base):
            continue
        n, through = np.array(plane.normal), np.array(plane.through)
        T = robot.forward_kinematics(q, frame=plane.frame)
        way = T[:, :3, 3] + T[:, :3, :3] @ np.array(plane.point)
        below = way - ((way - through) @ n)[:, None] * n
        centre = (below.min(axis=0) + below.max(axis=0)) / 2.0
        wide = np.linalg.norm(below - centre, axis=1).max()
        half = max(AROUND * float(wide), OF_REACH * float(np.linalg.norm(way, axis=1).max()))
        a, b = np.linalg.svd(n[None])[2][1:] * half
        yield PlanePatch(plane.name, n, centre, centre + np.array([a + b, a - b, -a - b, b - a]))


def draw_surfaces(axes: Any, surfaces: Iterable[PlanePatch], plane: Array | None) -> None:
    """Draw a line across a flat picture, or a square in space, with the plane's name.

    Args:
        axes: axes of matplotlib.
        surfaces: surfaces to draw.
        plane: the two directions of a flat picture, (3, 2); None in space.
    """
    for one in surfaces:
        name = one.name.replace("$", r"\$")
        if plane is None:
            square = Poly3DCollection([one.corners], facecolor=COLOUR, edgecolor=COLOUR, alpha=0.25, linewidth=0.6)
            axes.add_collection3d(square)
            axes.text(*one.corners[one.corners[:, 1].argmin()], name, fontsize=7, color=INK)
            continue
        across = np.array([one.normal @ plane[:, 1], -(one.normal @ plane[:, 0])])
        if np.linalg.norm(across) < 1e-9:
            continue  # the picture's own plane
        place = one.centre @ plane
        axes.axline(place, place + across, color=COLOUR, linewidth=1.2, zorder=0.5)
        axes.annotate(
            name,
            place,
            xytext=(3, -3),
            textcoords="offset points",
            va="top",
            fontsize=7,
            color=INK,
            annotation_clip=True,
        )
