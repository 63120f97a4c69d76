"""The Jacobian of a frame, and its acceleration due to joint velocities alone."""

from __future__ import annotations

from collections.abc import Sequence

from armdyn.algorithms.bias_acceleration import bias_acceleration
from armdyn.algorithms.kinematics import jacobian
from armdyn.algorithms.task_rows import with_point
from armdyn.declaration import function
from armdyn.model.mechanism import Mechanism
from armdyn.spatial.rotations import Array


@function("(n),(n)->(6,n),(6)", sources=("algorithms", "kinematics"))
def frame_motion(
    model: Mechanism,
    q: Array,
    qd: Array,
    *,
    frame: str | None = None,
    point: Sequence[float] = (0.0, 0.0, 0.0),
    expressed_in: str = "body",
) -> tuple[Array, Array]:
    """Jacobian J(q), shape (..., 6, n), and Jdot qd, the twist's derivative for qdd = 0, shape (..., 6).

    Kazerounian and Gupta 1985, 4a, 4b: V = J qd and Vdot = J qdd + Jdot qd, angular part first.

    Args:
        q: joint positions, rad or m, shape (..., n).
        qd: joint velocities, rad/s or m/s, shape (..., n).
        frame: name of the frame; the tip by default.
        point: point of the frame, m, in its axes, with velocity v.
        expressed_in: "body": axes of the frame; "world": axes of the base, Pinocchio's
            LOCAL_WORLD_ALIGNED; "space": axes and origin of the base, its WORLD.
    """
    model = with_point(model, frame, point)
    of_frame = {"frame": frame, "expressed_in": expressed_in}
    return jacobian(model, q, **of_frame), bias_acceleration(model, q, qd, **of_frame)
