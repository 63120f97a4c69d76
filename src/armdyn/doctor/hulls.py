"""The extent and volume of the shapes on a link: primitives in closed form, meshes if they are opened."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product

import numpy as np

import armdyn.inertia as bodies
from armdyn.doctor.source import Node
from armdyn.formats.findings import read_number
from armdyn.model.inertia import Inertia
from armdyn.spatial.rotations import Array

WATER = 1000.0
"""kg/m^3."""


@dataclass(frozen=True, eq=False)
class Hull:
    """A shape of a link.

    Args:
        purpose: "visual" or "collision".
        points: corners of a body that contains it, in the link's frame, m, shape (points, 3).
        volume: m^3; None if it is not known.
        node: the element of the form, e.g. <cylinder>.
        solid: the body of this shape and 1000 kg/m^3, in the link's frame; None if its volume is not known.
    """

    purpose: str
    points: Array
    volume: float | None
    node: Node
    solid: Inertia | None = None


def hull_of(shape: Node, T: Array) -> Hull | None:
    """The hull of a <visual> or <collision> at a pose; None of one without a form that is known."""
    geometry = shape.first("geometry")
    form = None if geometry is None or not geometry.children else geometry.children[0]
    sizes = {} if form is None else {name: _numbers(text) for name, text in form.attributes.items()}
    if form is None:
        return None
    half, body = _half_and_body(form.tag, sizes)
    if half is None or not np.isfinite(half).all() or not np.isfinite(T).all():
        return None
    corners = np.array([[a * half[0], b * half[1], c * half[2]] for a, b, c in product((-1.0, 1.0), repeat=3)])
    solid = None if body is None else body.seen_from(T)
    volume = None if solid is None else solid.mass / WATER
    return Hull(shape.tag, corners @ T[:3, :3].T + T[:3, 3], volume, form, solid)


def _numbers(text: str) -> list[float]:
    return [read_number(word) for word in text.split()]


def _half_and_body(tag: str, sizes: dict[str, list[float]]) -> tuple[Array | None, Inertia | None]:
    """Half the edges of the box around a primitive, and the body of this form that is as dense as water."""
    one = {name: values[0] for name, values in sizes.items() if len(values) == 1}
    if tag == "box" and len(sizes.get("size", ())) == 3:
        edges = np.array(sizes["size"])
        return edges / 2, bodies.box(edges.tolist(), density=WATER) if _positive(*edges) else None
    if tag == "sphere" and "radius" in one:
        r = one["radius"]
        return np.full(3, r), bodies.sphere(r, density=WATER) if _positive(r) else None
    if tag in ("cylinder", "capsule") and {"radius", "length"} <= one.keys():
        r, h = one["radius"], one["length"]
        body = bodies.capsule if tag == "capsule" else bodies.cylinder
        half = np.array([r, r, h / 2 + (r if tag == "capsule" else 0.0)])
        return half, body(r, h, density=WATER) if _positive(r, h) else None
    return None, None


def _positive(*sizes: float) -> bool:
    return all(np.isfinite(size) and size > 0.0 for size in sizes)
