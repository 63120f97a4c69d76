"""Extensions of armdyn to URDF, so that a robot that is written and read again is the same.

    <armdyn tip="tool0" base="base" gravity="0 0 -9.81">      base: if it is not the root; gravity is in its axes
      <of_joint joint="boom" collar="parent" armature="0.2" damping="0.1"/>          see `armdyn.formats.urdf.dynamics`
      <of_joint joint="elbow"> <rotor inertia="1e-4" ratio="100" mass="0.3"/> <stator mass="0.7"/> </of_joint>
      <of_joint joint="turn"> <actuator> <gear ratio="100"/> <friction> <Coulomb size="2"/> </friction> </actuator>
      </of_joint>
      <of_joint joint="arm"> <parallel_spring stiffness="120" rest="0.5"/> </of_joint>      or <balancer .../>
      <of_link link="boom"> <visual> <geometry> <capsule radius="0.1" length="1"/> </geometry> </visual> </of_link>
    </armdyn>

Other readers of URDF ignore the element. The links' inertias hold the masses of rotors and stators already.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from armdyn.base.errors import ModelError
from armdyn.formats.findings import DocumentFindings, ElementReader
from armdyn.formats.urdf.coupling import TAG as COUPLING
from armdyn.formats.urdf.coupling import CouplingWords, read_coupling
from armdyn.formats.xml_tree import XmlElement
from armdyn.model.actuator import JointActuator
from armdyn.model.balancer import Balancer
from armdyn.model.messages import Suggestions, quote
from armdyn.model.motor_parts import Rotor, Stator
from armdyn.model.parallel_spring import JointSpring, ParallelSpring
from armdyn.model.parts import JointPart

TAG, OF_JOINT, OF_LINK, ACTUATOR = "armdyn", "of_joint", "of_link", "actuator"
MOTOR_PARTS: Mapping[str, type[Rotor | Stator]] = {"rotor": Rotor, "stator": Stator}
"""The elements of the parts of motors; their attributes are the fields of the classes."""

SPRINGS: Mapping[str, type[ParallelSpring]] = {"parallel_spring": JointSpring, "balancer": Balancer}
"""The elements of springs in parallel with a drive; their attributes are the fields of the classes."""


def field_names(spring: type[ParallelSpring]) -> tuple[str, ...]:
    """The attributes that the element of a spring may have."""
    return tuple(field.name for field in dataclasses.fields(spring))  # type: ignore[arg-type]  # each is a dataclass


@dataclass(frozen=True)
class OwnWords:
    """Tip, gravity, base and coupling of the robot, fields of joints by name, and the elements with shapes of links."""

    tip: str | None = None
    gravity: tuple[float, ...] | None = None
    base: str | None = None
    coupling: CouplingWords | None = None
    of_joints: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    of_links: Sequence[ElementReader] = ()

    def applied_to(self, joints: Sequence[JointPart]) -> list[JointPart]:
        """The joints with their extensions."""
        return [dataclasses.replace(joint, **self.of_joints.get(joint.name, {})) for joint in joints]


def driven_by(actuator: JointActuator | None) -> dict[str, Any]:
    """The fields of a `JointPart` that has an actuator."""
    if actuator is None:
        return {}
    own = actuator.of_joint
    numbers = {} if actuator.armature is None else {"armature": actuator.armature}
    numbers |= {"damping": own.damping, "friction": own.friction} if own.rubs else {}
    return {"actuator": actuator, "motor_parts": actuator.motor_parts} | numbers  # the links have the parts' masses


def says_drive(of_joint: Mapping[str, Any]) -> bool:
    """True if the fields of a joint describe its drive: an actuator, an armature or a rotor."""
    return bool(of_joint.keys() & {"actuator", "armature"}) or any(
        isinstance(part, Rotor) for part in of_joint.get("motor_parts", ())
    )


def read_own_words(
    root: XmlElement, findings: DocumentFindings, links: Sequence[str], joints: Sequence[JointPart]
) -> OwnWords:
    """The element, if the file has it; the names in it must exist."""
    reader = ElementReader(findings, root, "robot")
    element = reader.only(root, TAG)
    if element is None:
        return OwnWords()
    tip, base = element.attributes.get("tip"), element.attributes.get("base")
    for role, link in (("tip", tip), ("base", base)):
        if link is not None and link not in links:
            hint = Suggestions(links).hint(link)
            reader.problem(element, f"<{TAG}> {role} {quote(link)} is no link of this file.{hint}")
    gravity = reader.vector(element, "gravity", None) if "gravity" in element.attributes else None
    kinds = {joint.name: joint.kind for joint in joints}
    of_joints: dict[str, Mapping[str, Any]] = {}
    for child in element.all(OF_JOINT):
        joint = reader.word(child, "joint")
        if joint in of_joints:
            reader.problem(child, f"<{OF_JOINT}> of joint {quote(joint)} stands here again; expected it once.")
        of_joints[joint] = _of_joint(reader, child, kinds)
    coupling = reader.only(element, COUPLING)
    coupled = (
        None
        if coupling is None
        else read_coupling(
            reader, coupling, kinds, is_mimicked=any(joint.first("mimic") is not None for joint in root.all("joint"))
        )
    )
    return OwnWords(tip, gravity, base, coupled, of_joints, list(_of_links(reader, element, links)))


def _of_links(reader: ElementReader, own: XmlElement, links: Sequence[str]) -> Iterator[ElementReader]:
    """The elements with shapes of a link."""
    for element in own.all(OF_LINK):
        link = reader.word(element, "link")
        if link and link not in links:
            hint = Suggestions(links).hint(link)
            reader.problem(element, f"<{OF_LINK}> link {quote(link)} is no link of this file.{hint}")
        elif link:
            yield ElementReader(reader.findings, element, f"link {quote(link)}")


def _of_joint(reader: ElementReader, element: XmlElement, kinds: Mapping[str, str]) -> dict[str, Any]:
    """The fields of one `JointPart`."""
    joint = element.attributes.get("joint", "")
    result: dict[str, Any] = {}
    if joint and joint not in kinds:
        hint = Suggestions(kinds).hint(joint)
        reader.problem(element, f"<{OF_JOINT}> joint {quote(joint)} is no joint of this file.{hint}")
    actuator = reader.only(element, ACTUATOR)
    if actuator is not None:
        from armdyn.formats.urdf.actuators import read_actuator  # noqa: PLC0415 - slow to import

        result |= driven_by(read_actuator(reader, actuator))
        if kinds.get(joint) == "fixed":
            reader.note(f"<{ACTUATOR}> of a fixed joint has no effect: {quote(joint)}")
    values = [name for name in ("armature", "damping", "friction") if name in element.attributes]
    result |= {name: reader.number(element, name) for name in values}
    if "collar" in element.attributes:
        result["collar"] = element.attributes["collar"]
        if result["collar"] not in ("parent", "child") or kinds.get(joint, "prismatic") != "prismatic":
            expected = "expected 'parent' or 'child' of a prismatic joint, the link that carries its collar."
            reader.problem(element, f"<{OF_JOINT}> collar is {quote(result['collar'])}; {expected}")
    if parts := tuple(_motor_parts(reader, element)):
        result["motor_parts"] = parts
    if springs := tuple(_springs(reader, element, kinds.get(joint, ""))):
        result["parallel_springs"] = springs
    return result


def _springs(reader: ElementReader, of_joint: XmlElement, kind: str) -> Iterator[ParallelSpring]:
    """The springs in parallel with the drive of one joint."""
    for element in (child for child in of_joint.children if child.tag in SPRINGS):
        fields = dataclasses.fields(SPRINGS[element.tag])  # type: ignore[arg-type]  # as above
        needed = {field.name for field in fields if field.default is dataclasses.MISSING}
        names = [field.name for field in fields if field.name in needed | element.attributes.keys()]
        try:
            spring = SPRINGS[element.tag](**{name: reader.number(element, name) for name in names})
        except ModelError as problem:
            reader.problem(element, f"<{element.tag}> {problem}")
            continue
        if kind == "fixed":
            reader.note(f"<{element.tag}> of a fixed joint has no effect: {quote(of_joint.attributes['joint'])}")
        elif kind and kind not in spring.kinds:
            reader.problem(element, f"<{element.tag}> belongs to joints that are {' or '.join(spring.kinds)}.")
        else:
            yield spring


def _motor_parts(reader: ElementReader, of_joint: XmlElement) -> Iterator[Rotor | Stator]:
    """The rotors and stators of one joint."""
    for element in (child for child in of_joint.children if child.tag in MOTOR_PARTS):
        values = element.attributes
        entries: dict[str, Any] = {
            name: reader.number(element, name) for name in ("mass", "transverse") if name in values
        }
        entries |= {name: reader.vector(element, name, None) for name in ("axis", "position") if name in values}
        entries |= {"carrier": values["carrier"]} if "carrier" in values else {}
        needed = ("inertia", "ratio") if element.tag == "rotor" else ("inertia",) if "inertia" in values else ()
        entries |= {name: reader.number(element, name) for name in needed}
        try:
            yield MOTOR_PARTS[element.tag](**entries)
        except ModelError as problem:
            reader.problem(element, f"<{element.tag}> {problem}")
