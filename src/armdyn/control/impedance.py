"""Impedance control: a frame that answers to forces as a mass, a damper and a spring do."""

from __future__ import annotations

from armdyn.algorithms.task_rows import COMPONENTS, Components, selected
from armdyn.base.errors import MissingInput
from armdyn.control.tip_tasks import force_felt, task_size, tip_task, wrench_on_frame
from armdyn.control.with_gains import scaled, unscaled
from armdyn.declaration import function
from armdyn.model.mechanism import Mechanism
from armdyn.spatial.rotations import Array


@function(
    "(n),(n),(4,4),(task),(task),(6)?,(6)?,(task)?,(6)?->(n)",
    sizes={"task": task_size},
    gains=("K", "B", "M_virtual"),
)
def impedance(
    model: Mechanism,
    q: Array,
    qd: Array,
    T_ref: Array,
    K: Array,
    B: Array,
    V_ref: Array | None = None,
    Vdot_ref: Array | None = None,
    M_virtual: Array | None = None,
    f_measured: Array | None = None,
    *,
    frame: str | None = None,
    components: Components = COMPONENTS,
    damping: float = 0.0,
) -> Array:
    """Joint forces tau = J^T (Lambda Vdot_ref + eta + B (V_ref - V) + K e), N m or N, shape (..., n).

    The frame answers to the force f_ext of its surroundings with its own mass:
    Lambda (Vdot - Vdot_ref) + B (V - V_ref) - K e = f_ext. No force is measured.

    With M_virtual and the reading of a force sensor, it responds with that mass in each component:
    M_virtual (Vdot - Vdot_ref) + B (V - V_ref) - K e = f_ext (Modern Robotics 11.66, with the acceleration that follows
    from the measured force in the place of a measured one). The surroundings' force is then taken away in full:
    tau = J^T (Lambda (Vdot_ref + (B (V_ref - V) + K e + f_ext) / M_virtual) + eta - Jbar^T J_6^T f_ext).

    e = (w, p) with R_ref = exp([w]) R and p = p_ref - p, components in base axes at the frame's origin.

    A gain is a number for all components, one for each, or a full matrix (`with_gains`). A full M_virtual is
    positive definite.

    Args:
        q: joint positions, rad or m, shape (..., n).
        qd: joint velocities, rad/s or m/s, shape (..., n).
        T_ref: the pose at rest, lengths in m, shape (..., 4, 4).
        K: stiffness of each component, N m/rad or N/m, shape (..., task).
        B: damping of each component, N m s/rad or N s/m, shape (..., task).
        V_ref: twist to follow, rad/s and m/s, shape (..., 6), as "world"; at rest if None.
        Vdot_ref: its rate, rad/s^2 and m/s^2, shape (..., 6).
        M_virtual: inertia of each component, kg m^2 or kg, shape (..., task); the arm's own if None.
        f_measured: wrench (m, f) that the frame applies to its surroundings, in its own axes, as f_tip, N m and N,
            shape (..., 6). Given if M_virtual is.
        frame: its name; the tip if None.
        components: of its twist in base axes, as of `Robot.task_space`; rows of length one at right angles.
        damping: lambda of Lambda = (J M^-1 J^T + lambda^2 1)^-1 near singularities.

    A tip that presses down with 20 N against nothing gives way by 20 N / 1000 N/m:

    >>> robot, q0 = armdyn.load("ur5"), np.array([0.3, -1.2, 1.4, -0.7, 1.1, 0.2])
    >>> T = robot.forward_kinematics(q0)
    >>> push = np.concatenate([np.zeros(3), T[:3, :3].T @ [0, 0, -20.0]])
    >>> hold = armdyn.ClosedLoop(robot, armdyn.control.impedance)
    >>> gains = {"K": [50.0] * 3 + [1000.0] * 3, "B": [3.0] * 3 + [150.0] * 3}
    >>> rolled = hold(q0, steps=5000, T_ref=T, f_tip=push, **gains)
    >>> bool(abs(robot.forward_kinematics(rolled.final.q)[2, 3] - T[2, 3] - 0.02) < 1e-4)
    True
    """
    task = tip_task(model, q, qd, T_ref, V_ref, Vdot_ref, frame=frame, components=components, damping=damping)
    space, spring = task.space, scaled(B, task.ed) + scaled(K, task.e)
    if (M_virtual is None) != (f_measured is None):
        raise MissingInput("M_virtual and f_measured belong together: give both, or none")
    if M_virtual is None or f_measured is None:
        tau: Array = space.J.T @ (space.Lambda @ task.Vdot_ref + space.eta + spring)
        return tau
    along = selected(task.rows, wrench_on_frame(model, q, f_measured, frame))
    felt = force_felt(model, q, f_measured, task, frame)
    tau = space.J.T @ (space.Lambda @ (task.Vdot_ref + unscaled(M_virtual, spring + along)) + space.eta - felt)
    return tau
