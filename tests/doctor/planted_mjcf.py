"""Defects of MJCF files, planted into descriptions that MuJoCo itself writes from clean URDF files."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from functools import cache
from pathlib import Path

import mujoco
import numpy as np
from numpy.random import Generator

from armdyn.doctor.mjcf.parts import FULL, MjcfBody, MjcfJoint, set_attribute
from armdyn.doctor.mjcf.reading import mjcf_subject
from armdyn.doctor.source import Edit, SourceDocument, Span
from armdyn.doctor.subject import Subject, SubjectLink, tensor_of
from armdyn.spatial.rotations import Array
from doctor.planted import (
    Plant,
    about_the_base,
    both,
    centre,
    clean_texts,
    mass,
    moments,
    numbers,
    one_moment,
    sign_of_moment,
    six,
)

Planted = tuple[str, str, list[Edit]]


@cache
def clean_mjcf() -> dict[str, bytes]:
    """By name, MJCF texts without findings: every second one in degrees, every third one with ``fullinertia``."""
    texts = {}
    for k, (name, text) in enumerate(clean_texts().items()):
        if name == "planar_2r":
            continue  # of point masses, which MuJoCo refuses
        written = converted(text, is_in_degrees=k % 2 == 1)
        texts[name] = with_full_inertia(written) if k % 3 == 0 else written
    return texts


def converted(urdf: bytes, *, is_in_degrees: bool = False) -> bytes:
    """The MJCF text that MuJoCo writes of a URDF text, without meshes."""
    root = ET.fromstring(urdf)
    for link in root.iter("link"):
        for tag in ("visual", "collision"):
            for shape in link.findall(tag):
                if shape.find(".//mesh") is not None:
                    link.remove(shape)
    options = ET.SubElement(root, "mujoco")
    ET.SubElement(options, "compiler", fusestatic="false", discardvisual="false")
    spec = mujoco.MjSpec.from_string(ET.tostring(root, encoding="unicode"))
    spec.compile()
    text = spec.to_xml().encode()
    return _in_degrees(text) if is_in_degrees else text


def _in_degrees(text: bytes) -> bytes:
    source = SourceDocument.parse("arm", text)
    edits = [Edit(source.root.first("compiler").values["angle"], "degree")]  # type: ignore[union-attr]
    for node in source.root.walk():
        if node.tag == "joint" and node.attributes.get("type", "hinge") == "hinge" and "range" in node.values:
            degrees = np.degrees([float(word) for word in node.attributes["range"].split()])
            edits.append(Edit(node.values["range"], " ".join(f"{x:.10g}" for x in degrees)))
    return source.patched(edits)


def with_full_inertia(text: bytes) -> bytes:
    """The text with ``fullinertia`` in place of principal moments and their axes."""
    source = SourceDocument.parse("arm", text)
    subject = mjcf_subject(SourceDocument.parse("arm", text), Path())
    edits = []
    for body in subject.bodies.values():
        node = body.inertial
        if node is None or "quat" not in node.values or body.moments is None:
            continue
        R = body.frame[:3, :3]
        tensor = R @ tensor_of(body.moments) @ R.T
        words = " ".join(f"{x:.10g}" for x in tensor[[0, 0, 0, 1, 1, 2], [0, 1, 2, 1, 2, 2]][list(FULL)])
        edits.append(Edit(Span(node.names["quat"].start, node.values["quat"].end + 1), ""))
        edits += [Edit(node.names["diaginertia"], "fullinertia"), Edit(node.values["diaginertia"], words)]
    return source.patched(edits)


def order(places: tuple[int, ...]) -> Plant:
    """Moments in ``fullinertia`` in another order; ``places`` restores it."""

    def change(body: SubjectLink, _: Generator) -> tuple[float, Array, Array] | None:
        if not isinstance(body, MjcfBody) or len(body.can_hold) < len(places):
            return None
        shuffled = np.empty(6)
        shuffled[list(places)] = six(body)
        return body.mass or 0.0, body.com, shuffled

    return numbers(change)


def _hinges(subject: Subject) -> list[MjcfJoint]:
    return [
        joint
        for joint in subject.joints
        if isinstance(joint, MjcfJoint)
        and joint.kind == "revolute"
        and joint.range is not None
        and np.ptp(joint.range) * joint.unit > 0.5
    ]


def _one_hinge(subject: Subject, random: Generator) -> MjcfJoint | None:
    hinges = _hinges(subject)
    return hinges[random.integers(len(hinges))] if hinges else None


def other_unit(subject: Subject, random: Generator) -> Planted | None:
    """One range in degrees in a file in radians, or the reverse."""
    joint = _one_hinge(subject, random)
    if joint is None or joint.range is None or len(_hinges(subject)) < 3:
        return None
    convert = np.degrees if joint.unit == 1.0 else np.radians
    text = " ".join(f"{x:.10g}" for x in convert(joint.range))
    return joint.name, joint.child, list(set_attribute(joint.node, "range", text))


def swapped(subject: Subject, random: Generator) -> Planted | None:
    joint = _one_hinge(subject, random)
    if joint is None:
        return None
    low, high = joint.attributes["range"].text.split()
    return joint.name, joint.child, list(set_attribute(joint.node, "range", f"{high} {low}"))


def angle(subject: Subject, _: Generator) -> Planted | None:
    """A file in radians that states degrees."""
    node = subject.source.root.first("compiler")
    if node is None or node.attributes.get("angle") != "radian" or len(_hinges(subject)) < 2:
        return None
    return "compiler", "", [Edit(node.values["angle"], "degree")]


def zero_axis(subject: Subject, random: Generator) -> Planted | None:
    joints = [joint for joint in subject.joints if "axis" in joint.node.values]
    joint = joints[random.integers(len(joints))] if joints else None
    return None if joint is None else (joint.name, joint.child, [Edit(joint.node.values["axis"], "0 0 0")])


def misspelt(subject: Subject, random: Generator) -> Planted | None:
    """A motor of a joint whose name has lost its last letter."""
    joint = _one_hinge(subject, random)
    if joint is None or any(one.name == joint.name[:-1] for one in subject.joints):
        return None
    end = subject.source.data.rindex(b"</mujoco>")
    text = f'  <actuator>\n    <motor name="wrong" joint="{joint.name[:-1]}"/>\n  </actuator>\n'
    return "wrong", "", [Edit(Span(end, end), text)]


MJCF_PLANTS: dict[str, tuple[int, Plant]] = {
    "mass in g": (6, mass(1e3)),
    "mass with a digit too many": (2, both(10.0, 1.0, 1.0)),
    "moments in kg mm^2": (7, moments(1e6)),
    "moments in g mm^2": (6, moments(1e9)),
    "moments in kg cm^2": (4, moments(1e4)),
    "moments times 1000": (3, moments(1e3)),
    "centre in mm": (7, centre(1e3)),
    "lengths in mm": (5, both(1.0, 1e3, 1e6)),
    "grams and millimetres": (6, both(1e3, 1e3, 1e9)),
    "one moment times 1000": (5, numbers(one_moment)),
    "order of URDF in fullinertia": (6, order((0, 3, 5, 1, 2, 4))),
    "lower triangle in fullinertia": (4, order((0, 3, 1, 5, 2, 4))),
    "sign of a mass": (4, mass(-1.0)),
    "sign of a moment": (8, numbers(sign_of_moment)),
    "about the base's origin": (5, numbers(about_the_base)),
    "one range in the other unit": (9, other_unit),
    "degrees stated for radians": (4, angle),
    "limits swapped": (6, swapped),
    "zero axis": (1, zero_axis),
    "a joint's name misspelt": (2, misspelt),
}
"""By kind of defect: of a hundred so many, and the function that plants it."""
