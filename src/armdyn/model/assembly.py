"""The `Model` from the parts of a description: problems are reported, fixed links merged."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence

import numpy as np
from numpy.typing import ArrayLike

from armdyn.base.advice import option
from armdyn.base.errors import ModelError, UnknownName, warn_of_description
from armdyn.base.exact import exact, norm, rounded
from armdyn.model.bounds import largest_problem
from armdyn.model.editing import without_friction
from armdyn.model.frozen import frozen_array
from armdyn.model.geometry import Geometry
from armdyn.model.joint import Joint
from armdyn.model.messages import quote
from armdyn.model.model import GRAVITY, STANDARD_GRAVITY, Frame, Link, Model
from armdyn.model.mounting import in_base_axes, notes_on_idle_locks, notes_on_mounting, path_to
from armdyn.model.notes import (
    notes_on,
    notes_on_branches,
    notes_on_ignored_friction,
    notes_on_locked,
    notes_on_lost_mass,
    surprises_in,
)
from armdyn.model.parts import JointPart, LinkPart, float_mechanics
from armdyn.model.plausibility import notes_on_sizes
from armdyn.model.selection import Selection, branches_left_out, roots
from armdyn.model.tips import find_tip
from armdyn.model.validation import check_types, judged_inertias, refuse
from armdyn.spatial.rotations import Array, rigid, rotation_about

UNIT_ROUNDING = 1e-15
"""The largest error in the computed length of a normalised vector."""

EVERYTHING = Selection()


def assemble(
    name: str,
    links: Sequence[LinkPart],
    joints: Sequence[JointPart],
    selection: Selection = EVERYTHING,
    *,
    notes: Iterable[str] = (),
    geometry: Iterable[Geometry] = (),
    problems: Iterable[str] = (),
    incomplete: bool = False,
    check: Callable[[Model], object] | None = None,
    marked_tip: str | None = None,
    gravity: ArrayLike | None = None,
    gravity_in: str | None = None,
    drawn: Mapping[str, float] | None = None,
) -> Model:
    """Build the `Model`, or raise a `ModelError` that lists every problem at once.

    Warns (`DescriptionWarning`) of quantities left out of the equations that most callers would expect in them.

    Args:
        name: of the robot.
        links: every link of the description.
        joints: every joint of the description, in its order.
        selection: the selected part of the description, and the checks.
        notes: data that the reader of the description did not use.
        geometry: shapes the description refers to.
        problems: errors that the reader of the description found already.
        incomplete: True if the reader had to leave out a part, so that the connections cannot be checked.
        check: raises if the model holds parts that the reader cannot describe; called before the joints are checked for
            motion.
        marked_tip: the link that the description itself names as the tip.
        gravity: of the description, m/s^2, shape (3,); (0, 0, -9.81) if it states none. That of ``selection``, which is
            in the axes of the base, replaces it.
        gravity_in: the link in whose axes the description states gravity; its root by default.
        drawn: positions at which the description draws its joints, by name, if these are not zero, rad or m.
    """
    check_types(name, links, joints)
    geometry = tuple(geometry)
    base, tip, locked = selection.base, selection.tip, selection.locked
    loading, welded = selection.loading(links, joints)
    impossible, notes_on_inertias = judged_inertias(
        links, joints, loading, welded, check_inertia=selection.check_inertia
    )
    refuse([*problems, *impossible], links, joints, incomplete)
    _check_names(name, links, joints, selection)
    doubts = list(notes_on_locked(joints, locked))
    described, joints = joints, [lock(joint, locked) for joint in joints]
    base = base if base is not None else next(iter(roots(links, joints)))
    selected = selection.remaining_joints(name, base, joints)
    if result := list(_carriers_left_out(base, joints, selected)):
        raise ModelError(result)
    left_out = branches_left_out(base, links, joints, selected) if selection.chain else {}
    stated = STANDARD_GRAVITY if gravity is None else gravity
    g, notes_on_base = _gravity(base, described, selected, selection, stated, gravity_in, drawn or {})
    names_kept = {joint.name for joint in selected}
    stopped = [joint for joint in joints if joint.name not in names_kept]
    model = merge(name, base, links, selected, g, [joint.name for joint in joints], geometry, stopped)
    if check is not None:
        check(model)
    refuse_motionless(model)
    notes = [*notes, *notes_on_ignored_friction(model, selection.friction == "ignore")]
    model = without_friction(model) if selection.friction == "ignore" else model
    tip, notes_on_tip = find_tip(base, selected, marked_tip) if tip is None else (tip, [])
    lost_mass, others_left_out = list(notes_on_lost_mass(tip, left_out)), list(notes_on_branches(tip, left_out))
    for surprise in (*lost_mass, *surprises_in(model)):
        warn_of_description(f"{quote(name)}: {surprise}")
    return model.replace(
        tip=tip,
        notes=(
            *notes,
            *notes_on_inertias,
            *lost_mass,
            *others_left_out,
            *doubts,
            *notes_on_tip,
            *notes_on_base,
            *notes_on_sizes(links, joints, geometry),
            *notes_on(model),
        ),
    )


def _gravity(
    base: str,
    joints: Sequence[JointPart],
    joints_of_robot: Sequence[JointPart],
    selection: Selection,
    stated: ArrayLike,
    stated_in: str | None,
    drawn: Mapping[str, float],
) -> tuple[ArrayLike, list[str]]:
    """Gravity in the axes of the base, and notes on the joints left out on which it depends, or does not."""
    used = {joint.name for joint in joints_of_robot}
    if selection.gravity is not None:
        idle = {joint.name for joint in joints} - used
        return selection.gravity, [*notes_on_idle_locks(selection.locked, idle)]
    positions = {joint.name: selection.locked.get(joint.name, drawn.get(joint.name, 0.0)) for joint in joints}
    below = path_to(base, joints)
    at, to = (
        [joint if joint.kind == "fixed" else lock(joint, positions) for joint in path]
        for path in (path_to(stated_in, joints) if stated_in is not None else [], below)
    )
    gravity = in_base_axes(stated, at, to)
    moving = {joint.name: positions[joint.name] for joint in below if joint.kind != "fixed"}
    idle = {joint.name for joint in joints} - used - moving.keys()
    notes = notes_on_mounting(base, gravity, moving, selection.locked)
    return gravity, [*notes, *notes_on_idle_locks(selection.locked, idle)]


def refuse_motionless(model: Model) -> None:
    """Raise if links and joints do not form an arm."""
    if not model.joints:
        raise ModelError(
            f"{quote(model.name)} has no moving joint; an arm needs at least one that is revolute or prismatic."
        )


def _check_names(name: str, links: Sequence[LinkPart], joints: Sequence[JointPart], selection: Selection) -> None:
    link_names = [link.name for link in links]
    for link_name in (selection.base, selection.tip):
        if link_name is not None and link_name not in link_names:
            raise UnknownName.of("link", link_name, link_names, repr(name))
    moving = {joint.name: joint for joint in joints if joint.kind != "fixed"}
    for joint_name in selection.locked:
        if joint_name not in moving:
            raise UnknownName.of("moving joint", joint_name, moving, repr(name))


def _carriers_left_out(base: str, joints: Sequence[JointPart], moving: Sequence[JointPart]) -> Iterator[str]:
    """Problems: rotors and stators of joints that are kept, on links that are not."""
    kept_links = {base, *(joint.child for joint in moving)}
    left_out = {link for joint in joints for link in (joint.parent, joint.child)} - kept_links
    for joint in moving:
        for part in joint.motor_parts:
            if part.carrier in left_out:
                subject = f"link {quote(part.carrier)} carries its {type(part).__name__.lower()}, and"
                advice = _advice_on_carrier(part.carrier, base, kept_links, joints)
                yield f"{joint.where} joint {quote(joint.name)}: {subject} {advice}".lstrip()


def _advice_on_carrier(carrier: str, base: str, kept_links: Collection[str], joints: Sequence[JointPart]) -> str:
    """Advice on a link that is left out: select all branches, or weld it to the chain by the joints before it."""
    by_child = {joint.child: joint for joint in joints}
    link, leading = carrier, dict[str, float]()
    while link not in kept_links:
        if link not in by_child:
            return f"that link is not connected to the base; leave out {option('base', base)}"
        if by_child[link].kind != "fixed":
            leading = {by_child[link].name: 0.0, **leading}
        link = by_child[link].parent
    remedy = option("locked", leading)
    return f"{option('chain', True)} leaves that link out; load the arm without it, or keep the link with {remedy}"


def lock(joint: JointPart, locked: Mapping[str, float]) -> JointPart:
    """The joint, or the weld that holds it at its locked position."""
    if joint.name not in locked:
        return joint
    q = locked[joint.name]
    if fault := largest_problem(q, joint.kind):
        raise ModelError(f"{joint.where} joint {quote(joint.name)}: locked at {fault}.".lstrip())
    moved = rigid(rotation_about(joint.axis, q)) if joint.kind == "revolute" else rigid(p=exact(joint.axis) * q)
    parts = tuple(part.turned(rounded(moved[:3, :3]).T) for part in joint.motor_parts)
    return dataclasses.replace(joint, kind="fixed", placement=exact(joint.placement) @ moved, motor_parts=parts)


def merge(
    name: str,
    base: str,
    links: Iterable[LinkPart | Link],
    joints: Iterable[JointPart],
    gravity: ArrayLike,
    order: Sequence[str],
    geometry: Iterable[Geometry],
    stopped: Iterable[JointPart] = (),
) -> Model:
    """Weld every fixed joint: the links after it become frames of the link that carries their inertia and shapes.

    ``stopped`` are joints that are left out: their rotors on links that stay are held, as those of fixed joints are.
    """
    parts = {link.name: link for link in links}
    inertias = {base: parts[base].exact_inertia}
    poses = {base: (base, exact(np.eye(4)))}  # of every frame: its link and T_link,frame, rounded once at the end
    moving: dict[str, Joint] = {}
    locked: list[JointPart] = []
    for joint in joints:
        carrier, pose = poses[joint.parent]
        placement = pose @ exact(joint.placement)
        inertia = parts[joint.child].exact_inertia
        if joint.kind == "fixed":
            poses[joint.child] = carrier, placement
            inertias[carrier] = inertias[carrier] + inertia.seen_from(placement)
            locked.append(joint)
        else:
            poses[joint.child] = joint.child, exact(np.eye(4))
            inertias[joint.child] = inertia
            names, axis = (joint.name, joint.kind, carrier, joint.child), _unit(joint.axis)
            moving[joint.name] = Joint(
                *names,
                placement,
                axis,
                **float_mechanics(joint),
                actuator=joint.actuator,
                motor_parts=joint.motor_parts,
                parallel_springs=joint.parallel_springs,
            )
    for joint in (*locked, *stopped):
        for rotor in (part for part in joint.motor_parts if part.spins):  # they no longer turn against their links
            at = joint.parent if rotor.carrier is None else rotor.carrier
            if at not in poses:
                continue
            link, pose = poses[at]
            T = pose @ exact(joint.placement) if rotor.carrier is None else pose
            inertias[link] = inertias[link] + rotor.moment(rotor.seen_from(link, T, joint.axis))
    in_order = [moving[joint_name] for joint_name in order if joint_name in moving]
    return Model(
        name,
        links=tuple(Link.of(link, inertias[link]) for link in (base, *(j.child for j in in_order))),
        joints=tuple(in_order),
        frames=tuple(Frame(frame, link, pose) for frame, (link, pose) in poses.items()),
        gravity=frozen_array(gravity, (3,), "gravity", GRAVITY),
        geometry=tuple(_carried(shape, *poses[shape.link]) for shape in geometry if shape.link in poses),
    )


def _carried(shape: Geometry, link: str, pose: Array) -> Geometry:
    """A shape moved to the link that carries its own link, which is at a pose in it."""
    return shape if link == shape.link else dataclasses.replace(shape, link=link, pose=pose @ exact(shape.pose))


def _unit(axis: Array) -> Array:
    """The axis in unit length; one of unit length to rounding is unchanged, so that models can be written and read."""
    length = norm(exact(axis))
    return axis if abs(length - 1) < UNIT_ROUNDING else exact(axis) / length
