"""MJCF models with missing meshes and textures: no equation needs them if bodies state their inertia.

MuJoCo's compiler opens every file that a document names. Those that are missing are replaced, in its `MjSpec`, by a
tetrahedron or a colour; the geoms and their places stay. A mesh is needed if the inertia of a body that moves comes
from it. This module imports nothing but MuJoCo, so that another process can run it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

VERTICES = (0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0)
"""Vertices of a tetrahedron, in place of a mesh."""

FACES = (0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3)
"""Faces of that tetrahedron."""

NEEDED = "mesh "
"""The beginning of the message on a missing mesh that is needed."""

NO_FILE = "opening file"
"""The part of the compiler's message that names a file that it cannot open."""


@dataclass
class FilelessModel:
    """A model without the files that are missing.

    Args:
        model: the ``mjModel``; None if a missing mesh is needed.
        meshes: by the name of a mesh its file, as a path, and its scale.
        names: the missing files, as the document names them.
        needed: the bodies whose inertia comes from a missing mesh, and its file.
    """

    model: Any = None
    meshes: dict[str, tuple[str, list[float]]] = field(default_factory=dict)
    names: list[str] = field(default_factory=list)
    needed: dict[str, str] = field(default_factory=dict)


def compiled_file(mujoco: Any, path: str) -> FilelessModel:
    """Compile a document unchanged, or else without its missing files.

    Raises:
        ValueError: a document that the compiler refuses, or a missing mesh from which the inertia of a body comes.
    """
    try:
        return FilelessModel(mujoco.MjModel.from_xml_path(path))
    except ValueError as error:
        if NO_FILE not in str(error) or not hasattr(mujoco, "MjSpec"):
            raise
        refusal = error
    try:
        result = compile_without(mujoco, path)
    except (ValueError, AttributeError, TypeError):  # unreadable either way; versions with another MjSpec
        raise refusal from None
    if result.model is None:
        body, file = next(iter(result.needed.items()))
        raise ValueError(f"{NEEDED}{file!r}, from which the inertia of body {body!r} comes, is not there")
    return result


def compile_without(mujoco: Any, path: str) -> FilelessModel:
    """Compile a document with substitutes for its missing files."""
    spec, result = mujoco.MjSpec.from_file(path), FilelessModel()
    folder = Path(path).absolute().parent
    missing = {}
    for mesh in spec.meshes:
        if file := _missing(folder, spec, mesh.compiler.meshdir, mesh.file):
            missing[mesh.name] = mesh
            result.meshes[mesh.name] = (str(file), [float(x) for x in mesh.scale])
            result.names.append(mesh.file)
    for geom in spec.geoms:
        if geom.meshname not in missing:
            continue
        body = geom.parent
        if _moves(body) or spec.compiler.settotalmass > 0.0:
            if _gives_inertia(mujoco, geom, body):
                result.needed.setdefault(body.name or "without a name", missing[geom.meshname].file)
        else:
            geom.mass = 0.0  # of a body at rest
        geom.type = mujoco.mjtGeom.mjGEOM_MESH  # a shape that is fitted to a mesh is not known
    if result.needed:
        return result
    for mesh in missing.values():
        mesh.uservert, mesh.userface, mesh.file, mesh.scale = VERTICES, FACES, "", (1.0, 1.0, 1.0)
    result.names += _replace_looks(mujoco, folder, spec)
    result.model = spec.compile()
    return result


def _missing(folder: Path, spec: Any, own_folder: str, file: str) -> Path | None:
    """The path of a file that is not there; None for one that is there, or without a file."""
    if not file:
        return None
    path = folder / own_folder / (Path(file).name if spec.strippath else file)
    return None if path.exists() else path


def _moves(body: Any) -> bool:
    """True if there is a joint between a body and the world."""
    while body is not None and body.name != "world":
        if len(body.joints):
            return True
        body = body.parent
    return False


def _gives_inertia(mujoco: Any, geom: Any, body: Any) -> bool:
    """True if the inertia of a body comes from a geom: it is not stated, or the stated one is not used."""
    compiler, rule = geom.compiler, mujoco.mjtInertiaFromGeom
    if compiler.inertiafromgeom == rule.mjINERTIAFROMGEOM_FALSE:
        return False
    if compiler.inertiafromgeom == rule.mjINERTIAFROMGEOM_AUTO and body.explicitinertial:
        return False
    least, most = compiler.inertiagrouprange
    has_mass = geom.mass > 0.0 or (geom.mass != geom.mass and geom.density > 0.0)  # NaN: by its density
    return bool(least <= geom.group <= most and has_mass)


def _replace_looks(mujoco: Any, folder: Path, spec: Any) -> Iterator[str]:
    """Textures, height fields and skins without their files."""
    flat = mujoco.mjtBuiltin.mjBUILTIN_FLAT
    for texture in spec.textures:
        files = [texture.file, *texture.cubefiles]
        if absent := [file for file in files if _missing(folder, spec, texture.compiler.texturedir, file)]:
            texture.file, texture.builtin, texture.width, texture.height = "", flat, 1, 6
            for k in range(len(texture.cubefiles)):
                texture.cubefiles[k] = ""
            yield from absent
    for field_ in spec.hfields:
        if _missing(folder, spec, field_.compiler.meshdir, field_.file):
            yield field_.file
            field_.file, field_.nrow, field_.ncol, field_.userdata = "", 2, 2, (0.0, 0.0, 0.0, 1.0)
    for skin in list(spec.skins):
        if _missing(folder, spec, skin.compiler.meshdir, skin.file):
            yield skin.file
            spec.delete(skin)
