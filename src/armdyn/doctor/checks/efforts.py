"""Effort limits below the torque of gravity at the worst pose."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

import numpy as np

from armdyn.base.errors import ArmdynError
from armdyn.doctor.finding import Finding, Repair
from armdyn.doctor.subject import Subject, SubjectLink
from armdyn.doctor.worst_pose import AddedMass, bounds, carried, largest_change, worst
from armdyn.robot import Robot
from armdyn.spatial.rotations import Array

ROUNDING = 1e-9
"""Relative excess of a bound that covers the rounding of its sum."""

MOST_JOINTS = 100
"""The worst pose of an arm with more joints is not sought: it takes seconds."""


def with_consequences(findings: Iterable[Finding], subject: Subject, robot: Robot) -> Iterator[Finding]:
    """Findings whose repairs state the largest change of gravity's torques, by its joint and pose."""
    for finding in findings:
        body = subject.bodies.get(finding.link)
        repairs = tuple(_state(repair, body, robot) for repair in finding.repairs)
        yield finding if repairs == finding.repairs else replace(finding, repairs=repairs)


def _state(repair: Repair, body: SubjectLink | None, robot: Robot) -> Repair:
    numbers = repair.numbers
    coupled = robot.model.coupling is not None
    if numbers is None or body is None or coupled or not np.isfinite([body.mass or 0.0, *body.com]).all():
        return repair
    mass, com, before = numbers[0], np.asarray(numbers[1]), body.mass or 0.0
    dm, moment = mass - before, mass * com - before * body.com
    if dm == 0.0 and not moment.any():
        return repair
    try:
        k, largest, worst_pose = largest_change(robot, AddedMass.at(robot, body.name, dm, moment))
    except ArmdynError:
        return repair
    if not np.isfinite(largest) or largest == 0.0:
        return repair
    unit = "N m" if robot.joints[k].kind == "revolute" else "N"
    pose = ", ".join(f"{x:.2f}" for x in worst_pose)
    parts = [part for part in repair.consequence.split("; ") if part and not part.startswith("gravity on ")]
    torque = f"gravity on {robot.joint_names[k]!r} by up to {largest:.3g} {unit}, at q = ({pose})"
    return replace(repair, consequence="; ".join([*parts, torque]))


def worst_gravity(robot: Robot, targets: Sequence[int] | None = None) -> tuple[Array, Array]:
    """The largest |g_i(q)| within the limits, N m or N, shape (w,), and the pose of each target, shape (w, n).

    Springs in parallel with the drives carry their part of gravity.
    """
    springs = bool(robot.model.parallel_springs)

    def forces(q: Array) -> Array:
        of_gravity: Array = robot.gravity_forces(q)
        return of_gravity + robot.parallel_spring_forces(q) if springs else of_gravity

    return worst(robot, forces, targets)


def _doubtful(robot: Robot) -> list[int]:
    """The joints whose effort limit is positive and less than the bound of gravity's force on them."""
    model = robot.model
    limits = np.array([joint.limits.effort for joint in robot.joints])
    checked = np.isfinite(limits) & (limits > 0.0)
    if not (model.parallel_springs or model.rotors):  # their forces and weights are not in the bound
        checked &= limits < (1.0 + ROUNDING) * bounds(model, carried(model))
    return [int(k) for k in np.flatnonzero(checked)]


def below_gravity(subject: Subject, robot: Robot) -> Iterator[Finding]:
    """Joints that cannot hold the arm; a note if there are too many to look at."""
    doubtful = _doubtful(robot)
    if not doubtful:
        return
    if robot.dof > MOST_JOINTS:
        text = (
            f"gravity may take more than the effort limits of {len(doubtful)} of {robot.dof} joints; the worst pose is "
            f"sought for up to {MOST_JOINTS}"
        )
        why = "the search for the worst pose would take longer than all else"
        yield Finding.at(subject.source.root, "limit/effort-unchecked", "note", text, why=why)
        return
    by_name = {joint.name: joint for joint in subject.joints}
    for k, largest, worst_pose in zip(doubtful, *worst_gravity(robot, doubtful), strict=True):
        own, joint = robot.joints[k], by_name.get(robot.joint_names[k])
        effort = own.limits.effort
        if joint is None or largest <= effort:
            continue
        unit = "N m" if own.kind == "revolute" else "N"
        pose = ", ".join(f"{x:.2f}" for x in worst_pose)
        text = f"effort limit {effort:g} {unit}, gravity takes {largest:.4g} {unit} at q = ({pose})"
        why = "the arm cannot hold itself there; or masses, centres or the limit are wrong"
        yield Finding.at(joint.node, "limit/effort-below-gravity", "warning", text, why=why, link=joint.child)
