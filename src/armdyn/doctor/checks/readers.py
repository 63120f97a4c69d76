"""Elements that other programs read in another way: the consequence in each for this file."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from armdyn.doctor.finding import Finding, Severity
from armdyn.doctor.source import Node
from armdyn.doctor.subject import Articulation, Subject
from armdyn.formats.findings import read_number

RATIO = 5.0
"""A reduction from which the rotor's reflected inertia ratio^2 J matters in addition to the links'."""

TIPS = ("tool0", "tcp", "ee_link", "tool_link")
"""Names of links that programs take for the end of an arm."""


def continuous_limits(subject: Subject) -> Iterator[Finding]:
    """Continuous joints with limits of position."""
    for joint in subject.joints:
        lower, upper = joint.limit("lower"), joint.limit("upper")
        if joint.kind == "continuous" and (lower or upper):
            text = f"a continuous joint with limits [{lower or 0.0:g}, {upper or 0.0:g}] rad"
            why = "Drake holds the joint within them, Pinocchio and MuJoCo let it turn without end"
            yield _of(joint, "limit/continuous", "note", text, why, joint.node.first("limit"))


def planes(subject: Subject) -> Iterator[Finding]:
    """Planar and floating joints."""
    whys = {
        "planar": "MuJoCo makes three joints of it, Pinocchio one with four coordinates, Drake one with three",
        "floating": "MuJoCo allows it on the first link alone, Drake leaves the link free, Pinocchio has 7 coordinates",
    }
    for joint in subject.joints:
        if joint.kind in whys:
            why = whys[joint.kind]
            if joint.kind == "planar" and np.abs(joint.axis[:2]).max() > 0.0:
                why += "; Pinocchio takes the x-y plane, MuJoCo and Drake the plane across the axis"
            yield _of(joint, f"joint/{joint.kind}", "note", f"a joint of type {joint.kind}", why)


def mimics(subject: Subject) -> Iterator[Finding]:
    """Joints that follow another one, those in chains, and those of joints that do not exist."""
    names = {joint.name: joint for joint in subject.joints}
    for joint in subject.joints:
        element = joint.node.first("mimic")
        if element is None:
            continue
        leader = element.attributes.get("joint", "")
        if leader in names and names[leader].node.first("mimic") is not None:
            text = f"it follows {leader!r}, which itself follows another joint"
            why = "Pinocchio refuses the chain with mimic=True, else moves each alone; MuJoCo and Drake couple each"
            yield _of(joint, "joint/mimic-chain", "warning", text, why, element)
        elif leader in names:
            why = (
                "Pinocchio moves it on its own unless mimic=True, and then its Coriolis matrix (4.1) is wrong; MuJoCo "
                "adds a soft constraint"
            )
            yield _of(joint, "joint/mimic", "note", f"it follows {leader!r}", why, element)


def without_inertia(subject: Subject) -> Iterator[Finding]:
    """Links that a joint moves and that have collision shapes but no <inertial>."""
    for body in subject.bodies.values():
        joint = body.carried_by
        shapes = [hull for hull in body.hulls if hull.purpose == "collision" and hull.volume]
        if body.inertial is None and shapes and joint is not None and joint.kind not in ("fixed", ""):
            water = 1000.0 * sum(hull.volume or 0.0 for hull in shapes)
            text = f"shapes of {1e3 * sum(hull.volume or 0.0 for hull in shapes):.3g} l without <inertial>"
            why = f"MuJoCo takes {water:.3g} kg (1000 kg/m^3), Pinocchio and Drake take 0"
            yield Finding.at(body.node, "mass/none", "note", text, why=why, link=body.name)


def rotors(subject: Subject) -> Iterator[Finding]:
    """Transmissions with a reduction and without the inertia of a rotor."""
    for node in subject.source.root.all("transmission"):
        stated = {one.tag.lower(): one for one in node.walk()}
        ratio = stated.get("mechanicalreduction") or stated.get("mechanical_reduction")
        value = abs(read_number(ratio.text.strip())) if ratio is not None else 0.0
        if value > RATIO and not any("inertia" in tag for tag in stated):
            text = f"a reduction of {value:g} without the inertia of a rotor"
            why = f"it counts {value**2:.4g} times at the joint; torques of fast motions lack it"
            yield Finding.at(node, "drive/armature", "note", text, why=why)


def tips(subject: Subject) -> Iterator[Finding]:
    """Links named as the end of the arm, from which two joints or more lead on or that stand before the last joints."""
    deep = {name: sum(joint.kind != "fixed" for joint in body.path) for name, body in subject.bodies.items()}
    for name, body in subject.bodies.items():
        if name in TIPS and max(deep.values()) - deep[name] > 1:
            text = f"{deep[name]} joints before it, {max(deep.values())} before the link that is furthest from the base"
            why = "programs take it for the end of the arm"
            yield Finding.at(body.node, "names/tip", "warning", text, why=why, link=name)


def _of(joint: Articulation, rule: str, severity: Severity, text: str, why: str, node: Node | None = None) -> Finding:
    place = node or joint.node
    return Finding(rule, severity, f"joint {joint.name!r}", text, why, place.line, place.column, link=joint.child)
