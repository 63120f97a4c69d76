"""Surfaces of the links of a robot for a screen: in link frames, with colours or textures, and notes."""

from __future__ import annotations

import contextlib
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import PurePosixPath
from typing import Any, Literal

import numpy as np

from armdyn.base.extras import extra
from armdyn.formats.mesh_bounds import UnreadMesh
from armdyn.model.geometry import Geometry, Mesh
from armdyn.model.model import Model
from armdyn.plots.bodies import triangles_of
from armdyn.plots.mesh_parts import Colour, MeshReader
from armdyn.plots.thinning import thinned
from armdyn.spatial.rotations import Array

Layer = Literal["visual", "collision"]
SKIN: Colour = (0.76, 0.79, 0.83, 1.0)
"""The colour of links without a colour in their description."""

HULL: Colour = (0.93, 0.60, 0.20, 0.55)
"""The colour of collision shapes, translucent so that the links inside stay visible."""

MOST_TRIANGLES = 400_000
"""Largest number of triangles of one robot on the screen; finer surfaces are decimated to about this many."""

MOST_SMOOTH = 200_000
"""Largest number of triangles of a mesh part whose vertices are merged; finer parts look smooth without merging."""

SHARP = 0.6
"""Angle between faces, rad; edges with a larger angle are drawn sharp."""


@dataclass(frozen=True, eq=False)
class Surface:
    """Triangles that move with a link.

    Args:
        link: name of the link.
        layer: "visual" or "collision".
        vertices: in the frame of the link, m, shape (v, 3).
        faces: indices of three vertices each, shape (f, 3).
        colour: colour of the whole surface.
        textured: the surface as a trimesh object with its texture, in the frame of the link; None without a texture.
    """

    link: str
    layer: Layer
    vertices: Array
    faces: Array
    colour: Colour
    textured: Any = None


@dataclass(frozen=True)
class Looks:
    """The surfaces of a robot, the links shown as lines because a file is missing, and notes on losses."""

    surfaces: tuple[Surface, ...]
    as_lines: tuple[str, ...]
    notes: tuple[str, ...]

    def of(self, layer: Layer) -> tuple[Surface, ...]:
        """The surfaces of one layer."""
        return tuple(surface for surface in self.surfaces if surface.layer == layer)


def looks_of(model: Model, *, most: int = MOST_TRIANGLES) -> Looks:
    """The surfaces of a robot.

    A link with a visual mesh that cannot be opened is shown by its collision shapes; if those are missing too, it is
    added to ``as_lines``.

    Args:
        model: model of the robot.
        most: largest number of triangles of all surfaces of a layer; finer layers are decimated.
    """
    visual, collision, as_lines = list[Surface](), list[Surface](), list[str]()
    reader = _SurfaceReader()
    for link in model.link_names:
        shapes = [geometry for geometry in model.geometry if geometry.link == link]
        hulls = reader.surfaces([each for each in shapes if each.purpose == "collision"], "collision")
        collision += hulls or []
        seen = reader.surfaces([each for each in shapes if each.purpose == "visual"], "visual")
        if seen is None:
            as_lines += [] if hulls else [link]
            seen = [replace(hull, layer="visual", colour=SKIN) for hull in hulls or []]
        visual += seen or [replace(hull, layer="visual", colour=SKIN) for hull in hulls or []]
    surfaces = [*reader.decimated(visual, most), *reader.decimated(collision, most)]
    return Looks(tuple(surfaces), tuple(as_lines), tuple(reader.notes()))


class _SurfaceReader:
    """Opens shapes, and records the failures."""

    def __init__(self) -> None:
        self.unread: Counter[tuple[str, str]] = Counter()
        self.names: dict[tuple[str, str], list[str]] = {}
        self.meshes = MeshReader()
        self.thinned: list[tuple[int, int]] = []

    def surfaces(self, shapes: Sequence[Geometry], layer: Layer) -> list[Surface] | None:
        """The surfaces of some shapes; None if one of them cannot be opened."""
        result: list[Surface] = []
        complete = True
        for geometry in shapes:
            try:
                result += self._of(geometry, layer)
            except UnreadMesh as error:
                assert isinstance(geometry.shape, Mesh)  # noqa: S101 - other shapes are in no file
                name = PurePosixPath(geometry.shape.path.partition("://")[2] or geometry.shape.path).name
                key = layer, str(error)
                self.unread[key] += 1
                self.names.setdefault(key, []).append(f"{name} of {geometry.link}")
                complete = False
        return result if complete else None

    def _of(self, geometry: Geometry, layer: Layer) -> Iterator[Surface]:
        own = HULL if layer == "collision" else _colour(geometry.color)
        if not isinstance(geometry.shape, Mesh):
            triangles = triangles_of(geometry.shape)
            if len(triangles):
                vertices, faces = _smooth(triangles.reshape(-1, 3), np.arange(3 * len(triangles)).reshape(-1, 3))
                yield Surface(geometry.link, layer, _place(vertices, geometry.pose), faces, own or SKIN)
            return
        mesh = geometry.shape
        for part in self.meshes.parts(mesh):
            textured = None if part.textured is None or layer == "collision" else part.textured.copy()
            smooth = (part.vertices, part.faces) if textured is not None else _smooth(part.vertices, part.faces)
            scaled, turned = _scale(*smooth, mesh.scale)
            if textured is not None:
                textured.apply_transform(geometry.pose @ np.diag([*mesh.scale, 1.0]))
            colour = HULL if layer == "collision" else own if textured is None and own else part.colour or SKIN
            yield Surface(geometry.link, layer, _place(scaled, geometry.pose), turned, colour, textured)

    def decimated(self, surfaces: list[Surface], most: int) -> list[Surface]:
        """The surfaces, decimated to about ``most`` triangles if there are more."""
        count = sum(len(surface.faces) for surface in surfaces)
        if count <= most:
            return surfaces
        coarse = [_decimated(surface, int(most / count * len(surface.faces))) for surface in surfaces]
        self.thinned.append((count, sum(len(surface.faces) for surface in coarse)))
        return [surface for surface in coarse if len(surface.faces)]

    def notes(self) -> Iterator[str]:
        """A sentence on each kind of loss."""
        for (layer, why), number in self.unread.items():
            names = self.names[layer, why]
            more = f" and {number - 3} more" if number > 3 else ""
            yield f"{number} {layer} mesh{'es' if number > 1 else ''} not drawn, {why}: {', '.join(names[:3])}{more}"
        yield from self.meshes.notes()
        if self.meshes.without_image:
            names = list(dict.fromkeys(self.meshes.without_image))
            more = f" and {len(names) - 3} more" if len(names) > 3 else ""
            yield f"textures not readable, plain colours instead: {', '.join(names[:3])}{more}"
        for before, after in self.thinned:
            yield f"meshes decimated from {before:,} to {after:,} triangles"


def _smooth(vertices: Array, faces: Array) -> tuple[Array, Array]:
    """The surface with vertices merged across smooth edges, so that shading is smooth."""
    if len(faces) > MOST_SMOOTH:
        return vertices, faces
    trimesh = extra("trimesh", "a view of a robot", name="viewer")
    shared = trimesh.Trimesh(vertices, faces, process=True)
    if not len(shared.faces):
        return vertices, faces
    smooth = trimesh.graph.smooth_shade(shared, angle=SHARP) if len(shared.faces) > 1 else shared
    return np.asarray(smooth.vertices, dtype=float), np.asarray(smooth.faces, dtype=np.int64)


def _scale(vertices: Array, faces: Array, scale: tuple[float, float, float]) -> tuple[Array, Array]:
    """A surface scaled by factors; faces are flipped if the factors mirror it, so that normals point outwards."""
    return vertices * np.asarray(scale), faces[:, ::-1] if np.prod(scale) < 0.0 else faces


def _place(vertices: Array, T: Array) -> Array:
    placed: Array = vertices @ T[:3, :3].T + T[:3, 3]
    return placed


def _colour(values: tuple[float, ...] | None) -> Colour | None:
    """A colour with opacity; nearly invisible colours become opaque."""
    if values is None:
        return None
    red, green, blue, alpha = (float(x) for x in values)
    return (red, green, blue, alpha if alpha > 0.05 else 1.0)


def _decimated(surface: Surface, most: int) -> Surface:
    """A coarser surface without texture: by quadric error if that library is installed, otherwise by a grid."""
    count = max(most, 12)
    triangles = thinned(surface.vertices[surface.faces], 4 * count).triangles  # bounds the work of the rest
    vertices, faces = triangles.reshape(-1, 3), np.arange(3 * len(triangles)).reshape(-1, 3)
    trimesh = extra("trimesh", "a view of meshes", name="viewer")
    with contextlib.suppress(Exception):  # fast-simplification is missing, or fails on degenerate surfaces
        coarse = trimesh.Trimesh(vertices, faces, process=True).simplify_quadric_decimation(face_count=count)
        vertices, faces = np.asarray(coarse.vertices, dtype=float), np.asarray(coarse.faces, dtype=np.int64)
    if len(faces) > 2 * count or not len(faces):  # many small components, which it does not decimate
        triangles = thinned(triangles, count).triangles
        vertices, faces = triangles.reshape(-1, 3), np.arange(3 * len(triangles)).reshape(-1, 3)
    if len(faces):
        vertices, faces = _smooth(vertices, faces)
    return replace(surface, vertices=vertices, faces=faces, textured=None)
