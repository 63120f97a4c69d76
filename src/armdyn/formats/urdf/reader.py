"""The reader of URDF files into a `Model`: other formats are refused, links and joints are read and assembled."""

from __future__ import annotations

import dataclasses
import math
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Unpack

from numpy.typing import ArrayLike

from armdyn.base.errors import ModelError
from armdyn.formats.files import parse_leniently, read_file, refuse_not_xml, refuse_other_formats, refuse_text
from armdyn.formats.findings import DocumentFindings, ElementReader
from armdyn.formats.urdf.coupling import with_coupling
from armdyn.formats.urdf.dynamics import RELATIVE, reconcile_friction
from armdyn.formats.urdf.foreign import foreign_words, refuse_foreign
from armdyn.formats.urdf.joints import is_not_modelled, read_joint, refuse_multi_dof
from armdyn.formats.urdf.links import read_link
from armdyn.formats.urdf.loops import (
    ENDS,
    UrdfLoop,
    check_ends,
    read_ball_constraint,
    read_loop,
    with_loops,
)
from armdyn.formats.urdf.mimic import check_leaders, couple_mimics, hold_with, read_mimic
from armdyn.formats.urdf.own_words import OwnWords, driven_by, read_own_words, says_drive
from armdyn.formats.urdf.shapes import Color, read_materials, read_shapes
from armdyn.formats.urdf.transmissions import check_against, read_transmissions
from armdyn.formats.urdf.unused import BALL_CONSTRAINT, DRAKE_JOINT, check_robot, check_vocabulary
from armdyn.formats.urdf.wrong_kind import (
    OTHER_FORMATS,
    check_xacro,
    has_quaternions,
    refuse_xacro_name,
)
from armdyn.formats.xml_tree import XmlElement
from armdyn.model.assembly import assemble
from armdyn.model.geometry import Geometry
from armdyn.model.joint_equations import JointEquation
from armdyn.model.joint_order import in_joint_order
from armdyn.model.messages import quote
from armdyn.model.mimic import resolve_chains
from armdyn.model.model import Model
from armdyn.model.parts import JointPart, LinkPart, MultiDofJoint
from armdyn.model.selection import FrictionPolicy, Policy, Selection, SelectionOptions

WORLD = "world"


def read_urdf(
    path: str | os.PathLike[str],
    *,
    base: str | None = None,
    tip: str | None = None,
    chain: bool = False,
    locked: Mapping[str, float] | None = None,
    gravity: ArrayLike | None = None,
    check_inertia: bool = True,
    problems: Policy = "refuse",
    friction: FrictionPolicy = "count",
    joint_order: str | Sequence[str] = "file",
    xacro_args: Mapping[str, object] | None = None,
) -> Model:
    """Read a URDF file.

    Args:
        path: of the file.
        base: keep only the links and joints after this link; the root by default.
        tip: the link that ``f_tip``, the pose and the Jacobian mean. By default the one that `to_urdf` wrote; the end,
            if the robot has only one; else tool0, tcp, flange or ee_link. If there is none of these the robot has no
            tip. ``notes`` reports the tip used if there was a choice.
        chain: keep only the joints between ``base`` and ``tip``, and links welded to that chain. Warns of mass that is
            left out.
        locked: positions of joints that are held, by name, rad or m.
        gravity: acceleration of free fall in base axes, m/s^2. By default the one that `to_urdf` wrote, else (0, 0,
            -9.81) in the axes of the root, turned into those of ``base``, with joints below it at the positions of
            ``locked``, else at zero.
        check_inertia: refuse inertias that no rigid body has and that load a joint; otherwise accept them unchanged,
            with a note. Those that load no joint, of the base and links welded to it, are only noted.
        problems: "refuse" every fault of the file; or "warn" of those that no equation contains, e.g. limits in reverse
            order, and read on. The `armdyn.DescriptionWarning` and the robot's ``notes`` report the values used.
        friction: "count" the damping and friction of its joints in the equations, or "ignore" them, with a note: the
            bare rigid bodies, as most libraries compute them.
        joint_order: of q: "file", that of the description; "chain", from the base to the tips, each joint after those
            that carry it; or the names of all entries of q. ``notes`` reports if the two differ.
        xacro_args: expand the file, which is xacro, with these values of its arguments, by name; {} for none. It needs
            the library xacrodoc, and evaluates the file's expressions: only for files that you trust.

    Raises:
        ModelError: every problem of the file at once, each with its line.
        Unsupported: elements that act on the arm and that armdyn does not model.
        UnknownName: a base, tip or locked joint the file does not have.

    Warns (`armdyn.DescriptionWarning`) of limits that are zero.

    Joints that ``<mimic>`` others are coupled to them, and are not entries of q: `joint_positions` has them all.
    A ``<transmission>`` with one joint becomes its actuator: a gear, and a motor if the rotor's inertia is stated.
    Elements ``<loop_joint>`` and ``<loop>`` close loops, and become constraints: `with_constraints`.
    """
    if not isinstance(path, str | os.PathLike):
        raise ModelError(f"expected the path of a URDF file, got {quote(repr(path))}.")
    refuse_text(path)
    file = Path(path)
    data = read_file(file)
    if xacro_args is None:
        refuse_xacro_name(file)
        refuse_not_xml(file, data)
    selection = Selection(
        base, tip, chain, {} if locked is None else locked, gravity, check_inertia, problems, friction, joint_order
    )
    document = file.name
    if xacro_args is not None:
        from armdyn.formats.urdf.expansion import expand  # noqa: PLC0415 - of xacro files alone

        data, document = expand(file, xacro_args).encode("utf-8"), f"{file.name} (expanded)"
    findings = DocumentFindings(document, selection.problems, str(file.absolute().parent))
    return _read(parse_leniently(data, findings), file.stem.removesuffix(".urdf"), selection, findings)


def read_urdf_text(text: str | bytes, name: str = "robot", **options: Unpack[SelectionOptions]) -> Model:
    """Read the robot a URDF text describes, as `read_urdf` reads a file; ``name`` replaces the file in messages."""
    if not isinstance(text, str | bytes):
        raise ModelError(f"expected the text of a URDF file, str or bytes, got {quote(repr(text))}.")
    selection = Selection(**options)
    findings = DocumentFindings(name, selection.problems)
    if isinstance(text, str):
        # The text was decoded already, in any encoding that it declares. The parser complains of lone surrogates.
        root = parse_leniently(text.encode("utf-8", "surrogatepass"), findings, encoding="utf-8")
    else:
        root = parse_leniently(text, findings)
    return _read(root, name, selection, findings)


@dataclass
class _Contents:
    """The contents of one document."""

    findings: DocumentFindings
    links: list[LinkPart] = field(default_factory=list)
    joints: list[JointPart] = field(default_factory=list)
    geometry: list[Geometry] = field(default_factory=list)
    colors: Mapping[str, Color] = field(default_factory=dict)
    mimics: list[JointEquation] = field(default_factory=list)
    multi_dof: list[MultiDofJoint] = field(default_factory=list)
    loops: list[UrdfLoop] = field(default_factory=list)
    own: OwnWords = field(default_factory=OwnWords)
    complete: bool = True


def _read(root: XmlElement, fallback_name: str, selection: Selection, findings: DocumentFindings) -> Model:
    """The `Model` of a parsed document."""
    refuse_other_formats(root, findings.document, "robot", "URDF", OTHER_FORMATS)
    check_xacro(root, findings)
    findings.has_quaternions = has_quaternions(root, findings)
    contents = _read_parts(root, findings)
    name = root.attributes.get("name", "")
    if not name:
        findings.note("<robot> has no name and is called after its file", quote(fallback_name))
    locked = hold_with(contents.mimics, selection.locked, findings)
    base = contents.own.base if selection.base is None else selection.base
    model = assemble(
        name or fallback_name,
        contents.links,
        contents.joints,
        dataclasses.replace(selection, base=base, locked=locked),
        notes=findings.notes,
        geometry=contents.geometry,
        problems=findings.problems,
        incomplete=not contents.complete,
        check=lambda model: refuse_multi_dof(model, contents.multi_dof),
        marked_tip=contents.own.tip,
        gravity=contents.own.gravity,
        gravity_in=contents.own.base,
        drawn={} if findings.problems else _positions_at_zero(contents.mimics),
    )
    model = refuse_foreign(foreign_words(root), model, findings)
    findings.warn()
    coupled_model = with_coupling(couple_mimics(model, contents.mimics, locked), contents.own.coupling)
    whole = with_loops(coupled_model, contents.loops)
    return in_joint_order(whole, selection.joint_order)


def _positions_at_zero(mimics: Sequence[JointEquation]) -> dict[str, float]:
    """Positions of mimic joints while those that they follow are at zero, rad or m."""
    return {mimic.joint: mimic.value for mimic in resolve_chains(mimics).values()}


def _read_parts(root: XmlElement, findings: DocumentFindings) -> _Contents:
    """Every link and joint of the document, with problems in them and notes on unused data."""
    contents = _Contents(findings, colors=read_materials(root, findings))
    for element in root.children:
        if element.tag in ("link", "joint", DRAKE_JOINT, *ENDS):
            _read_element(element, contents)
        elif element.tag == BALL_CONSTRAINT:
            contents.loops += read_ball_constraint(element, findings, len(contents.loops))
    check_robot(root, contents.findings)
    if not contents.links and not contents.findings.problems:
        raise ModelError(
            f'{contents.findings.where(root)} <robot> has no links; expected at least one <link name="...">.'
        )
    _declare_world(contents)
    moving = {joint.name for joint in contents.joints if joint.kind != "fixed"}
    check_leaders(contents.mimics, {joint.name for joint in contents.joints}, moving, contents.findings)
    links = [link.name for link in contents.links]
    check_ends(contents.loops, links)
    contents.own = read_own_words(root, contents.findings, links, contents.joints)
    _put_drives_on(contents, root)
    for reader in contents.own.of_links:
        contents.geometry += read_shapes(reader, reader.element.attributes["link"], contents.colors)
    return contents


def _put_drives_on(contents: _Contents, root: XmlElement) -> None:
    """Own words and transmissions on the joints; if <armdyn> describes a joint's drive, other elements must agree."""
    transmissions = read_transmissions(root, contents.findings, contents.joints)
    stated = {joint.name: joint.armature for joint in contents.joints if joint.armature}
    contents.joints = contents.own.applied_to(contents.joints)
    elements = {element.attributes.get("name", ""): element for element in root.children if element.tag == "joint"}
    for place, joint in enumerate(contents.joints):
        own = contents.own.of_joints.get(joint.name, {})
        if own:
            of_joint = ElementReader(contents.findings, elements[joint.name], f"joint {quote(joint.name)}")
            contents.joints[place] = reconcile_friction(joint, own, of_joint)
        text, reader = transmissions.get(joint.name, (None, None))
        if text is None or reader is None:
            continue
        if says_drive(own):
            check_against(text, reader, joint)
        else:
            contents.joints[place] = dataclasses.replace(joint, **(driven_by(text.actuator) | dict(own)))
    for joint in contents.joints:
        armature = stated.get(joint.name, joint.armature)
        if not math.isclose(armature, joint.armature, rel_tol=RELATIVE):
            contents.findings.problem(
                elements[joint.name],
                f"joint {quote(joint.name)}: <dynamics> states armature {armature:g}, and what drives the joint "
                f"{joint.armature:g}; expected the same number, or one of them.",
            )


def _declare_world(contents: _Contents) -> None:
    """Insert a link "world" that carries joints and that no ``<link>`` declares, as Drake reads it."""
    names = {link.name for link in contents.links}
    on_world = [joint for joint in contents.joints if joint.parent == WORLD]
    if on_world and WORLD not in names:
        joint = on_world[0]
        text = f"joint {quote(joint.name)}: its parent link 'world' does not exist"
        contents.findings.fault(int(joint.where.rpartition(":")[2]), text, "a link 'world' without mass is put in")
        contents.links.insert(0, LinkPart(WORLD, where=joint.where))


def _read_element(element: XmlElement, contents: _Contents) -> None:
    """One link or joint; a nameless one is a problem and cannot take reader."""
    name = element.attributes.get("name", "")
    if not name.strip():
        contents.findings.problem(element, f'<{element.tag}> has no name; expected <{element.tag} name="...">.')
        contents.complete = False
        return
    reader = ElementReader(contents.findings, element, f"{element.tag} {quote(name)}")
    check_vocabulary(reader, element)
    if element.tag == "link":
        contents.links.append(read_link(reader))
        contents.geometry += read_shapes(reader, name, contents.colors)
    elif element.tag in ("joint", DRAKE_JOINT):
        _take_joint(reader, contents)
    elif (loop := read_loop(reader)) is not None:
        contents.loops.append(loop)


def _take_joint(reader: ElementReader, contents: _Contents) -> None:
    joint = read_joint(reader)
    if joint is None:
        contents.complete = False
        return
    contents.joints.append(joint)
    mimic = reader.only(reader.element, "mimic")
    if mimic is not None and joint.kind != "fixed":
        contents.mimics.append(read_mimic(reader, mimic))
    elif mimic is not None and not is_not_modelled(reader.element):
        reader.note("<mimic> is not used: the joint is fixed and moves with none")
    joint_type = reader.element.attributes.get("type", "")
    if is_not_modelled(reader.element):
        contents.multi_dof.append(MultiDofJoint(joint.name, joint_type, joint.child, reader.where))
