"""Model parameters as inputs of a function: for payloads, identification, randomisation.

A parameter is named "gravity", or "LINK.mass", "LINK.com", "LINK.inertia" for a moving link.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from armdyn.errors import UnknownName
from armdyn.model.mechanism import Mechanism, canonical_inertia
from armdyn.model.model import Model
from armdyn.spatial.rotations import Array

SHAPES: Mapping[str, tuple[int, ...]] = {"mass": (), "com": (3,), "inertia": (3, 3)}
"""The quantities of a link that can be inputs: m, kg; c in the link frame, m; I_c in link axes, kg m^2."""


class LinkInertia(NamedTuple):
    """What `Inertia` holds, of numbers or traced scalars."""

    mass: Any
    com: Array
    tensor: Array


def parameter_shape(model: Model, name: str) -> tuple[int, ...]:
    """The shape of the input a parameter becomes, or an `UnknownName` that says what there is."""
    if name == "gravity":
        return (3,)
    link, _, quantity = name.rpartition(".")
    moving = model.link_names[1:]
    if quantity not in SHAPES or link not in moving:
        known = ["gravity", *(f"{one}.{quantity}" for one in moving for quantity in SHAPES)]
        raise UnknownName.of("parameter", name, known, repr(model.name))
    return SHAPES[quantity]


def parameter_value(model: Model, name: str) -> Array:
    """The number or array the model itself has for a parameter."""
    if name == "gravity":
        return model.gravity
    link, _, quantity = name.rpartition(".")
    inertia = model.link(link).inertia
    return np.asarray({"mass": inertia.mass, "com": inertia.com, "inertia": inertia.tensor}[quantity])


def with_parameters(mechanism: Mechanism, values: Mapping[str, Any]) -> Mechanism:
    """The mechanism with some parameters replaced by traced scalars."""
    of_link: dict[str, dict[str, Any]] = {}
    for name, value in values.items():
        if name != "gravity":
            link, _, quantity = name.rpartition(".")
            of_link.setdefault(link, {})[quantity] = value
    bodies = []
    for body in mechanism.bodies:
        if body.name in of_link:
            own = mechanism.model.link(body.name).inertia
            changed = of_link[body.name]
            inertia = LinkInertia(
                changed.get("mass", own.mass), changed.get("com", own.com), changed.get("inertia", own.tensor)
            )
            mass, h, S = canonical_inertia(inertia, body.link_pose)
            body = dataclasses.replace(body, mass=mass, first_moment=h, second_moment=S)  # noqa: PLW2901
        bodies.append(body)
    gravity = values.get("gravity", mechanism.gravity)
    return dataclasses.replace(mechanism, bodies=tuple(bodies), gravity=gravity)
