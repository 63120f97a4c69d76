"""Elements and attributes of a URDF file that are not used: a note for each, a problem for misspelt ones."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from functools import lru_cache

from armdyn.formats.findings import DocumentFindings, ElementReader
from armdyn.formats.urdf.coupling import COORDINATE, LIMITS, MOVES, OFFSET
from armdyn.formats.urdf.coupling import TAG as COUPLING
from armdyn.formats.urdf.own_words import ACTUATOR, MOTOR_PARTS, OF_JOINT, OF_LINK, SPRINGS, field_names
from armdyn.formats.urdf.own_words import TAG as OWN
from armdyn.formats.urdf.transmissions import ROS2
from armdyn.formats.urdf.transmissions import TAG as TRANSMISSION
from armdyn.formats.xml_tree import XmlElement
from armdyn.model.geometry import Box, Capsule, Cylinder, Ellipsoid, Plane, Shape, Sphere
from armdyn.model.messages import quote

DRAKE_JOINT, BALL_CONSTRAINT = "drake:joint", "drake:ball_constraint"
"""Drake's element for joints of several freedoms, and the one that holds two points of two links together."""

FORMS: Mapping[str, type[Shape]] = {
    form.__name__.lower(): form for form in (Box, Sphere, Cylinder, Capsule, Ellipsoid, Plane)
}
"""The forms except meshes, by tag; each size of a form is an attribute."""

MESH = "mesh"

OF_URDF = ("box", "sphere", "cylinder", MESH)
"""The tags that every reader of URDF supports."""

USED_CHILDREN = {
    "robot": ("link", "joint", DRAKE_JOINT, "loop_joint", "loop", BALL_CONSTRAINT, OWN, TRANSMISSION),
    "link": ("inertial",),
    "inertial": ("origin", "mass", "inertia"),
    **dict.fromkeys(("joint", DRAKE_JOINT), ("parent", "child", "origin", "axis", "limit", "dynamics", "mimic")),
    "loop_joint": ("link1", "link2", "axis"),
    "loop": ("predecessor", "successor", "axis"),
    "predecessor": ("origin",),
    "successor": ("origin",),
    OWN: (OF_JOINT, OF_LINK, COUPLING),
    COUPLING: (COORDINATE, OFFSET),
    COORDINATE: (MOVES,),
    OF_JOINT: (*MOTOR_PARTS, *SPRINGS),
    **dict.fromkeys(("visual", "collision"), ("origin", "geometry", "material")),
    "geometry": (*FORMS, MESH),
    "material": ("color",),
}
USED_ATTRIBUTES = {
    "robot": ("name",),
    "link": ("name",),
    "inertial": (),
    "mass": ("value",),
    "inertia": ("ixx", "ixy", "ixz", "iyy", "iyz", "izz"),
    **dict.fromkeys(("joint", DRAKE_JOINT), ("name", "type")),
    "parent": ("link",),
    "child": ("link",),
    "origin": ("xyz", "rpy", "quat_xyzw"),
    "axis": ("xyz",),
    "limit": ("lower", "upper", "velocity", "effort"),
    "dynamics": ("damping", "friction", "armature"),
    "mimic": ("joint", "multiplier", "offset"),
    **dict.fromkeys(("loop_joint", "loop"), ("name", "type")),
    **dict.fromkeys(("link1", "link2"), ("link", "xyz", "rpy", "quat_xyzw")),
    **dict.fromkeys(("predecessor", "successor"), ("link", "name")),
    OWN: ("tip", "base", "gravity"),
    COUPLING: (),
    COORDINATE: ("name", "kind", *LIMITS),
    MOVES: ("joint", "factor"),
    OFFSET: ("joint", "value"),
    OF_JOINT: ("joint", "collar", "armature", "damping", "friction"),
    OF_LINK: ("link",),
    **{tag: tuple(field.name for field in dataclasses.fields(part)) for tag, part in MOTOR_PARTS.items()},
    **{tag: field_names(spring) for tag, spring in SPRINGS.items()},
    **dict.fromkeys(("visual", "collision", "material"), ("name",)),
    **{tag: tuple(form.SIZES) for tag, form in FORMS.items()},
    MESH: ("filename", "scale"),
    "geometry": (),
    "color": ("rgba",),
}
"""The words that affect the motion of a robot or its looks, by the element that contains them."""

LOOKS = frozenset({"visual", "collision", "material", "version"})
"""Words that are read, or need no reading, elsewhere."""

MAX_EXTRA_LETTERS = 3
"""The most letters by which a misspelt word is longer or shorter than the known one."""

MAX_TEXT = 20
"""The most letters of an unused text in its note."""

FORCES_OF_GAZEBO = frozenset({"springStiffness", "springReference", "dampingFactor", "gravity", "turnGravityOff"})
"""Elements of ``<gazebo>`` that change a motion."""


def check_robot(root: XmlElement, findings: DocumentFindings) -> None:
    """Note everything in the robot that is neither link nor joint."""
    reader = ElementReader(findings, root, "robot")
    _check_words(reader, root)
    for element in root.children:
        if element.tag == OWN:
            check_vocabulary(reader, element)
        elif element.tag == ROS2 and element.first(TRANSMISSION) is not None:
            findings.note(f"<{ROS2}> is not used, but for its transmissions", _list_name(element))
        elif element.tag == "gazebo":
            _note_gazebo(element, findings)
        elif element.tag not in USED_CHILDREN["robot"] and element.tag not in LOOKS:
            _check_child(reader, root, element)


def check_vocabulary(reader: ElementReader, element: XmlElement) -> None:
    """Note the words in a link or joint that are not used; a misspelt one is a problem."""
    _check_words(reader, element)
    used = USED_CHILDREN.get(element.tag, ())
    for child in element.children:
        if child.tag in used:
            check_vocabulary(reader, child)
        elif child.tag not in LOOKS and (element.tag, child.tag) != (OF_JOINT, ACTUATOR):
            _check_child(reader, element, child)


def _check_words(reader: ElementReader, element: XmlElement) -> None:
    if text := " ".join(element.text.split()):
        reader.findings.note(f"text in <{element.tag}> is not used", f"{quote(text[:MAX_TEXT])} ({reader.label})")
    used = USED_ATTRIBUTES[element.tag]
    for attribute in element.attributes:
        if attribute in used or attribute in LOOKS or attribute.startswith("xmlns"):
            continue
        meant = _suggestion(attribute, used)
        if meant and meant not in element.attributes:
            reader.problem(
                element, f"<{element.tag}> has {attribute[:60]!r}, which is unknown. Did you mean {meant!r}?"
            )
        else:
            reader.note(f"{quote(attribute)} of <{element.tag}> is not used")


def _check_child(reader: ElementReader, parent: XmlElement, child: XmlElement) -> None:
    meant = _suggestion(child.tag, USED_CHILDREN.get(parent.tag, ()))
    if meant:
        reader.problem(child, f"<{child.tag[:60]}> is unknown. Did you mean <{meant}>?")
    elif parent.tag == "robot":
        reader.findings.note(f"<{child.tag[:60]}> is not used", _list_name(child))
    else:
        reader.note(f"<{child.tag[:60]}> is not used")


@lru_cache(maxsize=1000)
def _suggestion(word: str, words: tuple[str, ...]) -> str:
    """The known word that a word is a misspelling of; empty if it is a word of its own."""
    from difflib import get_close_matches  # noqa: PLC0415 - slow to import

    similar_length = [name for name in words if abs(len(name) - len(word)) <= MAX_EXTRA_LETTERS]
    close = get_close_matches(word.lower(), similar_length, n=1, cutoff=0.8) if similar_length else []
    return close[0] if close else ""


def _note_gazebo(element: XmlElement, findings: DocumentFindings) -> None:
    forces = {e.tag for e in element.walk()} & FORCES_OF_GAZEBO
    for tag in sorted(forces):
        findings.note(f"<{tag}> of <gazebo> is not used", _list_name(element))
    if not forces:
        findings.note("<gazebo> is not used", _list_name(element))


def _list_name(element: XmlElement) -> str:
    """The name of an element in a list of similar ones."""
    name = element.attributes.get("name") or element.attributes.get("reference")
    return repr(name[:60]) if name else f"line {element.line}"
