"""Constraints as <loop_joint> elements of a URDF file, for loops that such an element can describe."""

from __future__ import annotations

from xml.etree.ElementTree import Element, SubElement

import numpy as np

from armdyn.base.errors import Unsupported
from armdyn.constraints.held import Held
from armdyn.formats.export.numbers import numbers, rpy_of
from armdyn.model.constraints import Constraint
from armdyn.model.model import Model

TYPES = {
    ("x", "y", "z", "rx", "ry", "rz"): "fixed",
    ("x", "y", "z", "rx", "ry"): "revolute",
    ("x", "y", "rx", "ry", "rz"): "prismatic",
    ("x", "y", "z"): "spherical",
    ("z", "rx", "ry"): "planar",
}
"""The type of joint, by the constrained directions, with z along the joint's axis."""


def add_loops(root: Element, model: Model) -> None:
    """Write every constraint, or refuse one that is not such a loop."""
    for constraint in model.constraints:
        if not isinstance(constraint, Held) or constraint.axes not in TYPES:
            raise Unsupported(_refusal(model, constraint))
        kind = TYPES[constraint.axes]
        loop = SubElement(root, "loop_joint", name=constraint.name, type=kind)
        ends = ((constraint.frame, constraint.T_frame_A), (constraint.to, constraint.T_to_B))
        for tag, (link, T) in zip(("link1", "link2"), ends, strict=True):
            place, turn = numbers(T[:3, 3]), numbers(np.array(rpy_of(T[:3, :3])))
            SubElement(loop, tag, link=link or model.base, xyz=place, rpy=turn)
        if kind not in ("fixed", "spherical"):
            SubElement(loop, "axis", xyz="0 0 1")


def _refusal(model: Model, constraint: Constraint) -> str:
    return (
        f"{model.name!r}: constraint {constraint.name!r} ({type(constraint).__name__}) has no place in URDF, whose "
        "loops are fixed, revolute, prismatic, spherical or planar. Write the tree alone: "
        "robot.without_constraints().to_urdf()."
    )
