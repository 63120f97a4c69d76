"""Motion control of a frame in operational space, with a task of the joints in its null space (Khatib 1987)."""

from __future__ import annotations

from armdyn.algorithms.task_rows import COMPONENTS, Components
from armdyn.base.errors import MissingInput
from armdyn.control.tip_tasks import task_size, tip_task
from armdyn.control.with_gains import scaled
from armdyn.declaration import function
from armdyn.model.mechanism import Mechanism
from armdyn.spatial.rotations import Array


@function(
    "(n),(n),(4,4),(task),(task),(6)?,(6)?,(n)?,(n)?,(n)?->(n)",
    sizes={"task": task_size},
    gains=("Kp", "Kd", "Kp_null", "Kd_null"),
)
def operational_space(
    model: Mechanism,
    q: Array,
    qd: Array,
    T_ref: Array,
    Kp: Array,
    Kd: Array,
    V_ref: Array | None = None,
    Vdot_ref: Array | None = None,
    q_null: Array | None = None,
    Kp_null: Array | None = None,
    Kd_null: Array | None = None,
    *,
    frame: str | None = None,
    components: Components = COMPONENTS,
    damping: float = 0.0,
) -> Array:
    """Joint forces tau = J^T (Lambda (Vdot_ref + Kd (V_ref - V) + Kp e) + eta) + N tau_0, N m or N, shape (..., n).

    The frame's error obeys de^2/dt^2 + Kd de/dt + Kp e = 0 in each component (to the first order in rotation), and
    the redundant motion follows tau_0 = Kp_null (q_null - q) - Kd_null qd, which N = 1 - J^T Jbar^T keeps from
    accelerating the task (Modern Robotics 8.90, 8.91, 11.4.3; Khatib 1987, 51). e = (w, p) with R_ref = exp([w]) R.

    A gain is a number for all components, one for each, or a full matrix (`with_gains`).

    Args:
        q: joint positions, rad or m, shape (..., n).
        qd: joint velocities, rad/s or m/s, shape (..., n).
        T_ref: the pose to follow, lengths in m, shape (..., 4, 4); parts without a component are not read.
        Kp: proportional gain of each component, 1/s^2, shape (..., task).
        Kd: derivative gain of each component, 1/s, shape (..., task).
        V_ref: the twist to follow, rad/s and m/s, shape (..., 6), as "world": base axes, the frame's origin.
        Vdot_ref: its rate, rad/s^2 and m/s^2, shape (..., 6).
        q_null: posture the spare joints tend to, rad or m, shape (..., n).
        Kp_null: stiffness towards it, N m/rad or N/m, shape (..., n).
        Kd_null: damping of the redundant motion, N m s/rad or N s/m, shape (..., n).
        frame: its name; the tip if None.
        components: of its twist in base axes that the task is about, as of `Robot.task_space`.
        damping: lambda of Lambda = (J M^-1 J^T + lambda^2 1)^-1 near singularities.

    A UR5 that goes to a point with its tip, and holds the redundant motion still:

    >>> robot, q0 = armdyn.load("ur5"), np.array([0.3, -1.2, 1.4, -0.7, 1.1, 0.2])
    >>> point = armdyn.control.with_options(armdyn.control.operational_space, components="position")
    >>> T = robot.forward_kinematics(q0)
    >>> T[2, 3] += 0.1
    >>> loop = armdyn.ClosedLoop(robot, point)
    >>> rolled = loop(q0, steps=1500, T_ref=T, Kp=100.0, Kd=20.0, Kd_null=5.0)
    >>> bool(abs(robot.forward_kinematics(rolled.final.q) - T)[:3, 3].max() < 1e-5)
    True
    """
    task = tip_task(model, q, qd, T_ref, V_ref, Vdot_ref, frame=frame, components=components, damping=damping)
    space = task.space
    tau: Array = space.J.T @ (space.Lambda @ (task.Vdot_ref + scaled(Kd, task.ed) + scaled(Kp, task.e)) + space.eta)
    if Kd_null is not None:
        tau = tau - space.N @ scaled(Kd_null, qd)
    if Kp_null is not None and q_null is not None:
        tau = tau + space.N @ scaled(Kp_null, q_null - q)
    elif Kp_null is not None or q_null is not None:
        raise MissingInput("q_null and Kp_null belong together; give both or none")
    return tau
