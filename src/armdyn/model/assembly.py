"""From the parts a description names to a `Model`: what is wrong is said, what is fixed is merged."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable, Mapping, Sequence

import numpy as np
from numpy.typing import ArrayLike

from armdyn.errors import ModelError, UnknownName, warn_of_description
from armdyn.exact import exact, norm
from armdyn.model.bounds import largest_problem
from armdyn.model.frozen import finite_array
from armdyn.model.inertia import Inertia
from armdyn.model.model import GRAVITY, STANDARD_GRAVITY, Frame, Geometry, Joint, Link, Model
from armdyn.model.notes import notes_on, notes_on_branches, notes_on_locked, notes_on_lost_mass, surprises_in
from armdyn.model.parts import JointPart, LinkPart
from armdyn.model.selection import Selection, branches_left_out, roots
from armdyn.model.tips import find_tip
from armdyn.model.validation import judged_inertias, quoted, refuse
from armdyn.model.words import check_types, checked_switch
from armdyn.spatial.rotations import Array, rigid, rotation_about

UNIT_ROUNDING = 1e-15
"""How far from 1 the computed length of a vector is at most that was divided by its length."""


def assemble(
    name: str,
    links: Sequence[LinkPart],
    joints: Sequence[JointPart],
    *,
    base: str | None = None,
    tip: str | None = None,
    chain: bool = False,
    locked: Mapping[str, float] | None = None,
    gravity: ArrayLike = STANDARD_GRAVITY,
    notes: Iterable[str] = (),
    geometry: Iterable[Geometry] = (),
    problems: Iterable[str] = (),
    incomplete: bool = False,
    check_inertia: bool = True,
    judge: Callable[[Model], object] | None = None,
    marked_tip: str | None = None,
) -> Model:
    """Build the `Model`, or raise a `ModelError` that lists every problem at once.

    Warns (`DescriptionWarning`) of what most callers would not expect to be left out of the equations.

    Args:
        name: of the robot.
        links: every link of the description.
        joints: every joint of the description, in its order.
        base: keep only what hangs on this link; the root where none is given.
        tip: the link or merged link that counts as the tip; see `find_tip` where none is given.
        chain: keep only the moving joints between ``base`` and ``tip``, and what is welded to that chain.
        locked: joints that are held, by name, and where (rad or m).
        gravity: acceleration of free fall in base axes, m/s^2.
        notes: what the reader of the description did not use.
        geometry: shapes the description refers to.
        problems: what the reader of the description found wrong already.
        incomplete: whether the reader had to leave out a part, so that how they hang together cannot be judged.
        check_inertia: refuse inertias that no rigid body has and a joint feels; otherwise they are taken as they
            stand, with a note.
        judge: raises where the model holds what the reader cannot describe, before it is asked whether it moves.
        marked_tip: the link that the description itself names as the tip.
    """
    check_types(name, links, joints, base=base, tip=tip)
    chain, check_inertia = checked_switch(chain, "chain"), checked_switch(check_inertia, "check_inertia")
    locked = checked_locked(locked)
    wanted = Selection(base, tip, chain, locked)
    felt, unfelt = wanted.felt(links, joints)
    impossible, notes_on_inertias = judged_inertias(links, felt, unfelt, check_inertia=check_inertia)
    refuse([*problems, *impossible], links, joints, incomplete)
    _check_names(name, links, joints, base, tip, locked)
    doubts = list(notes_on_locked(joints, locked))
    joints = [_lock(joint, locked) for joint in joints]
    base = base if base is not None else next(iter(roots(links, joints)))
    kept = wanted.kept(name, base, joints)
    left_out = branches_left_out(base, links, joints, kept) if chain else {}
    model = _merge(name, base, links, kept, gravity, order=[joint.name for joint in joints])
    if judge is not None:
        judge(model)
    if not model.joints:
        raise ModelError(
            f"{quoted(name)} has no moving joint; an arm needs at least one that is revolute or prismatic."
        )
    tip, notes_on_tip = find_tip(base, kept, marked_tip) if tip is None else (tip, [])
    lost_mass, others_left_out = list(notes_on_lost_mass(tip, left_out)), list(notes_on_branches(tip, left_out))
    for surprise in (*lost_mass, *surprises_in(model)):
        warn_of_description(f"{quoted(name)}: {surprise}")
    here = set(model._frames_by_name)
    return model.replace(
        tip=tip,
        notes=(*notes, *notes_on_inertias, *lost_mass, *others_left_out, *doubts, *notes_on_tip, *notes_on(model)),
        geometry=tuple(g for g in geometry if g.link in here),
    )


def checked_locked(locked: object) -> dict[str, float]:
    """What ``locked=`` is given, as numbers by joint.

    Raises:
        ModelError: what is no mapping, or a position that is not finite.
        DTypeError: a position that is no real number.
        ShapeError: several numbers for one joint.

    >>> checked_locked({"elbow": 1})
    {'elbow': 1.0}
    """
    if locked is None:
        return {}
    if not isinstance(locked, Mapping):
        raise ModelError(
            f"locked is {locked!r}; expected a mapping from joints to where they are held, rad or m, "
            "such as {'elbow_joint': 0.0}."
        )
    meaning = "a number, where it is held, rad or m"
    return {name: float(finite_array(at, (), f"locked[{name!r}]", meaning)) for name, at in locked.items()}


def _check_names(
    name: str,
    links: Sequence[LinkPart],
    joints: Sequence[JointPart],
    base: str | None,
    tip: str | None,
    locked: Mapping[str, float],
) -> None:
    link_names = [link.name for link in links]
    for link_name in (base, tip):
        if link_name is not None and link_name not in link_names:
            raise UnknownName.of("link", link_name, link_names, repr(name))
    moving = {joint.name: joint for joint in joints if joint.kind != "fixed"}
    for joint_name in locked:
        if joint_name not in moving:
            raise UnknownName.of("moving joint", joint_name, moving, repr(name))


def _lock(joint: JointPart, locked: Mapping[str, float]) -> JointPart:
    """The joint, or the weld that holds it where it is locked."""
    if joint.name not in locked:
        return joint
    q = locked[joint.name]
    if fault := largest_problem(q, joint.kind):
        raise ModelError(f"{joint.where} joint {quoted(joint.name)}: locked at {fault}.".lstrip())
    moved = rigid(rotation_about(joint.axis, q)) if joint.kind == "revolute" else rigid(p=exact(joint.axis) * q)
    return dataclasses.replace(joint, kind="fixed", placement=exact(joint.placement) @ moved)


def _merge(
    name: str,
    base: str,
    links: Sequence[LinkPart],
    joints: Sequence[JointPart],
    gravity: ArrayLike,
    order: Sequence[str],
) -> Model:
    """Weld every fixed joint: the links behind it become frames of the link that carries them, inertia added."""
    parts = {link.name: link for link in links}
    inertias = {base: parts[base].inertia.exact}
    poses = {base: (base, exact(np.eye(4)))}  # of every frame: its link and T_link,frame, rounded once at the end
    moving: dict[str, Joint] = {}
    for joint in joints:
        carrier, pose = poses[joint.parent]
        placement = pose @ exact(joint.placement)
        inertia = parts[joint.child].inertia
        if joint.kind == "fixed":
            poses[joint.child] = carrier, placement
            inertias[carrier] = inertias[carrier] + inertia.exact.seen_from(placement)
        else:
            poses[joint.child] = joint.child, exact(np.eye(4))
            inertias[joint.child] = inertia.exact
            axis = _unit(joint.axis)
            moving[joint.name] = Joint(
                joint.name, joint.kind, carrier, joint.child, placement, axis,
                joint.limits, joint.damping, joint.friction, joint.collar, joint.armature,
            )  # fmt: skip
    in_order = [moving[joint_name] for joint_name in order if joint_name in moving]
    return Model(
        name,
        links=tuple(Link(link, Inertia.of(inertias[link])) for link in (base, *(j.child for j in in_order))),
        joints=tuple(in_order),
        frames=tuple(Frame(frame, link, pose) for frame, (link, pose) in poses.items()),
        gravity=finite_array(gravity, (3,), "gravity", GRAVITY),
    )


def _unit(axis: Array) -> Array:
    """The axis in unit length; one that has it to rounding stays as it is, so that models can be written and read."""
    length = norm(exact(axis))
    return axis if abs(length - 1) < UNIT_ROUNDING else exact(axis) / length
