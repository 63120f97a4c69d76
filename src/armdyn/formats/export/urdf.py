"""A model as a URDF file: every frame a link, every number with all its digits."""

from __future__ import annotations

import dataclasses
import math
import os
from collections.abc import Iterator
from xml.etree import ElementTree as ET
from xml.etree.ElementTree import Element, SubElement

import numpy as np

from armdyn.base.errors import Unsupported, excerpt, warn_of_description
from armdyn.base.writing import write_text
from armdyn.formats.export.actuators import add_actuator
from armdyn.formats.export.coupling import add_coupling
from armdyn.formats.export.loops import add_loops
from armdyn.formats.export.mimic import mimics_of
from armdyn.formats.export.mounting import STANDARD, add_mounting, is_standard, mounting_of
from armdyn.formats.export.names import check_names
from armdyn.formats.export.numbers import number, numbers, rpy_of
from armdyn.formats.export.shapes import Shapes, add_shapes, is_of_urdf, shapes_by_link
from armdyn.formats.export.transmissions import add_transmissions
from armdyn.formats.links import Part, parts_of
from armdyn.formats.urdf.dynamics import TAG as DYNAMICS
from armdyn.formats.urdf.dynamics import own_numbers
from armdyn.formats.urdf.own_words import OF_JOINT, OF_LINK, SPRINGS, TAG
from armdyn.model.elements import refuse_elements
from armdyn.model.inertia import Inertia
from armdyn.model.joint import Joint
from armdyn.model.joint_equations import JointEquation
from armdyn.model.joint_friction import JointFriction
from armdyn.model.joint_order import without_permutation
from armdyn.model.limits import Limits
from armdyn.model.messages import listing
from armdyn.model.model import Model
from armdyn.model.motor_parts import MotorPart
from armdyn.model.parallel_spring import ParallelSpring

SHOWN = 10
"""The most joints that one note names."""


def write_urdf(model: Model, path: str | os.PathLike[str] | None = None) -> str:
    """The robot as the text of a URDF file, and as the file if a path is given.

    Links, frames (as massless links on fixed joints), inertias, limits, damping and friction, with all digits, and
    loops, as <loop_joint> elements, and shapes. URDF has no element for the size of gravity, the tip, armature,
    actuators, rotors, springs of joints, collars of slides, couplings except mimicry, capsules, ellipsoids and planes:
    they are in an element <armdyn>, which other readers ignore. If gravity does not point along -z of the base, the
    base is mounted on a link "world", turned, so that other readers compute with the same gravity.
    Gears and the inertias of rotors are written as <transmission> elements too, as ROS and Drake read them, and the
    laws Viscous and Coulomb in <dynamics>.
    `Robot.from_urdf` reads the same robot. Meshes are referred to by their paths, and not copied.

    Args:
        path: of the file to write; None if only the text is needed.

    Warns (`armdyn.DescriptionWarning`) of gravity that is not 9.81 m/s^2, of springs in parallel with drives and of
    couplings that are not mimicry, which other readers ignore.

    Raises:
        ModelError: a name that no XML file can hold.
        Unsupported: a constraint that is not a loop; an actuator, friction law or spring that `armdyn.actuators` does
            not have.

    >>> print(armdyn.load("planar_2r").to_urdf()[:64])
    <?xml version="1.0" encoding="utf-8"?>
    <robot name="planar_2r">
    """
    refuse_elements(model, "to_urdf")
    model = without_permutation(model)
    check_names(model)
    parts, mimics = parts_of(model), mimics_of(model)
    mounting = mounting_of(model, {part.joint_name for part in parts})
    notes = list(_notes_for_other_readers(model, is_coupled=mimics is None))
    dynamics = {joint.name: joint.total_friction for joint in model.joints}
    root = Element("robot", name=model.name)
    shapes = shapes_by_link(model)
    root.append(
        ET.Comment(f" Written by armdyn. <{TAG}> holds what URDF has no place for; other readers pass over it. ")
    )
    for note in notes:
        root.append(ET.Comment(f" {note.replace('--', '- -')}. "))
    own = _add_own_words(root, model, shapes, mounted=mounting is not None)
    if mimics is None:
        add_coupling(own, model)
    if mounting is not None:
        add_mounting(root, model, mounting)
    _add_link(root, model.base, model.links[0].inertia, shapes)
    for part in parts:
        _add_link(root, part.name, part.inertia, shapes)
    for part in parts:
        _add_joint(root, part, dynamics.get(part.joint_name), (mimics or {}).get(part.joint_name))
    add_transmissions(root, model)
    add_loops(root, model)
    ET.indent(root)
    text = '<?xml version="1.0" encoding="utf-8"?>\n' + ET.tostring(root, encoding="unicode") + "\n"
    if path is not None:
        write_text(path, text)
    for note in notes:
        warn_of_description(f"{model.name!r}: {note}")
    return text


def _notes_for_other_readers(model: Model, *, is_coupled: bool) -> Iterator[str]:
    """One sentence on each number that changes the motion and that only <armdyn> holds."""
    if not is_standard(model.gravity):
        g = math.hypot(*model.gravity)
        yield f"gravity of {g:g} m/s^2 stands in <{TAG}> alone: other readers of URDF count {STANDARD:g} m/s^2"
    if springs := [joint.name for joint in model.joints if joint.parallel_springs]:
        names = listing([repr(name) for name in springs], SHOWN)
        yield f"springs of {names} stand in <{TAG}> alone: other readers of URDF take the joints without them"
    if is_coupled:
        n, joints = len(model.coordinates), len(model.joints)
        yield (
            f"the coupling of {joints} joints by {n} coordinates stands in <{TAG}> alone: other readers of URDF take "
            "every joint as free"
        )


def _add_own_words(root: Element, model: Model, shapes: Shapes, *, mounted: bool) -> Element:
    """The tip, gravity, collars, armature, actuators and shapes for which URDF has no elements."""
    tip = {} if model.tip is None else {"tip": model.tip}
    base = {"base": model.base} if mounted else {}
    own = SubElement(root, TAG, tip | base | {"gravity": numbers(model.gravity)})
    for joint in model.joints:
        entries: dict[str, str] = {"collar": "parent"} if joint.collar == "parent" else {}
        driven = 0.0 if joint.actuator is None else joint.actuator.armature or 0.0
        entries |= {"armature": number(joint.armature)} if joint.armature != driven else {}
        entries |= {name: number(value) for name, value in own_numbers(joint).items()}
        if entries or joint.actuator is not None or joint.motor_parts or joint.parallel_springs:
            of_joint = SubElement(own, OF_JOINT, {"joint": joint.name} | entries)
            if joint.actuator is not None:
                add_actuator(of_joint, joint.actuator)
            if joint.actuator is None or joint.motor_parts != joint.actuator.motor_parts:
                for part in joint.motor_parts:
                    SubElement(of_joint, type(part).__name__.lower(), _fields(part))
            for spring in joint.parallel_springs:
                SubElement(of_joint, _spring_tag(joint, spring), _numbers_of(spring))
    for link in model.link_names:
        if unknown := [shape for shape in shapes.get(link, ()) if not is_of_urdf(shape)]:
            add_shapes(SubElement(own, OF_LINK, link=link), unknown)
    return own


def _spring_tag(joint: Joint, spring: ParallelSpring) -> str:
    """The element of a spring in parallel with a drive."""
    for tag, kind in SPRINGS.items():
        if type(spring) is kind:
            return tag
    raise Unsupported(
        f"the spring of joint {joint.name!r} is {excerpt(spring)}, which no file can name; expected an "
        "armdyn.actuators.JointSpring or Balancer. Take it away: robot.without_parallel_springs()."
    )


def _numbers_of(spring: ParallelSpring) -> dict[str, str]:
    """The attributes of a spring: its fields that do not have their defaults."""
    fields = {field.name: field.default for field in dataclasses.fields(spring)}  # type: ignore[arg-type]  # both kinds
    return {name: number(value) for name, value in spring.numbers.items() if value != fields[name]}


def _fields(part: MotorPart) -> dict[str, str]:
    """The attributes of a rotor or stator: its fields that are not defaults."""
    entries = {field.name: getattr(part, field.name) for field in dataclasses.fields(part)}
    return {
        name: value if isinstance(value, str) else numbers(value) if isinstance(value, tuple) else number(value)
        for name, value in entries.items()
        if value not in (None, 0.0)
    }


def _add_link(root: Element, name: str, inertia: Inertia, shapes: Shapes) -> None:
    link = SubElement(root, "link", name=name)
    if inertia.mass != 0.0 or inertia.tensor.any():
        _add_inertial(link, inertia)
    add_shapes(link, [shape for shape in shapes.get(name, ()) if is_of_urdf(shape)])


def _add_inertial(link: Element, inertia: Inertia) -> None:
    inertial = SubElement(link, "inertial")
    SubElement(inertial, "origin", xyz=numbers(inertia.com))
    SubElement(inertial, "mass", value=number(inertia.mass))
    entries = {"ixx": (0, 0), "ixy": (0, 1), "ixz": (0, 2), "iyy": (1, 1), "iyz": (1, 2), "izz": (2, 2)}
    SubElement(inertial, "inertia", {word: number(inertia.tensor[place]) for word, place in entries.items()})


def _add_joint(root: Element, part: Part, dynamics: JointFriction | None, mimic: JointEquation | None) -> None:
    joint = SubElement(root, "joint", name=part.joint_name, type=_type(part))
    SubElement(joint, "parent", link=part.parent)
    SubElement(joint, "child", link=part.name)
    T = np.asarray(part.T)
    SubElement(joint, "origin", xyz=numbers(T[:3, 3]), rpy=numbers(rpy_of(T[:3, :3])))
    if part.kind == "fixed":
        return
    SubElement(joint, "axis", xyz=numbers(np.asarray(part.axis)))
    _add_limits(joint, part.limits, turns_freely=_type(part) == "continuous")
    if dynamics is not None and any(dynamics):
        SubElement(joint, DYNAMICS, {name: number(value) for name, value in dynamics._asdict().items()})
    if mimic is not None:
        multiplier, offset = number(mimic.multiplier), number(mimic.value)
        SubElement(joint, "mimic", joint=mimic.leader, multiplier=multiplier, offset=offset)


def _type(part: Part) -> str:
    unbounded = (part.limits.lower, part.limits.upper) == (-math.inf, math.inf)
    return "continuous" if part.kind == "revolute" and unbounded else part.kind


def _add_limits(joint: Element, limits: Limits, *, turns_freely: bool) -> None:
    if turns_freely and limits == Limits():
        return
    words = {} if turns_freely else {"lower": limits.lower, "upper": limits.upper}
    words |= {"velocity": limits.velocity, "effort": limits.effort}
    SubElement(joint, "limit", {word: number(value) for word, value in words.items()})
