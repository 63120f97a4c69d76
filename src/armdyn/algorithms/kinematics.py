"""Kinematics: poses and Jacobians (Modern Robotics 4, 5)."""

from __future__ import annotations

import numpy as np

from armdyn.algorithms.declared import function
from armdyn.algorithms.expressed_in import way_of_twist
from armdyn.model.mechanism import Mechanism
from armdyn.spatial.rotations import Array, cross, inverse_rigid, rigid
from armdyn.spatial.turns import to_child, to_parent
from armdyn.spatial.twists import lie_bracket

Pose = tuple[Array, Array]
"""R_0B and p_0B."""


@function("(n)->(4,4)")
def forward_kinematics(mechanism: Mechanism, q: Array, *, frame: str | None = None) -> Array:
    """Pose T_0F(q) of a frame in the base frame, homogeneous matrix, lengths in m, shape (..., 4, 4).

    The product of the joint transforms (Modern Robotics 4.1).

    Args:
        q: joint positions, rad or m, shape (..., n).
        frame: name of the frame; the tip by default.

    Raises:
        UnknownName: the robot has no such frame.

    >>> armdyn.load("planar_2r").forward_kinematics([0.0, np.pi / 2])[:3, 3].round(12)
    array([1., 1., 0.])
    """
    k, T = mechanism.frame(frame)
    return T if k < 0 else frame_pose(body_poses(mechanism, mechanism.drive.positions(q))[k], T)


@function("(n)->(links,4,4)")
def link_poses(mechanism: Mechanism, q: Array) -> Array:
    """Poses T_0L(q) of all link frames in the base frame, base first, lengths in m, shape (..., links, 4, 4).

    In the order of ``robot.link_names`` (Modern Robotics 4.1).

    Args:
        q: joint positions, rad or m, shape (..., n).
    """
    poses = body_poses(mechanism, mechanism.drive.positions(q))
    of_link = {body.name: frame_pose(pose, body.link_pose) for body, pose in zip(mechanism.links, poses, strict=False)}
    return np.array([np.eye(4), *(of_link[name] for name in mechanism.model.link_names[1:])])


@function("(n)->(6,n)")
def jacobian(mechanism: Mechanism, q: Array, *, frame: str | None = None, expressed_in: str = "body") -> Array:
    """Jacobian J(q) with (w, v) = J qd, the twist of a frame, angular part first, shape (..., 6, n).

    Body and space Jacobian of Modern Robotics 5.10 and 5.18; tau = J^T F for a wrench F in the same axes.

    Args:
        q: joint positions, rad or m, shape (..., n).
        frame: name of the frame; the tip by default.
        expressed_in: "body": axes and origin of the frame (Pinocchio's LOCAL); "space": axes and origin of the base
            (Pinocchio's WORLD); "world": the frame's origin, the base's axes, so that v is the velocity of the frame's
            origin (Pinocchio's LOCAL_WORLD_ALIGNED). In any case of letters; "local" and "local_world_aligned" are
            understood too.

    Raises:
        UnknownName: the robot has no such frame, or ``expressed_in`` is not one of the three.
    """
    expressed_in = way_of_twist(expressed_in)
    k, T = mechanism.frame(frame)
    if k < 0:
        return np.zeros((6, mechanism.dof))  # a frame on the base does not move
    columns = body_columns if expressed_in == "body" else base_columns
    return mechanism.drive.columns(
        columns(mechanism, mechanism.drive.positions(q), k, T, about_base=expressed_in == "space")
    )


@function("(n),(n)->(6,n)")
def jacobian_dot(
    mechanism: Mechanism, q: Array, qd: Array, *, frame: str | None = None, expressed_in: str = "body"
) -> Array:
    """Time derivative Jdot(q, qd) of the Jacobian of a frame, twist per rad or m over s, shape (..., 6, n).

    The rate of change of a column is the Lie bracket of the joints that move it with itself (Modern Robotics 8.37,
    exercise 8.6). With "body" and "space" Vdot = J qdd + Jdot qd is the rate of the twist's six numbers; with "world"
    its linear part is the acceleration of the frame's origin.

    Args:
        q: joint positions, rad or m, shape (..., n).
        qd: joint velocities, rad/s or m/s, shape (..., n).
        frame: name of the frame; the tip by default.
        expressed_in: "body", "space" or "world", as of `jacobian`: the derivative of that matrix. "world" is
            Pinocchio's LOCAL_WORLD_ALIGNED, its WORLD is "space".

    Raises:
        UnknownName: the robot has no such frame, or ``expressed_in`` is not one of the three.

    >>> armdyn.load("planar_2r").jacobian_dot([0.0, 0.0], [1.0, 0.0], expressed_in="world")[3:5] + 0.0
    array([[-2., -1.],
           [ 0.,  0.]])
    """
    expressed_in = way_of_twist(expressed_in)
    k, T = mechanism.frame(frame)
    if k < 0:
        return np.zeros((6, mechanism.dof))
    q, qd = mechanism.drive.positions(q), mechanism.drive.rates(qd)
    rates = body_column_rates if expressed_in == "body" else base_column_rates
    return mechanism.drive.columns(rates(mechanism, q, qd, k, T, about_base=expressed_in == "space"))


def body_poses(mechanism: Mechanism, q: Array) -> list[Pose]:
    """R_0B and p_0B of every body, base to tips; q by body."""
    poses: list[Pose] = []
    for k, body in enumerate(mechanism.bodies):
        R, p = poses[body.parent] if body.parent >= 0 else (np.eye(3), np.zeros(3))
        p = p + R @ body.offset
        turns = body.turns_at(q[k])
        R = np.array([to_child(turns, row) for row in R])  # R_0B = R_0P R_PB, row by row
        if not body.revolute:
            p = p + R[:, 2] * q[k]
        poses.append((R, p))
    return poses


def frame_pose(pose: Pose, T: Array) -> Array:
    """T_0F = T_0B T_BF as a 4x4 array."""
    R, p = pose
    return rigid(R @ T[:3, :3], p + R @ T[:3, 3])


def path_to(mechanism: Mechanism, k: int) -> list[int]:
    """The bodies that carry body k, itself first, inwards."""
    path = [k]
    while mechanism.bodies[path[-1]].parent >= 0:
        path.append(mechanism.bodies[path[-1]].parent)
    return path


def screw(revolute: bool, z: Array, lever: Array) -> Array:
    """The twist (w, v) of unit joint rate along axis z, with ``lever`` from a point of the axis to the point of v."""
    return np.array([*z, *cross(z, lever)]) if revolute else np.array([0.0, 0.0, 0.0, *z])


def base_columns(mechanism: Mechanism, q: Array, k: int, T: Array, *, about_base: bool) -> dict[int, Array]:
    """The columns in base axes, with v taken at the base's origin or at the frame's; q by body, as of all below."""
    poses = body_poses(mechanism, q)
    R, p = poses[k]
    at = np.zeros(3) if about_base else p + R @ T[:3, 3]
    return {j: screw(mechanism.bodies[j].revolute, poses[j][0][:, 2], at - poses[j][1]) for j in path_to(mechanism, k)}


def body_columns(mechanism: Mechanism, q: Array, k: int, T: Array, **_: object) -> dict[int, Array]:
    """The columns in the axes of the frame, with v taken at its origin: one walk from the frame inwards."""
    to_frame = inverse_rigid(T)
    R, p = to_frame[:3, :3], to_frame[:3, 3]  # R_FB and p_FB of the body at hand
    columns = {}
    for j in path_to(mechanism, k):
        body = mechanism.bodies[j]
        columns[j] = screw(body.revolute, R[:, 2], -p)
        if not body.revolute:
            p = p - R[:, 2] * q[j]
        turns = body.turns_at(q[j])
        R = np.array([to_parent(turns, row) for row in R])  # R_FP = R_FB R_PB^T, row by row
        p = p - R @ body.offset
    return columns


def body_column_rates(mechanism: Mechanism, q: Array, qd: Array, k: int, T: Array, **_: object) -> dict[int, Array]:
    """Jdot_i = ad_{J_i}(V), with V the twist that the joints outboard of i give the frame."""
    rates, V = {}, np.zeros(6)
    for j, column in body_columns(mechanism, q, k, T).items():  # from the frame inwards
        rates[j] = lie_bracket(column, V)
        V = V + column * qd[j]
    return rates


def base_column_rates(
    mechanism: Mechanism, q: Array, qd: Array, k: int, T: Array, *, about_base: bool
) -> dict[int, Array]:
    """Jdot_i = ad_V(J_i), with V the twist of the body that carries joint i; and the part of a moving origin."""
    columns = base_columns(mechanism, q, k, T, about_base=about_base)
    rates, V = {}, np.zeros(6)
    for j in reversed(columns):  # from the base outwards
        rates[j] = lie_bracket(V, columns[j])
        V = V + columns[j] * qd[j]
    if not about_base:  # v is taken at the frame's origin, which moves with V's v
        for j, column in columns.items():
            rates[j][3:] = rates[j][3:] + cross(column[:3], V[3:])
    return rates
