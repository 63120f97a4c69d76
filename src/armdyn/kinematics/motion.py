"""How a frame moves with the joints: its Jacobian, and the acceleration that joint velocities alone give it."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from armdyn.algorithms.declaration import function
from armdyn.algorithms.kinematics import base_columns, body_poses, path_to
from armdyn.kinematics.aims import moved_to
from armdyn.model.mechanism import Mechanism
from armdyn.spatial.rotations import Array, cross


@function("(n),(n)->(6,n),(6)")
def frame_motion(
    model: Mechanism,
    q: Array,
    qd: Array,
    *,
    frame: str | None = None,
    point: Sequence[float] = (0.0, 0.0, 0.0),
    expressed_in: str = "body",
) -> tuple[Array, Array]:
    """Jacobian J(q), shape (..., 6, n), and Jdot qd, the twist's derivative where qdd = 0, shape (..., 6).

    Kazerounian and Gupta 1985, 4a, 4b: V = J qd and Vdot = J qdd + Jdot qd, angular part first.

    Args:
        q: joint positions, rad or m, shape (..., n).
        qd: joint velocities, rad/s or m/s, shape (..., n).
        frame: name of the frame; the tip where none is given.
        point: of the frame, m, in its axes, whose velocity v is.
        expressed_in: "body": axes of the frame; "world": axes of the base; "space": axes and origin of the base.
    """
    k, T = model.frame(frame)
    T = moved_to(T, np.array(point))
    if k < 0:
        return np.zeros((6, model.dof)), np.zeros(6)
    q = model.drive.positions(q)
    J = model.drive.columns(base_columns(model, q, k, T, about_base=False))
    poses = body_poses(model, q)
    R, p = poses[k][0] @ T[:3, :3], poses[k][1] + poses[k][0] @ T[:3, 3]
    w, v = J[:3] @ qd, J[3:] @ qd
    qd = model.drive.rates(qd)
    wd, a = accelerations_without_qdd(model, q, qd, k, p)
    if expressed_in == "body":
        # d(R^T w)/dt = R^T wd, and d(R^T v)/dt = R^T (a - w x v): the axes turn with w.
        J = np.concatenate([R.T @ J[:3], R.T @ J[3:]])
        return J, np.array([*(R.T @ wd), *(R.T @ (a - cross(w, v)))])
    if expressed_in == "space":
        # The point of the body at the base's origin has v - w x p; its derivative, with dp/dt = v:
        J[3:] = np.array([cross(p, J[:3, i]) + J[3:, i] for i in range(model.dof)]).T
        return J, np.array([*wd, *(a - cross(wd, p) - cross(w, v))])
    return J, np.array([*wd, *a])


def accelerations_without_qdd(model: Mechanism, q: Array, qd: Array, k: int, p: Array) -> tuple[Array, Array]:
    """wd of body k and a of its point p, in base axes, from base to tip (Craig 6.32, 6.35 with qdd = 0)."""
    poses = body_poses(model, q)
    w, wd, a = np.zeros(3), np.zeros(3), np.zeros(3)
    here = np.zeros(3)
    for j in reversed(path_to(model, k)):
        body, z = model.bodies[j], poses[j][0][:, 2]
        r, here = poses[j][1] - here, poses[j][1]
        a = a + cross(wd, r) + cross(w, cross(w, r))
        if body.revolute:
            wd = wd + cross(w, z * qd[j])
            w = w + z * qd[j]
        else:
            a = a + 2.0 * cross(w, z * qd[j])  # Coriolis
    r = p - here
    return wd, a + cross(wd, r) + cross(w, cross(w, r))
