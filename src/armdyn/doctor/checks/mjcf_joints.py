"""Ranges and axes of joints of MJCF files."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from math import hypot

import numpy as np

from armdyn.doctor import thresholds
from armdyn.doctor.finding import Finding, Repair, Severity
from armdyn.doctor.mjcf.parts import MjcfJoint, set_attribute
from armdyn.doctor.mjcf.places import numbers
from armdyn.doctor.mjcf.settings import own
from armdyn.doctor.source import Edit, Node
from armdyn.doctor.subject import Subject

LIMITED = ("revolute", "prismatic")

PAIR, LEAST_OTHERS = 2, 2


def ranges(subject: Subject) -> Iterator[Finding]:
    """Ranges that are swapped, no numbers, not obeyed, or in another unit of angles."""
    seen: set[int] = set()
    joints = list(_limited(subject))
    whole = _whole_file_in_radians(subject, joints)
    if whole is not None:
        yield whole
    for joint in joints:
        stated = joint.attributes["range"].node
        if id(stated) in seen:
            continue  # of a default class: one finding for all of its joints
        seen.add(id(stated))
        sharing = sum(one.attributes["range"].node is stated for one in joints) - 1
        for finding in _of_joint(joint, joints, is_whole=whole is not None):
            more = f" and {sharing} more of its class" if sharing else ""
            yield replace(finding, element=f"joint {joint.name!r}{more}")


def _limited(subject: Subject) -> Iterator[MjcfJoint]:
    for joint in subject.joints:
        if isinstance(joint, MjcfJoint) and joint.kind in LIMITED and "range" in joint.attributes:
            yield joint


def _of_joint(joint: MjcfJoint, joints: list[MjcfJoint], *, is_whole: bool) -> Iterator[Finding]:
    stated = joint.attributes["range"]
    pair = joint.range
    if pair is None or not np.isfinite(pair).all():
        if not joint.is_limited:
            return
        point = stated.text.replace(",", " " if stated.text.count(",") == 1 else ".")
        text = f"range {stated.text!r} is not two numbers"
        edits = (Edit(stated.node.values["range"], point),) if _is_pair(point) else ()
        repairs = (Repair("a blank between the limits", edits),) if edits else ()
        yield _of(joint, stated.node, "read/number", "error", text, "MuJoCo refuses the file", repairs)
        return
    low, high = pair
    if not joint.is_limited:
        yield from _not_obeyed(joint, stated.node, pair)
        return
    if low > high:
        swapped = (Edit(stated.node.values["range"], f"{_word(stated.text, 1)} {_word(stated.text, 0)}"),)
        repair = Repair("swap the limits", swapped, f"[{low:g}, {high:g}] to [{high:g}, {low:g}]")
        text = f"lower limit {low:g} is above upper limit {high:g}"
        yield _of(joint, stated.node, "limit/swapped", "error", text, "MuJoCo refuses the file", (repair,))
    elif low == high:
        text = f"both limits are {low:g}"
        yield _of(joint, stated.node, "limit/zero", "error", text, "MuJoCo refuses the file")
    if joint.kind == "revolute" and low != high:
        yield from _units(joint, stated.node, np.sort(pair), joints, is_whole=is_whole)


def _not_obeyed(joint: MjcfJoint, node: Node, pair: np.ndarray) -> Iterator[Finding]:
    """A range in addition to limited="false", or without limited="true" in a file that turns autolimits off."""
    if not pair.any():
        return
    text = f"range [{pair[0]:g}, {pair[1]:g}] is not obeyed: "
    if "limited" in joint.attributes:
        yield _of(joint, node, "limit/ignored", "note", f'{text}limited="false"', "the joint turns without end")
        return
    text += 'autolimits="false", and limited="true" is not stated'
    repair = Repair("state that it is limited", set_attribute(node, "limited", "true"))
    yield _of(joint, node, "limit/ignored", "error", text, "MuJoCo refuses the file", (repair,))


def _units(
    joint: MjcfJoint, node: Node, pair: np.ndarray, joints: list[MjcfJoint], *, is_whole: bool
) -> Iterator[Finding]:
    far = float(np.abs(pair).max())
    turns = far * joint.unit / (2 * np.pi)
    label = f"[{pair[0]:g}, {pair[1]:g}]"
    if far * joint.unit > thresholds.ONE_TURN.value:
        text = f"limits {label} {'rad' if joint.unit == 1.0 else 'degrees'} are {turns:.3g} turns"
        if far * joint.unit < thresholds.FEW_TURNS.value:
            yield _of(joint, node, "limit/turns", "note", text, "planners search all of these turns")
        elif far * joint.unit > thresholds.UNLIMITED.value or joint.unit != 1.0:
            yield _of(joint, node, "limit/unlimited", "note", f"{text}: no limit", 'limited="false" states this')
        else:
            severity: Severity = "error" if far > thresholds.MANY_TURNS.value else "warning"
            repair = _converted(node, pair, np.radians(pair), "degrees were meant: write radians")
            why = 'the file states angle="radian"'
            yield _of(joint, node, "limit/degrees", severity, text, why, (repair,))
    elif joint.unit != 1.0 and not is_whole and _is_in_radians(joint, far, joints):
        text = f"limits {label} degrees, others have {_typical(joint, joints):.3g}"
        repair = _converted(node, pair, np.degrees(pair), "radians were meant: write degrees")
        why = 'angles are degrees unless <compiler angle="radian"/> is stated'
        yield _of(joint, node, "limit/radians", "warning", text, why, (repair,))


def _is_in_radians(joint: MjcfJoint, far: float, joints: list[MjcfJoint]) -> bool:
    low, high = thresholds.FEW_DEGREES.value, thresholds.MANY_DEGREES.value
    width = 0.0 if joint.range is None else float(np.ptp(joint.range))
    is_narrow = far <= thresholds.ONE_TURN.value and width >= low
    return is_narrow and _typical(joint, joints) >= high


def _typical(joint: MjcfJoint, joints: list[MjcfJoint]) -> float:
    """The median of the largest limits of the other hinges, in the unit of the file; 0 if there are few."""
    others = [
        float(np.abs(one.range).max())
        for one in joints
        if one is not joint and one.kind == "revolute" and one.range is not None and np.isfinite(one.range).all()
    ]
    return float(np.median(others)) if len(others) >= LEAST_OTHERS else 0.0


def _whole_file_in_radians(subject: Subject, joints: list[MjcfJoint]) -> Finding | None:
    """A file whose ranges are all below 6.5 degrees: <compiler angle="radian"/> is missing."""
    settings = subject.settings
    hinges = [one for one in joints if one.kind == "revolute" and one.is_limited and one.range is not None]
    if settings is None or settings.angle == 1.0 or len(hinges) < LEAST_OTHERS:
        return None
    widest = max(float(np.abs(one.range).max()) for one in hinges if one.range is not None)
    spans = [float(np.ptp(one.range)) for one in hinges if one.range is not None]
    if not (widest <= thresholds.ONE_TURN.value and float(np.median(spans)) >= thresholds.FEW_DEGREES.value):
        return None
    node = settings.compilers[-1] if settings.compilers else subject.source.root
    if settings.compilers:
        edits = set_attribute(node, "angle", "radian")
    else:
        edits = subject.bodies["world"]._inserted(subject.source.root, '<compiler angle="radian"/>')
    text = f"the widest of {len(hinges)} ranges has {widest:.3g} degrees: radians were meant"
    why = 'angles are degrees unless <compiler angle="radian"/> is stated, those of orientations too'
    finding = Finding.at(node, "limit/radians", "error", text, why=why)
    return replace(finding, repairs=(Repair('state angle="radian"', edits, "every angle of the file"),))


def _converted(node: Node, pair: np.ndarray, other: np.ndarray, title: str) -> Repair:
    edits = (Edit(node.values["range"], " ".join(f"{value:.10g}" for value in other)),)
    return Repair(title, edits, f"[{pair[0]:g}, {pair[1]:g}] to [{other[0]:.4g}, {other[1]:.4g}]")


def axes(subject: Subject) -> Iterator[Finding]:
    """Axes that are zero, no numbers, or off a coordinate axis by rounding."""
    for joint in subject.joints:
        if not isinstance(joint, MjcfJoint) or joint.kind not in LIMITED or "axis" not in joint.attributes:
            continue
        stated = joint.attributes["axis"]
        axis = numbers(joint.attributes, "axis", 3, ())
        length = hypot(*axis)
        if not np.isfinite(length):
            text = f"axis {stated.text!r} is not three numbers"
            yield _of(joint, stated.node, "read/number", "error", text, "MuJoCo refuses the file")
        elif length == 0.0:
            yield _of(joint, stated.node, "axis/zero", "error", "axis is zero", "the joint has no direction")
        else:
            yield from _tilted(joint, stated.node, axis / length)


def _tilted(joint: MjcfJoint, node: Node, axis: np.ndarray) -> Iterator[Finding]:
    k = int(np.abs(axis).argmax())
    tilt = float(np.linalg.norm(np.delete(axis, k)))
    if 1e-5 < tilt < thresholds.TILTED.value:
        exact = np.zeros(3)
        exact[k] = np.sign(axis[k])
        edits = (Edit(node.values["axis"], " ".join(f"{x:g}" for x in exact)),)
        repair = Repair("the coordinate axis", edits)
        text = f"axis is {tilt:.3g} rad off {'xyz'[k]}"
        yield _of(joint, node, "axis/tilted", "note", text, "an axis of CAD, rounded", (repair,))


def efforts(subject: Subject) -> Iterator[Finding]:
    """Ranges of forces of joints and actuators that are swapped or zero."""
    for joint in subject.joints:
        if isinstance(joint, MjcfJoint) and "actuatorfrcrange" in joint.attributes:
            node = joint.attributes["actuatorfrcrange"].node
            yield from _of_forces(node, "actuatorfrcrange", f"joint {joint.name!r}")
    for section in subject.source.root.all("actuator"):
        for node in section.children:
            for name in ("ctrlrange", "forcerange"):
                if name in node.values:
                    yield from _of_forces(node, name, f"{node.tag} {node.name!r}")


def _of_forces(node: Node, name: str, element: str) -> Iterator[Finding]:
    words = node.attributes[name].split()
    pair = numbers(own(node), name, 2, ())
    if len(words) != PAIR or not np.isfinite(pair).all():
        text = f"{name} {node.attributes[name]!r} is not two numbers"
        finding = Finding.at(node, "read/number", "error", text, why="MuJoCo refuses the file")
    elif pair[0] > pair[1]:
        edits = (Edit(node.values[name], f"{words[1]} {words[0]}"),)
        text = f"{name} [{pair[0]:g}, {pair[1]:g}] has its lower end above its upper end"
        finding = Finding.at(node, "limit/swapped", "error", text, why="MuJoCo refuses the file")
        finding = replace(finding, repairs=(Repair("swap its ends", edits),))
    else:
        return
    yield replace(finding, element=element)


def _is_pair(text: str) -> bool:
    try:
        return len([float(word) for word in text.split()]) == PAIR
    except ValueError:
        return False


def _word(text: str, k: int) -> str:
    return text.split()[k]


def _of(
    joint: MjcfJoint,
    node: Node,
    rule: str,
    severity: Severity,
    text: str,
    why: str,
    repairs: tuple[Repair, ...] = (),
) -> Finding:
    finding = Finding.at(node, rule, severity, text, why=why, link=joint.child, repairs=repairs)
    return replace(finding, element=f"joint {joint.name!r}")
