"""The twists of the links at unit rates of the joints: screws, carried outwards from link to link."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from armdyn.algorithms.newton_euler import twist_in_child
from armdyn.model.mechanism import Body, Mechanism
from armdyn.spatial.rotations import Array, Z, cross

NOTHING = np.zeros(3)


class LinkScrew(NamedTuple):
    """A twist: angular velocity, and velocity of the origin of the frame in which it is expressed, or rates of both."""

    w: Array
    v: Array


Path = dict[int, LinkScrew]
"""Screws by the body of their joint, base to tip."""


def unit_screws(mechanism: Mechanism) -> list[LinkScrew]:
    """The twist of each body at unit rate of its own joint: turn about z, or slide along it (Modern Robotics 3.79)."""
    return [LinkScrew(Z, NOTHING) if body.revolute else LinkScrew(NOTHING, Z) for body in mechanism.bodies]


def carried_outwards(mechanism: Mechanism, q: Array, screws: Sequence[LinkScrew]) -> list[Path]:
    """The screws of all joints that carry a body, as twists of that body; q by body (Modern Robotics 8.51)."""
    paths: list[Path] = []
    for k, body in enumerate(mechanism.bodies):
        inner = paths[body.parent] if body.parent >= 0 else {}
        turns = body.turns_at(q[k])
        carried = {j: LinkScrew(*twist_in_child(body, q[k], turns, *screw)) for j, screw in inner.items()}
        paths.append(carried | {k: screws[k]})
    return paths


def link_frame(body: Body) -> tuple[Array, Array]:
    """R_BL and p_BL of the description's link frame."""
    return body.link_pose[:3, :3], body.link_pose[:3, 3]


def in_link_frame(body: Body, screw: LinkScrew) -> LinkScrew:
    """A twist of the body about the origin and in the axes of the description's link frame."""
    R, p = link_frame(body)
    return LinkScrew(R.T @ screw.w, R.T @ (screw.v + cross(screw.w, p)))
