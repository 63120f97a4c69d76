"""Constraints of every kind on general robots, for tests that hold for all of them."""

from __future__ import annotations

import numpy as np

import armdyn
from armdyn import algorithms
from armdyn import constraints as c
from armdyn.spatial.rotations import Array, rigid
from oracles.trees import random_rotation


def general_pose(seed: int) -> Array:
    rng = np.random.default_rng(seed)
    return rigid(random_rotation(rng), rng.normal(0.0, 0.3, 3))


def circle(s):
    return np.array([0.4 * np.cos(s) + 0.1, 0.5 * np.sin(s), 0.3 * np.sin(2 * s)])


def ellipsoid(p):
    return p[0] ** 2 + 2.0 * p[1] ** 2 + 0.5 * p[2] ** 2 - 0.3


def curve_of_two_surfaces(p):
    return np.array([p @ p - 0.5, p[0] * p[1] - 0.1 * np.sin(p[2])])


def reach(model, q):
    p = algorithms.forward_kinematics(model, q)[:3, 3]
    return np.array([p @ p - 0.4, q[0] * q[1] - np.cos(q[2])])


def skate(model, q):
    """The tip does not move along its own y, nor turn about its own x."""
    return algorithms.jacobian(model, q)[[4, 0]]


def every_kind(robot: armdyn.Robot) -> dict[str, c.Constraint]:
    """One of each, between frames of the robot, with general poses."""
    tip, other = robot.tip, robot.link_names[2]
    joints = robot.joint_names
    T, U = general_pose(1), general_pose(2)
    p, r = (0.1, -0.2, 0.3), (0.3, 0.2, -0.4)
    kinds = [
        c.Held(tip, axes=("x", "y", "z", "rx", "ry", "rz"), pose=T, to_pose=U, name="weld to the base"),
        c.Held(tip, other, pose=T, to_pose=U, name="weld"),
        c.ball(tip, other, point=p, to_point=r, name="ball"),
        c.Held(tip, other, pose=T, to_pose=U, name="weld along the base", along="base"),
        c.hinge(tip, other, axis=(1, 2, -1), to_axis=(0.3, 0.1, 2), point=p, to_point=r, name="hinge"),
        c.slide(tip, other, axis=(1, 2, -1), to_axis=(0.3, 0.1, 2), point=p, to_point=r, name="slide"),
        *(c.Held(tip, other, two, T, U, "_".join(two)) for two in (("rx", "ry"), ("ry", "rz"), ("rx", "rz"))),
        *(c.Held(tip, other, ("z", one), T, U, one) for one in ("rx", "ry", "rz")),
        c.PointOnPlane(tip, (1, 2, 3), p, r, name="plane"),
        c.PointOnPlane(tip, (1, 2, 3), p, r, of=other, name="plane on a link"),
        c.PointOnLine(tip, (1, -2, 3), p, r, of=other, name="line"),
        c.PointOnSurface(tip, ellipsoid, point=p, name="surface"),
        c.PointOnSurface(tip, curve_of_two_surfaces, size=2, point=p, of=other, name="two surfaces"),
        c.PointOnCurve(tip, circle, (0.0, 2 * np.pi), point=p, of=other, name="curve"),
        c.Distance(tip, other, length=0.7, point=p, to_point=r, name="rod"),
        c.Distance(other, length=0.7, point=p, name="rod from the base"),
        c.JointCoupling({joints[0]: 1.0, joints[2]: -2.5}, value=0.3, name="belt"),
        c.Holonomic(reach, ["reach", "shape"], name="own"),
        c.Pfaffian(skate, ["sideways", "turn"], name="skate"),
        c.RowsOf(c.Held(tip, other, pose=T, to_pose=U, name="whole"), ["whole: y", "whole: rz"], name="part"),
    ]
    return {kind.name: kind for kind in kinds}
