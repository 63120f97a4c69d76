"""Transmissions of a URDF file: the gears, and the rotors if they are stated, between motors and joints.

    <transmission name="t">                                              ROS 1, as a child of <robot>
      <type>transmission_interface/SimpleTransmission</type>             or an attribute type="...", before that
      <joint name="elbow"/>
      <actuator name="motor"> <mechanicalReduction>100</mechanicalReduction> </actuator>
    </transmission>

    <transmission name="t">                                              ros2_control, in <ros2_control>
      <plugin>transmission_interface/SimpleTransmission</plugin>
      <joint name="elbow" role="joint1"> <mechanical_reduction>100</mechanical_reduction> </joint>
      <actuator name="motor" role="actuator1"/>
    </transmission>

Drake's <drake:gear_ratio value="100"/> and <drake:rotor_inertia value="1e-5"/>, in <actuator>, state the ratio and
more: the inertia of the rotor reflected to the joint is G^2 I. <motorInertia>1e-5</motorInertia> of ROS 1 states the
inertia of the rotor too. q and tau are the joint's, not the motor's. A transmission between several joints, a
differential or a four-bar linkage, is not used; `Robot.with_coordinates` makes motors coordinates.

`to_urdf` writes the first form, with Drake's elements, in addition to its own <armdyn>, which holds more. If both are
there, <armdyn> is read, and a transmission that contradicts it is a fault.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from armdyn.formats.findings import DocumentFindings, ElementReader, read_number
from armdyn.formats.xml_tree import XmlElement
from armdyn.model.joint import Joint
from armdyn.model.messages import quote
from armdyn.model.motor_parts import Rotor
from armdyn.model.parts import JointPart

if TYPE_CHECKING:
    from armdyn.actuators.actuator import Actuator

TAG, ROS2 = "transmission", "ros2_control"
REDUCTIONS = ("mechanicalReduction", "mechanical_reduction")
GEAR_RATIO, ROTOR_INERTIA = "drake:gear_ratio", "drake:rotor_inertia"
ROTOR_INERTIAS = (ROTOR_INERTIA, "motorInertia")
"""The elements that state the inertia of a rotor, Drake's and that of ROS 1."""

KNOWN = (TAG, "type", "plugin", "joint", "actuator", "hardwareInterface", "role")
"""Words of which those that affect the motion are read, and the others name interfaces of software."""

NUMBERS = (*REDUCTIONS, GEAR_RATIO, *ROTOR_INERTIAS)
"""The elements that are one number, as their text or ``value``."""

ATTRIBUTES = {**dict.fromkeys(KNOWN, ("name", "type", "role")), **dict.fromkeys(NUMBERS, ("value",))}

NOT_USED = "<transmission> is not used"
ALL_OF_IT = f"{NOT_USED} (q and tau are the joint's, not the motor's), nor its reduction"


RELATIVE = 1e-6
"""Relative tolerance of a transmission to <armdyn>: programs write six digits or more."""


@dataclass(frozen=True)
class Transmission:
    """A simple transmission: its joint, its ratio G, and the rotor's inertia, kg m^2, None if it is not stated."""

    joint: str
    ratio: float
    rotor_inertia: float | None = None

    @classmethod
    def of(cls, joint: Joint | JointPart) -> Transmission | None:
        """The transmission of a joint with a gear or a rotor; None for other joints.

        A rotor that is a body of its own counts as G^2 I too, the approximation that Drake makes of it.
        """
        ratio = joint.actuator.gear_ratio if joint.actuator is not None else 1.0
        rotors = [part for part in joint.motor_parts if isinstance(part, Rotor)]
        reflected = joint.armature + sum(rotor.gear_ratio**2 * rotor.moment_about_axis for rotor in rotors)
        return None if (ratio, reflected) == (1.0, 0.0) else cls(joint.name, ratio, _of_rotor(reflected, ratio))

    @property
    def actuator(self) -> Actuator | None:
        """The actuator with this gear and rotor; None if the ratio is 1 and the rotor has no inertia."""
        if self.ratio == 1.0 and not self.rotor_inertia:
            return None
        from armdyn.actuators.actuator import Actuator  # noqa: PLC0415 - slow to import
        from armdyn.actuators.gear import Gear  # noqa: PLC0415
        from armdyn.actuators.motor import Motor  # noqa: PLC0415

        motor = Motor(rotor_inertia=self.rotor_inertia) if self.rotor_inertia else None
        return Actuator(motor, Gear(self.ratio))

    def contradicts(self, other: Transmission) -> bool:
        """True if a number that both state differs."""
        pairs = [(self.ratio, other.ratio), (self.rotor_inertia, other.rotor_inertia)]
        return any(None not in pair and not math.isclose(*pair, rel_tol=RELATIVE) for pair in pairs)  # type: ignore[arg-type]

    def __str__(self) -> str:
        inertia = "" if self.rotor_inertia is None else f", rotor inertia {self.rotor_inertia:g} kg m^2"
        return f"gear ratio {self.ratio:g}{inertia}"


def _of_rotor(reflected: float, ratio: float) -> float:
    """I of G^2 I: the one with fewer digits of the numbers with this product."""
    short = float(f"{reflected / ratio**2:.15g}")
    return short if short * ratio**2 == reflected else reflected / ratio**2


Readers = dict[str, tuple[Transmission, ElementReader]]


def read_transmissions(root: XmlElement, findings: DocumentFindings, joints: Sequence[JointPart]) -> Readers:
    """All transmissions that can be used, by joint, each with the reader of its element; the others are noted."""
    kinds = {joint.name: joint.kind for joint in joints}
    result: Readers = {}
    for element in _elements(root):
        name = element.attributes.get("name", "")
        called = quote(name[:60]) if name else f"line {element.line}"
        reader = ElementReader(findings, element, f"{TAG} {called}")
        label = _read(reader, called, kinds)
        if label is None:
            continue
        before, _ = result.setdefault(label.joint, (label, reader))
        if before != label:
            text = f"joint {quote(label.joint)} has another transmission, of ratio {before.ratio:g}"
            reader.fault(element, text, "the first one is taken")
    return result


def check_against(transmission: Transmission, reader: ElementReader, joint: JointPart) -> None:
    """A fault if a transmission contradicts <armdyn> for its joint."""
    own = Transmission.of(joint) or Transmission(joint.name, 1.0, 0.0)
    if transmission.contradicts(own):
        text = (
            f"it says {transmission}, and <armdyn> says {own} of joint {quote(joint.name)}; expected the same numbers"
        )
        reader.fault(reader.element, text, "<armdyn> is taken")


def _elements(root: XmlElement) -> Iterator[XmlElement]:
    """The transmissions of both forms, in the order of the file."""
    for element in root.children:
        if element.tag == TAG:
            yield element
        elif element.tag == ROS2:
            yield from element.all(TAG)


def _read(reader: ElementReader, called: str, kinds: Mapping[str, str]) -> Transmission | None:
    """One transmission; None, and a note, if it cannot be used."""
    element, findings = reader.element, reader.findings
    joints = [joint.attributes.get("name", "") for joint in element.all("joint")]
    actuators = element.all("actuator")
    kind = _kind(element)
    texts = [e.text.strip()[:20] for e in element.walk() if e.tag in REDUCTIONS]
    reductions = [text for text in texts if text not in ("", "1", "1.0")]
    if len(joints) != 1 or len(actuators) > 1 or (kind and not kind.endswith("SimpleTransmission")):
        why = f"{called} ({', '.join(filter(None, (kind.rpartition('/')[2][:60], *reductions)))})".replace(" ()", "")
        findings.note(ALL_OF_IT if reductions else NOT_USED, why)
        return None
    joint = joints[0]
    if kinds.get(joint, "fixed") == "fixed":
        why = "a fixed joint" if joint in kinds else "no joint of this file"
        findings.note(NOT_USED, f"{called} (drives {quote(joint)}, {why})")
        return None
    _note_others(reader)
    ratio, inertia = _ratio(reader), _rotor_inertia(reader)
    return None if ratio is None else Transmission(joint, ratio, inertia)


def _kind(element: XmlElement) -> str:
    """The kind of transmission, by the name of the plugin that loads it."""
    named = [child.text.strip() for tag in ("type", "plugin") for child in element.all(tag)]
    return next(filter(None, named), element.attributes.get("type", "").strip())


def _ratio(reader: ElementReader) -> float | None:
    """G: Drake's if it is given, else the reduction, for which ros2_control has two places; None if one is wrong."""
    reduction, of_drake = _number(reader, REDUCTIONS), _number(reader, (GEAR_RATIO,))
    if reduction is None or of_drake is None:
        return None
    if not {reduction, of_drake} & {1.0} and reduction != of_drake:
        reader.note(f"the reduction is not that of <{GEAR_RATIO}>, which is taken")
    return reduction if of_drake == 1.0 else of_drake


def _number(reader: ElementReader, tags: Collection[str]) -> float | None:
    """The number of the elements of these tags, of which those equal to 1 are ignored; None if they are wrong."""
    texts = [(e, e.text.strip() or e.attributes.get("value", "")) for e in reader.element.walk() if e.tag in tags]
    for element, text in texts:
        value = element.attributes.get("value", "")
        if value and value != text and read_number(value) != read_number(text):
            fault = f"<{element.tag}> is {quote(text[:60])} and its value {quote(value[:60])}; expected one number"
            reader.fault(element, fault, "the transmission is not used")
            return None
    numbers = {text: read_number(text) for _, text in texts if text}
    for element, text in texts:
        if text and (not math.isfinite(numbers[text]) or numbers[text] == 0.0):
            fault = f"<{element.tag}> is {quote(text[:60])}; expected a number that is not zero"
            reader.fault(element, fault, "the transmission is not used")
            return None
    different = {*numbers.values()} - {1.0}
    if len(different) > 1:
        fault = f"<{texts[0][0].tag}> is given as {' and '.join(f'{ratio:g}' for ratio in sorted(different))}"
        reader.fault(texts[0][0], fault, "the transmission is not used")
        return None
    return next(iter(different), 1.0)


def _rotor_inertia(reader: ElementReader) -> float | None:
    """The inertia of the rotor, which is part of the equations: a wrong one is a problem. None if not given."""
    stated = [element for element in reader.element.walk() if element.tag in ROTOR_INERTIAS]
    if not stated:
        return None
    problems = len(reader.findings.problems)
    values = [_inertia(reader, element) for element in stated]
    if len({element.tag for element in stated}) < len(stated):
        reader.problem(stated[1], f"<{stated[1].tag}> stands here again; expected it once.")
    elif len({*values}) > 1:
        both = " and ".join(f"<{e.tag}> {value:g}" for e, value in zip(stated, values, strict=True))
        reader.problem(stated[1], f"{both} are two inertias of one rotor; expected the same number, kg m^2.")
    return values[0] if len(reader.findings.problems) == problems else None


def _inertia(reader: ElementReader, element: XmlElement) -> float:
    """The number of an element, its ``value`` or its text."""
    if "value" not in element.attributes and element.text.strip():
        element = dataclasses.replace(element, attributes={**element.attributes, "value": element.text.strip()})
    value = reader.number(element, "value")
    if value < 0.0:
        reader.problem(element, f"<{element.tag}> value is {value:g}; expected an inertia, not below zero.")
    return value


def of_several_with_rotors(element: XmlElement) -> list[str]:
    """The joints of a transmission that is not a simple one and states inertias of rotors; empty for others."""
    joints = [joint.attributes.get("name", "") for joint in element.walk() if "oint" in joint.tag]
    simple = _kind(element).endswith("SimpleTransmission") or not _kind(element)
    if simple and len(element.all("joint")) == 1 and len(element.all("actuator")) <= 1:
        return []
    texts = [e.attributes.get("value", "") or e.text.strip() for e in element.walk() if e.tag in ROTOR_INERTIAS]
    return joints if any(read_number(text) != 0.0 for text in texts if text) else []


def _note_others(reader: ElementReader) -> None:
    """Note the other elements of a transmission, except the words that name interfaces of software."""
    for element in reader.element.walk():
        if element.tag not in ATTRIBUTES:
            reader.note(f"<{element.tag[:60]}> of <{TAG}> is not used")
            continue
        for name in element.attributes:
            if name not in ATTRIBUTES[element.tag]:
                reader.note(f"<{element.tag}> {name[:60]} of <{TAG}> is not used")
