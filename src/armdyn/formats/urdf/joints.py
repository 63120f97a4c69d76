"""The joints of a URDF file: what they join, where, about which axis, and within which limits."""

from __future__ import annotations

import math
import sys
from collections.abc import Mapping, Sequence
from difflib import get_close_matches
from typing import Literal

import numpy as np

from armdyn.advice import option
from armdyn.errors import Unsupported
from armdyn.exact import exact, norm, rounded
from armdyn.formats.findings import Part
from armdyn.formats.urdf.origins import UNIT_TOLERANCE, read_origin
from armdyn.formats.xml_tree import Element
from armdyn.model.model import Limits, Model
from armdyn.model.parts import JointPart, MultiDofJoint
from armdyn.model.validation import quoted, shortened
from armdyn.spatial.rotations import Array

Kind = Literal["revolute", "prismatic", "fixed"]

KINDS: Mapping[str, Kind] = {
    "revolute": "revolute",
    "continuous": "revolute",
    "prismatic": "prismatic",
    "fixed": "fixed",
}
"""The joint types of URDF that armdyn has, and what it calls them."""

MULTI_DOF_TYPES = ("floating", "planar")
"""The joint types of URDF with several freedoms, which armdyn has not."""

SHOWN = 10
"""How many joints of several freedoms a refusal names."""

X_AXIS = np.array([1.0, 0.0, 0.0])
"""The axis of a joint that names none, as specified."""


def read_joint(part: Part) -> JointPart | None:
    """The joint; None where the file does not say what it joins."""
    kind = _kind(part)
    parent, child = _end(part, "parent"), _end(part, "child")
    placement = read_origin(part, part.element)
    axis = read_axis(part) if kind != "fixed" else X_AXIS
    limits = _limits(part, kind)
    damping, friction = _dynamics(part)
    if not parent or not child:
        return None
    several = part.element.attributes.get("type") in MULTI_DOF_TYPES
    return JointPart(
        part.name,
        kind,
        parent,
        child,
        placement,
        axis,
        limits,
        damping,
        friction,
        where=part.where,
        is_multi_dof=several,
    )


def _kind(part: Part) -> Kind:
    """What armdyn calls the joint's type; a joint that cannot be modelled stands in the tree as a fixed one."""
    given = part.element.attributes.get("type", "")
    if given in KINDS:
        return KINDS[given]
    if given not in MULTI_DOF_TYPES:
        close = get_close_matches(given[:60].strip().lower(), KINDS, n=1)
        meant = f" Did you mean {close[0]!r}?" if close else ""
        fault = f"type {given[:60]!r} is unknown" if given else "<joint> has no type"
        part.problem(part.element, f"{fault}; expected one of {', '.join(KINDS)}.{meant}")
    return "fixed"


def _end(part: Part, role: str) -> str:
    """The link at one end of a joint; empty where the file names none."""
    element = part.only(part.element, role)
    if element is None:
        part.problem(part.element, f'<joint> has no <{role}>; expected <{role} link="..."/>.')
        return ""
    return part.word(element, "link")


def read_axis(part: Part) -> Array:
    """The unit vector along the joint's axis, in the child's axes; x where the file has none, as specified."""
    element = part.only(part.element, "axis")
    if element is None:
        return X_AXIS
    problems_before = len(part.findings.problems)
    axis = part.vector(element, "xyz", None)
    if len(part.findings.problems) > problems_before:
        return X_AXIS
    length = norm(exact(axis))
    if length == 0.0:
        part.problem(element, "<axis> xyz is zero; expected a direction such as 0 0 1.")
        return X_AXIS
    if abs(length - 1) > UNIT_TOLERANCE:
        part.note("axis is not of unit length and was normalised")
        return rounded(exact(axis) / length)  # type: ignore[no-any-return]
    return np.array(axis)


def _limits(part: Part, kind: Kind) -> Limits:
    """The joint's limits: a missing lower or upper is 0, as specified; a joint without ``<limit>`` has none."""
    element = part.only(part.element, "limit")
    if kind == "fixed":
        return Limits()
    turns_freely = part.element.attributes.get("type") == "continuous"
    if element is None:
        if not turns_freely:
            part.note("<limit> is missing; the joint is taken as unlimited")
        return Limits()
    velocity, effort = (_bound(part, element, quantity) for quantity in ("velocity", "effort"))
    lower = _unlimited(part.limit(element, "lower", 0.0, -math.inf))
    upper = _unlimited(part.limit(element, "upper", 0.0, math.inf))
    if turns_freely:
        if (lower, upper) != (0.0, 0.0):
            part.note("position limits of a continuous joint are not used")
        return Limits(velocity=velocity, effort=effort)
    if lower > upper:
        text = f"lower limit {lower:g} is above upper limit {upper:g}"
        part.fault(element, text, "the two are taken the other way round")
        lower, upper = upper, lower
    return Limits(lower, upper, velocity, effort)


def _bound(part: Part, limit: Element, quantity: str) -> float:
    """The largest velocity or effort."""
    if quantity not in limit.attributes:
        part.note(f"<limit> has no {quantity}; it is taken as unlimited")
    value = _unlimited(part.limit(limit, quantity, math.inf, math.inf))
    if value < 0.0:
        part.fault(limit, f"{quantity} limit {value:g} is negative", "it is taken as unlimited")
        return math.inf
    return value


def _unlimited(value: float) -> float:
    """The largest number stands for infinity, which many readers of URDF do not understand."""
    return math.copysign(math.inf, value) if abs(value) == sys.float_info.max else value


def _dynamics(part: Part) -> tuple[float, float]:
    element = part.only(part.element, "dynamics")
    if element is None:
        return 0.0, 0.0
    return part.number(element, "damping", 0.0), part.number(element, "friction", 0.0)


def refuse_multi_dof(model: Model, joints: Sequence[MultiDofJoint]) -> None:
    """Raise where a joint of several freedoms is part of the model: one that is left out of it does no harm."""
    frames = {frame.name for frame in model.frames} - {model.base}
    refused = [
        f"{joint.type} joint {quoted(joint.name)} ({joint.where}): an arm stands on something, and its joints have "
        f"one number each. Read what this joint carries, with {option('base', shortened(joint.child))}, or make it "
        "fixed in the file."
        for joint in joints
        if joint.child in frames
    ]
    if len(refused) > SHOWN:
        refused[SHOWN:] = [f"... and {len(refused) - SHOWN} more joints like these."]
    if refused:
        raise Unsupported("\n".join(refused))
