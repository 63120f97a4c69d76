"""Effort limits below the torque of gravity at the worst pose."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from armdyn.doctor.finding import Finding
from armdyn.doctor.subject import Subject
from armdyn.robot import Robot
from armdyn.spatial.rotations import Array

POSES, SWEEPS, POINTS = 2000, 2, 25

MOST_JOINTS = 100
"""The worst pose of an arm with more joints is not sought: it takes seconds."""


def worst_gravity(robot: Robot) -> tuple[Array, Array]:
    """The largest |g_i(q)| within the limits, N m or N, shape (n,), and its pose for each joint, shape (n, n).

    The best of random poses, then joint by joint on a grid: g_i is a sine of each joint alone.
    """
    low, high = (np.array([getattr(joint.limits, side) for joint in robot.joints]) for side in ("lower", "upper"))
    low, high = (np.where(np.isfinite(limit), limit, turn) for limit, turn in ((low, -np.pi), (high, np.pi)))
    n, random = robot.dof, np.random.default_rng(0)
    q = random.uniform(np.minimum(low, high), np.maximum(low, high), (POSES, n))
    best = q[np.abs(_static(robot, q)).argmax(axis=0)].copy()
    for _ in range(SWEEPS):
        for k in range(n):
            grid = np.repeat(best[:, None], POINTS, axis=1)
            grid[:, :, k] = np.linspace(low[k], high[k], POINTS)
            values = np.abs(_static(robot, grid))[np.arange(n), :, np.arange(n)]
            best = grid[np.arange(n), values.argmax(axis=1)]
    return np.abs(_static(robot, best))[np.arange(n), np.arange(n)], best


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
