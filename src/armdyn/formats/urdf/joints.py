"""The joints of a URDF file: their links, pose, axis, limits and friction."""

from __future__ import annotations

import math
import sys
from collections.abc import Mapping, Sequence
from typing import Literal

import numpy as np

from armdyn.base.advice import option
from armdyn.base.errors import Unsupported
from armdyn.base.exact import exact, norm, rounded
from armdyn.formats.findings import ElementReader
from armdyn.formats.urdf.origins import UNIT_TOLERANCE, read_origin
from armdyn.formats.urdf.unused import DRAKE_JOINT
from armdyn.formats.xml_tree import XmlElement
from armdyn.model.limits import Limits
from armdyn.model.messages import first_of, quote, shorten
from armdyn.model.model import Model
from armdyn.model.parts import JointPart, MultiDofJoint
from armdyn.spatial.rotations import Array

Kind = Literal["revolute", "prismatic", "fixed"]

KINDS: Mapping[str, Kind] = {
    "revolute": "revolute",
    "continuous": "revolute",
    "prismatic": "prismatic",
    "fixed": "fixed",
}
"""The joint types of URDF that are modelled, and their kinds."""

MULTI_DOF_TYPES = ("floating", "planar")
"""The joint types of URDF with several degrees of freedom, which are not modelled."""

DRAKE_TYPES = ("ball", "planar", "universal", "screw", "curvilinear")
"""The joint types of Drake's own element, none of which is modelled."""

HELICAL_OR_CURVED = ("screw", "curvilinear")
"""Those of them that have one degree of freedom."""

SHOWN = 10
"""The most joints of several degrees of freedom that one error names."""

X_AXIS = np.array([1.0, 0.0, 0.0])
"""The axis of a joint without ``<axis>``, as specified."""


def read_joint(reader: ElementReader) -> JointPart | None:
    """The joint; None if the file does not name its links."""
    kind = _kind(reader)
    parent, child = _end(reader, "parent"), _end(reader, "child")
    placement = read_origin(reader, reader.element)
    axis = read_axis(reader) if kind != "fixed" else X_AXIS
    limits = _limits(reader, kind)
    damping, friction, armature = _dynamics(reader)
    if not parent or not child:
        return None
    several = is_not_modelled(reader.element)
    return JointPart(
        reader.name, kind, parent, child, placement, axis, limits, damping, friction,
        where=reader.where, armature=armature, is_multi_dof=several,
    )  # fmt: skip


def _kind(reader: ElementReader) -> Kind:
    """The kind of the joint; a joint that cannot be modelled enters the tree as a fixed one."""
    values = reader.element.attributes.get("type", "")
    if reader.element.tag == "joint" and values in KINDS:
        return KINDS[values]
    if not is_not_modelled(reader.element):
        kinds = DRAKE_TYPES if reader.element.tag == DRAKE_JOINT else KINDS
        reader.type(kinds, f"is unknown in <{DRAKE_JOINT}>" if reader.element.tag == DRAKE_JOINT else "is unknown")
    return "fixed"


def is_not_modelled(joint: XmlElement) -> bool:
    """True if a joint has a type that URDF or Drake has and that is not modelled."""
    return joint.attributes.get("type") in (DRAKE_TYPES if joint.tag == DRAKE_JOINT else MULTI_DOF_TYPES)


def _end(reader: ElementReader, role: str) -> str:
    """The link at one end of a joint; empty if the file names none."""
    element = reader.child(reader.element, role, f'<{role} link="..."/>')
    return "" if element is None else reader.word(element, "link")


def read_axis(reader: ElementReader) -> Array:
    """The unit vector along the joint's axis, in the child's axes; x by default, as specified."""
    element = reader.only(reader.element, "axis")
    if element is None:
        return X_AXIS
    axis = reader.vector(element, "xyz", None)
    if axis is None:
        return X_AXIS
    length = norm(exact(axis))
    if length == 0.0:
        reader.problem(element, "<axis> xyz is zero; expected a direction such as 0 0 1.")
        return X_AXIS
    if abs(length - 1) > UNIT_TOLERANCE:
        reader.note("axis is not of unit length and was normalised")
        return rounded(exact(axis) / length)  # type: ignore[no-any-return]
    return np.array(axis)


def _limits(reader: ElementReader, kind: Kind) -> Limits:
    """The joint's limits: a missing lower or upper is 0, as specified; a joint without ``<limit>`` has none."""
    element = reader.only(reader.element, "limit")
    if kind == "fixed":
        return Limits()
    turns_freely = reader.element.attributes.get("type") == "continuous"
    if element is None:
        if not turns_freely:
            reader.note("<limit> is missing; the joint is taken as unlimited")
        return Limits()
    velocity, effort = (_bound(reader, element, quantity) for quantity in ("velocity", "effort"))
    lower = _unlimited(reader.limit(element, "lower", 0.0, -math.inf))
    upper = _unlimited(reader.limit(element, "upper", 0.0, math.inf))
    if turns_freely:
        if (lower, upper) != (0.0, 0.0):
            reader.note("position limits of a continuous joint are not used")
        return Limits(velocity=velocity, effort=effort)
    if lower > upper:
        text = f"lower limit {lower:g} is above upper limit {upper:g}"
        reader.fault(element, text, "the two are taken the other way round")
        lower, upper = upper, lower
    return Limits(lower, upper, velocity, effort)


def _bound(reader: ElementReader, limit: XmlElement, quantity: str) -> float:
    """The largest velocity or effort."""
    if quantity not in limit.attributes:
        reader.note(f"<limit> has no {quantity}; it is taken as unlimited")
    value = _unlimited(reader.limit(limit, quantity, math.inf, math.inf))
    if value < 0.0:
        reader.fault(limit, f"{quantity} limit {value:g} is negative", "it is taken as unlimited")
        return math.inf
    return value


def _unlimited(value: float) -> float:
    """The largest number represents infinity, which many readers of URDF cannot read."""
    return math.copysign(math.inf, value) if abs(value) == sys.float_info.max else value


def _dynamics(reader: ElementReader) -> tuple[float, float, float]:
    """Damping, friction and armature: the last is not in the specification, and other readers ignore it."""
    element = reader.only(reader.element, "dynamics")
    if element is None:
        return 0.0, 0.0, 0.0
    armature = reader.number(element, "armature", 0.0)
    return reader.number(element, "damping", 0.0), reader.number(element, "friction", 0.0), armature


def refuse_multi_dof(model: Model, joints: Sequence[MultiDofJoint]) -> None:
    """Raise if a joint of several degrees of freedom is part of the model; those left out of it have no effect."""
    frames = {frame.name for frame in model.frames} - {model.base}
    refused = [
        f"{joint.type} joint {quote(joint.name)} ({joint.where}): {_reason(joint)}. Read what this joint carries, "
        f"with {option('base', shorten(joint.child))}, or make it fixed in the file."
        for joint in joints
        if joint.child in frames
    ]
    if refused:
        raise Unsupported("\n".join(first_of(refused, SHOWN)))


def _reason(joint: MultiDofJoint) -> str:
    if joint.type in HELICAL_OR_CURVED:
        return "the joints of an arm are revolute or prismatic"
    return "an arm stands on something, and its joints have one number each"
