"""Admittance control: a measured force moves the reference, which the arm follows stiffly."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from armdyn.algorithms.task_rows import COMPONENTS, Components
from armdyn.base.scalars import Scalar
from armdyn.control.tip_tasks import force_felt, task_size, tip_task, wrench_on_frame
from armdyn.control.with_gains import scaled, unscaled
from armdyn.declaration import function
from armdyn.model.mechanism import Mechanism
from armdyn.spatial.rotations import Array, rigid


class Admittance(NamedTuple):
    """The joint forces ``tau``, and ``shift`` and ``shift_rate`` of the reference a step later, m and m/s."""

    tau: Array
    shift: Array
    shift_rate: Array


@function(
    "(n),(n),(3),(3),(4,4),(6),(3),(3),(3),(task),(task),(),(6)?,(6)?->(n),(3),(3)",
    result=Admittance,
    sizes={"task": task_size},
    gains=("M_virtual", "B", "K", "Kp", "Kd"),
)
def admittance(
    model: Mechanism,
    q: Array,
    qd: Array,
    shift: Array,
    shift_rate: Array,
    T_ref: Array,
    f_measured: Array,
    M_virtual: Array,
    B: Array,
    K: Array,
    Kp: Array,
    Kd: Array,
    h: Scalar,
    V_ref: Array | None = None,
    Vdot_ref: Array | None = None,
    *,
    frame: str | None = None,
    components: Components = COMPONENTS,
    damping: float = 0.0,
) -> Admittance:
    """Joint forces of operational-space control, N m or N, shape (..., n), whose reference gives way to forces.

    The reference is shifted by x, M_virtual d^2x/dt^2 + B dx/dt + K x = f_ext (Modern Robotics 11.7), the force that
    the surroundings apply to the frame, in base axes; its orientation is not. The shift is a state, integrated by
    v[k+1] = v[k] + h a[k], x[k+1] = x[k] + h v[k+1]. The frame follows the shifted reference, with the measured force
    taken away: tau = J^T (Lambda (Vdot_c + Kd (V_c - V) + Kp e) + eta - Jbar^T J_6^T f_ext).

    A gain is a number for all components, one for each, or a full matrix (`with_gains`). A full M_virtual is
    positive definite.

    Args:
        q: joint positions, rad or m, shape (..., n).
        qd: joint velocities, rad/s or m/s, shape (..., n).
        shift: x, m, shape (..., 3); the controller's state, which begins at zero.
        shift_rate: dx/dt, m/s, shape (..., 3); a state too, which begins at zero.
        T_ref: the pose without a force, lengths in m, shape (..., 4, 4).
        f_measured: wrench (m, f) that the frame applies to its surroundings, in its own axes, as f_tip, N m and N,
            shape (..., 6).
        M_virtual: mass along each axis of the base, kg, shape (..., 3).
        B: damping, N s/m, shape (..., 3).
        K: stiffness, N/m, shape (..., 3).
        Kp: gain by which the frame follows in each component, 1/s^2, shape (..., task).
        Kd: gain of its rate, 1/s, shape (..., task).
        h: the sample time, s, scalar.
        V_ref: twist to follow, rad/s and m/s, shape (..., 6), as "world"; at rest if None.
        Vdot_ref: its rate, rad/s^2 and m/s^2, shape (..., 6).
        frame: its name; the tip if None.
        components: of its twist in base axes, as of `Robot.task_space`.
        damping: lambda of Lambda = (J M^-1 J^T + lambda^2 1)^-1 near singularities.

    >>> robot, q0 = armdyn.load("ur5"), np.array([0.3, -1.2, 1.4, -0.7, 1.1, 0.2])
    >>> T = robot.forward_kinematics(q0)
    >>> push = np.concatenate([np.zeros(3), T[:3, :3].T @ [0, 0, -20.0]])  # on the surroundings
    >>> loop = armdyn.ClosedLoop(robot, armdyn.control.admittance, record=["shift"])
    >>> gains = {"M_virtual": 2.0, "B": 90.0, "K": 1000.0, "Kp": 900.0, "Kd": 60.0}
    >>> rolled = loop(q0, steps=2000, T_ref=T, f_measured=push, f_tip=push, **gains)
    >>> bool(abs(robot.forward_kinematics(rolled.final.q)[2, 3] - T[2, 3] - 0.02) < 1e-4)
    True
    """
    f_ext = wrench_on_frame(model, q, f_measured, frame)[3:]
    acceleration = unscaled(M_virtual, f_ext - scaled(B, shift_rate) - scaled(K, shift))
    V, Vdot = (np.zeros(6) if values is None else values for values in (V_ref, Vdot_ref))
    shifted = (
        rigid(T_ref[:3, :3], T_ref[:3, 3] + shift),
        np.concatenate([V[:3], V[3:] + shift_rate]),
        np.concatenate([Vdot[:3], Vdot[3:] + acceleration]),
    )
    task = tip_task(model, q, qd, *shifted, frame=frame, components=components, damping=damping)
    space, rate = task.space, shift_rate + h * acceleration
    felt = force_felt(model, q, f_measured, task, frame)
    tau = space.J.T @ (space.Lambda @ (task.Vdot_ref + scaled(Kd, task.ed) + scaled(Kp, task.e)) + space.eta - felt)
    return Admittance(tau, shift + h * rate, rate)
