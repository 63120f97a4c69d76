"""The scene of a page: bodies of the links, and a skeleton of links and joints, in the frames of the links."""

from __future__ import annotations

import base64
from collections.abc import Sequence
from typing import Any

import numpy as np

from armdyn.page.posture import posture
from armdyn.plots.bodies import ShapeTriangles, bodies
from armdyn.plots.plane import plane_of_motion
from armdyn.robot import Robot
from armdyn.spatial.rotations import Array

SHORTEST = 1e-9
"""Lines of links shorter than this, m, are not drawn."""

FINEST = 65535
"""Steps of a coordinate of a body's corners across its box."""

EYE = (np.radians(24.0), np.radians(-58.0))
"""Elevation and azimuth of the camera for a spatial arm, as in `armdyn.plots.robot.plot`."""


def scene(robot: Robot, most: int) -> tuple[dict[str, Any], list[str]]:
    """The scene as data for JSON, and sentences on omitted or thinned parts.

    Args:
        robot: the robot.
        most: largest number of triangles of all bodies; zero for none.
    """
    drawn, notes = bodies(robot.model, most=most) if most else ([], [])
    reach = _reach(robot)
    data = {
        "segments": _segments(robot),
        "points": _points(robot),
        "joints": _joints(robot),
        "bodies": [_packed(robot, body) for body in drawn],
        "inertias": _inertias(robot),
        "size": reach,
        **_view(robot),
    }
    return data, notes


def _segments(robot: Robot) -> list[list[int]]:
    """Pairs of indices of links whose origins are joined by a line."""
    number = {name: k for k, name in enumerate(robot.link_names)}
    return [[number[joint.parent], number[joint.child]] for joint in robot.model.joints]


def _points(robot: Robot) -> list[dict[str, object]]:
    """Points on links that are joined to the link's origin by a line: the tip, and points of constraints."""
    model = robot.model
    places: list[tuple[str, Sequence[float]]] = []
    if robot.tip is not None:
        places.append((robot.tip, (0.0, 0.0, 0.0)))
    places += [place for constraint in model.constraints for place in constraint.places if place[0]]
    result = []
    for frame, point in places:
        of = model.frame(frame)
        at = of.pose[:3, :3] @ np.asarray(point, dtype=float) + of.pose[:3, 3]
        if np.abs(at).max() > SHORTEST:
            result.append({"link": robot.link_names.index(of.link), "at": at.tolist()})
    return result


def _joints(robot: Robot) -> list[dict[str, object]]:
    """The symbols of joints, each in the frame of its child link."""
    number = {name: k for k, name in enumerate(robot.link_names)}
    return [{"link": number[j.child], "axis": j.axis.tolist(), "kind": j.kind} for j in robot.model.joints]


def _inertias(robot: Robot) -> list[dict[str, object]]:
    """Ellipsoids of uniform density with the mass and the moments of inertia of each moving link."""
    result = []
    for k, link in enumerate(robot.model.links):
        inertia = link.inertia
        if k == 0 or inertia.mass <= 0.0:
            continue
        moments, axes, _ = inertia.principal_axes
        squares = 2.5 / inertia.mass * (moments.sum() - 2.0 * moments)  # a^2 = 5/(2m) (Iy + Iz - Ix)
        radii = np.sqrt(np.maximum(squares, 0.0))
        result.append({"link": k, "com": inertia.com.tolist(), "axes": axes.tolist(), "radii": radii.tolist()})
    return result


def _reach(robot: Robot) -> float:
    """The largest distance of links and tip from the base, m; 1 for an arm all of whose frames coincide."""
    q = np.vstack([np.zeros(robot.dof), posture(robot), robot.random_configuration(0, 256)])
    points = [np.asarray(robot.link_poses(q))[..., :3, 3]]
    if robot.tip is not None:
        points.append(np.asarray(robot.forward_kinematics(q))[:, None, :3, 3])
    reach = float(np.linalg.norm(np.concatenate(points, axis=1), axis=-1).max())
    return reach if reach > 1e-6 else 1.0


def _view(robot: Robot) -> dict[str, object]:
    """The upward direction, the direction to the camera, and the normal of the grid."""
    plane = plane_of_motion(robot)
    if plane is not None:
        right, up = plane.T
        normal = np.cross(right, up)
        return {"up": up.tolist(), "eye": normal.tolist(), "grid": normal.tolist(), "planar": True}
    fall = float(np.linalg.norm(robot.gravity))
    up = -robot.gravity / fall if fall > 1e-9 else np.array([0.0, 0.0, 1.0])
    east = np.cross(up, np.eye(3)[int(np.abs(up[:2]).argmax()) if abs(up[2]) < 0.5 else 1])
    east = np.array([1.0, 0.0, 0.0]) if abs(up[2]) > 0.999 else east / np.linalg.norm(east)
    north = np.cross(up, east)
    elevation, azimuth = EYE
    level = np.cos(azimuth) * east + np.sin(azimuth) * north
    eye = np.cos(elevation) * level + np.sin(elevation) * up
    return {"up": up.tolist(), "eye": eye.tolist(), "grid": up.tolist(), "planar": False}


def _packed(robot: Robot, body: ShapeTriangles) -> dict[str, object]:
    """The triangles of a body, with its link and colour."""
    color = None if body.color is None else list(body.color)
    return {"link": robot.link_names.index(body.link), "color": color, **packed(body.triangles)}


def packed(triangles: Array) -> dict[str, object]:
    """Triangles, shape (k, 3, 3), with 16 bits per coordinate and shared corners stored once."""
    corners = triangles.reshape(-1, 3)
    low = corners.min(axis=0)
    step = float(np.ptp(corners, axis=0).max()) / FINEST or 1.0
    whole = np.round((corners - low) / step).astype(np.uint16)
    points, faces = np.unique(whole, axis=0, return_inverse=True)
    wide = len(points) > FINEST
    return {
        "low": low.tolist(),
        "step": step,
        "points": _encoded(points, "<u2"),
        "faces": _encoded(faces.reshape(-1, 3), "<u4" if wide else "<u2"),
        "wide": wide,
    }


def _encoded(values: Array, kind: str) -> str:
    return base64.b64encode(np.ascontiguousarray(values, dtype=kind).tobytes()).decode()
