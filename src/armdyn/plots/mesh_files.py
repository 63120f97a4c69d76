"""The mesh files that a description names: found, read by trimesh, thinned where they are very fine."""

from __future__ import annotations

import os
import posixpath
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from armdyn.errors import MissingLibrary
from armdyn.extras import extra
from armdyn.model.geometry import Mesh
from armdyn.spatial.rotations import Array

PACKAGES = (("ROS_PACKAGE_PATH", ""), ("AMENT_PREFIX_PATH", "share"))
"""Environment variables with folders of packages, and where these stand in them."""

Result = TypeVar("Result")

LARGEST_FILE = 200_000_000
"""bytes; larger files are not opened for a picture."""


class UnreadMesh(Exception):
    """Why a mesh is not drawn, in a few words; the picture is drawn without it."""


def find_file(mesh: Mesh) -> Path | None:
    """The file of a mesh, where there is one; ``package://NAME/...`` is looked for as `_in_packages` says."""
    scheme, separator, rest = mesh.path.replace("\\", "/").partition("://")
    if not separator:
        candidates: Iterator[Path] = iter([Path(mesh.location)])
    elif scheme == "file":
        candidates = iter([Path(rest)])
    elif scheme in ("package", "model"):
        candidates = _in_packages(rest, mesh.folder)
    else:
        return None
    return next((path for path in candidates if _is_file(path)), None)


def _is_file(path: Path) -> bool:
    try:
        return path.is_file()
    except (OSError, ValueError):  # a name that is too long, a NUL character
        return False


def _in_packages(rest: str, folder: str) -> Iterator[Path]:
    """Possible paths of NAME/FILE of a package: in or beside the folders of the description, then in ROS's paths.

    None leaves its package: there is no file of a NAME or FILE that leads out by "..".
    """
    name, _, inside = rest.partition("/")
    inside = posixpath.normpath(inside.lstrip("/"))
    if name in ("", ".", "..") or inside == ".." or inside.startswith("../"):
        return
    if folder:
        for above in (Path(folder), *Path(folder).parents):
            if above.name == name:
                yield above / inside
            yield above / name / inside
    for variable, below in PACKAGES:
        for root in filter(None, os.environ.get(variable, "").split(os.pathsep)):
            if Path(root).name == name:
                yield Path(root) / inside
            yield Path(root) / below / name / inside


def read_triangles(mesh: Mesh) -> Array:
    """The triangles of a mesh in its own frame, scaled, m, shape (triangles, 3, 3).

    Raises:
        UnreadMesh: a file that is missing, too large or unreadable, or a library that is not installed.
    """
    triangles = opened(mesh, _triangles, force="mesh", process=False, skip_materials=True)
    finite = triangles[np.isfinite(triangles).all(axis=(1, 2))] if triangles.size else triangles
    if not len(finite):
        raise UnreadMesh("empty")
    scaled: Array = finite * np.asarray(mesh.scale)
    return scaled


def _triangles(read: Any) -> Array:
    return np.asarray(read.triangles, dtype=float)


def opened(mesh: Mesh, taken: Callable[[Any], Result], **options: Any) -> Result:
    """The result of a function of the object that `trimesh.load` makes of the file of a mesh, with these options.

    Raises:
        UnreadMesh: a file that is missing, too large or unreadable, or a library that is not installed.
    """
    path = find_file(mesh)
    if path is None:
        raise UnreadMesh("not found")
    if path.stat().st_size > LARGEST_FILE:
        raise UnreadMesh(f"larger than {LARGEST_FILE // 1_000_000} MB")
    try:
        trimesh = extra("trimesh", "a picture of meshes", name="mesh")
    except MissingLibrary:
        raise UnreadMesh("trimesh is not installed") from None
    try:
        return taken(trimesh.load(path, **options))
    except Exception as error:
        needs_collada = path.suffix.lower() == ".dae" and "collada" in repr(error).lower()
        raise UnreadMesh("pycollada is not installed" if needs_collada else "unreadable") from None


def thinned(triangles: Array, most: int) -> Array:
    """About so many triangles at most: corners that share a cell of a grid become one, at their mean.

    >>> fine = np.random.default_rng(0).uniform(size=(5000, 3, 3))
    >>> len(thinned(fine, 1000)) <= 1000
    True
    """
    cells = 64
    while len(triangles) > most and cells >= 2:
        coarse = _clustered(triangles, cells)
        if len(coarse) <= most:
            return coarse
        cells = cells * 3 // 4
    return triangles[: max(most, 0)] if len(triangles) > most else triangles


def _clustered(triangles: Array, cells: int) -> Array:
    corners = triangles.reshape(-1, 3)
    low, size = corners.min(axis=0), float(np.ptp(corners, axis=0).max())
    places = np.floor((corners - low) * (cells / max(size, 1e-300))).astype(np.int64)
    _, which = np.unique(places, axis=0, return_inverse=True)
    which = which.reshape(-1)
    counts = np.bincount(which)
    means = np.stack([np.bincount(which, weights=corners[:, k]) / counts for k in range(3)], axis=-1)
    faces = which.reshape(-1, 3)
    kept = (faces != np.roll(faces, 1, axis=1)).all(axis=1)
    _, first = np.unique(np.sort(faces[kept], axis=1), axis=0, return_index=True)
    reduced: Array = means[faces[kept][first]]
    return reduced
