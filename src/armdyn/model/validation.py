"""Validation of the parts of a robot: names, inertias, axes, limits, and the tree that they form."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import chain, islice
from typing import Any

import numpy as np

from armdyn.base.advice import option
from armdyn.base.checks import as_float, object_problems, text_problems
from armdyn.base.errors import ModelError, excerpt
from armdyn.base.exact import exact, norm, rounded
from armdyn.model.bounds import largest_problem
from armdyn.model.inertia import Inertia
from armdyn.model.limits import Limits
from armdyn.model.messages import Suggestions, listing, quote
from armdyn.model.parts import JointPart, LinkPart, cycles
from armdyn.model.whole_motors import with_whole_motors

UNIT_TOLERANCE = 1e-6
"""The tolerance on the length of an axis: descriptions print axes with about six digits."""

MAX_PROBLEMS = 100
"""The most problems in one report."""


def refuse(problems: Iterable[str], links: Sequence[LinkPart], joints: Sequence[JointPart], incomplete: bool) -> None:
    """Raise if anything is wrong. The tree is checked only if every joint connects two links that exist."""
    names = list(islice(_name_problems(links, joints), MAX_PROBLEMS))
    tree = [] if incomplete or names else _tree_problems(links, joints)
    result = list(islice(chain(problems, names, _part_problems(links, joints), tree), MAX_PROBLEMS + 1))
    if len(result) > MAX_PROBLEMS:
        result[-1] = f"... and perhaps more: only the first {MAX_PROBLEMS} problems are shown."
    if result:
        raise ModelError(result)


def _place_text(where: str, text: str) -> str:
    return f"{where} {text}" if where else text


def _name_problems(links: Sequence[LinkPart], joints: Sequence[JointPart]) -> Iterator[str]:
    """Problems of names, by which the parts are assembled."""
    if not links:
        yield "the description has no links"
    yield from _duplicates("link", links)
    yield from _duplicates("joint", joints)
    links_by_name = {link.name: None for link in links}
    suggestion = Suggestions(links_by_name)
    for joint in joints:
        for role, link_name in (("parent", joint.parent), ("child", joint.child)):
            if link_name not in links_by_name:
                fault = f"its {role} link {quote(link_name)} does not exist.{suggestion.hint(link_name)}"
                yield _place_text(joint.where, f"joint {quote(joint.name)}: {fault}")


def impossible_inertias(links: Iterable[LinkPart], whole: Mapping[str, Inertia]) -> Iterator[str]:
    """Inertias of numbers that no rigid body has; ``whole`` holds those to check of links with motors on them."""
    for link in links:
        if not any(link.inertia.problems()) and any(whole.get(link.name, link.inertia).impossibilities()):
            for problem in link.inertia.impossibilities():
                yield _place_text(link.where, f"link {quote(link.name)}: {problem}")


def judged_inertias(
    links: Sequence[LinkPart],
    joints: Sequence[JointPart],
    loading: Collection[str],
    welded: Collection[str],
    *,
    check_inertia: bool,
) -> tuple[list[str], list[str]]:
    """The problems and notes on impossible inertias: of links that load a joint, and of those welded to the base."""
    whole = with_whole_motors(links, joints)
    result = list(islice(impossible_inertias((link for link in links if link.name in loading), whole), MAX_PROBLEMS))
    others = islice(impossible_inertias((link for link in links if link.name in welded), whole), MAX_PROBLEMS)
    notes = [f"{problem}; no joint feels it" for problem in others]
    if check_inertia:
        remedy = f"; mend it, or read it as it stands with {option('check_inertia', False)}"
        return [f"{problem}{remedy}." for problem in result], notes
    return [], [*(f"{problem}; taken as it stands" for problem in result), *notes]


def _part_problems(links: Sequence[LinkPart], joints: Sequence[JointPart]) -> Iterator[str]:
    """Problems of single parts: inertias, axes, limits."""
    for link in links:
        for problem in link.inertia.problems():
            yield _place_text(link.where, f"link {quote(link.name)}: {problem}.")
    for joint in joints:
        for problem in _joint_problems(joint):
            yield _place_text(joint.where, f"joint {quote(joint.name)}: {problem}")


def _duplicates(kind: str, parts: Sequence[LinkPart] | Sequence[JointPart]) -> Iterator[str]:
    first: dict[str, LinkPart | JointPart] = {}
    for part in parts:
        if part.name in first:
            there = first[part.name].where
            also = f" (first at {there})" if there else ""
            yield _place_text(
                part.where, f"{kind} {quote(part.name)}: the name is taken already{also}; names must differ."
            )
        first.setdefault(part.name, part)


def _joint_problems(joint: JointPart) -> Iterator[str]:
    yield from _place_problems(joint)
    if joint.kind == "fixed":
        return
    if no_numbers := [*_limits_that_are_no_numbers(joint.limits), *_quantities_that_are_no_numbers(joint)]:
        yield from no_numbers
        return
    yield from limit_problems(joint.limits)
    for quantity in ("damping", "friction"):
        if getattr(joint, quantity) < 0.0:
            yield f"{quantity} {getattr(joint, quantity):g} is negative; it would add energy."
    if not 0.0 <= joint.armature < np.inf:
        yield f"armature {joint.armature:g}; expected an inertia, a finite number not below zero."


def _place_problems(joint: JointPart) -> Iterator[str]:
    """Problems of the pose of a joint, and of its axis if it has one."""
    placement = rounded(joint.placement)
    if not np.isfinite(placement).all():
        yield "its origin is not a finite number."
    elif fault := largest_problem(float(np.abs(placement[:3, 3]).max()), "prismatic"):
        yield f"its origin is off by {fault}."
    if joint.kind == "fixed":
        return
    length = float(norm(exact(joint.axis)))
    if not math.isfinite(length):
        yield "its axis is not a finite number."
    elif length == 0.0:
        yield "axis is zero; expected a unit vector such as 0 0 1."
    elif abs(length - 1.0) > UNIT_TOLERANCE:
        text = " ".join(f"{a / length:.9g}" for a in joint.axis)
        yield f"axis has length {length:.9g}; expected a unit vector, here {text}."


def limit_problems(limits: Limits) -> Iterator[str]:
    """Problems of the limits of a joint."""
    no_numbers = list(_limits_that_are_no_numbers(limits))
    yield from no_numbers
    if no_numbers:
        return
    if limits.lower > limits.upper:
        yield f"lower limit {limits.lower:g} is above upper limit {limits.upper:g}; swap them."
    for quantity in ("velocity", "effort"):
        if getattr(limits, quantity) < 0.0:
            yield f"{quantity} limit {getattr(limits, quantity):g} is negative; expected 0 or more."


def _limits_that_are_no_numbers(limits: Limits) -> Iterator[str]:
    """Limits that are not real numbers; they may be infinite."""
    for quantity in ("lower", "upper", "velocity", "effort"):
        value = getattr(limits, quantity)
        if math.isnan(as_float(value)):
            yield f"{quantity} limit is {excerpt(value)}; expected a number."


def _quantities_that_are_no_numbers(joint: JointPart) -> Iterator[str]:
    """Quantities of a joint that are not real numbers."""
    for quantity in ("damping", "friction"):
        value = getattr(joint, quantity)
        if not math.isfinite(as_float(value)):
            yield f"{quantity} is {excerpt(value)}; expected a finite number."
    armature: Any = joint.armature
    if not isinstance(armature, float) and math.isnan(as_float(armature)):  # NaN: refused elsewhere
        yield f"armature is {excerpt(armature)}; expected an inertia, a finite number not below zero."


def _tree_problems(links: Sequence[LinkPart], joints: Sequence[JointPart]) -> Iterator[str]:
    """Problems of the tree: several roots, cycles, links with two parents."""
    carried_by: dict[str, JointPart] = {}
    for joint in joints:
        here = f"joint {quote(joint.name)}:"
        if joint.parent == joint.child:
            yield _place_text(joint.where, f"{here} its parent and its child are the same link {quote(joint.child)}.")
        elif joint.child in carried_by:
            other = carried_by[joint.child]
            there = f" ({other.where})" if other.where else ""
            yield _place_text(
                joint.where,
                f"{here} link {quote(joint.child)} hangs on joint {quote(other.name)}{there} already; "
                "what closes a loop is no joint of the tree, in URDF it is a <loop_joint>.",
            )
        else:
            carried_by[joint.child] = joint
    roots = [link for link in links if link.name not in carried_by]
    if len(roots) > 1:
        names = listing([_place_text(link.where, quote(link.name)) for link in roots], 8)
        yield _place_text(
            roots[1].where,
            f"link {quote(roots[1].name)}: {len(roots)} links are not connected ({names}); "
            "expected one root link. A fixed joint welds one to another.",
        )
    yield from _cycle_problems(carried_by)


def _cycle_problems(carried_by: Mapping[str, JointPart]) -> Iterator[str]:
    for cycle in cycles({link: joint.parent for link, joint in carried_by.items()}):
        joint = carried_by[cycle[0]]
        names = [*map(quote, cycle[:8]), *["..."] * (len(cycle) > 8), quote(cycle[0])]
        yield _place_text(
            joint.where,
            f"joint {quote(joint.name)}: links hang on each other in a ring ({' on '.join(names)}); "
            "expected a tree that grows from one root link.",
        )


def check_types(name: object, links: Sequence[LinkPart], joints: Sequence[JointPart]) -> None:
    """Raise if a description's words and objects are of other types, for any front end."""
    problems = list(text_problems(name, "name"))
    for link in links:
        here = f"{link.where} " if link.where else ""
        problems += text_problems(link.name, f"{here}name of a link")
        problems += object_problems(link.inertia, Inertia, f"{here}inertia of link {excerpt(link.name)}")
    for joint in joints:
        here = f"{joint.where} " if joint.where else ""
        problems += text_problems(joint.name, f"{here}name of a joint")
        problems += object_problems(joint.limits, Limits, f"{here}limits of joint {excerpt(joint.name)}")
        for role in ("parent", "child"):
            problems += text_problems(getattr(joint, role), f"{here}{role} of joint {excerpt(joint.name)}")
    if problems:
        raise ModelError(problems)
