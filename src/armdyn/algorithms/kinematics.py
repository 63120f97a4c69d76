"""Where the links are and how they move with the joints: poses and Jacobians (Modern Robotics 4, 5)."""

from __future__ import annotations

from typing import Any

import numpy as np

from armdyn.algorithms.declaration import function
from armdyn.errors import UnknownName
from armdyn.model.mechanism import Mechanism
from armdyn.spatial.rotations import Array, cross, inverse_rigid
from armdyn.spatial.turns import into, out_of

Pose = tuple[Array, Array]
"""R_0B and p_0B."""

EXPRESSED_IN = ("body", "space", "world")


@function("(n)->(4,4)")
def forward_kinematics(model: Mechanism, q: Array, *, frame: str | None = None) -> Array:
    """Pose T_0F(q) of a frame in the base frame, homogeneous matrix, lengths in m, shape (..., 4, 4).

    The product of the joint transforms (Modern Robotics 4.1).

    Args:
        q: joint positions, rad or m, shape (..., n).
        frame: name of the frame; the tip where none is given.

    Raises:
        UnknownName: where the robot has no such frame.

    >>> armdyn.load("planar_2r").forward_kinematics([0.0, np.pi / 2])[:3, 3].round(12)
    array([1., 1., 0.])
    """
    k, T = model.frame(frame)
    return T if k < 0 else homogeneous(body_poses(model, q)[k], T)


@function("(n)->(links,4,4)")
def link_poses(model: Mechanism, q: Array) -> Array:
    """Poses T_0L(q) of all link frames in the base frame, base first, lengths in m, shape (..., links, 4, 4).

    In the order of ``robot.link_names`` (Modern Robotics 4.1).

    Args:
        q: joint positions, rad or m, shape (..., n).
    """
    poses = body_poses(model, q)
    of_link = {body.name: homogeneous(pose, body.link_pose) for body, pose in zip(model.bodies, poses, strict=True)}
    return np.array([np.eye(4), *(of_link[name] for name in model.model.link_names[1:])])


@function("(n)->(6,n)")
def jacobian(model: Mechanism, q: Array, *, frame: str | None = None, expressed_in: str = "body") -> Array:
    """Jacobian J(q) with (w, v) = J qd, the twist of a frame, angular part first, shape (..., 6, n).

    Body and space Jacobian of Modern Robotics 5.10 and 5.18; tau = J^T F for a wrench F in the same axes.

    Args:
        q: joint positions, rad or m, shape (..., n).
        frame: name of the frame; the tip where none is given.
        expressed_in: "body": axes and origin of the frame; "space": axes and origin of the base; "world": the frame's
            origin, the base's axes, so that v is the velocity of the frame's origin.

    Raises:
        UnknownName: where the robot has no such frame, or ``expressed_in`` is none of the three.
    """
    if expressed_in not in EXPRESSED_IN:
        raise UnknownName.of("way", expressed_in, EXPRESSED_IN, "expressed_in=")
    J = np.zeros((6, model.dof), dtype=object)
    k, T = model.frame(frame)
    if k < 0:
        return J  # a frame on the base does not move
    columns = body_columns if expressed_in == "body" else base_columns
    for j, column in columns(model, q, k, T, about_base=expressed_in == "space").items():
        J[:, model.bodies[j].joint] = column
    return J


def body_poses(model: Mechanism, q: Array) -> list[Pose]:
    """R_0B and p_0B of every body, base to tips."""
    poses: list[Pose] = []
    for body in model.bodies:
        if body.base_axes is not None:
            R, p = body.base_axes, body.base_origin
        else:
            R, p = poses[body.parent]
            p = p + R @ body.offset
        turns = body.turns_at(q[body.joint])
        R = np.array([into(turns, row) for row in R])  # R_0B = R_0P R_PB, row by row
        if not body.revolute:
            p = p + R[:, 2] * q[body.joint]
        poses.append((R, p))  # type: ignore[arg-type]
    return poses


def homogeneous(pose: Pose, T: Array) -> Array:
    """T_0F = T_0B T_BF as a 4x4 array."""
    R, p = pose
    result = np.zeros((4, 4), dtype=object)
    result[:3, :3] = R @ T[:3, :3]
    result[:3, 3] = p + R @ T[:3, 3]
    result[3, 3] = 1.0
    return result


def path_to(model: Mechanism, k: int) -> list[int]:
    """The bodies that carry body k, itself first, inwards."""
    path = [k]
    while model.bodies[path[-1]].parent >= 0:
        path.append(model.bodies[path[-1]].parent)
    return path


def screw(revolute: bool, z: Array, lever: Array) -> Array:
    """The twist (w, v) of unit joint rate along axis z, with ``lever`` from a point of the axis to where v is taken."""
    return np.array([*z, *cross(z, lever)]) if revolute else np.array([0.0, 0.0, 0.0, *z])


def base_columns(model: Mechanism, q: Array, k: int, T: Array, *, about_base: bool) -> dict[int, Array]:
    """The columns in base axes, with v taken at the base's origin or at the frame's."""
    poses = body_poses(model, q)
    R, p = poses[k]
    at = np.zeros(3) if about_base else p + R @ T[:3, 3]
    return {j: screw(model.bodies[j].revolute, poses[j][0][:, 2], at - poses[j][1]) for j in path_to(model, k)}


def body_columns(model: Mechanism, q: Array, k: int, T: Array, **_: Any) -> dict[int, Array]:
    """The columns in the axes of the frame, with v taken at its origin: one walk from the frame inwards."""
    to_frame = inverse_rigid(T)
    R, p = to_frame[:3, :3], to_frame[:3, 3]  # R_FB and p_FB of the body at hand
    columns = {}
    for j in path_to(model, k):
        body = model.bodies[j]
        columns[j] = screw(body.revolute, R[:, 2], -p)
        if not body.revolute:
            p = p - R[:, 2] * q[body.joint]
        turns = body.turns_at(q[body.joint])
        R = np.array([out_of(turns, row) for row in R])  # R_FP = R_FB R_PB^T, row by row
        p = p - R @ body.offset
    return columns
