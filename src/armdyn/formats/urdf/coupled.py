"""Joints of a URDF file that armdyn does not model: those that follow others, and those with several freedoms.

They are refused only where they are part of the model: a joint that is locked, or left out by ``base`` or ``chain``,
does no harm. A joint that follows a locked joint is locked with it, where the file puts it.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches

from armdyn.errors import Unsupported
from armdyn.formats.findings import Findings, Part
from armdyn.formats.xml_tree import Element
from armdyn.model.model import Model

SHOWN = 10


@dataclass(frozen=True)
class Mimic:
    """q[joint] = multiplier * q[leader] + offset."""

    joint: str
    leader: str
    multiplier: float
    offset: float
    part: Part
    element: Element


@dataclass(frozen=True)
class Loose:
    """A joint of several freedoms, floating or planar. The tree is put together as if it were fixed."""

    joint: str
    type: str
    child: str
    where: str


def read_mimic(part: Part, element: Element) -> Mimic:
    """What a ``<mimic>`` says."""
    return Mimic(
        part.name,
        part.word(element, "joint"),
        part.number(element, "multiplier", 1.0),
        part.number(element, "offset", 0.0),
        part,
        element,
    )


def check_leaders(mimics: Sequence[Mimic], joints: Collection[str], moving: Collection[str]) -> None:
    """Every mimic joint must follow a joint that exists and moves, and not itself."""
    for mimic in mimics:
        if mimic.leader == mimic.joint:
            mimic.part.problem(mimic.element, "<mimic> follows the joint itself; expected another joint.")
        elif mimic.leader and mimic.leader not in joints:
            close = get_close_matches(mimic.leader, joints, n=1)
            meant = f"did you mean {close[0]!r}?" if close else "expected the name of a joint of this file."
            mimic.part.problem(mimic.element, f"<mimic> follows joint {mimic.leader!r}, which does not exist; {meant}")
        elif mimic.leader and mimic.leader not in moving:
            fault = f"<mimic> follows {mimic.leader!r}, a fixed joint; expected a joint that moves."
            mimic.part.problem(mimic.element, fault)


def follow(mimics: Sequence[Mimic], locked: Mapping[str, float], findings: Findings) -> dict[str, float]:
    """``locked``, and with it every joint that follows a locked one."""
    held = dict(locked)
    followers: dict[str, list[Mimic]] = {}
    for mimic in mimics:
        followers.setdefault(mimic.leader, []).append(mimic)
        if mimic.joint in locked and mimic.leader not in locked:
            what = "locked though <mimic> has it follow a joint that is not locked"
            findings.note(what, f"{mimic.part.label} (follows {mimic.leader!r})")
    waiting = list(locked)
    while waiting:
        leader = waiting.pop()
        for mimic in followers.get(leader, ()):
            if mimic.joint not in held:
                held[mimic.joint] = mimic.multiplier * held[leader] + mimic.offset
                findings.note(f"locked with joint {leader!r}, which it follows", mimic.part.label)
                waiting.append(mimic.joint)
    return held


def refuse_unsupported(model: Model, mimics: Sequence[Mimic], loose: Sequence[Loose]) -> None:
    """Raise where a joint that armdyn does not have is part of the model."""
    frames = {frame.name for frame in model.frames} - {model.base}
    moving = set(model.joint_names)
    in_model = [mimic for mimic in mimics if mimic.joint in moving]
    refused = [_refusal_of_loose(joint) for joint in loose if joint.child in frames]
    refused += [_refusal_of_mimic(mimic) for mimic in in_model]
    if not refused:
        return
    if len(refused) > SHOWN:
        refused[SHOWN:] = [f"... and {len(refused) - SHOWN} more joints like these."]
    raise Unsupported("\n".join([*refused, *_advice(in_model)]))


def _refusal_of_loose(joint: Loose) -> str:
    return (
        f"{joint.type} joint {joint.joint!r} ({joint.where}): an arm stands on something, and its joints have one "
        f"number each. Read what this joint carries, with base={joint.child!r}, or make it fixed in the file."
    )


def _refusal_of_mimic(mimic: Mimic) -> str:
    where = mimic.part.findings.where(mimic.element)
    return f"mimic joint {mimic.joint!r} ({where}): it follows {mimic.leader!r}, and coupled joints are not supported."


def _advice(mimics: Sequence[Mimic]) -> list[str]:
    """What to do about mimic joints: lock what they follow, in the end."""
    if not mimics:
        return []
    leader_of = {mimic.joint: mimic.leader for mimic in mimics}
    firsts = list(dict.fromkeys(leader for leader in leader_of.values() if leader not in leader_of))
    held = ", ".join(f"{leader!r}: 0.0" for leader in firsts or leader_of)
    return [f"Lock what they follow, and they are held too: locked={{{held}}}; or leave them out: tip=..., chain=True."]
