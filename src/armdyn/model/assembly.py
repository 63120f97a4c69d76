"""From the parts a description names to a `Model`: what is wrong is said, what is fixed is merged."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from difflib import get_close_matches
from itertools import chain as chain_of
from itertools import islice
from typing import Literal

import numpy as np

from armdyn.errors import ModelError, UnknownName
from armdyn.model.inertia import Inertia
from armdyn.model.model import STANDARD_GRAVITY, UNLIMITED, Frame, Geometry, Joint, Limits, Link, Model
from armdyn.spatial.rotations import Array, rigid, rotation_about

UNIT_TOLERANCE = 1e-6
"""How far from 1 the length of an axis may be: descriptions print axes with about six digits."""


MAX_PROBLEMS = 100
"""How many problems one report holds at most."""

MAX_COMPARED = 1000
"""How many names a misspelt one is compared with at most; each comparison takes microseconds."""


@dataclass(frozen=True)
class LinkPart:
    """A link as a description names it. ``where`` is said in front of every problem, e.g. "arm.urdf:214"."""

    name: str
    inertia: Inertia = field(default_factory=Inertia)
    where: str = ""


@dataclass(frozen=True)
class JointPart:
    """A joint as a description names it; "fixed" joints weld their two links."""

    name: str
    kind: Literal["revolute", "prismatic", "fixed"]
    parent: str
    child: str
    placement: Array
    axis: Array
    limits: Limits = UNLIMITED
    damping: float = 0.0
    friction: float = 0.0
    where: str = ""


def assemble(
    name: str,
    links: Sequence[LinkPart],
    joints: Sequence[JointPart],
    *,
    base: str | None = None,
    tip: str | None = None,
    chain: bool = False,
    locked: Mapping[str, float] | None = None,
    gravity: Sequence[float] = STANDARD_GRAVITY,
    notes: Iterable[str] = (),
    geometry: Iterable[Geometry] = (),
    problems: Iterable[str] = (),
    incomplete: bool = False,
    check_inertia: bool = True,
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
    """
    impossible = list(islice(_impossible_inertias(links), MAX_PROBLEMS))
    if check_inertia:
        remedy = "; mend it, or read it as it stands with check_inertia=False"
        problems = [*problems, *(f"{problem}{remedy}." for problem in impossible)]
    else:
        notes = [*notes, *(f"{problem}; taken as it stands" for problem in impossible)]
    _refuse([*problems], links, joints, incomplete)
    locked = locked or {}
    _check_names(name, links, joints, base, tip, locked)
    joints = [_lock(joint, locked) for joint in joints]
    base = base if base is not None else next(iter(_roots(links, joints)))
    kept, left_out = _choose(name, base, tip, chain, joints)
    model = _merge(name, base, links, kept, gravity, order=[joint.name for joint in joints])
    if not model.joints:
        raise ModelError(f"{name!r} has no moving joint; an arm needs at least one that is revolute or prismatic.")
    tip = tip if tip is not None else _unique_tip(base, kept)
    here = set(model._frames_by_name)
    return model.replace(
        tip=tip,
        notes=(*notes, *left_out, *_model_notes(model)),
        geometry=tuple(g for g in geometry if g.link in here),
    )


def _refuse(problems: Iterable[str], links: Sequence[LinkPart], joints: Sequence[JointPart], incomplete: bool) -> None:
    """Raise where anything is wrong. The tree is judged only where every joint joins two links that are there."""
    names = list(islice(_name_problems(links, joints), MAX_PROBLEMS))
    tree = [] if incomplete or names else _tree_problems(links, joints)
    found = list(islice(chain_of(problems, names, _part_problems(links, joints), tree), MAX_PROBLEMS + 1))
    if len(found) > MAX_PROBLEMS:
        found[-1] = f"... and perhaps more: only the first {MAX_PROBLEMS} problems are shown."
    if found:
        raise ModelError(found)


def _at(where: str, text: str) -> str:
    return f"{where} {text}" if where else text


def _name_problems(links: Sequence[LinkPart], joints: Sequence[JointPart]) -> Iterator[str]:
    """What is wrong with the names, by which the parts are put together."""
    if not links:
        yield "the description has no links"
    yield from _duplicates("link", links)
    yield from _duplicates("joint", joints)
    known = {link.name: None for link in links}
    for joint in joints:
        for role, link_name in (("parent", joint.parent), ("child", joint.child)):
            if link_name not in known:
                close = get_close_matches(link_name, known, n=1) if len(known) <= MAX_COMPARED else []
                meant = f" Did you mean {close[0]!r}?" if close else ""
                yield _at(joint.where, f"joint {joint.name!r}: its {role} link {link_name!r} does not exist.{meant}")


def _impossible_inertias(links: Sequence[LinkPart]) -> Iterator[str]:
    for link in links:
        if not any(link.inertia.problems()):
            for problem in link.inertia.impossibilities():
                yield _at(link.where, f"link {link.name!r}: {problem}")


def _part_problems(links: Sequence[LinkPart], joints: Sequence[JointPart]) -> Iterator[str]:
    """What is wrong with single parts: inertias, axes, limits."""
    for link in links:
        for problem in link.inertia.problems():
            yield _at(link.where, f"link {link.name!r}: {problem}.")
    for joint in joints:
        yield from _joint_problems(joint)


def _duplicates(kind: str, parts: Sequence[LinkPart] | Sequence[JointPart]) -> Iterator[str]:
    first: dict[str, LinkPart | JointPart] = {}
    for part in parts:
        if part.name in first:
            there = first[part.name].where
            also = f" (first at {there})" if there else ""
            yield _at(part.where, f"{kind} {part.name!r}: the name is taken already{also}; names must differ.")
        first.setdefault(part.name, part)


def _joint_problems(joint: JointPart) -> Iterator[str]:
    here = f"joint {joint.name!r}:"
    if joint.kind == "fixed":
        return
    length = float(np.linalg.norm(joint.axis))
    if not np.isfinite(length) or not np.isfinite(joint.placement).all():
        yield _at(joint.where, f"{here} its origin or axis is not a finite number.")
    elif length == 0.0:
        yield _at(joint.where, f"{here} axis is zero; expected a unit vector such as 0 0 1.")
    elif abs(length - 1.0) > UNIT_TOLERANCE:
        shown = " ".join(f"{a / length:.9g}" for a in joint.axis)
        yield _at(joint.where, f"{here} axis has length {length:.9g}; expected a unit vector, here {shown}.")
    limits = joint.limits
    if limits.lower > limits.upper:
        yield _at(joint.where, f"{here} lower limit {limits.lower:g} is above upper limit {limits.upper:g}.")
    for quantity in ("velocity", "effort"):
        if getattr(limits, quantity) < 0.0:
            yield _at(joint.where, f"{here} {quantity} limit {getattr(limits, quantity):g} is negative.")
    for quantity in ("damping", "friction"):
        if getattr(joint, quantity) < 0.0:
            yield _at(joint.where, f"{here} {quantity} {getattr(joint, quantity):g} is negative; it would add energy.")


def _roots(links: Sequence[LinkPart], joints: Sequence[JointPart]) -> list[str]:
    moved = {joint.child for joint in joints}
    return [link.name for link in links if link.name not in moved]


def _tree_problems(links: Sequence[LinkPart], joints: Sequence[JointPart]) -> Iterator[str]:
    """What is wrong with how the parts hang together: not one tree from one root."""
    carried_by: dict[str, JointPart] = {}
    for joint in joints:
        here = f"joint {joint.name!r}:"
        if joint.parent == joint.child:
            yield _at(joint.where, f"{here} its parent and its child are the same link {joint.child!r}.")
        elif joint.child in carried_by:
            other = carried_by[joint.child]
            there = f" ({other.where})" if other.where else ""
            yield _at(
                joint.where,
                f"{here} link {joint.child!r} hangs on joint {other.name!r}{there} already; "
                "a closed loop is not supported in a description.",
            )
        else:
            carried_by[joint.child] = joint
    roots = [link for link in links if link.name not in carried_by]
    if len(roots) > 1:
        shown = ", ".join(_at(link.where, repr(link.name)) for link in roots[:8])
        yield _at(
            roots[1].where,
            f"link {roots[1].name!r}: {len(roots)} links hang on nothing ({shown}{', ...' if len(roots) > 8 else ''}); "
            "expected one root link. A fixed joint welds one to another.",
        )
    yield from _cycles(carried_by)


def _cycles(carried_by: Mapping[str, JointPart]) -> Iterator[str]:
    """Links that carry each other in a ring; each link is looked at once."""
    seen: set[str] = set()
    for start in carried_by:
        path: dict[str, None] = {}
        link = start
        while link in carried_by and link not in seen:
            seen.add(link)
            path[link] = None
            link = carried_by[link].parent
        if link in path:
            ring = list(path)[list(path).index(link) :]
            shown = " on ".join(repr(name) for name in [*ring[:8], *(["..."] if len(ring) > 8 else []), link])
            yield _at(
                carried_by[link].where,
                f"joint {carried_by[link].name!r}: links hang on each other in a ring ({shown}); "
                "expected a tree that grows from one root link.",
            )


def _in_tree_order(roots: Iterable[str], joints: Sequence[JointPart]) -> list[JointPart]:
    """The joints that hang on ``roots``, each after the joint its parent link hangs on."""
    on_link: dict[str, list[JointPart]] = {}
    for joint in joints:
        on_link.setdefault(joint.parent, []).append(joint)
    ordered: list[JointPart] = []
    waiting = list(reversed(list(roots)))
    while waiting:
        outgoing = on_link.pop(waiting.pop(), [])  # popped: a cycle is entered once
        ordered += outgoing
        waiting += [joint.child for joint in reversed(outgoing)]
    return ordered


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
    for joint_name, position in locked.items():
        if joint_name not in moving:
            raise UnknownName.of("moving joint", joint_name, moving, repr(name))
        if not np.isfinite(position):
            raise ModelError(f"joint {joint_name!r} is locked at {position}; expected a finite position.")


def _lock(joint: JointPart, locked: Mapping[str, float]) -> JointPart:
    """The joint, or the weld that holds it where it is locked."""
    if joint.name not in locked:
        return joint
    q = float(locked[joint.name])
    moved = rigid(rotation_about(joint.axis, q)) if joint.kind == "revolute" else rigid(p=joint.axis * q)
    return dataclasses.replace(joint, kind="fixed", placement=joint.placement @ moved)


def _choose(
    name: str, base: str, tip: str | None, chain: bool, joints: Sequence[JointPart]
) -> tuple[list[JointPart], list[str]]:
    """The joints to keep, parents first, and a note on each moving part that is left out."""
    reachable = _in_tree_order([base], joints)
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
    gravity: Sequence[float],
    order: Sequence[str],
) -> Model:
    """Weld every fixed joint: the links behind it become frames of the link that carries them, inertia added."""
    parts = {link.name: link for link in links}
    inertias = {base: parts[base].inertia}
    frames = {base: Frame(base, base, np.eye(4))}
    moving: dict[str, Joint] = {}
    for joint in joints:
        carrier = frames[joint.parent]
        placement = carrier.pose @ joint.placement
        inertia = parts[joint.child].inertia
        if joint.kind == "fixed":
            frames[joint.child] = Frame(joint.child, carrier.link, placement)
            inertias[carrier.link] = inertias[carrier.link] + inertia.seen_from(placement)
        else:
            frames[joint.child] = Frame(joint.child, joint.child, np.eye(4))
            inertias[joint.child] = inertia
            axis = joint.axis / np.linalg.norm(joint.axis)
            moving[joint.name] = Joint(
                joint.name, joint.kind, carrier.link, joint.child, placement, axis,
                joint.limits, joint.damping, joint.friction,
            )  # fmt: skip
    in_order = [moving[joint_name] for joint_name in order if joint_name in moving]
    return Model(
        name,
        links=(Link(base, inertias[base]), *(Link(j.child, inertias[j.child]) for j in in_order)),
        joints=tuple(in_order),
        frames=tuple(frames.values()),
        gravity=np.asarray(gravity, dtype=float),
    )


def _model_notes(model: Model) -> Iterable[str]:
    """What a reader of the model should know: kept but unused numbers, joints that move no mass."""
    rubbing = [joint.name for joint in model.joints if joint.damping or joint.friction]
    if rubbing:
        yield (
            f"damping and friction of {', '.join(rubbing)} are kept in the joints; "
            "the rigid-body equations do not contain them"
        )
    carries = {joint.child: model.link(joint.child).inertia for joint in model.joints}
    massive = {name for name, inertia in carries.items() if inertia.mass or inertia.tensor.any()}
    parent_of = {joint.child: joint.parent for joint in model.joints}
    for link in list(massive):
        while (link := parent_of.get(link, "")) and link not in massive:
            massive.add(link)
    massless = [joint.name for joint in model.joints if joint.child not in massive]
    if massless:
        yield f"no mass moves with {', '.join(massless)}: M(q) has zero rows there and forward dynamics is not defined"
