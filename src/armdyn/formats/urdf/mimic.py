"""Mimic joints of a URDF file: each is coupled to its leader, and is not an entry of q.

One that follows a locked joint is locked with it, at the position that follows from the file.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Collection, Iterator, Mapping, Sequence

from armdyn.base.advice import option
from armdyn.formats.findings import DocumentFindings, ElementReader
from armdyn.formats.xml_tree import XmlElement
from armdyn.model.coordinates import HELD_WITHIN, refuse
from armdyn.model.joint_equations import JointEquation
from armdyn.model.messages import Suggestions, first_of, quote, shorten
from armdyn.model.mimic import cycle_text, cycles_of, resolve_chains, with_mimics
from armdyn.model.model import Model

SHOWN = 10


def read_mimic(reader: ElementReader, element: XmlElement) -> JointEquation:
    """The equation of a ``<mimic>``."""
    leader, multiplier = reader.word(element, "joint"), reader.number(element, "multiplier", 1.0)
    offset, where = reader.number(element, "offset", 0.0), reader.findings.where(element)
    return dataclasses.replace(JointEquation.mimic(reader.name, leader, multiplier, offset, where), name=reader.label)


def check_leaders(
    mimics: Sequence[JointEquation], joints: Collection[str], moving: Collection[str], findings: DocumentFindings
) -> None:
    """Every mimic joint must follow a joint that exists and moves, by a multiplier, and not itself in the end."""
    suggestion = Suggestions(joints)
    for mimic in mimics:
        if mimic.leader == mimic.joint:
            findings.add(f"{mimic.label}: <mimic> follows the joint itself; expected another joint.")
        elif mimic.leader and mimic.leader not in joints:
            hint = suggestion.hint(mimic.leader, " Expected the name of a joint of this file.")
            findings.add(f"{mimic.label}: <mimic> follows joint {quote(mimic.leader)}, which does not exist.{hint}")
        elif mimic.leader and mimic.leader not in moving:
            fault = f"<mimic> follows {quote(mimic.leader)}, a fixed joint; expected a joint that moves."
            findings.add(f"{mimic.label}: {fault}")
        if mimic.multiplier == 0.0:
            fault = "<mimic> multiplier is 0, which holds the joint still; expected another number, or a fixed joint."
            findings.add(f"{mimic.label}: {fault}")
    for cycle in cycles_of(mimics):
        if len(cycle) > 1:
            chain = cycle_text(cycle, SHOWN)
            findings.add(f"{cycle[0].label}: <mimic> closes a ring: {chain}; expected one that follows none.")


def couple_mimics(model: Model, mimics: Sequence[JointEquation], locked: Collection[str]) -> Model:
    """The model with every mimic joint coupled to the joint that it follows in the end."""
    moving = set(model.joint_names)
    resolution = resolve_chains([mimic for mimic in mimics if mimic.joint not in locked]).values()
    mimics_of_moving = [mimic for mimic in resolution if mimic.joint in moving]
    texts = [
        f"{mimic.where} joint {quote(mimic.joint)} follows {quote(mimic.leader)}, which is not in the part of the "
        "file that is read; lock what it follows, and it is held too: "
        f"{option('locked', {shorten(mimic.leader): 0.0})}, or choose {option('base')} and {option('tip')} so that "
        "both are in."
        for mimic in mimics_of_moving
        if mimic.leader not in moving
    ]
    refuse(first_of(texts, SHOWN))
    return with_mimics(model, mimics_of_moving) if mimics_of_moving else model


def hold_with(
    mimics: Sequence[JointEquation], locked: Mapping[str, float], findings: DocumentFindings
) -> dict[str, float]:
    """``locked``, with every joint that follows a locked one.

    Raises:
        ModelError: if both are locked, at positions that contradict the mimic.
    """
    result = dict(locked)
    led_by: dict[str, list[JointEquation]] = {}
    for mimic in mimics:
        led_by.setdefault(mimic.leader, []).append(mimic)
        if mimic.joint in locked and mimic.leader not in locked:
            reason = "locked though <mimic> has it follow a joint that is not locked"
            findings.note(reason, f"{mimic.name} (follows {quote(mimic.leader)})")
    waiting = list(locked)
    while waiting:
        leader = waiting.pop()
        for mimic in led_by.get(leader, ()):
            if mimic.joint not in result:
                result[mimic.joint] = mimic.multiplier * result[leader] + mimic.value
                findings.note(f"locked with joint {quote(leader)}, which it follows", mimic.name)
                waiting.append(mimic.joint)
    refuse(_contradictions(mimics, result))
    return result


def _contradictions(mimics: Sequence[JointEquation], locked: Mapping[str, float]) -> Iterator[str]:
    """Joints that are locked at other positions than those that follow from their locked leaders."""
    for mimic in mimics:
        if mimic.joint in locked and mimic.leader in locked:
            position, leader = locked[mimic.joint], locked[mimic.leader]
            request = mimic.multiplier * leader + mimic.value
            if abs(position - request) > HELD_WITHIN * max(1.0, abs(request)):
                other = quote(mimic.leader)
                yield (
                    f"{mimic.label}: locked at {position:g}, and {other}, which it mimics, at {leader:g}; <mimic> asks "
                    f"for {mimic.multiplier:g} * {leader:g} + {mimic.value:g} = {request:g}. Lock {other} alone: "
                    f"{quote(mimic.joint)} is held with it."
                )
