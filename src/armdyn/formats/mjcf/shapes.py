"""The geoms of a compiled model as shapes: MuJoCo's half lengths doubled, its meshes at the places of their files.

The compiler moves the vertices of a mesh to its centre of mass and turns them to its principal axes, and every geom of
the mesh to match: v_file = R(mesh_quat) v_compiled + mesh_pos. The pose kept is that of the file's own frame.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from armdyn.base.errors import ModelError
from armdyn.base.exact import exact
from armdyn.formats.mjcf.compiler import CompiledMjcf
from armdyn.formats.mjcf.names import Names
from armdyn.formats.mjcf.places import pose_of
from armdyn.model.geometry import Box, Capsule, Cylinder, Ellipsoid, Geometry, Mesh, Plane, Purpose, Shape, Sphere
from armdyn.spatial.rotations import Array, inverse_rigid, rigid, rotation_from_quaternion

FORMS: Mapping[str, Callable[[Any], Shape]] = {
    "plane": lambda size: Plane((2 * size[0] or np.inf, 2 * size[1] or np.inf)),
    "sphere": lambda size: Sphere(size[0]),
    "capsule": lambda size: Capsule(size[0], 2 * size[1]),
    "ellipsoid": Ellipsoid,
    "cylinder": lambda size: Cylinder(size[0], 2 * size[1]),
    "box": lambda size: Box(2 * size),
}
"""The shape of a geom, by its type, from its size."""

LAST_SHOWN_GROUP = 2
"""MuJoCo's viewer shows the groups up to this one; a shown collision geom is a visual shape too."""

UNSET = (0.5, 0.5, 0.5, 1.0)
"""The colour of a geom that has none of its own; its material's is used instead."""

DIGITS = 7
"""The digits of colours, which MuJoCo has in float32."""


def read_shapes(compiled: CompiledMjcf, names: Names) -> tuple[list[Geometry], list[str]]:
    """Every geom, once for each of its purposes, and notes on those whose shape is not kept."""
    m = compiled.m
    result: list[Geometry] = []
    notes: list[str] = []
    touching = {*m.pair_geom1.tolist(), *m.pair_geom2.tolist()}
    for g in range(m.ngeom):
        shape: Shape | None
        pose = pose_of(m.geom_pos[g], m.geom_quat[g])
        kind = compiled.mujoco.mjtGeom(m.geom_type[g]).name.removeprefix("mjGEOM_").lower()
        if kind in FORMS:
            with np.errstate(over="ignore"):  # an infinite size is refused below
                shape, fault = FORMS[kind](m.geom_size[g]), ""
        elif kind == "mesh":
            shape, pose, fault = _mesh(compiled, int(m.geom_dataid[g]), pose)
        else:
            shape, fault = None, f"is of type {kind}, which is not kept"
        if shape is None:
            notes.append(f"{compiled.label('geom', g)} {fault}: it is left out of the shapes")
            continue
        collides = bool(m.geom_contype[g] or m.geom_conaffinity[g]) or g in touching
        seen = not collides or m.geom_group[g] <= LAST_SHOWN_GROUP
        purposes: dict[Purpose, bool] = {"visual": seen, "collision": collides}
        link, name, color = names.bodies[m.geom_bodyid[g]], compiled.name("geom", g), _color(m, g)
        try:
            result += [Geometry(link, purpose, shape, pose, color, name) for purpose in purposes if purposes[purpose]]
        except ModelError as error:
            notes.append(f"{compiled.label('geom', g)}: {error} It is left out of the shapes")
    return result, notes


def _color(m: Any, g: int) -> tuple[float, ...]:
    """The geom's own colour, or that of its material, from 0 to 1."""
    own = tuple(m.geom_rgba[g].tolist())
    rgba = m.mat_rgba[m.geom_matid[g]] if own == UNSET and m.geom_matid[g] >= 0 else m.geom_rgba[g]
    return tuple(round(min(max(float(share), 0.0), 1.0), DIGITS) for share in rgba)


def _mesh(compiled: CompiledMjcf, i: int, pose: Array) -> tuple[Mesh | None, Array, str]:
    """The file of a mesh and the pose of its frame, from that of the geom; or the reason why there is none."""
    m = compiled.m
    start, name = int(m.mesh_pathadr[i]), compiled.name("mesh", i)
    label = f"mesh {name!r}"
    if start < 0 and name not in compiled.meshes:
        return None, pose, f"is {label}, which no file holds"
    scale: Any = np.array(compiled.meshes[name][1]) if name in compiled.meshes else m.mesh_scale[i]
    reference = _reference(compiled, i, scale)
    if reference is None:
        return None, pose, f"is {label}, which refquat turns before its axes are scaled differently"
    whole = (
        compiled.meshes[name][0] if name in compiled.meshes else m.paths[start : m.paths.index(b"\0", start)].decode()
    )
    path = os.path.abspath(whole)
    folder = compiled.folder
    inside = path.startswith(os.path.join(folder, ""))
    mesh = Mesh(os.path.relpath(path, folder) if inside else path, scale, folder)
    return mesh, pose @ inverse_rigid(pose_of(m.mesh_pos[i], m.mesh_quat[i])) @ reference, ""


def _reference(compiled: CompiledMjcf, i: int, scale: Array) -> Array | None:
    """The frame of a mesh's file before it is centred: v = S R(refquat)^T (v_file - refpos), with S the scale.

    The compiled model does not hold refpos and refquat; they are read from the file, not from what it includes. None if
    S and R are not a scale followed by a rigid motion.
    """
    name = compiled.name("mesh", i)
    meshes = (e.attributes for part in compiled.root.all("asset") for e in part.all("mesh"))
    words = next((w for w in meshes if w.get("name", Path(w.get("file", "")).stem) == name), {})
    position = exact([float(x) for x in words.get("refpos", "0 0 0").split()])
    if "refquat" not in words:
        return rigid(p=-exact(scale) * position)
    if scale[0] != scale[1] or scale[0] != scale[2]:
        return None
    R = rotation_from_quaternion(*(float(x) for x in words["refquat"].split()))
    return rigid(R.T, -scale[0] * (R.T @ position))
