"""Elements of URDF files that one program obeys and others drop: Gazebo's, Drake's, ros2_control's, closed loops.

What Pinocchio, MuJoCo and Drake do is run by ``tests/doctor/test_foreign.py``. What Gazebo and ros2_control do is
documented: http://sdformat.org/tutorials?tut=sdformat_urdf_extensions and
https://docs.ros.org/en/ros2_packages/rolling/api/hardware_interface/doc/joint_limiting.html
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any, cast

import numpy as np

from armdyn.doctor.finding import Finding, Repair
from armdyn.doctor.source import Edit, Node
from armdyn.doctor.subject import Articulation, Subject
from armdyn.formats.findings import read_number
from armdyn.formats.urdf.foreign import foreign_words
from armdyn.formats.urdf.loops import ENDS
from armdyn.formats.xml_tree import XmlElement

LOOPS = {
    "loop_joint": "Pinocchio and MuJoCo drop it, Drake refuses the file",
    "loop": "Pinocchio, MuJoCo and Drake drop it",
    "drake:ball_constraint": "Drake closes the loop, Pinocchio and MuJoCo drop it",
}
"""Elements that close loops, and what other programs do with them."""

ALIKE = 1e-3
"""Limits differ by less, relative to the larger: digits of a text."""

WEIGHTLESS = "takes its weight away"
"""The end of the text on an element of <gazebo> that switches gravity off."""

SIMPLE = "SimpleTransmission"

LEAST_JOINTS = 2


def words(subject: Subject) -> Iterator[Finding]:
    """Springs, gears, joints and couplings that Gazebo, Drake or ros2_control alone obey."""
    lines: dict[int, Node] = {}
    for node in subject.source.root.walk():
        lines.setdefault(node.line, node)
    weightless = []
    for word in foreign_words(cast("XmlElement", subject.source.root)):
        node = lines.get(word.line, subject.source.root)
        if word.text.endswith(WEIGHTLESS):
            weightless.append((node, sorted(word.names)))
            continue
        link = next((name for name in sorted(word.names) if name in subject.bodies), "")
        why = "the motion differs between the program that obeys it and all others, Pinocchio and MuJoCo among them"
        element = f"joint {word.joint!r}" if word.joint else f"<{node.tag}>"
        finding = Finding.at(node, "reader/foreign", "warning", word.text, why=why, link=link)
        yield replace(finding, element=element)
    if weightless:
        node, names = weightless[0]
        text = f"{len(weightless)} links have no weight in Gazebo, the first is {', '.join(names)}"
        yield Finding.at(node, "reader/weightless", "note", text, why="all other programs give them their weight")


def loops(subject: Subject) -> Iterator[Finding]:
    """Elements that close a loop, which most programs drop."""
    for node in subject.source.root.children:
        if node.tag not in LOOPS:
            continue
        ends = [part.attributes.get("link", "") for tag in ENDS.get(node.tag, ()) for part in node.all(tag)]
        ends += [part.attributes.get("name", "") for part in node.children if "_body_" in part.tag]
        text = f"it closes a loop between {' and '.join(map(repr, ends))}"
        yield Finding.at(node, "reader/loop", "note", text, why=LOOPS[node.tag])


def references(subject: Subject) -> Iterator[Finding]:
    """<gazebo reference="..."> and <ros2_control> of links and joints that do not exist."""
    names = {joint.name for joint in subject.joints}
    for node in subject.source.root.all("gazebo"):
        name = node.attributes.get("reference")
        if name and name not in names and name not in subject.bodies:
            text = f"it refers to {name!r}, which is no link and no joint"
            yield Finding.at(node, "names/unknown", "warning", text, why="its content has no place to go")
    for control in subject.source.root.all("ros2_control"):
        for node in control.all("joint"):
            if node.name not in names:
                text = f"ros2_control: no joint {node.name!r}"
                yield Finding.at(node, "names/unknown", "error", text, why="the controller manager refuses it")


def control_limits(subject: Subject) -> Iterator[Finding]:
    """Limits of command interfaces of <ros2_control> beyond those of the joint's <limit>."""
    joints = {joint.name: joint for joint in subject.joints}
    for control in subject.source.root.all("ros2_control"):
        for node in control.all("joint"):
            if node.name in joints:
                for interface in node.all("command_interface"):
                    yield from _of_interface(joints[node.name], interface)


def _of_interface(joint: Articulation, interface: Node) -> Iterator[Finding]:
    kind = interface.name
    bounds: dict[str, Callable[[], float | None]] = {
        "position": lambda: joint.limit("upper"),
        "velocity": lambda: joint.limit("velocity"),
        "effort": lambda: joint.limit("effort"),
    }
    if kind not in bounds or (kind == "position" and joint.kind == "continuous"):
        return
    for param in interface.all("param"):
        side = param.attributes.get("name", "")
        if side not in ("min", "max"):
            continue
        high = bounds[kind]()
        low = joint.limit("lower") if kind == "position" else None if high is None else -high
        own = low if side == "min" else high
        value = read_number(param.text.strip())
        if own is None or not np.isfinite([own, value]).all():
            continue
        beyond = value < own if side == "min" else value > own
        if not beyond or abs(value - own) <= ALIKE * max(abs(value), abs(own)):
            continue
        text = f"{kind} {side} {value:g} in ros2_control, <limit> of the joint has {own:g}"
        why = "one of the two is wrong, and programs differ in which they take"
        finding = Finding.at(param, "limit/ros2_control", "warning", text, why=why, link=joint.child)
        yield replace(finding, element=f"joint {joint.name!r}", repairs=_repairs(param, value, own))


def _repairs(param: Node, value: float, own: float) -> tuple[Repair, ...]:
    inner = param.content
    if inner is None:
        return ()
    return (Repair("the number of <limit>", (Edit(inner, f"{own:.10g}"),), f"{value:g} to {own:g}", sure=0.5),)


def transmissions(subject: Subject) -> Iterator[Finding]:
    """Transmissions that Drake takes in part, and Pinocchio and MuJoCo not at all: one finding a kind."""
    names = {joint.name: joint for joint in subject.joints}
    alike: dict[str, list[Node]] = {}
    for node in subject.source.root.all("transmission"):
        driven = [part.name for part in node.all("joint")]
        for name in driven:
            if name not in names:
                yield Finding.at(node, "names/unknown", "warning", f"no joint {name!r}", why="it drives nothing")
        alike.setdefault(_in_drake(node, [names[name] for name in driven if name in names]), []).append(node)
    for drake, nodes in alike.items():
        many = f"{len(nodes)} transmissions" if len(nodes) > 1 else "a transmission"
        why = f"{drake}; Pinocchio and MuJoCo read none"
        yield Finding.at(nodes[0], "reader/transmission", "note", f"{many}, for a drive or a simulator", why=why)


def _in_drake(node: Node, driven: list[Articulation]) -> str:
    kind = next((part.text.strip() for part in node.all("type")), node.attributes.get("type", ""))
    ratio = next((part.text.strip() for part in node.walk() if part.tag == "mechanicalReduction"), "1")
    if SIMPLE not in kind:
        return f"Drake drops it, for it is not a {SIMPLE}"
    if driven and driven[0].limit("effort") == 0.0:
        return "Drake drops it, for the effort limit is 0"
    if abs(read_number(ratio) - 1.0) > ALIKE:
        return f"Drake makes an actuator of ratio 1 of it, not {read_number(ratio):g}"
    return "Drake makes an actuator of it"


def orders(subject: Subject) -> Iterator[Finding]:
    """Orders of the joints in q that differ between programs."""
    moving = [joint for joint in subject.joints if joint.kind not in ("fixed", "")]
    roots = [name for name, body in subject.bodies.items() if body.carried_by is None]
    if len(moving) < LEAST_JOINTS or len(roots) != 1:
        return
    of_file = [joint.name for joint in moving]
    place = {joint.name: k for k, joint in enumerate(subject.joints)}
    along = _depth_first(subject, roots[0], lambda joint: place[joint.name])
    by_name = _depth_first(subject, roots[0], lambda joint: joint.name)
    if of_file == along == by_name or sorted(of_file) != sorted(along):
        return
    parts = [f"armdyn has the order of the file, {_first(of_file, along)}"]
    if along != of_file:
        parts.append(f"MuJoCo and Drake go along each chain, {_first(along, of_file)}")
    if by_name != along:
        parts.append(f"Pinocchio takes branches by name, {_first(by_name, along)}")
    text = "programs number the joints in different orders"
    finding = Finding.at(moving[0].node, "reader/order", "note", text, why="; ".join(parts))
    yield replace(finding, element="joints")


def _first(own: list[str], other: list[str]) -> str:
    """The first joint that stands elsewhere."""
    k = next((k for k, pair in enumerate(zip(own, other, strict=True)) if pair[0] != pair[1]), 0)
    return f"joint {k + 1} is {own[k]!r}"


def _depth_first(subject: Subject, root: str, key: Callable[[Articulation], Any]) -> list[str]:
    result: list[str] = []
    waiting = sorted(subject.bodies[root].carries, key=key, reverse=True)
    seen: set[str] = set()
    while waiting:
        joint = waiting.pop()
        if joint.name in seen:
            continue
        seen.add(joint.name)
        if joint.kind not in ("fixed", ""):
            result.append(joint.name)
        if joint.child_body is not None:
            waiting += sorted(joint.child_body.carries, key=key, reverse=True)
    return result
