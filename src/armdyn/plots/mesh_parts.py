"""The parts of mesh files, each of one colour, and bounds on the total size of a robot's meshes."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any

import numpy as np

from armdyn.base.errors import MissingLibrary
from armdyn.base.extras import extra
from armdyn.formats.mesh_bounds import MOST_OF_ALL, MOST_PIXELS, MOST_TRIANGLES, UnreadMesh
from armdyn.formats.mesh_files import find_file, open_mesh
from armdyn.model.geometry import Mesh
from armdyn.plots.thinning import box_around
from armdyn.spatial.rotations import Array

IMAGES = (".png", ".jpg", ".jpeg", ".tif", ".tiff", ".bmp", ".tga", ".gif", ".webp")
"""File extensions of textures."""

Colour = tuple[float, float, float, float]
"""Red, green, blue and opacity from 0 to 1."""


@dataclass(frozen=True, eq=False)
class MeshPart:
    """Triangles of one material of a mesh, in the frame of the mesh.

    Args:
        vertices: vertices, in units of the file, shape (v, 3).
        faces: indices of three vertices each, shape (f, 3).
        colour: colour of the whole part in the file; None if it has none.
        textured: the trimesh object with its texture or its vertex colours; None without these.
    """

    vertices: Array
    faces: Array
    colour: Colour | None
    textured: Any = None

    @property
    def triangles(self) -> Array:
        """The corners of the triangles, shape (f, 3, 3)."""
        corners: Array = self.vertices[self.faces]
        return corners


class MeshReader:
    """Opens the meshes of one robot, each file once, up to bounds on their total size.

    Attributes:
        boxes: the names of meshes drawn as bounding boxes, with their numbers of triangles.
        without_image: names of texture images that are missing or cannot be read.
    """

    def __init__(self) -> None:
        self.without_image: list[str] = []
        self._known: dict[Path, tuple[MeshPart, ...] | UnreadMesh] = {}
        self._room = MOST_OF_ALL
        self.boxes: dict[str, int] = {}

    def parts(self, mesh: Mesh) -> tuple[MeshPart, ...]:
        """The parts of a mesh, or its bounding box, recorded in ``boxes``, if it has too many triangles.

        Raises:
            UnreadMesh: a file that is missing, too large or unreadable, or a library that is not installed.
        """
        path = find_file(mesh)
        if path is None:
            raise UnreadMesh("not found")
        if path not in self._known:
            self._known[path] = self._read(path)
        parts = self._known[path]
        if isinstance(parts, UnreadMesh):
            raise parts
        return self._within_size(parts, path)

    def _read(self, path: Path) -> tuple[MeshPart, ...] | UnreadMesh:
        options: dict[str, Any] = {"force": "scene", "process": False}
        request: list[str] = []
        try:
            if path.suffix.lower() != ".stl":
                options["resolver"] = image_resolver(path, request)
            parts = open_mesh(path, lambda scene: self._parts_of_scene(scene, path), **options)
        except UnreadMesh as error:
            return error
        except MissingLibrary:
            return UnreadMesh("trimesh is not installed")
        if request and all(part.textured is None for part in parts):
            self.without_image += request
        return parts

    def _parts_of_scene(self, scene: Any, path: Path) -> tuple[MeshPart, ...]:
        """The parts of a scene read by trimesh; a scene may contain one shape at many poses."""
        placed = (scene.geometry[scene.graph[node][1]] for node in scene.graph.nodes_geometry)
        count = sum(len(getattr(shape, "faces", ())) for shape in placed)
        if count > MOST_TRIANGLES:
            self.boxes[_name(path)] = count
            return (_box_of(scene.bounds),)
        parts = tuple(part for part in map(part_of, scene.dump()) if len(part.faces))
        if not parts:
            raise UnreadMesh("empty")
        return parts

    def _within_size(self, parts: tuple[MeshPart, ...], path: Path) -> tuple[MeshPart, ...]:
        """The parts, or their bounding box if the total number of triangles of all meshes is too large."""
        count = sum(len(part.faces) for part in parts)
        if count > self._room:
            self.boxes[_name(path)] = count
            corners = np.concatenate([part.vertices for part in parts])
            return (_box_of([corners.min(axis=0), corners.max(axis=0)]),)
        self._room -= count
        return parts

    def notes(self) -> list[str]:
        """A sentence on the meshes that are drawn as boxes."""
        if not self.boxes:
            return []
        names = [f"{name} ({count:,})" for name, count in self.boxes.items()]
        more = f" and {len(names) - 3} more" if len(names) > 3 else ""
        return [
            f"meshes of more than {MOST_TRIANGLES:,} triangles, or of {MOST_OF_ALL:,} together, drawn as boxes: "
            f"{', '.join(names[:3])}{more}"
        ]


def image_resolver(path: Path, names: list[str]) -> Any:
    """A resolver of the files that a mesh refers to: in its folder, and images anywhere in its package.

    Args:
        path: path of the mesh.
        names: list to which the names of images are appended.
    """
    resolvers = extra("trimesh", "a picture of meshes", name="mesh").resolvers
    package = next((p for p in path.parents if (p / "package.xml").is_file()), path.parent.parent).resolve()

    class Resolver(resolvers.FilePathResolver):  # type: ignore[misc, name-defined]  # imported above
        def get(self, name: str) -> Any:
            plain = str(name).strip().replace("\\", "/")
            if not plain.lower().endswith(IMAGES):
                return super().get(name)
            names.append(PurePosixPath(plain).name)
            image = (path.parent / plain).resolve()
            return image.read_bytes() if image.is_relative_to(package) and image.is_file() else super().get(name)

    return Resolver(path)


def _name(path: Path) -> str:
    return PurePosixPath(path.as_posix()).name


def _box_of(bounds: object) -> MeshPart:
    corners = np.asarray(bounds, dtype=float)
    if corners.shape != (2, 3) or not np.isfinite(corners).all():
        raise UnreadMesh("empty")
    return MeshPart(box_around(corners).reshape(-1, 3), np.arange(36).reshape(12, 3), None)


def part_of(shape: Any) -> MeshPart:
    """Vertices, faces, colour and texture of a trimesh object; points and curves have no faces."""
    faces = np.asarray(getattr(shape, "faces", np.empty((0, 3))), dtype=np.int64).reshape(-1, 3)
    vertices = np.asarray(getattr(shape, "vertices", np.empty((0, 3))), dtype=float)
    finite = np.isfinite(vertices).all(axis=1)
    if len(faces) and not finite.all():
        faces = faces[finite[faces].all(axis=1)]
        vertices = np.where(finite[:, None], vertices, 0.0)
    if not len(faces):
        return MeshPart(vertices, faces, None)
    visual = shape.visual
    colour, textured = None, None
    if visual.kind == "texture":
        material = visual.material
        image = getattr(material, "image", None) or getattr(material, "baseColorTexture", None)
        colour = _colour(np.asarray(material.main_color, dtype=float) / 255.0)
        if image is not None and visual.uv is not None and _is_read(image):
            textured = shape if finite.all() else None
            colour = _mean_colour(image)
    elif visual.kind in ("face", "vertex"):
        colours = np.asarray(visual.vertex_colors if visual.kind == "vertex" else visual.face_colors)
        if len(np.unique(colours, axis=0)) > 1 and finite.all():
            textured = shape
        colour = _colour(colours.mean(axis=0) / 255.0)
    return MeshPart(vertices, faces, colour, textured)


def _is_read(image: Any) -> bool:
    """Return True if an image can be decoded and is not too large; an opened image may still be damaged."""
    try:
        if image.size[0] * image.size[1] > MOST_PIXELS:
            return False
        image.load()
    except Exception:
        return False
    return True


def _mean_colour(image: Any) -> Colour:
    """The mean colour of a texture."""
    small = np.asarray(image.convert("RGB").resize((1, 1), 4), dtype=float).reshape(-1) / 255.0  # 4: mean of a box
    return float(small[0]), float(small[1]), float(small[2]), 1.0


def _colour(values: Any) -> Colour | None:
    """A colour with opacity; nearly invisible colours become opaque."""
    if values is None:
        return None
    red, green, blue, alpha = (float(x) for x in values)
    return (red, green, blue, alpha if alpha > 0.05 else 1.0)
