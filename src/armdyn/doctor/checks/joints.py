"""Limits, axes and ends of joints."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from math import hypot, log10

import numpy as np

from armdyn.doctor import thresholds
from armdyn.doctor.finding import Finding, Repair, Severity
from armdyn.doctor.source import Edit
from armdyn.doctor.subject import Articulation, Subject

LIMITED = ("revolute", "prismatic")
MOVING = (*LIMITED, "continuous")

UNREAD = "urdfdom, and with it ROS, refuses the file"


def ranges(subject: Subject) -> Iterator[Finding]:
    """Limits of positions: swapped, zero, missing, or in degrees."""
    for joint in subject.joints:
        element = joint.node.first("limit")
        if joint.kind in LIMITED and element is None:
            yield _of(
                joint, "limit/missing", "error", f"{joint.kind} joint without <limit>", "urdfdom refuses the file"
            )
            continue
        lower, upper = joint.limit("lower"), joint.limit("upper")
        if element is None or joint.kind not in LIMITED:
            continue
        if any(value is not None and np.isnan(value) for value in (lower, upper)):
            yield _of(joint, "read/number", "error", "a limit is not a number", "", at="limit")
            continue
        low, high = lower or 0.0, upper or 0.0
        if low > high:
            text = f"lower limit {low:g} is above upper limit {high:g}"
            yield _of(joint, "limit/swapped", "error", text, "no position is allowed", _swapped(joint))
        elif low == high:
            text = f"both limits are {low:g}" + ("" if lower is not None or upper is not None else " (none is stated)")
            yield _of(joint, "limit/zero", "warning", text, "MoveIt and Drake hold the joint there")
        elif joint.kind == "revolute" and max(abs(low), abs(high)) > thresholds.ONE_TURN.value:
            yield _beyond_a_turn(joint, low, high)


def _swapped(joint: Articulation) -> tuple[Repair, ...]:
    """Lower and upper limit in each other's place."""
    element = joint.node.first("limit")
    if element is None or not {"lower", "upper"} <= element.values.keys():
        return ()
    lower, upper = (element.attributes[name] for name in ("lower", "upper"))
    edits = (Edit(element.values["lower"], upper), Edit(element.values["upper"], lower))
    return (Repair("swap lower and upper", edits, f"[{lower}, {upper}] to [{upper}, {lower}]"),)


def _beyond_a_turn(joint: Articulation, low: float, high: float) -> Finding:
    """Limits of many turns: degrees, a few turns of cables, or no limit at all."""
    far = max(abs(low), abs(high))
    text = f"limits [{low:g}, {high:g}] rad are {far / (2 * np.pi):.3g} turns"
    if far < thresholds.FEW_TURNS.value:
        return _of(joint, "limit/turns", "note", text, "planners search all of these turns")
    if far > thresholds.UNLIMITED.value:
        return _of(joint, "limit/unlimited", "note", f"{text}: no limit", "type continuous states this")
    element = joint.node.first("limit")
    assert element is not None  # noqa: S101 - it has limits
    edits = tuple(
        Edit(element.values[name], f"{np.radians(value):.10g}")
        for name, value in (("lower", low), ("upper", high))
        if name in element.values
    )
    became = f"[{low:g}, {high:g}] to [{np.radians(low):.4g}, {np.radians(high):.4g}] rad"
    severity: Severity = "error" if far > thresholds.MANY_TURNS.value else "warning"
    repair = Repair("degrees were meant: write radians", edits, became)
    return _of(joint, "limit/degrees", severity, text, "URDF states radians", (repair,))


def rates(subject: Subject) -> Iterator[Finding]:
    """Limits of velocity and effort: zero, negative, or in degrees."""
    speeds = {joint.name: joint.limit("velocity") for joint in subject.joints if joint.kind in MOVING}
    for joint in subject.joints:
        element = joint.node.first("limit")
        if joint.kind not in MOVING or element is None:
            continue
        for name in ("velocity", "effort"):
            value = joint.limit(name)
            if value is None and joint.kind in LIMITED:
                yield _of(joint, f"limit/{name}", "warning", f"<limit> states no {name}", UNREAD)
            elif value is not None and np.isnan(value):
                yield _of(joint, "read/number", "error", f"{name} limit is not a number", "", at="limit")
            elif value is not None and value < 0.0:
                yield _of(joint, f"limit/{name}", "error", f"{name} limit is {value:g}", "no motion is allowed")
            elif value == 0.0:
                why = {
                    "velocity": "Gazebo and MoveIt let the joint stand still, MuJoCo and Pinocchio do not read it",
                    "effort": "MuJoCo takes 0 as no limit, Pinocchio as 0, Drake drops the motor, Gazebo's is still",
                }[name]
                yield _of(joint, f"limit/{name}", "warning", f"{name} limit is 0", why)
        speed = joint.limit("velocity")
        others = [one for name, one in speeds.items() if one and one > 0.0 and name != joint.name]
        beside = float(np.median(others)) if others else np.inf
        fast = speed is not None and (speed > thresholds.FAST.value or speed > thresholds.FASTER.value * beside)
        if joint.kind != "prismatic" and speed is not None and fast:
            if log10(speed).is_integer():
                text = f"velocity limit {speed:g} rad/s, a power of ten"
                yield _of(joint, "limit/unlimited", "note", text, "a placeholder, no limit of a drive", at="limit")
                continue
            edits = (Edit(element.values["velocity"], f"{np.radians(speed):.10g}"),)
            became = f"{speed:g} to {np.radians(speed):.4g} rad/s"
            yield _of(
                joint,
                "limit/degrees",
                "warning",
                f"velocity limit {speed:g} rad/s is {60 * speed / (2 * np.pi):.0f} turns a minute",
                "URDF states radians",
                (Repair("degrees per second were meant: write radians", edits, became),),
            )


def axes(subject: Subject) -> Iterator[Finding]:
    """Axes that are zero, not unit vectors, or off a coordinate axis by rounding."""
    for joint in subject.joints:
        element = joint.node.first("axis")
        if joint.kind not in MOVING or element is None:
            continue
        axis = joint.axis
        length = hypot(*axis)
        if not np.isfinite(length):
            yield _of(
                joint,
                "read/number",
                "error",
                f"axis {element.attributes.get('xyz')!r} is not three numbers",
                "",
                at="axis",
            )
        elif length == 0.0:
            yield _of(joint, "axis/zero", "error", "axis is zero", "the joint has no direction")
        elif abs(length - 1.0) > 1e-3:
            unit = " ".join(f"{x:.10g}" for x in axis / length)
            repair = Repair("the unit vector", (Edit(element.values["xyz"], unit),), f"length {length:.6g} to 1")
            text = f"axis ({' '.join(f'{x:g}' for x in axis)}) has length {length:.6g}"
            yield _of(joint, "axis/length", "warning", text, "some programs scale the joint by it", (repair,))
        else:
            yield from _tilted(joint, axis / length)


def _tilted(joint: Articulation, axis: np.ndarray) -> Iterator[Finding]:
    k = int(np.abs(axis).argmax())
    tilt = float(np.linalg.norm(np.delete(axis, k)))
    if 1e-5 < tilt < thresholds.TILTED.value:
        exact = np.zeros(3)
        exact[k] = np.sign(axis[k])
        text = f"axis is {tilt:.3g} rad off {'xyz'[k]}"
        element = joint.node.first("axis")
        assert element is not None  # noqa: S101 - it has an axis
        edits = (Edit(element.values["xyz"], " ".join(f"{x:g}" for x in exact)),)
        yield _of(
            joint, "axis/tilted", "note", text, "an axis of CAD, rounded", (Repair("the coordinate axis", edits),)
        )


def ends(subject: Subject) -> Iterator[Finding]:
    """Links that do not exist, that two joints carry, or that carry themselves; repeated names."""
    seen: set[str] = set()
    for node in subject.source.root.all("link"):
        if node.name in seen:
            yield Finding.at(node, "names/repeated", "error", f"a second link {node.name!r}", why="readers refuse it")
        seen.add(node.name)
    names: set[str] = set()
    carried: dict[str, str] = {}
    for joint in subject.joints:
        if joint.name in names:
            yield _of(joint, "names/repeated", "error", f"a second joint {joint.name!r}", "readers refuse it")
        names.add(joint.name)
        for role, link, body in (("parent", joint.parent, joint.parent_body), ("child", joint.child, joint.child_body)):
            if body is None:
                yield _of(
                    joint, "names/unknown", "error", f"its {role} link {link!r} does not exist", "readers refuse it"
                )
        if joint.child_body is not None and joint.child in carried:
            text = f"link {joint.child!r} is the child of joint {carried[joint.child]!r} already"
            yield _of(joint, "tree/two-parents", "error", text, "a loop is not a joint of the tree")
        carried.setdefault(joint.child, joint.name)


def _of(
    joint: Articulation,
    rule: str,
    severity: Severity,
    text: str,
    why: str,
    repairs: tuple[Repair, ...] = (),
    at: str | None = None,
) -> Finding:
    """A finding at the element of a joint that its rule is about: <limit>, <axis>, or the joint itself."""
    part = joint.node.first(rule.partition("/")[0] if at is None else at) or joint.node
    finding = Finding.at(part, rule, severity, text, why=why, link=joint.child, repairs=repairs)
    return replace(finding, element=f"joint {joint.name!r}")
