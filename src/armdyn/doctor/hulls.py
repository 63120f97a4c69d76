"""The extent and volume of the shapes on a link: primitives in closed form, meshes if they are opened."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product

import numpy as np

import armdyn.inertia as bodies
from armdyn.doctor.meshes import Form, Shelf, transform_pseudo_inertia
from armdyn.doctor.source import Node
from armdyn.formats.findings import read_number
from armdyn.model.bounds import LONGEST, SHORTEST
from armdyn.model.inertia import Inertia
from armdyn.spatial.mass_properties import parts_of_pseudo_inertia
from armdyn.spatial.rotations import Array

WATER = 1000.0
"""kg/m^3."""


@dataclass(frozen=True, eq=False)
class Hull:
    """A shape of a link.

    Args:
        purpose: "visual" or "collision".
        points: corners of a body that contains it, in the link's frame, m, shape (points, 3).
        volume: of it, that of a mesh's convex hull, m^3; None if it is not known.
        node: the element of the form, e.g. <cylinder>.
        solid: the body of this shape, or of a mesh's hull, and 1000 kg/m^3, in the link's frame; None if its volume is
            not known.
        mesh: of a mesh, the opened file.
        placed: the affine map from its frame and unit to the link's, shape (4, 4); None if it is not kept.
    """

    purpose: str
    points: Array
    volume: float | None
    node: Node
    solid: Inertia | None = None
    mesh: Form | None = None
    placed: Array | None = None

    @property
    def filled(self) -> tuple[Inertia | None, str]:
        """The body of 1000 kg/m^3 that the shape bounds; of a mesh that bounds no volume its hull, and the reason."""
        if self.mesh is None or self.placed is None:
            return self.solid, ""
        J, reason = self.mesh.volume
        return (self.solid if J is None else _body(transform_pseudo_inertia(J, self.placed))), reason


def hull_of(shape: Node, T: Array, meshes: Shelf | None = None) -> Hull | None:
    """The hull of a <visual> or <collision> at a pose; None of one without a form that is known."""
    geometry = shape.first("geometry")
    form = None if geometry is None or not geometry.children else geometry.children[0]
    sizes = {} if form is None else {name: _numbers(text) for name, text in form.attributes.items()}
    if form is None:
        return None
    if form.tag == "mesh" and meshes is not None and shape.tag in meshes.purposes and np.isfinite(T).all():
        return _of_mesh(shape, form, sizes.get("scale") or [1.0, 1.0, 1.0], T, meshes)
    half, body = _half_and_body(form.tag, sizes)
    if half is None or not (np.abs(half) <= LONGEST).all() or not (np.abs(T) <= LONGEST).all():
        return None
    corners = np.array([[a * half[0], b * half[1], c * half[2]] for a, b, c in product((-1.0, 1.0), repeat=3)])
    solid = None if body is None else body.seen_from(T)
    volume = None if solid is None else solid.mass / WATER
    return Hull(shape.tag, corners @ T[:3, :3].T + T[:3, 3], volume, form, solid, placed=T)


def _of_mesh(shape: Node, form: Node, scale: list[float], T: Array, meshes: Shelf) -> Hull | None:
    if len(scale) != 3 or not np.isfinite(scale).all() or not np.prod(scale):
        return None
    mesh = meshes.form(form.attributes.get("filename", ""))
    if mesh is None:
        return None
    return hull_of_mesh(shape.tag, form, mesh, T @ np.diag([*scale, 1.0]))


def hull_of_mesh(purpose: str, node: Node, mesh: Form, A: Array) -> Hull:
    """The hull of an opened mesh after an affine map into the link's frame and unit.

    Args:
        purpose: "visual" or "collision".
        node: the element that states the scale, or could.
        mesh: the opened file.
        A: the map, shape (4, 4).
    """
    points = mesh.points @ A[:3, :3].T + A[:3, 3]
    J = transform_pseudo_inertia(mesh.hull, A)
    solid = _body(J) if J[3, 3] > 0.0 else None
    return Hull(purpose, points, float(J[3, 3]) or None, node, solid, mesh, A)


def _body(J: Array) -> Inertia:
    """The body of a pseudo-inertia at unit density, with that of water."""
    mass, com, tensor = parts_of_pseudo_inertia(WATER * J)
    return Inertia(float(mass), com, tensor)


def _numbers(text: str) -> list[float]:
    return [read_number(word) for word in text.split()]


def _half_and_body(tag: str, sizes: dict[str, list[float]]) -> tuple[Array | None, Inertia | None]:
    """Half the edges of the box around a primitive, and the body of this form that is as dense as water."""
    one = {name: values[0] for name, values in sizes.items() if len(values) == 1}
    if tag == "box" and len(sizes.get("size", ())) == 3:
        edges = np.array(sizes["size"])
        return edges / 2, bodies.box(edges.tolist(), density=WATER) if are_lengths(*edges) else None
    if tag == "sphere" and "radius" in one:
        r = one["radius"]
        return np.full(3, r), bodies.sphere(r, density=WATER) if are_lengths(r) else None
    if tag in ("cylinder", "capsule") and {"radius", "length"} <= one.keys():
        r, h = one["radius"], one["length"]
        body = bodies.capsule if tag == "capsule" else bodies.cylinder
        half = np.array([r, r, h / 2 + (r if tag == "capsule" else 0.0)])
        return half, body(r, h, density=WATER) if are_lengths(r, h) else None
    return None, None


def are_lengths(*sizes: float) -> bool:
    """True if all sizes of a shape are lengths of which a body can be made, m."""
    return all(SHORTEST <= size <= LONGEST for size in sizes)
