"""From the parts a description names to a `Model`: what is wrong is said, what is fixed is merged."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import islice

import numpy as np
from numpy.typing import ArrayLike

from armdyn.errors import ModelError, UnknownName
from armdyn.exact import exact, norm
from armdyn.model.frozen import finite_array
from armdyn.model.inertia import Inertia
from armdyn.model.model import GRAVITY, STANDARD_GRAVITY, Frame, Geometry, Joint, Link, Model
from armdyn.model.notes import notes_on, notes_on_locked
from armdyn.model.parts import JointPart, LinkPart, in_tree_order
from armdyn.model.validation import MAX_PROBLEMS, impossible_inertias, quoted, refuse
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
) -> Model:
    """Build the `Model`, or raise a `ModelError` that lists every problem at once.

    Args:
        name: of the robot.
        links: every link of the description.
        joints: every joint of the description, in its order.
        base: keep only what hangs on this link; the root where none is given.
        tip: the link or merged link that counts as the tip; found where there is one only.
        chain: keep only the moving joints between ``base`` and ``tip``, and what is welded to that chain.
        locked: joints that are held, by name, and where (rad or m).
        gravity: acceleration of free fall in base axes, m/s^2.
        notes: what the reader of the description did not use.
        geometry: shapes the description refers to.
        problems: what the reader of the description found wrong already.
        incomplete: whether the reader had to leave out a part, so that how they hang together cannot be judged.
        check_inertia: refuse inertias that no rigid body has; otherwise they are taken as they stand, with a note.
        judge: raises where the model holds what the reader cannot describe, before it is asked whether it moves.
    """
    locked = checked_locked(locked)
    impossible = list(islice(impossible_inertias(links), MAX_PROBLEMS))
    if check_inertia:
        remedy = "; mend it, or read it as it stands with check_inertia=False"
        problems = [*problems, *(f"{problem}{remedy}." for problem in impossible)]
    else:
        notes = [*notes, *(f"{problem}; taken as it stands" for problem in impossible)]
    refuse([*problems], links, joints, incomplete)
    _check_names(name, links, joints, base, tip, locked)
    doubts = list(notes_on_locked(joints, locked))
    joints = [_lock(joint, locked) for joint in joints]
    base = base if base is not None else next(iter(_roots(links, joints)))
    kept, left_out = _choose(name, base, tip, chain, joints)
    model = _merge(name, base, links, kept, gravity, order=[joint.name for joint in joints])
    if judge is not None:
        judge(model)
    if not model.joints:
        raise ModelError(
            f"{quoted(name)} has no moving joint; an arm needs at least one that is revolute or prismatic."
        )
    tip = tip if tip is not None else _unique_tip(base, kept)
    here = set(model._frames_by_name)
    return model.replace(
        tip=tip,
        notes=(*notes, *left_out, *doubts, *notes_on(model)),
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


def _roots(links: Sequence[LinkPart], joints: Sequence[JointPart]) -> list[str]:
    moved = {joint.child for joint in joints}
    return [link.name for link in links if link.name not in moved]


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
    moved = rigid(rotation_about(joint.axis, q)) if joint.kind == "revolute" else rigid(p=exact(joint.axis) * q)
    return dataclasses.replace(joint, kind="fixed", placement=exact(joint.placement) @ moved)


def _choose(
    name: str, base: str, tip: str | None, chain: bool, joints: Sequence[JointPart]
) -> tuple[list[JointPart], list[str]]:
    """The joints to keep, parents first, and a note on each moving part that is left out."""
    reachable = in_tree_order([base], joints)
    if tip is not None and tip != base and tip not in {joint.child for joint in reachable}:
        raise UnknownName(f"link {tip!r} does not hang on base {base!r} in {name!r}; choose another base or tip.")
    if not chain:
        return reachable, []
    if tip is None:
        raise UnknownName(f"a chain of {name!r} was asked for without its tip; name it with tip=.")
    path = set()
    by_child = {joint.child: joint for joint in reachable}
    link = tip
    while link != base:
        path.add(link)
        link = by_child[link].parent
    kept_links, kept, left_out = {base}, [], []
    for joint in reachable:
        if joint.parent not in kept_links:
            continue
        if joint.kind == "fixed" or joint.child in path:
            kept.append(joint)
            kept_links.add(joint.child)
        else:
            left_out.append(f"joint {joint.name!r} and all it moves are not on the chain to {tip!r} and left out")
    return kept, left_out


def _unique_tip(base: str, joints: Sequence[JointPart]) -> str | None:
    """The end of the tree where it has one end only; welded ends count only where no single moving end has them."""
    parents = {joint.parent for joint in joints}
    ends = [joint.child for joint in joints if joint.child not in parents]
    if not joints:
        return base
    if len(ends) == 1:
        return ends[0]
    moving = [joint.child for joint in joints if joint.kind != "fixed"]
    carries_motion = {joint.parent for joint in joints if joint.kind != "fixed"}
    welded_to = {joint.child: joint.parent for joint in joints if joint.kind == "fixed"}
    for link in list(carries_motion):
        while link in welded_to and (link := welded_to[link]) not in carries_motion:
            carries_motion.add(link)
    moving_ends = [link for link in moving if link not in carries_motion]
    return moving_ends[0] if len(moving_ends) == 1 else None


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
