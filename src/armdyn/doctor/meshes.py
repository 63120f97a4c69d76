"""Mesh files opened for a doctor: the convex hull of each, and its volume if its surface bounds one."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from importlib.util import find_spec
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np

import armdyn.inertia as bodies
from armdyn.base.errors import MissingLibrary, ModelError
from armdyn.base.extras import extra
from armdyn.base.threads import cached_property
from armdyn.formats.mesh_bounds import MOST_OF_ALL, UnreadMesh, check_file
from armdyn.formats.mesh_files import find_file, open_mesh
from armdyn.model.geometry import Mesh
from armdyn.spatial.rotations import Array

EXACT_POINTS = 5_000
"""The hull of so many points is exact; of more, that of the outermost points of `COLUMNS` x `COLUMNS` columns."""

COLUMNS = 32
"""Columns across a mesh along each axis; the hull of a ball loses 0.2 % of its volume by them."""

SECONDS_A_MEGABYTE = 0.04
"""Estimated time to open meshes and make their hulls; 0.032 of all in example-robot-data."""

AFFORDABLE = 1.0
"""s; meshes that are estimated to take less are opened by default."""

MORE_THAN_ITS_HULL = 1e-6
"""Relative excess of a surface's volume over that of its hull from which it encloses parts of space twice."""


@dataclass(frozen=True, eq=False)
class Form:
    """A mesh in its own frame and unit.

    Args:
        points: corners of its convex hull, shape (points, 3).
        hull: pseudo-inertia of the hull, filled with unit density, shape (4, 4).
        vertices: of its surface, shape (v, 3).
        faces: places of vertices, shape (f, 3).
    """

    points: Array
    hull: Array
    vertices: Array
    faces: Array

    @cached_property
    def volume(self) -> tuple[Array | None, str]:
        """The pseudo-inertia of what the surface bounds, at unit density; None and the reason if it bounds none."""
        try:
            solid = bodies.mesh((self.vertices, self.faces), density=1.0)
        except ModelError as error:
            return None, str(error).partition(".")[0].removeprefix("mesh: ")
        if solid.mass > (1.0 + MORE_THAN_ITS_HULL) * self.hull[3, 3]:
            return None, "its shells enclose parts of space twice"
        return solid.pseudo_inertia, ""


@dataclass
class Shelf:
    """The meshes of one description, each file opened once.

    Args:
        folder: of the description.
        purposes: of the shapes whose meshes are opened.

    Attributes:
        unread: by path the reason for which a mesh was not opened.
        count: of opened files.
    """

    folder: Path
    purposes: tuple[str, ...] = ()
    unread: dict[str, str] = field(default_factory=dict)
    _files: dict[str, Path | None] = field(default_factory=dict)
    _forms: dict[Path, Form | str] = field(default_factory=dict)
    _room: int = MOST_OF_ALL

    @property
    def count(self) -> int:
        """The number of files that were opened."""
        return sum(isinstance(form, Form) for form in self._forms.values())

    def form(self, path: str) -> Form | None:
        """The mesh of a path in the words of the description; None if it cannot be opened."""
        file = self.file(path)
        form = self._forms.get(file) if file is not None else "not found"
        if form is None:
            assert file is not None  # noqa: S101 - else it is not found
            form = self._forms[file] = self._read(file)
        if isinstance(form, str):
            self.unread[path] = form
            return None
        return form

    def file(self, path: str) -> Path | None:
        """The file of a path in the words of the description; None if it does not exist."""
        if path not in self._files:
            self._files[path] = find_file(Mesh(path, folder=str(self.folder))) if path.strip() else None
        return self._files[path]

    def _read(self, file: Path) -> Form | str:
        try:
            if file.suffix.lower() == ".dae":
                vertices, faces = _of_collada(file)
            else:
                vertices, faces = open_mesh(file, _surface, force="scene", process=False, skip_materials=True)
            if len(faces) > self._room:
                return f"of {len(faces):,} triangles, too many with those of the others"
            self._room -= len(faces)
            used = np.zeros(len(vertices), dtype=bool)
            used[faces.ravel()] = True
            points, hull = hull_of_points(vertices if used.all() else vertices[used])
        except UnreadMesh as error:
            return str(error)
        return Form(points, hull, vertices, faces)


def choice(wish: bool | None, files: Mapping[str, Sequence[Path]]) -> tuple[tuple[str, ...], str]:
    """The purposes of the shapes whose meshes are opened, and a sentence if some are not.

    Args:
        wish: True for all meshes, False for none; None for those that are affordable.
        files: by purpose.

    Raises:
        MissingLibrary: without trimesh, if all are wished for.
    """
    every = {file for of_purpose in files.values() for file in of_purpose}
    if wish is False or not every:
        return (), ""
    if wish:
        extra("trimesh", "armdyn doctor --meshes", name="mesh")
        return tuple(files), ""
    if find_spec("trimesh") is None:
        return (), f"{len(every)} meshes not opened: pip install trimesh"
    for purposes in (tuple(files), ("collision",)):
        chosen = {file for one in purposes for file in files.get(one, ())}
        if chosen and sum(map(_seconds, chosen)) <= AFFORDABLE:
            rest = len(every) - len(chosen)
            return purposes, f"{rest} visual meshes not opened: --meshes opens all" if rest else ""
    return (), f"{len(every)} meshes not opened: --meshes opens all"


def _seconds(file: Path) -> float:
    return file.stat().st_size / 1e6 * SECONDS_A_MEGABYTE


def _surface(scene: Any) -> tuple[Array, Array]:
    """Vertices and faces of all that a scene places."""
    parts = []
    for node in scene.graph.nodes_geometry:
        T, name = scene.graph[node]
        shape = scene.geometry[name]
        if len(getattr(shape, "faces", ())):
            parts.append((np.asarray(shape.vertices) @ T[:3, :3].T + T[:3, 3], np.asarray(shape.faces)))
    return _merge(parts)


def _of_collada(file: Path) -> tuple[Array, Array]:
    """Vertices in m, by the unit that the file states and RViz and Gazebo obey, and faces.

    trimesh, which reads the other formats, merges the vertices, which takes three times as long, and ignores the unit.
    """
    check_file(file)
    try:
        collada = extra("collada", "reading COLLADA", library="pycollada", name="mesh")
    except MissingLibrary:
        raise UnreadMesh("pycollada is not installed") from None
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of pycollada about matrices of NumPy
            document = collada.Collada(str(file), ignore=[collada.DaeError])
            shapes = [part for shape in document.scene.objects("geometry") for part in shape.primitives()]
            triangles = [part.triangleset() if hasattr(part, "triangleset") else part for part in shapes]
            parts = [(part.vertex, part.vertex_index) for part in triangles if _is_surface(part)]
        vertices, faces = _merge(parts)
    except UnreadMesh:
        raise
    except Exception:  # a damaged file makes the library fail in many ways
        raise UnreadMesh("unreadable") from None
    unit = document.assetInfo.unitmeter
    return vertices * (1.0 if unit is None else float(unit)), faces


def _is_surface(part: object) -> bool:
    index = getattr(part, "vertex_index", None)
    return index is not None and np.ndim(index) == 2 and np.shape(index)[1] == 3 and len(index) > 0


def _merge(parts: list[tuple[Array, Array]]) -> tuple[Array, Array]:
    """The vertices and faces of several surfaces, without faces that are not finite."""
    if not parts:
        raise UnreadMesh("empty")
    starts = np.cumsum([0, *(len(vertices) for vertices, _ in parts)])
    count = sum(len(faces) for _, faces in parts)
    if count > MOST_OF_ALL:
        raise UnreadMesh(f"of {count:,} triangles, of which {MOST_OF_ALL:,} are read")
    together = np.concatenate([np.asarray(vertices, dtype=float) for vertices, _ in parts])
    triangles = np.concatenate(
        [np.asarray(faces, dtype=np.int64) + k for (_, faces), k in zip(parts, starts, strict=False)]
    )
    if not np.isfinite(together).all():
        triangles = triangles[np.isfinite(together).all(axis=1)[triangles].all(axis=1)]
    if not len(triangles):
        raise UnreadMesh("empty")
    return together, triangles


def hull_of_points(points: Array) -> tuple[Array, Array]:
    """The corners of the convex hull, shape (corners, 3), and its pseudo-inertia at unit density, shape (4, 4).

    Of points in a plane or on a line the hull has no volume; its corners are those of their box.
    """
    from scipy.spatial import ConvexHull, QhullError  # noqa: PLC0415 - slow to import

    if len(points) > EXACT_POINTS:
        points = outermost(points)
    along = np.ascontiguousarray(points.T)
    low, high = along.min(axis=1), along.max(axis=1)
    size = float((high - low).max()) or 1.0
    middle = (low + high) / 2
    unit = (points - middle) / size
    try:
        hull = ConvexHull(unit)
    except QhullError:
        corners = np.array(list(product(*zip(low, high, strict=True))))
        return corners, np.zeros((4, 4))
    inside = unit[hull.vertices].mean(axis=0)
    corners = np.concatenate([unit[hull.simplices], np.broadcast_to(inside, (len(hull.simplices), 1, 3))], axis=1)
    J = pseudo_inertia_of(corners)
    A = np.diag([size, size, size, 1.0])
    A[:3, 3] = middle
    return points[hull.vertices], transform_pseudo_inertia(J, A)


def pseudo_inertia_of(tetrahedra: Array) -> Array:
    """The pseudo-inertia of tetrahedra of unit density, whichever way round their corners run.

    In homogeneous coordinates x the integral of x x^T over one is V/20 (sum of x_k x_k^T + (sum of x_k)(...)^T).

    Args:
        tetrahedra: their corners, shape (tetrahedra, 4, 3).
    """
    x = np.concatenate([tetrahedra, np.ones((*tetrahedra.shape[:2], 1))], axis=2)
    volumes = np.abs(np.linalg.det(x)) / 6.0
    sums = x.sum(axis=1)
    J: Array = np.einsum("t,tki,tkj->ij", volumes, x, x) + np.einsum("t,ti,tj->ij", volumes, sums, sums)
    return J / 20.0


def transform_pseudo_inertia(J: Array, A: Array) -> Array:
    """The pseudo-inertia of a body of unit density after an affine map of homogeneous coordinates, shape (4, 4)."""
    after: Array = abs(float(np.linalg.det(A[:3, :3]))) * (A @ J @ A.T)
    return after


def outermost(points: Array) -> Array:
    """The first and last point of each column of a grid, along each axis: few points with nearly the same hull."""
    along = np.ascontiguousarray(points.T)  # reductions over rows of three are slow
    low, high = along.min(axis=1), along.max(axis=1)
    scale = COLUMNS / (float((high - low).max()) or 1.0)
    cells = np.minimum(((along - low[:, None]) * scale).astype(np.int64), COLUMNS - 1)
    chosen = []
    for axis in range(3):
        a, b = (k for k in range(3) if k != axis)
        column = cells[a] * COLUMNS + cells[b]
        for height in (along[axis], -along[axis]):
            highest = np.full(COLUMNS * COLUMNS, -np.inf)
            np.maximum.at(highest, column, height)
            reached = np.flatnonzero(height == highest[column])
            one = np.full(COLUMNS * COLUMNS, -1)
            one[column[reached]] = reached  # the last of each column
            chosen.append(one[one >= 0])
    few: Array = points[np.unique(np.concatenate(chosen))]
    return few
