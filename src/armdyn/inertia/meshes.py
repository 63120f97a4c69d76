"""Inertia of a closed triangle mesh filled with a density; trimesh reads the files, and integrates uniform ones."""

from __future__ import annotations

from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from armdyn.base.checks import array, number
from armdyn.base.errors import MissingLibrary, ModelError, ShapeError, Unsupported
from armdyn.inertia.arguments import mass_from
from armdyn.inertia.density import DensityLike, integrate_moments, varies
from armdyn.inertia.regions import tetrahedra
from armdyn.model.inertia import Inertia
from armdyn.spatial.rotations import Array

if TYPE_CHECKING:
    from types import ModuleType

FORMATS = (".stl", ".obj", ".ply", ".off")
"""Mesh files that are read; none of them refers to another file that is needed."""

NO_VOLUME = 1e-12
"""The largest volume that counts as zero, relative to the cube around the mesh."""


def mesh(
    source: object, *, mass: float | None = None, density: DensityLike | None = None, scale: float = 1.0
) -> Inertia:
    """Inertia of a closed triangle mesh filled with a density, kg, m and kg m^2 (Modern Robotics 8.24).

    Frame: the mesh's own. The surface has to be closed, with its faces counter-clockwise seen from outside; an inner
    surface with its faces the other way round is a cavity. If a surface cuts itself, a volume that is enclosed twice
    counts twice.

    Args:
        source: path of an STL, OBJ, PLY or OFF file; a `trimesh.Trimesh`, or a pair (vertices, faces) of shapes (n, 3),
            m, and (k, 3), whole numbers.
        mass: kg; give this or ``density``.
        density: kg/m^3, or a function rho(x, y, z) of arrays in the mesh's frame, m (`armdyn.inertia.Density`). It is
            evaluated in the tetrahedra from the middle of the mesh to its faces. If these reach outside the body, their
            parts there cancel, but the function must have a value there too.
        scale: m per unit of the mesh: 0.001 for a mesh in millimetres.

    Raises:
        ModelError: if the mesh is open (with the number of open edges), inside out, flat or unreadable, or not exactly
            one of mass and density is given.
        MissingLibrary: if trimesh is not installed (``pip install trimesh``).

    >>> corners = [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]]
    >>> faces = [[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]]
    >>> armdyn.inertia.mesh((corners, faces), density=6.0).mass
    1.0
    """
    trimesh = _trimesh()
    unit = number("scale", scale, above=0.0, expected="metres for one unit of the mesh, such as 1 or 0.001.")
    vertices, faces, name = _surface(trimesh, source)
    low, high = vertices.min(axis=0), vertices.max(axis=0)
    middle, size = (low + high) / 2, float((high - low).max())  # near the mesh, squares of far coordinates cancel
    if size == 0.0:
        raise ModelError(f"{name}: all vertices are the same point; expected a closed surface.")
    surface = trimesh.Trimesh((vertices - middle) / size, faces, process=False)
    surface.merge_vertices()  # e.g. STL files repeat a vertex in every face
    _refuse_holes(np.asarray(surface.faces), name)
    triangles = np.asarray(surface.vertices)[np.asarray(surface.faces)]
    _refuse_volume(triangles, name)
    length = size * unit
    if mass is None and varies(density):
        return integrate_moments([tetrahedra(triangles, middle * unit, length)], density)
    whole = trimesh.triangles.mass_properties(triangles, density=1.0)
    volume = float(whole.volume) * length**3
    m = float(mass_from(volume, mass, density, "density", "kg/m^3"))
    tensor = np.asarray(whole.inertia) * (m / float(whole.volume) * length**2)
    return Inertia(m, middle * unit + np.asarray(whole.center_mass) * length, tensor)


def _trimesh() -> ModuleType:
    try:
        import trimesh  # noqa: PLC0415
    except ImportError:
        raise MissingLibrary("meshes need trimesh, which is not installed: pip install trimesh") from None
    return trimesh


def _surface(trimesh: ModuleType, source: object) -> tuple[Array, Array, str]:
    """Vertices, faces and the name of the mesh in messages."""
    if isinstance(source, str | PathLike):
        source, name = _read(trimesh, Path(source)), repr(str(source))
    else:
        name = "mesh"
    if hasattr(source, "vertices") and hasattr(source, "faces"):
        source = (source.vertices, source.faces)
    elif not isinstance(source, tuple | list) or len(source) != 2:
        raise ShapeError(f"mesh is {type(source).__name__}; expected a path, a Trimesh or a pair (vertices, faces)")
    vertices, faces = _numbers(source[0], "vertices"), _numbers(source[1], "faces")
    if not np.isfinite(vertices).all():
        raise ModelError(f"{name}: a vertex is NaN or infinite; expected finite numbers.")
    corners = faces.astype(np.int64)
    if (corners != faces).any() or corners.min() < 0 or corners.max() >= len(vertices):
        raise ModelError(f"{name}: a face names a vertex that does not exist; expected 0 to {len(vertices) - 1}.")
    return vertices, corners, name


def _numbers(values: object, name: str) -> Array:
    result = array(name, values, ("n", 3), "faces are triangles")
    if not len(result):
        raise ShapeError(f"{name} has shape {result.shape}; expected (n, 3), faces are triangles")
    return result


def _read(trimesh: ModuleType, path: Path) -> Any:
    """The mesh in a file; several objects in it count as one body. Nothing the file refers to is opened."""
    suffix = path.suffix.lower()
    if suffix not in FORMATS:
        raise Unsupported(
            f"{str(path)!r}: mesh files of type {suffix or '(none)'} are not read; convert it to one of "
            f"{', '.join(FORMATS)}, or load it with trimesh and give the Trimesh."
        )
    try:
        with path.open("rb") as file:
            read = trimesh.load_mesh(file, file_type=suffix[1:], process=False)
    except OSError as error:
        raise ModelError(f"{str(path)!r} cannot be read: {error.strerror or error}.") from None
    except Exception as error:  # a damaged file makes trimesh fail in many ways
        raise ModelError(f"{str(path)!r} is not a valid {suffix[1:].upper()} file: {error}.") from error
    if len(getattr(read, "faces", ())) == 0:
        raise ModelError(f"{str(path)!r} holds no triangles.")
    return read


def _refuse_holes(faces: Array, name: str) -> None:
    """Every edge must be traversed as often one way as the other: then the surface encloses a volume."""
    ends = np.concatenate([faces[:, [0, 1]], faces[:, [1, 2]], faces[:, [2, 0]]])
    ends = ends[ends[:, 0] != ends[:, 1]]  # without those of faces that shrank to a line
    forwards = np.where(ends[:, 0] < ends[:, 1], 1, -1)
    _, edge, count = np.unique(np.sort(ends, axis=1), axis=0, return_inverse=True, return_counts=True)
    balance = np.bincount(edge.ravel(), weights=forwards)
    open_edges = int((count % 2 == 1).sum())
    if open_edges:
        raise ModelError(
            f"{name}: the surface is not closed, {open_edges} of its {len(count)} edges are open: they belong to an "
            "odd number of faces. It encloses no volume. Close the holes in the program the mesh comes from, or take "
            "trimesh.Trimesh.convex_hull."
        )
    turned = int((balance != 0).sum())
    if turned:
        raise ModelError(
            f"{name}: faces are not all turned the same way, {turned} of {len(count)} edges join one seen from outside "
            "with one seen from inside. trimesh.repair.fix_normals turns them."
        )


def _refuse_volume(triangles: Array, name: str) -> None:
    volume = np.linalg.det(triangles).sum() / 6  # of the tetrahedra to every face, negative for faces seen from inside
    if abs(volume) < NO_VOLUME:
        raise ModelError(
            f"{name}: the surface is closed but flat, it encloses no volume. For thin bodies take a plate."
        )
    if volume < 0.0:
        raise ModelError(
            f"{name}: the surface is inside out, its faces run clockwise seen from outside and its volume is negative. "
            "Turn them round: faces[:, ::-1], or trimesh.Trimesh.invert()."
        )
