"""Effort limits below the torque of gravity at the worst pose."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace

import numpy as np

from armdyn.base.errors import ArmdynError
from armdyn.doctor.finding import Finding, Repair
from armdyn.doctor.subject import Body, Subject
from armdyn.robot import Robot
from armdyn.spatial.rotations import Array

POSES, SWEEPS, POINTS = 2000, 40, 25

SETTLED = 1e-14
"""Relative gain of a sweep over all joints after which there is no other."""

STARTS = 3
"""Poses from which the worst pose of each joint is sought."""

MOST_JOINTS = 100
"""The worst pose of an arm with more joints is not sought: it takes seconds."""


def worst_gravity(robot: Robot) -> tuple[Array, Array]:
    """The largest |g_i(q)| within the limits, N m or N, shape (n,), and its pose for each joint, shape (n, n)."""
    return worst(robot, lambda q: _static(robot, q))


def worst(robot: Robot, forces: Callable[[Array], Array]) -> tuple[Array, Array]:
    """The largest absolute value of each joint force within the limits, shape (n,), and its pose, shape (n, n).

    From the best of random poses the joints are turned one by one to the best angle. A static force is a sine of each
    revolute joint, so that three values give it; of forces that are not, as of coupled joints, the best of a grid is
    taken.

    Args:
        robot: its limits.
        forces: of poses, shape (..., n).
    """
    low, high = (np.array([getattr(joint.limits, side) for joint in robot.joints]) for side in ("lower", "upper"))
    low, high = (np.where(np.isfinite(limit), limit, turn) for limit, turn in ((low, -np.pi), (high, np.pi)))
    low, high = np.minimum(low, high), np.maximum(low, high)
    n, random = robot.dof, np.random.default_rng(0)
    q = random.uniform(low, high, (POSES, n))
    order = np.abs(forces(q)).argsort(axis=0)[::-1][:STARTS]
    best = q[order].reshape(-1, n)
    rows, own = np.arange(len(best)), np.tile(np.arange(n), STARTS)
    height = np.full(len(best), -np.inf)
    for sweep in range(SWEEPS):
        before, points = height, POINTS if sweep == 0 else 2
        for k in range(n):
            samples = low[k] + np.array([0.0, 2.0, 4.0]) * np.pi / 3.0
            grid = np.repeat(best[:, None], points + 5, axis=1)  # the last is the pose of before
            grid[:, : points + 3, k] = [*np.linspace(low[k], high[k], points), *samples]
            values = forces(grid)[rows, :, own]
            grid[:, -2, k] = _peaks(samples, values[:, points : points + 3], low[k], high[k])
            values[:, -2] = forces(grid[:, -2])[rows, own]
            values[:, points : points + 3] = 0.0  # they may be outside of the limits
            height = np.abs(values).max(axis=1)
            best[:, k] = grid[rows, np.abs(values).argmax(axis=1), k]
        if (height <= before * (1.0 + SETTLED)).all():
            break
    largest = np.abs(forces(best)[rows, own]).reshape(STARTS, n)
    winner = largest.argmax(axis=0)
    return largest.max(axis=0), best.reshape(STARTS, n, n)[winner, np.arange(n)]


def _peaks(samples: Array, values: Array, low: float, high: float) -> Array:
    """The angles within limits at which the sines through three values are furthest from zero, else the middle.

    Args:
        samples: three angles, rad.
        values: of each sine, shape (sines, 3).
        low, high: limits, rad.
    """
    basis = np.stack([np.ones(3), np.cos(samples), np.sin(samples)], axis=1)
    mean, cosine, sine = np.linalg.solve(basis, values.T)
    angle = np.arctan2(sine, cosine)
    amplitude = np.hypot(cosine, sine)
    sign = np.where(mean >= 0.0, 1.0, -1.0)
    found = np.full(len(values), (low + high) / 2.0)
    size = np.full(len(values), -1.0)
    for side in (-sign, sign):
        at = angle + np.where(side > 0.0, 0.0, np.pi)
        at = at + 2.0 * np.pi * np.ceil((low - at) / (2.0 * np.pi))
        height = np.where(at <= high, np.abs(mean + side * amplitude), -1.0)
        found, size = np.where(height > size, at, found), np.maximum(height, size)
    return found


def change_of_gravity(robot: Robot, link: str, mass: float, moment: Array) -> Callable[[Array], Array]:
    """The joint forces that hold a mass and a first moment m c on a link, as a function of poses, N m or N.

    Args:
        robot: on which they are.
        link: a frame of the robot; ``moment`` is in its axes about its origin.
        mass: kg.
        moment: kg m, shape (3,).

    Raises:
        UnknownName: a link that the robot does not have.
    """
    model = robot.model
    frame = model.frame(link)
    place = robot.link_names.index(frame.link)
    R, p = frame.pose[:3, :3], frame.pose[:3, 3]
    on_link = R @ moment + mass * p
    carriers = {joint.child: joint for joint in model.joints}
    path, name = [], frame.link
    while name in carriers:
        path.append(carriers[name])
        name = carriers[name].parent

    def forces(q: Array) -> Array:
        poses = np.asarray(robot.link_poses(q))
        T = poses[..., place, :, :]
        first = T[..., :3, :3] @ on_link + mass * T[..., :3, 3]
        result = np.zeros(q.shape)
        for joint in path:
            child = poses[..., robot.link_names.index(joint.child), :, :]
            axis, k = child[..., :3, :3] @ joint.axis, robot.joint_names.index(joint.name)
            if joint.kind == "revolute":
                about = first - mass * child[..., :3, 3]
                result[..., k] = -np.einsum("...i,...i->...", axis, np.cross(about, robot.gravity))
            else:
                result[..., k] = -mass * axis @ robot.gravity
        return result

    return forces


def with_consequences(findings: Iterable[Finding], subject: Subject, robot: Robot) -> Iterator[Finding]:
    """Findings whose repairs state the largest change of gravity's torques, by its joint and pose."""
    for finding in findings:
        body = subject.bodies.get(finding.link)
        repairs = tuple(_stated(repair, body, robot) for repair in finding.repairs)
        yield finding if repairs == finding.repairs else replace(finding, repairs=repairs)


def _stated(repair: Repair, body: Body | None, robot: Robot) -> Repair:
    numbers = repair.numbers
    coupled = robot.model.coupling is not None
    if numbers is None or body is None or coupled or not np.isfinite([body.mass or 0.0, *body.com]).all():
        return repair
    mass, com, before = numbers[0], np.asarray(numbers[1]), body.mass or 0.0
    dm, moment = mass - before, mass * com - before * body.com
    if dm == 0.0 and not moment.any():
        return repair
    try:
        largest, poses = worst(robot, change_of_gravity(robot, body.name, dm, moment))
    except ArmdynError:
        return repair
    k = int(largest.argmax())
    if not np.isfinite(largest[k]) or largest[k] == 0.0:
        return repair
    unit = "N m" if robot.joints[k].kind == "revolute" else "N"
    pose = ", ".join(f"{x:.2f}" for x in poses[k])
    kept = [part for part in repair.consequence.split("; ") if part and not part.startswith("gravity on ")]
    torque = f"gravity on {robot.joint_names[k]!r} by up to {largest[k]:.3g} {unit}, at q = ({pose})"
    return replace(repair, consequence="; ".join([*kept, torque]))


def _static(robot: Robot, q: Array) -> Array:
    """g(q), less what springs in parallel with the drives carry of it, N m or N, shape (..., n)."""
    forces: Array = robot.gravity_forces(q)
    return forces + robot.parallel_spring_forces(q) if robot.model.parallel_springs else forces


def below_gravity(subject: Subject, robot: Robot) -> Iterator[Finding]:
    """Joints that cannot hold the arm; a note if there are too many to look at."""
    if robot.dof > MOST_JOINTS:
        text = f"{robot.dof} joints: effort limits are not compared with gravity's torques, more than {MOST_JOINTS}"
        why = "the search for the worst pose would take longer than all else"
        yield Finding.at(subject.source.root, "limit/effort-unchecked", "note", text, why=why)
        return
    largest, poses = worst_gravity(robot)
    by_name = {joint.name: joint for joint in subject.joints}
    for k, (name, own) in enumerate(zip(robot.joint_names, robot.joints, strict=True)):
        effort, joint = own.limits.effort, by_name.get(name)
        if joint is None or not np.isfinite(effort) or not effort > 0.0 or largest[k] <= effort:
            continue
        unit = "N m" if own.kind == "revolute" else "N"
        pose = ", ".join(f"{x:.2f}" for x in poses[k])
        text = f"effort limit {effort:g} {unit}, gravity takes {largest[k]:.4g} {unit} at q = ({pose})"
        why = "the arm cannot hold itself there; or masses, centres or the limit are wrong"
        yield Finding.at(joint.node, "limit/effort-below-gravity", "warning", text, why=why, link=joint.child)
