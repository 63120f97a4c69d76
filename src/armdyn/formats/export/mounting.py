"""Gravity as the way the base is mounted: a link and a fixed joint below it, whose z axis points up.

Readers of URDF assume gravity along -z of the root. With g in the axes of the base the joint's rotation is

    R_root,base g = |g| (0, 0, -1)^T.
"""

from __future__ import annotations

import math
from typing import NamedTuple
from xml.etree.ElementTree import Element, SubElement

import numpy as np

from armdyn.base.exact import exact, norm, unit
from armdyn.formats.export.numbers import numbers, rpy_of
from armdyn.model.model import STANDARD_GRAVITY, Model
from armdyn.spatial.rotations import Array, cross

WORLD = "world"

STANDARD = math.hypot(*STANDARD_GRAVITY)
"""The size of gravity that other readers assume, m/s^2."""

RELATIVE = 1e-12
"""Relative tolerance of a robot's gravity to that size: rounding of its direction."""


class Mounting(NamedTuple):
    """The root below the base and its joint, and R_root,base."""

    root: str
    joint: str
    R: Array


def mounting_of(model: Model, joints: set[str]) -> Mounting | None:
    """The mounting of the base; None if gravity points along its -z, or is zero.

    Args:
        model: the model of the base.
        joints: the names of all joints that are written.
    """
    g = model.gravity
    if not g.any() or (g[2] < 0.0 and not g[:2].any()):
        return None
    names = {frame.name for frame in model.frames}
    return Mounting(_free(WORLD, names), _free(f"joint_of_{model.base}", joints), _upright(g))


def _free(name: str, taken: set[str]) -> str:
    while name in taken:
        name += "_"
    return name


def _upright(gravity: Array) -> Array:
    """R_root,base: its last row is up, -g/|g|; its first is across, as near to an axis of the base as it can be."""
    up = unit(-exact(gravity))
    along = exact(np.eye(3))[0 if abs(float(up[0])) <= abs(float(up[1])) else 1]
    across = unit(along - up * (up @ along))
    return np.array([across, cross(up, across), up])


def add_mounting(root: Element, model: Model, mounting: Mounting) -> None:
    """The link and the joint."""
    SubElement(root, "link", name=mounting.root)
    joint = SubElement(root, "joint", name=mounting.joint, type="fixed")
    SubElement(joint, "parent", link=mounting.root)
    SubElement(joint, "child", link=model.base)
    SubElement(joint, "origin", xyz="0.0 0.0 0.0", rpy=numbers(rpy_of(mounting.R)))


def is_standard(gravity: Array) -> bool:
    """True if gravity has the size that other readers assume."""
    return math.isclose(float(norm(exact(gravity))), STANDARD, rel_tol=RELATIVE)
