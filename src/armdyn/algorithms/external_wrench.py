"""A wrench of the surroundings on any frame, transformed to the frame of the link that carries it."""

from __future__ import annotations

import numpy as np

from armdyn.algorithms.declared import function
from armdyn.algorithms.expressed_in import EXPRESSED_IN, way_of_twist
from armdyn.algorithms.kinematics import body_poses
from armdyn.algorithms.newton_euler import transform_wrench
from armdyn.base.errors import UnknownName
from armdyn.model.mechanism import Mechanism
from armdyn.spatial.rotations import Array, cross

CHOICES = {
    "frame": lambda mechanism: [frame.name for frame in mechanism.frames],
    "expressed_in": lambda mechanism: EXPRESSED_IN,
}


@function("(n),(6)->(links,6)", choices=CHOICES)
def external_wrench(mechanism: Mechanism, q: Array, wrench: Array, *, frame: str, expressed_in: str) -> Array:
    """A wrench on one frame as rows f_ext(q) of all links, N m and N, shape (..., links, 6).

    The row of the link that carries the frame is the wrench in that link's frame (Modern Robotics 3.98), all others are
    zero: add up several, and give the sum as ``f_ext`` to inverse and forward dynamics. Compiled into one function with
    these, it costs nothing for the links it does not touch.

    Args:
        q: joint positions, rad or m, shape (..., n).
        wrench: (m, f) that the surroundings apply, N m and N, shape (..., 6).
        frame: name of the frame it acts on; it must be given.
        expressed_in: must be given. "body": axes of the frame, moment about its origin; "space": axes of the base,
            moment about the base's origin (Pinocchio's WORLD); "world": axes of the base, moment about the frame's
            origin (Pinocchio's LOCAL_WORLD_ALIGNED).

    Raises:
        UnknownName: one of the two is missing, the robot has no such frame, or ``expressed_in`` is not one of the
            three.

    >>> robot = armdyn.load("planar_2r")
    >>> q = [0.3, 0.4]
    >>> push = robot.external_wrench(q, [0, 0, 0, 0, 5.0, 0], frame=robot.tip, expressed_in="world")
    >>> tau = robot.inverse_dynamics(q, np.zeros(2), np.zeros(2), f_ext=push)
    >>> J = robot.jacobian(q, expressed_in="world")
    >>> bool(np.allclose(tau, robot.gravity_forces(q) - 5.0 * J[4]))
    True
    """
    _refuse_no_frame(mechanism, frame)
    expressed_in = way_of_twist(expressed_in)
    named = mechanism.model.frame(frame)
    k, T = mechanism.frame(frame)
    rows = np.zeros((len(mechanism.model.links), 6), dtype=object)
    row = mechanism.model.link_names.index(named.link)
    if expressed_in == "body":
        rows[row] = np.concatenate(transform_wrench(named.pose, wrench))
        return rows
    m, f = wrench[:3], wrench[3:]
    if k < 0:  # on the base, whose own axes these are
        about_base = m if expressed_in == "space" else m + cross(T[:3, 3], f)
        rows[row] = np.concatenate([about_base, f])
        return rows
    R_0B, p_0B = body_poses(mechanism, mechanism.drive.positions(q))[k]
    to_link = mechanism.bodies[k].link_pose[:3, :3].T @ R_0B.T  # R_L0
    from_body = R_0B @ mechanism.bodies[k].link_pose[:3, 3]  # p_BL_0
    moved_to = p_0B + from_body if expressed_in == "space" else from_body - R_0B @ T[:3, 3]  # to L's origin
    rows[row] = np.concatenate([to_link @ (m - cross(moved_to, f)), to_link @ f])
    return rows


def _refuse_no_frame(mechanism: Mechanism, frame: str | None) -> None:
    """Refuse a wrench without the name of its frame: no default is safe."""
    if frame is None:
        frames = ", ".join(each.name for each in mechanism.model.frames)
        raise UnknownName(f"frame=None: name the frame the wrench acts on, one of {mechanism.name!r}: {frames}.")
