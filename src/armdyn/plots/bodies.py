"""The shapes of a robot as triangles in the frames of its links: simple shapes, and meshes that can be opened."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from pathlib import PurePosixPath

import numpy as np

from armdyn.model.geometry import Box, Capsule, Cylinder, Ellipsoid, Geometry, Mesh, Shape, Sphere
from armdyn.model.model import Model
from armdyn.plots.mesh_files import UnreadMesh, read_triangles, thinned
from armdyn.spatial.rotations import Array

MOST_TRIANGLES = 12_000
"""Of one robot in a picture: Matplotlib draws so many in about a second."""

ROUND = 20
"""Sides of a drawn circle."""


@dataclass(frozen=True, eq=False)
class Body:
    """Triangles of a shape in the frame of its link, m, shape (k, 3, 3), and the colour that its description gives."""

    link: str
    triangles: Array
    color: tuple[float, ...] | None


def bodies(model: Model, *, most: int = MOST_TRIANGLES) -> tuple[list[Body], list[str]]:
    """The drawn bodies of all links, and a sentence on each shape that is left out.

    A link's visual shapes are drawn; its collision shapes where it has no others, or one of those cannot be opened.
    Where there are more triangles than ``most``, every body is thinned.
    """
    found: list[Body] = []
    unread: Counter[tuple[str, str]] = Counter()
    for link in model.link_names:
        of_link = [shape for shape in model.geometry if shape.link == link]
        visual = _drawn([shape for shape in of_link if shape.purpose == "visual"], unread)
        collision = [shape for shape in of_link if shape.purpose == "collision"]
        found += visual if visual is not None else _drawn(collision, Counter()) or []
    count = sum(len(body.triangles) for body in found)
    notes = [f"{number} {kind} not drawn: {why}" for (kind, why), number in unread.items()]
    if count > most:
        notes.append(f"meshes thinned from {count} triangles")
        share = most / count
        found = [Body(b.link, thinned(b.triangles, int(share * len(b.triangles))), b.color) for b in found]
    return [body for body in found if len(body.triangles)], notes


def _drawn(shapes: list[Geometry], unread: Counter[tuple[str, str]]) -> list[Body] | None:
    """The bodies of shapes; None where there are none, or one of them cannot be opened."""
    if not shapes:
        return None
    drawn, complete = [], True
    for geometry in shapes:
        try:
            triangles = triangles_of(geometry.shape)
        except UnreadMesh as error:
            assert isinstance(geometry.shape, Mesh)  # noqa: S101 - other shapes are in no file
            kind = f"{PurePosixPath(geometry.shape.path).suffix or 'other'} meshes"
            unread[kind, str(error)] += 1
            complete = False
        else:
            T = geometry.pose
            drawn.append(Body(geometry.link, triangles @ T[:3, :3].T + T[:3, 3], geometry.color))
    return drawn if complete else None


def triangles_of(shape: Shape) -> Array:
    """The triangles of a shape in its own frame, m, shape (k, 3, 3); none of a plane.

    Raises:
        UnreadMesh: a mesh that cannot be opened.
    """
    made: Array = np.empty((0, 3, 3))
    match shape:
        case Mesh():
            made = read_triangles(shape)
        case Box(size):
            made = box(size)
        case Sphere(radius):
            made = _ball() * radius
        case Ellipsoid(radii):
            made = _ball() * np.array(radii)
        case Capsule(radius, length):
            made = _apart(_ball() * radius, length)
        case Cylinder(radius, length):
            made = cylinder(radius, length)
    return made


def _apart(ball: Array, length: float) -> Array:
    """A ball whose halves are moved apart along z, with what joins them."""
    corners = np.array(ball)
    upper = ball.mean(axis=1)[:, 2] > 0.0
    corners[..., 2] += np.where(upper, 0.5, -0.5)[:, None] * length
    tube = _around(np.full(2, np.abs(ball[..., 0]).max()), np.array([-0.5, 0.5]) * length)
    return np.concatenate([corners, tube])


def _grid(points: Array) -> Array:
    """The triangles between the points of a grid, shape (rows, columns, 3)."""
    a, b, c, d = points[:-1, :-1], points[1:, :-1], points[1:, 1:], points[:-1, 1:]
    both = np.stack([np.stack([a, b, c], axis=-2), np.stack([a, c, d], axis=-2)])
    return both.reshape(-1, 3, 3)


def _around(radii: Array, heights: Array) -> Array:
    """A surface of revolution about z."""
    angle = np.linspace(0.0, 2.0 * np.pi, ROUND + 1)
    ring = np.stack([np.cos(angle), np.sin(angle)], axis=-1)
    xy = radii[:, None, None] * ring
    z = np.broadcast_to(heights[:, None, None], (*xy.shape[:2], 1))
    return _grid(np.concatenate([xy, z], axis=-1))


def cylinder(radius: float, length: float) -> Array:
    """A closed cylinder along z about the origin."""
    half = length / 2.0
    return _around(np.array([0.0, radius, radius, 0.0]), np.array([-half, -half, half, half]))


def _ball() -> Array:
    latitude = np.linspace(-np.pi / 2.0, np.pi / 2.0, ROUND // 2 + 1)
    return _around(np.cos(latitude), np.sin(latitude))


def box(size: tuple[float, float, float]) -> Array:
    """A box about the origin."""
    scaled: Array = _BOX * (np.array(size) / 2.0)
    return scaled


def _unit_box() -> Array:
    faces = []
    square = np.array([[-1.0, -1.0], [1.0, -1.0], [1.0, 1.0], [-1.0, 1.0]])
    for axis in range(3):
        for side in (-1.0, 1.0):
            corners = np.insert(square, axis, side, axis=1)
            faces += [corners[[0, 1, 2]], corners[[0, 2, 3]]]
    return np.array(faces)


_BOX = _unit_box()
