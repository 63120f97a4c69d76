"""The acceleration that joint velocities alone give a frame: the outward pass with qdd = 0 and no gravity."""

from __future__ import annotations

import numpy as np

from armdyn.algorithms.declared import function
from armdyn.algorithms.energy import link_twists
from armdyn.algorithms.expressed_in import way_of_twist
from armdyn.algorithms.kinematics import body_poses
from armdyn.algorithms.newton_euler import base_motion, outward
from armdyn.model.mechanism import Mechanism
from armdyn.spatial.rotations import Array, cross


@function("(n),(n)->(6)")
def bias_acceleration(
    mechanism: Mechanism, q: Array, qd: Array, *, frame: str | None = None, expressed_in: str = "body"
) -> Array:
    """Acceleration Jdot(q, qd) qd of a frame at qdd = 0, rad/s^2 and m/s^2, angular part first, shape (..., 6).

    The difference of the rate of the twist from J qdd, as Vdot = J qdd + Jdot qd (Modern Robotics 8.83). Far fewer
    operations than the product of `jacobian_dot` with qd, and shared with `bias_forces` in a program that returns both.

    Args:
        q: joint positions, rad or m, shape (..., n).
        qd: joint velocities, rad/s or m/s, shape (..., n).
        frame: name of the frame; the tip by default.
        expressed_in: "body", "space" or "world", as of `jacobian`: the rate of that twist's six numbers. With "world"
            the linear part is the acceleration of the frame's origin. "world" is Pinocchio's LOCAL_WORLD_ALIGNED, its
            WORLD is "space".

    Raises:
        UnknownName: the robot has no such frame, or ``expressed_in`` is not one of the three.

    >>> armdyn.load("planar_2r").bias_acceleration([0.0, 0.0], [1.0, 0.0], expressed_in="world")[3:] + 0.0
    array([-2.,  0.,  0.])
    """
    expressed_in = way_of_twist(expressed_in)
    k, T = mechanism.frame(frame)
    if k < 0:
        return np.zeros(6)  # a frame on the base does not move
    q, qd, at_rest = (
        mechanism.drive.positions(q),
        mechanism.drive.rates(qd),
        mechanism.drive.rates(np.zeros(mechanism.dof)),
    )
    motion = outward(mechanism, q, qd, at_rest, base_motion(np.zeros(3)))[k]
    R, r = T[:3, :3], T[:3, 3]
    wd, a = motion.wd, motion.a + motion.U @ r
    if expressed_in != "world":
        w, v = link_twists(mechanism, q, qd)[k]
        a = a - cross(w, v + cross(w, r))  # the twist's axes turn with the body: vdot = a - w x v
    if expressed_in == "body":
        return np.concatenate([R.T @ wd, R.T @ a])
    R_0B, p_0B = body_poses(mechanism, q)[k]
    wd, a = R_0B @ wd, R_0B @ a
    if expressed_in == "space":
        a = a - cross(wd, p_0B + R_0B @ r)  # of the point of the body that is at the base's origin
    return np.concatenate([wd, a])
