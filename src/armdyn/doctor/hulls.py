"""The extent and volume of the shapes on a link: primitives in closed form, meshes if they are opened."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product
from math import pi

import numpy as np

from armdyn.doctor.source import Node
from armdyn.formats.findings import read_number
from armdyn.spatial.rotations import Array


@dataclass(frozen=True, eq=False)
class Hull:
    """A shape of a link.

    Args:
        purpose: "visual" or "collision".
        points: corners of a body that contains it, in the link's frame, m, shape (points, 3).
        volume: m^3; None if it is not known.
        node: the element of the form, e.g. <cylinder>.
    """

    purpose: str
    points: Array
    volume: float | None
    node: Node


def hull_of(shape: Node, T: Array) -> Hull | None:
    """The hull of a <visual> or <collision> at a pose; None of one without a form that is known."""
    geometry = shape.first("geometry")
    form = None if geometry is None or not geometry.children else geometry.children[0]
    sizes = {} if form is None else {name: _numbers(text) for name, text in form.attributes.items()}
    if form is None:
        return None
    half, volume = _half_and_volume(form.tag, sizes)
    if half is None or not np.isfinite(half).all() or not np.isfinite(T).all():
        return None
    corners = np.array([[a * half[0], b * half[1], c * half[2]] for a, b, c in product((-1.0, 1.0), repeat=3)])
    return Hull(shape.tag, corners @ T[:3, :3].T + T[:3, 3], volume, form)


def _numbers(text: str) -> list[float]:
    return [read_number(word) for word in text.split()]


def _half_and_volume(tag: str, sizes: dict[str, list[float]]) -> tuple[Array | None, float | None]:
    """Half the edges of the box around a primitive, and its volume."""
    one = {name: values[0] for name, values in sizes.items() if len(values) == 1}
    if tag == "box" and len(sizes.get("size", ())) == 3:
        edges = np.array(sizes["size"])
        return edges / 2, float(np.prod(edges))
    if tag == "sphere" and "radius" in one:
        r = one["radius"]
        return np.full(3, r), 4.0 / 3.0 * pi * r**3
    if tag in ("cylinder", "capsule") and {"radius", "length"} <= one.keys():
        r, h = one["radius"], one["length"]
        ball = 4.0 / 3.0 * pi * r**3 if tag == "capsule" else 0.0
        return np.array([r, r, h / 2 + (r if tag == "capsule" else 0.0)]), pi * r**2 * h + ball
    return None, None
