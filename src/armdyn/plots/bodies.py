"""The shapes of a robot as triangles in the frames of its links: simple shapes, and meshes that can be opened."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import PurePosixPath

import numpy as np

from armdyn.formats.mesh_bounds import UnreadMesh
from armdyn.model.geometry import Box, Capsule, Cylinder, Ellipsoid, Geometry, Mesh, Shape, Sphere
from armdyn.model.model import Model
from armdyn.plots import solids
from armdyn.plots.mesh_parts import MeshReader
from armdyn.plots.thinning import thinned
from armdyn.spatial.rotations import Array

MOST_TRIANGLES = 300_000
"""Largest number of triangles of one robot in a picture, drawn in about a second."""

MOST_SHAPES = 5_000
"""Largest number of shapes of one robot; further ones are omitted, with a note."""

SKIN = (0.765, 0.792, 0.827)
"""The colour of links without a colour in their description."""

PAINT = 0.9
"""Weight of the description's colour in that of a link; the rest distinguishes white and black from page and lines."""

FEWEST = 12
"""Smallest number of triangles of a thinned shape: those of a box."""


@dataclass(frozen=True, eq=False)
class ShapeTriangles:
    """Triangles of a shape in the frame of its link, m, shape (k, 3, 3), and the colour in its description."""

    link: str
    triangles: Array
    color: tuple[float, ...] | None


def bodies(model: Model, *, most: int = MOST_TRIANGLES) -> tuple[list[ShapeTriangles], list[str]]:
    """The drawn bodies of all links, one for each colour of a shape, and a sentence on each omitted shape.

    A link's visual shapes are drawn; its collision shapes if it has no others, or if one of those cannot be opened. If
    there are more triangles than ``most``, every body is thinned.
    """
    reader = _BodyReader()
    drawn: list[ShapeTriangles] = []
    for link in model.link_names:
        of_link = [shape for shape in model.geometry if shape.link == link]
        visual = reader.bodies([shape for shape in of_link if shape.purpose == "visual"])
        collision = [shape for shape in of_link if shape.purpose == "collision"]
        drawn += visual if visual is not None else reader.bodies(collision, quiet=True) or []
    notes = reader.notes()
    count = sum(len(body.triangles) for body in drawn)
    if count > most:
        notes.append(f"meshes thinned from {count} triangles")
        reaches = [float(np.linalg.norm(np.ptp(body.triangles.reshape(-1, 3), axis=0))) for body in drawn]
        shares = _shares([len(body.triangles) for body in drawn], reaches, most)
        coarse = [thinned(body.triangles, share) for body, share in zip(drawn, shares, strict=True)]
        boxes = sum(each.indices is None for each, share in zip(coarse, shares, strict=True) if share)
        notes += [f"{boxes} of them drawn as boxes: their triangles form no surface that gets coarser"] if boxes else []
        drawn = [
            replace(body, triangles=each.triangles)
            for body, each, share in zip(drawn, coarse, shares, strict=True)
            if share
        ]
    return drawn, notes


def _shares(counts: list[int], sizes: list[float], most: int) -> list[int]:
    """The number of triangles of each body: by size, up to its own number; zero if there are too many bodies."""
    order = sorted(range(len(counts)), key=lambda k: counts[k] / max(sizes[k], 1e-12))
    shares, remaining, length = [0] * len(counts), float(most), sum(sizes)
    for k in order:  # unused shares go to the other bodies
        share = min(counts[k], max(int(remaining * sizes[k] / max(length, 1e-12)), FEWEST))
        shares[k] = share if share <= remaining else 0
        remaining, length = remaining - shares[k], length - sizes[k]
    return shares


def place_bodies(looks: Sequence[ShapeTriangles], poses: Mapping[str, Array]) -> tuple[Array, Array]:
    """The triangles of bodies in base axes, m, shape (k, 3, 3), and their colours, shape (k, 3).

    Args:
        looks: bodies of links.
        poses: pose of each link in base axes, by its name, shape (4, 4).
    """
    solids, colours = [np.empty((0, 3, 3))], [np.empty((0, 3))]
    skin = np.array(SKIN)
    for body in looks:
        T = poses[body.link]
        colour = skin if body.color is None else np.array(body.color[:3])
        solids.append(body.triangles @ T[:3, :3].T + T[:3, 3])
        colours.append(np.broadcast_to(PAINT * colour + (1.0 - PAINT) * skin, (len(body.triangles), 3)))
    return np.concatenate(solids), np.concatenate(colours)


def corners_of(looks: Sequence[ShapeTriangles], poses: Mapping[str, Array]) -> list[Array]:
    """The lowest and highest coordinates of each body in base axes, m, shape (2, 3) each."""
    placed_bodies = (place_bodies([body], poses)[0] for body in looks if len(body.triangles))
    return [np.array([points.min(axis=(0, 1)), points.max(axis=(0, 1))]) for points in placed_bodies]


class _BodyReader:
    """Converts shapes to bodies, and records those that cannot be opened."""

    def __init__(self) -> None:
        self.meshes, self.unread, self.count = MeshReader(), Counter[tuple[str, str]](), 0

    def bodies(self, shapes: list[Geometry], *, quiet: bool = False) -> list[ShapeTriangles] | None:
        """The bodies of shapes; None if there are no shapes, or one of them cannot be opened."""
        if not shapes:
            return None
        drawn, complete = list[ShapeTriangles](), True
        for geometry in shapes:
            self.count += 1
            if self.count > MOST_SHAPES:
                break
            try:
                drawn += self._of(geometry)
            except UnreadMesh as error:
                assert isinstance(geometry.shape, Mesh)  # noqa: S101 - other shapes are in no file
                if not quiet:
                    self.unread[f"{PurePosixPath(geometry.shape.path).suffix or 'other'} meshes", str(error)] += 1
                complete = False
        return drawn if complete else None

    def _of(self, geometry: Geometry) -> list[ShapeTriangles]:
        """The triangles of a shape by colour: that of the description, otherwise those of the file."""
        shape, T = geometry.shape, geometry.pose
        by_colour: dict[tuple[float, ...] | None, list[Array]] = {}
        if isinstance(shape, Mesh):
            for part in self.meshes.parts(shape):
                colour = part.colour if geometry.color is None else geometry.color
                by_colour.setdefault(colour, []).append(part.triangles * np.asarray(shape.scale))
        elif len(triangles := triangles_of(shape)):
            by_colour[geometry.color] = [triangles]
        return [
            ShapeTriangles(geometry.link, np.concatenate(parts) @ T[:3, :3].T + T[:3, 3], colour)
            for colour, parts in by_colour.items()
        ]

    def notes(self) -> list[str]:
        """A sentence on each kind of loss."""
        result = [f"{number} {kind} not drawn: {why}" for (kind, why), number in self.unread.items()]
        left_out = [f"shapes after the first {MOST_SHAPES:,} not drawn"] if self.count > MOST_SHAPES else []
        return [*result, *self.meshes.notes(), *left_out]


def triangles_of(shape: Shape) -> Array:
    """The triangles of a simple shape in its own frame, m, shape (k, 3, 3); empty for a plane."""
    result: Array = np.empty((0, 3, 3))
    match shape:
        case Box(size):
            result = solids.box(size)
        case Sphere(radius):
            result = solids.ball() * radius
        case Ellipsoid(radii):
            result = solids.ball() * np.array(radii)
        case Capsule(radius, length):
            result = solids.apart(solids.ball() * radius, length)
        case Cylinder(radius, length):
            result = solids.cylinder(radius, length)
    return result
