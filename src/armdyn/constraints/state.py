"""Poses and motions of frames at a state, from which the equations of constraints are built.

The motion of a frame A is collected in base axes: R, p, its Jacobians, w, v, and the accelerations wd, a that the
joint velocities alone give it (qdd = 0, no gravity). Seen from another frame B that moves too,

    r  = R_B^T (p_A - p_B)
    rd = R_B^T u,                u = v_A - v_B - w_B x (p_A - p_B)
    rdd = R_B^T (ud - w_B x u)

and W = R_B^T (w_A - w_B) turns R = R_B^T R_A: Rd = [W] R.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from armdyn.algorithms.energy import link_twists
from armdyn.algorithms.kinematics import Pose, base_columns, body_poses
from armdyn.algorithms.newton_euler import BodyMotion, base_motion, outward
from armdyn.base.threads import cached_property
from armdyn.model.mechanism import Mechanism
from armdyn.spatial.rotations import Array, cross


class Moving(NamedTuple):
    """A frame's pose and motion in base axes; ``J_w`` and ``J_v`` have shape (3, n)."""

    R: Array
    p: Array
    J_w: Array
    J_v: Array
    w: Array
    v: Array
    wd: Array
    a: Array


class Relative(NamedTuple):
    """A seen from B, in axes of B: position r, rotation R, Jacobians, velocities, accelerations at qdd = 0."""

    r: Array
    J: Array
    rd: Array
    rdd: Array
    R: Array
    J_w: Array
    W: Array
    Wd: Array


class State:
    """A mechanism at (q, qd): the poses and motions of frames that the equations of all constraints share.

    ``q`` and ``qd`` are arrays of floats or of traced scalars; ``mechanism`` is the first argument of the functions in
    `armdyn.algorithms`.
    """

    def __init__(self, mechanism: Mechanism, q: Array, qd: Array) -> None:
        self.mechanism, self.q, self.qd = mechanism, q, qd
        self._q, self._qd = mechanism.drive.positions(q), mechanism.drive.rates(qd)

    @cached_property
    def poses(self) -> list[Pose]:
        """R_0B and p_0B of every body."""
        return body_poses(self.mechanism, self._q)

    @cached_property
    def motions(self) -> list[BodyMotion]:
        """Every body's motion in its own axes at qdd = 0, without gravity."""
        at_rest = self.mechanism.drive.rates(np.zeros(self.mechanism.dof))
        return outward(self.mechanism, self._q, self._qd, at_rest, base_motion(np.zeros(3)))

    @cached_property
    def twists(self) -> list[tuple[Array, Array]]:
        """w and v of every body in its own axes."""
        return link_twists(self.mechanism, self._q, self._qd)

    def moving(self, frame: str, pose: Array) -> Moving:
        """The motion of a frame at ``pose`` in a named one; an empty name is the base frame's."""
        k, T = self.mechanism.frame(frame) if frame else (-1, np.eye(4))
        T = T @ pose
        if k < 0:
            zero, J = np.zeros(3), np.zeros((3, self.mechanism.dof))
            return Moving(T[:3, :3], T[:3, 3], J, J, zero, zero, zero, zero)
        R_0B, p_0B = self.poses[k]
        c, motion, (w, v) = T[:3, 3], self.motions[k], self.twists[k]
        J = self.mechanism.drive.columns(base_columns(self.mechanism, self._q, k, T, about_base=False))
        return Moving(
            R_0B @ T[:3, :3],
            p_0B + R_0B @ c,
            J[:3],
            J[3:],
            R_0B @ w,
            R_0B @ (v + cross(w, c)),
            R_0B @ motion.wd,
            R_0B @ (motion.a + motion.U @ c),
        )

    def relative(self, frame: str, pose: Array, to: str, to_pose: Array) -> Relative:
        """The motion of a frame at ``pose`` in one frame, seen from a frame at ``to_pose`` in another."""
        A, B = self.moving(frame, pose), self.moving(to, to_pose)
        R_B0 = B.R.T
        d = A.p - B.p
        u = A.v - B.v - cross(B.w, d)
        ud = A.a - B.a - cross(B.wd, d) - cross(B.w, A.v - B.v)
        return Relative(
            r=R_B0 @ d,
            J=R_B0 @ (A.J_v - B.J_v - _cross_columns(B.J_w, d)),
            rd=R_B0 @ u,
            rdd=R_B0 @ (ud - cross(B.w, u)),
            R=R_B0 @ A.R,
            J_w=R_B0 @ (A.J_w - B.J_w),
            W=R_B0 @ (A.w - B.w),
            Wd=R_B0 @ (A.wd - B.wd - cross(B.w, A.w)),
        )


def _cross_columns(J: Array, d: Array) -> Array:
    """Every column of J times d."""
    product: Array = np.array(cross(J, np.array([[x] for x in d])))
    return product
