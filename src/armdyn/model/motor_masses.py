"""The masses of motors on links: whole stators, and rotors without the part that spins (Modern Robotics 8.9.2)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from armdyn.base.errors import ModelError
from armdyn.base.exact import exact
from armdyn.model.model import Link, Model
from armdyn.model.motor_parts import MotorPart
from armdyn.spatial.mass_properties import MassProperties, steiner


def with_motor_masses(model: Model, parts: Mapping[str, Sequence[MotorPart]]) -> Model:
    """The model whose links carry the masses of these parts, by joint, in place of those of the joint's own parts.

    Sums are in fifty digits, so that removing them again restores the numbers before.
    """
    on_links: dict[str, list[tuple[int, MassProperties]]] = {}
    for name, new in parts.items():
        joint = model.joint(name)
        for sign, of_joint in ((-1, joint.motor_parts), (1, new)):
            for part in of_joint:
                place = model.place_of(part, joint)
                on_links.setdefault(place.link, []).append((sign, part.fixed_to_link(place)))
    if not on_links:
        return model
    return model.replace(links=tuple(_carrying(link, on_links.get(link.name, ())) for link in model.links))


def _carrying(link: Link, bodies: Sequence[tuple[int, MassProperties]]) -> Link:
    """The link with bodies fixed to it, each added or removed."""
    if not bodies:
        return link
    own = link.exact_inertia
    mass, first, about_origin = own.mass, own.first_moment, own.tensor_about_origin
    for sign, body in bodies:
        mass = mass + sign * body.mass
        first, about_origin = first + sign * body.first_moment, about_origin + sign * body.tensor_about_origin
    if mass < 0:
        raise ModelError(
            f"link {link.name!r} has {float(own.mass):g} kg, less than the motors on it that are to be taken off: its "
            "inertia was changed since. An inertia that with_inertia gives holds the motors on the link."
        )
    com = first / mass if mass else exact(np.zeros(3)) if any(body.mass for _, body in bodies) else own.com
    return Link.of(link.name, MassProperties(mass, com, about_origin - steiner(mass, com)))
