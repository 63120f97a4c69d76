"""Shapes and masses of geoms: primitives in closed form, meshes by their hulls.

https://mujoco.readthedocs.io/en/stable/XMLreference.html#body-geom
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product

import numpy as np

import armdyn.inertia as bodies
from armdyn.base.threads import cached_property
from armdyn.doctor.hulls import WATER, Hull, are_lengths
from armdyn.doctor.mjcf.meshes import Meshes
from armdyn.doctor.mjcf.places import numbers, pose
from armdyn.doctor.mjcf.settings import Attributes, DocumentSettings
from armdyn.doctor.source import Node
from armdyn.formats.findings import read_number
from armdyn.model.bounds import LONGEST
from armdyn.model.inertia import Inertia
from armdyn.spatial.rotations import Array

LONG = ("capsule", "cylinder", "box", "ellipsoid")
"""Forms that ``fromto`` places."""


@dataclass(eq=False)
class Geom:
    """A geom of a body.

    Args:
        node: its element.
        attributes: its own and those of its class.
        frame: the pose in the body of the frame around it, shape (4, 4).
        settings: of the document.
        meshes: the meshes of the document.
    """

    node: Node
    attributes: Attributes
    frame: Array
    settings: DocumentSettings
    meshes: Meshes

    @property
    def form(self) -> str:
        """Its type; "mesh" if it takes its size from a mesh."""
        return "mesh" if "mesh" in self.attributes else _word(self.attributes, "type", "sphere")

    @property
    def mesh(self) -> str | None:
        """The name of the mesh that it shows; None of other types, and of primitives that are fitted to a mesh."""
        is_mesh = _word(self.attributes, "type", "mesh") == "mesh"
        return _word(self.attributes, "mesh", "") or None if is_mesh else None

    @cached_property
    def purpose(self) -> str:
        """The use of its shape: "collision" if it can touch something, else "visual"."""
        touches = any(_number(self.attributes, name, 1.0) != 0.0 for name in ("contype", "conaffinity"))
        return "collision" if touches else "visual"

    @cached_property
    def group(self) -> int:
        """The group of visualization, by which the compiler selects geoms that have mass."""
        group = _number(self.attributes, "group", 0.0)
        return int(group) if np.isfinite(group) else 0

    @cached_property
    def hull(self) -> Hull | None:
        """Its shape in the frame of the body; None of planes, closed meshes and wrong sizes."""
        if self.mesh is not None:
            return self.meshes.hull(self.mesh, self.purpose, self.frame @ pose(self.attributes, self.settings))
        return _hull(self.node, self.attributes, self.frame, self.settings, self.purpose)

    @cached_property
    def mass(self) -> float:
        """Its mass, kg; NaN if it is not known."""
        return _mass(self.attributes, None if self.mesh is not None else self.hull)


def _word(attributes: Attributes, name: str, default: str) -> str:
    return attributes[name].text.strip() if name in attributes else default


def _number(attributes: Attributes, name: str, default: float) -> float:
    return read_number(attributes[name].text.strip()) if name in attributes else default


def _mass(attributes: Attributes, hull: Hull | None) -> float:
    if "mass" in attributes:
        return _number(attributes, "mass", 0.0)
    if _word(attributes, "type", "sphere") in ("plane", "hfield"):
        return 0.0
    density = _number(attributes, "density", WATER)
    if density == 0.0:
        return 0.0
    if hull is None or hull.volume is None or _word(attributes, "shellinertia", "false") == "true":
        return np.nan
    return density * hull.volume


def _hull(node: Node, attributes: Attributes, T: Array, settings: DocumentSettings, purpose: str) -> Hull | None:
    kind = _word(attributes, "type", "sphere")
    if "mesh" in attributes or kind not in ("sphere", *LONG):
        return None
    sizes = [read_number(word) for word in attributes["size"].text.split()] if "size" in attributes else []
    placed = T @ pose(attributes, settings)
    if "fromto" in attributes and kind in LONG and sizes:
        ends = numbers(attributes, "fromto", 6, ())
        along = ends[3:] - ends[:3]
        length = float(np.linalg.norm(along))
        if not length > 0.0:
            return None
        placed = T @ _along(ends[:3] + along / 2, along / length)
        sizes = [sizes[0], length / 2] if kind in ("capsule", "cylinder") else [sizes[0], sizes[0], length / 2]
    half, body = _half_and_body(kind, sizes)
    if half is None or not (np.abs(half) <= LONGEST).all() or not (np.abs(placed) <= LONGEST).all():
        return None
    corners = np.array([[a * half[0], b * half[1], c * half[2]] for a, b, c in product((-1.0, 1.0), repeat=3)])
    solid = None if body is None else body.seen_from(placed)
    volume = None if solid is None else solid.mass / WATER
    return Hull(purpose, corners @ placed[:3, :3].T + placed[:3, 3], volume, node, solid)


def _along(centre: Array, z: Array) -> Array:
    """A pose whose z axis has a direction."""
    T = np.eye(4)
    x = np.cross(z, np.eye(3)[int(np.abs(z).argmin())])
    x /= np.linalg.norm(x)
    T[:3, :3], T[:3, 3] = np.column_stack([x, np.cross(z, x), z]), centre
    return T


def _half_and_body(kind: str, sizes: list[float]) -> tuple[Array | None, Inertia | None]:
    """Half the edges of the box around a form, and the body of this form that is as dense as water."""
    needed = {"sphere": 1, "capsule": 2, "cylinder": 2, "box": 3, "ellipsoid": 3}[kind]
    if len(sizes) < needed or not are_lengths(*sizes[:needed]):
        return None, None
    if kind == "sphere":
        return np.full(3, sizes[0]), bodies.sphere(sizes[0], density=WATER)
    if kind in ("capsule", "cylinder"):
        r, h = sizes[:2]
        body = bodies.capsule if kind == "capsule" else bodies.cylinder
        return np.array([r, r, h + (r if kind == "capsule" else 0.0)]), body(r, 2 * h, density=WATER)
    half = np.array(sizes[:3])
    solid = bodies.ellipsoid(half.tolist(), density=WATER) if kind == "ellipsoid" else None
    return half, solid or bodies.box((2 * half).tolist(), density=WATER)
