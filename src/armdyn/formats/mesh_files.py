"""The mesh files that a description names: found, and opened by trimesh within bounds."""

from __future__ import annotations

import os
import posixpath
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, TypeVar

from armdyn.base.errors import MissingLibrary
from armdyn.base.extras import extra
from armdyn.formats.mesh_bounds import UnreadMesh, check_file
from armdyn.model.geometry import Mesh

PACKAGES = (("ROS_PACKAGE_PATH", ""), ("AMENT_PREFIX_PATH", "share"))
"""Environment variables with folders of packages, and the places of packages in them."""

Result = TypeVar("Result")


def find_file(mesh: Mesh) -> Path | None:
    """The file of a mesh, if there is one; `_in_packages` finds ``package://NAME/...``."""
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
    """Possible paths of NAME/FILE of a package: in or next to the folders of the description, then in ROS's paths.

    No path leaves its package: a NAME or FILE that leads out by ".." has no file.
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


def open_mesh(path: Path, taken: Callable[[Any], Result], **options: object) -> Result:
    """The result of a function of the object that `trimesh.load` makes from a file, with these options.

    Raises:
        UnreadMesh: a file that is too large or unreadable, or a library that is not installed.
    """
    try:
        check_file(path)
        trimesh = extra("trimesh", "reading meshes", name="mesh")
    except MissingLibrary:
        raise UnreadMesh("trimesh is not installed") from None
    except OSError:
        raise UnreadMesh("unreadable") from None
    try:
        return taken(trimesh.load(path, **options))
    except UnreadMesh:
        raise
    except Exception as error:
        needs_collada = path.suffix.lower() == ".dae" and "collada" in repr(error).lower()
        raise UnreadMesh("pycollada is not installed" if needs_collada else "unreadable") from None
