"""What is wrong with the parts of a robot: names, inertias, axes, limits, and how they hang together."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from difflib import get_close_matches
from itertools import chain, islice

import numpy as np

from armdyn.errors import ModelError
from armdyn.model.parts import JointPart, LinkPart

UNIT_TOLERANCE = 1e-6
"""How far from 1 the length of an axis may be: descriptions print axes with about six digits."""

MAX_PROBLEMS = 100
"""How many problems one report holds at most."""

MAX_COMPARED = 1000
"""How many names a misspelt one is compared with at most; each comparison takes microseconds."""


def refuse(problems: Iterable[str], links: Sequence[LinkPart], joints: Sequence[JointPart], incomplete: bool) -> None:
    """Raise where anything is wrong. The tree is judged only where every joint joins two links that are there."""
    names = list(islice(_name_problems(links, joints), MAX_PROBLEMS))
    tree = [] if incomplete or names else _tree_problems(links, joints)
    found = list(islice(chain(problems, names, _part_problems(links, joints), tree), MAX_PROBLEMS + 1))
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


def impossible_inertias(links: Sequence[LinkPart]) -> Iterator[str]:
    """Inertias that are numbers, but of no rigid body."""
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
    if not 0.0 <= joint.armature < np.inf:
        yield _at(
            joint.where, f"{here} armature {joint.armature:g}; expected an inertia, a finite number not below zero."
        )


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
                "what closes a loop is no joint of the tree, in URDF it is a <loop_joint>.",
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
