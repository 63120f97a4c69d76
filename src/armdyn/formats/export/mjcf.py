"""A model as an MJCF file for MuJoCo: links as nested bodies, frames as bodies without joints, all digits."""

from __future__ import annotations

import math
import os
from collections.abc import Iterator, Mapping, Sequence
from xml.etree import ElementTree as ET
from xml.etree.ElementTree import Element, SubElement

import numpy as np

from armdyn.base.errors import Unsupported, warn_of_description
from armdyn.base.writing import write_text
from armdyn.formats.export.mimic import mimics_of
from armdyn.formats.export.names import check_names
from armdyn.formats.export.numbers import number, numbers, quaternions
from armdyn.formats.export.shapes import shapes_by_link
from armdyn.formats.links import Part, parts_of
from armdyn.inertia.consistency import consistency
from armdyn.model.elements import refuse_elements
from armdyn.model.geometry import Box, Capsule, Cylinder, Ellipsoid, Geometry, Mesh, Plane, Shape, Sphere
from armdyn.model.inertia import Inertia
from armdyn.model.joint import Joint
from armdyn.model.joint_equations import JointEquation
from armdyn.model.joint_order import without_permutation
from armdyn.model.messages import listing
from armdyn.model.model import Model
from armdyn.model.parallel_spring import JointSpring
from armdyn.spatial.rotations import Array

WORLD = "world"
"""The body that every MJCF file has, which does not move."""

LEAST = 2e-15
"""The mass, kg, and moment, kg m^2, that a moving link gets in place of zero: MuJoCo refuses 1e-15 and below."""

SHOWN = 10
"""The most joints that one note names."""


def write_mjcf(model: Model, path: str | os.PathLike[str] | None = None) -> str:
    """The robot as the text of an MJCF file, and as the file if a path is given.

    Links are nested bodies with ``<inertial>``, frames are bodies without joints. Joints have their axes, ranges,
    damping, frictionloss, armature, springs, and effort limits as actuatorfrcrange; joints that mimic others are
    equalities of joints; gravity is an option. Primitive shapes are geoms without contacts and without mass.
    `Robot.from_mjcf` reads a robot with the same equations of motion; its base is the body "world".

    Args:
        path: of the file; None if only the text is wanted.

    Warns (`armdyn.DescriptionWarning`) of velocity limits, limits on one side, meshes, and a joint order that differs
    from the order of MuJoCo's qpos.

    Raises:
        ModelError: a name that no XML file can hold.
        Unsupported: constraints, flexible joints, friction laws besides viscous and Coulomb friction, rotors that are
            bodies, balancers, couplings that are not mimicry, inertia that MuJoCo refuses.

    >>> print(armdyn.load("planar_2r").to_mjcf()[:26])
    <mujoco model="planar_2r">
    """
    model = without_permutation(model)
    check_names(model)
    mimics = _supported(model)
    notes = list(_notes(model))
    root = Element("mujoco", model=model.name)
    for note in notes:
        root.append(ET.Comment(f" {note.replace('--', '- -')}. "))
    SubElement(root, "compiler", angle="radian", inertiafromgeom="false", autolimits="true")
    SubElement(root, "option", gravity=numbers(model.gravity))
    _add_bodies(SubElement(root, "worldbody"), model)
    if mimics:
        _add_equalities(SubElement(root, "equality"), mimics)
    ET.indent(root)
    text = ET.tostring(root, encoding="unicode") + "\n"
    if path is not None:
        write_text(path, text)
    for note in notes:
        warn_of_description(f"{model.name!r}: {note}")
    return text


def _supported(model: Model) -> Mapping[str, JointEquation]:
    """The joints that mimic others, by name; an error for parts of the equations of motion that MJCF lacks."""
    refuse_elements(model, "to_mjcf")
    mimics = mimics_of(model)
    if mimics is None:
        raise Unsupported(f"the coupling of {model.name!r} is not mimicry, and MJCF has no words for it; use to_urdf")
    if model.constraints:
        names = listing([repr(one.name) for one in model.constraints], SHOWN)
        raise Unsupported(f"constraints of {model.name!r} are not written to MJCF: {names}; use to_urdf")
    for joint in model.joints:
        for reason in _refusals(joint):
            raise Unsupported(f"joint {joint.name!r} has {reason}, for which MJCF has no words; use to_urdf")
    for link in model.links[1:]:
        if violations := consistency(link.inertia).violations:
            raise Unsupported(
                f"inertia of link {link.name!r} is not that of a rigid body, and MuJoCo refuses it: {violations[0]}; "
                "armdyn doctor proposes another"
            )
    return mimics


def _refusals(joint: Joint) -> Iterator[str]:
    if joint.has_spring:
        yield "a spring in series with its drive"
    if laws := joint.other_laws:
        yield f"friction by the law {type(laws[0]).__name__}"
    if joint.motor_parts:
        yield "a rotor or stator that is a body of its own"
    if any(type(spring) is not JointSpring for spring in joint.parallel_springs) or len(joint.parallel_springs) > 1:
        yield "parallel springs other than one JointSpring"


def _notes(model: Model) -> Iterator[str]:
    """One sentence on each part of the description that MJCF does not hold."""
    limits = {joint.name: joint.limits for joint in model.joints}
    if names := [repr(name) for name, one in limits.items() if math.isfinite(one.velocity)]:
        yield f"velocity limits are not written: {listing(names, SHOWN)}"
    if names := [repr(name) for name, one in limits.items() if math.isfinite(one.lower) != math.isfinite(one.upper)]:
        yield f"limits on one side are not written: {listing(names, SHOWN)}"
    if meshes := sum(isinstance(one.shape, Mesh) for one in model.geometry):
        yield f"meshes are not written: {meshes}"
    order = [part.joint_name for part in _depth_first(model) if part.kind != "fixed"]
    if order != list(model.joint_names):
        yield f"joints stand in the order of MuJoCo's qpos: {listing([repr(name) for name in order], SHOWN)}"


def _depth_first(model: Model) -> list[Part]:
    """All links but the base, each after its parent, branch after branch."""
    on_link: dict[str, list[Part]] = {}
    for part in parts_of(model):
        on_link.setdefault(part.parent, []).append(part)
    ordered: list[Part] = []
    waiting = on_link.get(model.base, [])[::-1]
    while waiting:
        ordered.append(waiting.pop())
        waiting += on_link.get(ordered[-1].name, [])[::-1]
    return ordered


def _add_bodies(world: Element, model: Model) -> None:
    joints = {joint.name: joint for joint in model.joints}
    shapes = shapes_by_link(model)
    base = world
    if model.base != WORLD:
        base = SubElement(world, "body", name=model.base)
        _add_inertial(base, model.links[0].inertia, least=0.0)
    _add_geoms(base, shapes.get(model.base, ()))
    bodies = {model.base: base}
    for part in _depth_first(model):
        body = bodies[part.name] = SubElement(
            bodies[part.parent], "body", {"name": part.name, **_place(np.asarray(part.T))}
        )
        _add_inertial(body, part.inertia, least=0.0 if part.kind == "fixed" else LEAST)
        if part.kind != "fixed":
            _add_joint(body, joints[part.joint_name])
        _add_geoms(body, shapes.get(part.name, ()))


def _place(T: Array) -> dict[str, str]:
    """The attributes pos and quat of a pose; none of the identity."""
    T = np.asarray(T, dtype=float)
    place = {"pos": numbers(T[:3, 3])} if T[:3, 3].any() else {}
    return place if np.array_equal(T[:3, :3], np.eye(3)) else {**place, "quat": numbers(quaternions(T))}


def _add_inertial(body: Element, inertia: Inertia, least: float) -> None:
    if not least and inertia.mass == 0.0 and not inertia.tensor.any():
        return
    moments, axes = np.linalg.eigh(np.asarray(inertia.tensor, dtype=float))
    if np.count_nonzero(inertia.tensor - np.diag(np.diag(inertia.tensor))) == 0:
        moments, axes = np.diag(inertia.tensor), np.eye(3)  # without rounding
    if np.linalg.det(axes) < 0.0:
        axes = axes * [1.0, 1.0, -1.0]
    T = np.eye(4)
    T[:3, :3], T[:3, 3] = axes, inertia.com
    place = {"pos": numbers(inertia.com), **_place(T)}
    mass, moments = max(inertia.mass, least), np.maximum(moments, least)
    SubElement(body, "inertial", {**place, "mass": number(mass), "diaginertia": numbers(moments)})


def _add_joint(body: Element, joint: Joint) -> None:
    limits, friction = joint.limits, joint.total_friction
    words = {"type": "hinge" if joint.kind == "revolute" else "slide", "axis": numbers(joint.axis)}
    if math.isfinite(limits.lower) and math.isfinite(limits.upper):
        words["range"] = numbers([limits.lower, limits.upper])
    if math.isfinite(limits.effort) and limits.effort > 0.0:
        words["actuatorfrcrange"] = numbers([-limits.effort, limits.effort])
    stated = {"damping": friction.damping, "frictionloss": friction.friction, "armature": joint.armature}
    words |= {name: number(value) for name, value in stated.items() if value}
    for spring in joint.parallel_springs:
        of_spring = spring.numbers
        coefficients = [of_spring["stiffness"], of_spring["quadratic"], of_spring["cubic"]]
        words["stiffness"] = numbers(coefficients if any(coefficients[1:]) else coefficients[:1])
        words["springref"] = number(of_spring["rest"])
    SubElement(body, "joint", {"name": joint.name, **words})


def _add_equalities(equality: Element, mimics: Mapping[str, JointEquation]) -> None:
    for name, mimic in mimics.items():
        polynomial = numbers([mimic.value, mimic.multiplier, 0.0, 0.0, 0.0])
        SubElement(equality, "joint", name=f"{name}_mimics", joint1=name, joint2=mimic.leader, polycoef=polynomial)


def _add_geoms(body: Element, shapes: Sequence[Geometry]) -> None:
    """Geoms without contacts: display and collision shapes differ by their group, as MuJoCo's viewer shows them."""
    for one in shapes:
        if isinstance(one.shape, Mesh):
            continue
        words = {"type": type(one.shape).__name__.lower(), "size": numbers(_sizes(one.shape)), **_place(one.pose)}
        words |= {"contype": "0", "conaffinity": "0", "group": "2" if one.purpose == "visual" else "3"}
        words |= {} if one.color is None else {"rgba": numbers(one.color)}
        SubElement(body, "geom", words)


def _sizes(shape: Shape) -> list[float]:
    """MuJoCo's half sizes."""
    if isinstance(shape, Box):
        return [0.5 * x for x in shape.size]
    if isinstance(shape, Plane):
        return [0.5 * x if math.isfinite(x) else 0.0 for x in shape.size] + [1.0]
    if isinstance(shape, Cylinder | Capsule):
        return [shape.radius, 0.5 * shape.length]
    return list(shape.radii) if isinstance(shape, Ellipsoid) else [shape.radius] if isinstance(shape, Sphere) else []
