"""Joints of a URDF file that are more or less than one number: those that follow others, and those of several freedoms.

A joint that mimics another is coupled to it, and is no entry of q; one that follows a locked joint is locked with it,
where the file puts it. Joints of several freedoms are refused where they are part of the model: one that is left out by
``base`` or ``chain`` does no harm.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass

from armdyn.advice import option
from armdyn.errors import ModelError, Unsupported
from armdyn.formats.findings import Findings, Part
from armdyn.formats.xml_tree import Element
from armdyn.model.coordinates import HELD_WITHIN, refuse
from armdyn.model.followers import Follower, led, rings, with_followers
from armdyn.model.model import Model
from armdyn.model.validation import Suggestions, quoted, shortened

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
    """Every mimic joint must follow a joint that exists and moves, by a multiplier, and not itself in the end."""
    suggestion = Suggestions(joints)
    for mimic in mimics:
        if mimic.leader == mimic.joint:
            mimic.part.problem(mimic.element, "<mimic> follows the joint itself; expected another joint.")
        elif mimic.leader and mimic.leader not in joints:
            close = suggestion(mimic.leader)
            meant = f"did you mean {quoted(close)}?" if close else "expected the name of a joint of this file."
            fault = f"<mimic> follows joint {quoted(mimic.leader)}, which does not exist; {meant}"
            mimic.part.problem(mimic.element, fault)
        elif mimic.leader and mimic.leader not in moving:
            fault = f"<mimic> follows {quoted(mimic.leader)}, a fixed joint; expected a joint that moves."
            mimic.part.problem(mimic.element, fault)
        if mimic.multiplier == 0.0:
            fault = "<mimic> multiplier is 0, which holds the joint still; expected another number, or a fixed joint."
            mimic.part.problem(mimic.element, fault)
    by_joint = {mimic.joint: mimic for mimic in mimics}
    for ring in rings({mimic.joint: mimic.leader for mimic in mimics}):
        if len(ring) > 1:
            shown = [quoted(name) for name in ring[:SHOWN]] + ["..."] * (len(ring) > SHOWN)
            chain = " follows ".join([*shown, quoted(ring[0])])
            mimic = by_joint[ring[0]]
            mimic.part.problem(mimic.element, f"<mimic> closes a ring: {chain}; expected one that follows none.")


def coupled(model: Model, mimics: Sequence[Mimic], locked: Collection[str]) -> Model:
    """The model with every mimic joint coupled to the joint that it follows in the end."""
    resolved = led([_follower(mimic) for mimic in mimics if mimic.joint not in locked])
    moving = set(model.joint_names)
    followers = [follower for follower in resolved.values() if follower.joint in moving]
    lost = [follower for follower in followers if follower.leader not in moving]
    if lost:
        shown = [
            f"{f.where} joint {quoted(f.joint)} follows {quoted(f.leader)}, which is not in the part of the file that "
            "is read; lock what it follows, and it is held too: "
            f"{option('locked', {shortened(f.leader): 0.0})}, or choose {option('base')} and {option('tip')} so that "
            "both are in."
            for f in lost
        ]
        raise ModelError(shown[:SHOWN] + [f"... and {len(lost) - SHOWN} more like these."] * (len(lost) > SHOWN))
    return with_followers(model, followers) if followers else model


def _follower(mimic: Mimic) -> Follower:
    where = mimic.part.findings.where(mimic.element)
    return Follower(mimic.joint, mimic.leader, mimic.multiplier, mimic.offset, where)


def follow(mimics: Sequence[Mimic], locked: Mapping[str, float], findings: Findings) -> dict[str, float]:
    """``locked``, and with it every joint that follows a locked one.

    Raises:
        ModelError: where both are locked, and not where the mimic puts the one by the other.
    """
    held = dict(locked)
    followers: dict[str, list[Mimic]] = {}
    for mimic in mimics:
        followers.setdefault(mimic.leader, []).append(mimic)
        if mimic.joint in locked and mimic.leader not in locked:
            what = "locked though <mimic> has it follow a joint that is not locked"
            findings.note(what, f"{mimic.part.label} (follows {quoted(mimic.leader)})")
    waiting = list(locked)
    while waiting:
        leader = waiting.pop()
        for mimic in followers.get(leader, ()):
            if mimic.joint not in held:
                held[mimic.joint] = mimic.multiplier * held[leader] + mimic.offset
                findings.note(f"locked with joint {quoted(leader)}, which it follows", mimic.part.label)
                waiting.append(mimic.joint)
    refuse(_contradictions(mimics, held))
    return held


def _contradictions(mimics: Sequence[Mimic], held: Mapping[str, float]) -> Iterator[str]:
    """Joints that are locked elsewhere than where what they follow is locked puts them."""
    for mimic in mimics:
        if mimic.joint in held and mimic.leader in held:
            position, leader = held[mimic.joint], held[mimic.leader]
            asked = mimic.multiplier * leader + mimic.offset
            if abs(position - asked) > HELD_WITHIN * max(1.0, abs(asked)):
                name, other = quoted(mimic.joint), quoted(mimic.leader)
                yield (
                    f"{mimic.part.findings.where(mimic.element)} joint {name}: locked at {position:g}, and "
                    f"{other}, which it mimics, at {leader:g}; <mimic> asks for {mimic.multiplier:g} * "
                    f"{leader:g} + {mimic.offset:g} = {asked:g}. Lock {other} alone: {name} is held with it."
                )


def refuse_loose(model: Model, loose: Sequence[Loose]) -> None:
    """Raise where a joint of several freedoms is part of the model."""
    frames = {frame.name for frame in model.frames} - {model.base}
    refused = [_refusal(joint) for joint in loose if joint.child in frames]
    if len(refused) > SHOWN:
        refused[SHOWN:] = [f"... and {len(refused) - SHOWN} more joints like these."]
    if refused:
        raise Unsupported("\n".join(refused))


def _refusal(joint: Loose) -> str:
    return (
        f"{joint.type} joint {quoted(joint.joint)} ({joint.where}): an arm stands on something, and its joints have "
        f"one number each. Read what this joint carries, with {option('base', shortened(joint.child))}, or make it "
        "fixed in the file."
    )
