"""URDF files: the links and joints of a robot, with everything that bears on its motion.

    <robot name="arm">
      <link name="base"/>
      <link name="arm">
        <inertial> <origin xyz rpy/> <mass value/> <inertia ixx ixy ixz iyy iyz izz/> </inertial>
      </link>
      <joint name="turn" type="revolute">
        <parent link="base"/> <child link="arm"/> <origin xyz rpy/> <axis xyz/>
        <limit lower upper velocity effort/> <dynamics damping friction/>
      </joint>
    </robot>

An ``<origin>`` is a pose in the frame of what holds it: xyz in m, and rpy, turns about the fixed axes x, y, z in rad.
The frame of a link is the frame of the joint that carries it, and the joint's axis is in that frame. The specification
is at http://wiki.ros.org/urdf/XML.
"""

from __future__ import annotations

import math
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from difflib import get_close_matches
from pathlib import Path
from typing import Literal, cast

import numpy as np

from armdyn.errors import ModelError
from armdyn.formats.files import read_file
from armdyn.formats.findings import Findings, Part
from armdyn.formats.urdf_coupled import Loose, Mimic, check_leaders, follow, read_mimic, refuse_unsupported
from armdyn.formats.urdf_unused import check_robot, check_vocabulary
from armdyn.formats.urdf_wrong_kind import refuse_other_formats, refuse_xacro, refuse_xacro_name
from armdyn.formats.xml_tree import Element, parse
from armdyn.model.assembly import JointPart, LinkPart, assemble
from armdyn.model.inertia import Inertia
from armdyn.model.model import STANDARD_GRAVITY, Geometry, Limits, Model
from armdyn.spatial.rotations import Array, rigid, rotation_from_rpy

Kind = Literal["revolute", "prismatic", "fixed"]

KINDS: Mapping[str, Kind] = {
    "revolute": "revolute",
    "continuous": "revolute",
    "prismatic": "prismatic",
    "fixed": "fixed",
}
"""The joint types of URDF that armdyn has, and what it calls them."""

LOOSE_TYPES = ("floating", "planar")
"""The joint types of URDF that armdyn has not."""

UNIT_TOLERANCE = 1e-12
"""How far from 1 the length of an axis may be before its normalisation is worth a note."""


def read_urdf(
    source: str | os.PathLike[str],
    *,
    base: str | None = None,
    tip: str | None = None,
    chain: bool = False,
    locked: Mapping[str, float] | None = None,
    gravity: Sequence[float] = STANDARD_GRAVITY,
) -> Model:
    """Read the robot a URDF file describes.

    Args:
        source: path of the file.
        base: keep only what hangs on this link; the root where none is given.
        tip: the link that counts as the tip; found where there is one only.
        chain: keep only the moving joints between ``base`` and ``tip``, and what is welded to that chain.
        locked: joints that are held, by name, and where (rad or m). Joints that mimic a locked joint are
            locked with it.
        gravity: acceleration of free fall in base axes, m/s^2.

    Returns:
        The model. What the file says and armdyn does not use is listed in its ``notes``; shapes and meshes are
        listed in its ``geometry`` and not opened.

    Raises:
        ModelError: with every problem of the file, each with its line.
        Unsupported: for a joint that armdyn does not model, such as a mimic joint that is not locked.
        UnknownName: where ``base``, ``tip`` or ``locked`` names nothing.
    """
    if isinstance(source, str) and source.lstrip().startswith("<"):
        raise ModelError("expected the path of a URDF file, got the text of one; read it with read_urdf_text.")
    path = Path(source)
    data = read_file(path)
    refuse_xacro_name(path)
    wanted = _Wanted(base, tip, chain, locked or {}, gravity)
    return _read(parse(data, path.name), path.name, path.stem, wanted)


def read_urdf_text(
    text: str | bytes,
    name: str = "robot",
    *,
    base: str | None = None,
    tip: str | None = None,
    chain: bool = False,
    locked: Mapping[str, float] | None = None,
    gravity: Sequence[float] = STANDARD_GRAVITY,
) -> Model:
    """Read the robot a URDF text describes, as `read_urdf` reads a file; ``name`` stands for the file in messages."""
    if isinstance(text, str):
        # Whatever encoding the text declares, it was decoded already. The parser complains of lone surrogates.
        root = parse(text.encode("utf-8", "surrogatepass"), name, encoding="utf-8")
    else:
        root = parse(text, name)
    return _read(root, name, name, _Wanted(base, tip, chain, locked or {}, gravity))


@dataclass(frozen=True)
class _Wanted:
    """What of the document the model shall hold."""

    base: str | None
    tip: str | None
    chain: bool
    locked: Mapping[str, float]
    gravity: Sequence[float]


@dataclass
class _Contents:
    """What was read from one document so far."""

    findings: Findings
    links: list[LinkPart] = field(default_factory=list)
    joints: list[JointPart] = field(default_factory=list)
    geometry: list[Geometry] = field(default_factory=list)
    mimics: list[Mimic] = field(default_factory=list)
    loose: list[Loose] = field(default_factory=list)
    complete: bool = True


def _read(root: Element, document: str, fallback_name: str, wanted: _Wanted) -> Model:
    """From the parsed document to the model."""
    refuse_other_formats(root, document)
    refuse_xacro(root, document)
    contents = _read_parts(root, document)
    findings = contents.findings
    name = root.attributes.get("name", "")
    if not name:
        findings.note("<robot> has no name and is called after its file", repr(fallback_name))
    locked = follow(contents.mimics, wanted.locked, findings)
    model = assemble(
        name or fallback_name,
        contents.links,
        contents.joints,
        base=wanted.base,
        tip=wanted.tip,
        chain=wanted.chain,
        locked=locked,
        gravity=wanted.gravity,
        notes=findings.notes,
        geometry=contents.geometry,
        problems=findings.problems,
        incomplete=not contents.complete,
    )
    refuse_unsupported(model, contents.mimics, contents.loose)
    return model


def _read_parts(root: Element, document: str) -> _Contents:
    """Every link and joint of the document, and what is wrong with them or not used."""
    contents = _Contents(Findings(document))
    for element in root.children:
        if element.tag == "link":
            _read_link(element, contents)
        elif element.tag == "joint":
            _read_joint(element, contents)
    check_robot(root, contents.findings)
    if not contents.links and not contents.findings.problems:
        raise ModelError(f'{document}:{root.line} <robot> has no links; expected at least one <link name="...">.')
    moving = {joint.name for joint in contents.joints if joint.kind != "fixed"}
    check_leaders(contents.mimics, {joint.name for joint in contents.joints}, moving)
    return contents


def _named(element: Element, contents: _Contents) -> Part | None:
    """The link or joint, ready to be read; a nameless one is a problem and cannot take part."""
    name = element.attributes.get("name", "")
    if not name.strip():
        expected = f'expected <{element.tag} name="...">'
        contents.findings.problem(element, f"<{element.tag}> has no name; {expected}.")
        contents.complete = False
        return None
    return Part(contents.findings, element, f"{element.tag} {name!r}")


# ---------------------------------------------------------------------------------------------------------- links


def _read_link(element: Element, contents: _Contents) -> None:
    part = _named(element, contents)
    if part is None:
        return
    check_vocabulary(part, element)
    name = element.attributes["name"]
    contents.links.append(LinkPart(name, _inertia(part), part.where))
    contents.geometry += _geometry(name, element)


def _inertia(part: Part) -> Inertia:
    """Mass, centre of mass and inertia tensor, turned from the axes of the inertial's origin to those of the link."""
    inertial = part.only(part.element, "inertial")
    if inertial is None:
        return Inertia()
    problems_before = len(part.findings.problems)
    mass = _mass(part, inertial)
    tensor = _tensor(part, inertial)
    pose = _origin(part, inertial)
    if len(part.findings.problems) > problems_before:
        return Inertia()  # what can be read of it would only raise follow-up problems
    if mass == 0.0 and not tensor.any():
        return Inertia()  # many files write it for a frame that is only a name
    R, com = pose[:3, :3], pose[:3, 3]
    return Inertia(mass, com, R @ tensor @ R.T)


def _mass(part: Part, inertial: Element) -> float:
    mass = part.only(inertial, "mass")
    if mass is None:
        part.problem(inertial, '<inertial> has no <mass>; expected <mass value="..."/> in kg.')
        return 0.0
    return part.number(mass, "value")


def _tensor(part: Part, inertial: Element) -> Array:
    """I_c from its six numbers; the products of inertia are the tensor's own entries, ixy = -sum(m x y)."""
    inertia = part.only(inertial, "inertia")
    if inertia is None:
        part.problem(inertial, "<inertial> has no <inertia>; expected its ixx, ixy, ixz, iyy, iyz and izz in kg m^2.")
        return np.zeros((3, 3))
    xx, xy, xz, yy, yz, zz = (part.number(inertia, ij) for ij in ("ixx", "ixy", "ixz", "iyy", "iyz", "izz"))
    return np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])


def _geometry(link: str, element: Element) -> list[Geometry]:
    return [
        Geometry(link, cast(Literal["visual", "collision"], shape.tag), _shape_source(form))
        for shape in element.children
        if shape.tag in ("visual", "collision")
        for holder in shape.all("geometry")
        for form in holder.children
    ]


def _shape_source(form: Element) -> str:
    """The file of a mesh, or a primitive in words, such as "box 1 2 3" or "cylinder radius 0.1 length 0.5"."""
    if form.tag == "mesh":
        return form.attributes.get("filename", "")
    if form.tag == "box":
        return f"box {form.attributes.get('size', '')}".rstrip()
    return " ".join([form.tag, *(f"{name} {value}" for name, value in sorted(form.attributes.items(), reverse=True))])


# --------------------------------------------------------------------------------------------------------- joints


def _read_joint(element: Element, contents: _Contents) -> None:
    part = _named(element, contents)
    if part is None:
        return
    check_vocabulary(part, element)
    name = element.attributes["name"]
    kind = _kind(part)
    parent, child = _end(part, "parent"), _end(part, "child")
    placement = _origin(part, element)
    axis = _axis(part) if kind != "fixed" else np.array([1.0, 0.0, 0.0])
    limits = _limits(part, kind)
    damping, friction = _dynamics(part)
    if kind != "fixed" and (mimic := part.only(element, "mimic")) is not None:
        contents.mimics.append(read_mimic(part, name, mimic))
    if (given := element.attributes.get("type", "")) in LOOSE_TYPES:
        contents.loose.append(Loose(name, given, child, part.where))
    if not parent or not child:
        contents.complete = False
        return
    contents.joints.append(
        JointPart(name, kind, parent, child, placement, axis, limits, damping, friction, where=part.where)
    )


def _kind(part: Part) -> Kind:
    """What armdyn calls the joint's type; a joint that cannot be modelled stands in the tree as a fixed one."""
    given = part.element.attributes.get("type", "")
    if given in KINDS:
        return KINDS[given]
    if given not in LOOSE_TYPES:
        close = get_close_matches(given.strip().lower(), KINDS, n=1)
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


def _axis(part: Part) -> Array:
    """The unit vector along the joint's axis, in the child's axes; x where the file has none, as specified."""
    element = part.only(part.element, "axis")
    if element is None:
        return np.array([1.0, 0.0, 0.0])
    problems_before = len(part.findings.problems)
    axis = part.vector(element, "xyz", None)
    if len(part.findings.problems) > problems_before:
        return np.array([1.0, 0.0, 0.0])
    largest = float(np.abs(axis).max())
    if largest == 0.0:
        part.problem(element, "<axis> xyz is zero; expected a direction such as 0 0 1.")
        return np.array([1.0, 0.0, 0.0])
    length = largest * float(np.linalg.norm(axis / largest))  # so that tiny and huge axes neither vanish nor overflow
    if abs(length - 1.0) > UNIT_TOLERANCE:
        part.note("axis is not of unit length and was normalised")
    unit: Array = axis / largest / (length / largest)
    return unit


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
    lower, upper = (part.number(element, end, 0.0, finite=False) for end in ("lower", "upper"))
    if turns_freely:
        if (lower, upper) != (0.0, 0.0):
            part.note("position limits of a continuous joint are not used")
        return Limits(velocity=velocity, effort=effort)
    return Limits(lower, upper, velocity, effort)


def _bound(part: Part, limit: Element, quantity: str) -> float:
    if quantity not in limit.attributes:
        part.note(f"<limit> has no {quantity}; it is taken as unlimited")
    return part.number(limit, quantity, math.inf, finite=False)


def _dynamics(part: Part) -> tuple[float, float]:
    element = part.only(part.element, "dynamics")
    if element is None:
        return 0.0, 0.0
    return part.number(element, "damping", 0.0), part.number(element, "friction", 0.0)


# -------------------------------------------------------------------------------------------------------- origins


def _origin(part: Part, holder: Element) -> Array:
    """T of an ``<origin>``; the identity where there is none."""
    element = part.only(holder, "origin")
    if element is None:
        return np.eye(4)
    xyz = part.vector(element, "xyz", (0.0, 0.0, 0.0))
    return rigid(_orientation(part, element), xyz)


def _orientation(part: Part, origin: Element) -> Array | None:
    """The rotation of an origin from its rpy or, since URDF 1.1, from its quaternion; None where it has no turn."""
    if "quat_xyzw" in origin.attributes:
        return _from_quaternion(part, origin)
    rpy = part.vector(origin, "rpy", (0.0, 0.0, 0.0))
    return rotation_from_rpy(*rpy.tolist()) if rpy.any() else None


def _from_quaternion(part: Part, origin: Element) -> Array | None:
    """R = 1 + 2 (w [v] + [v]^2) of the quaternion w + v, normalised."""
    if "rpy" in origin.attributes:
        part.problem(origin, "<origin> has both rpy and quat_xyzw; expected one of them.")
        return None
    quaternion = part.vector(origin, "quat_xyzw", None, size=4)
    length = float(np.linalg.norm(quaternion))
    if length == 0.0:
        part.problem(origin, "<origin> quat_xyzw is zero; expected a unit quaternion such as 0 0 0 1.")
        return None
    if abs(length - 1.0) > UNIT_TOLERANCE:
        part.note("quat_xyzw is not of unit length and was normalised")
    x, y, z, w = quaternion / length
    return np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)],
            [2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)],
            [2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)],
        ]
    )
