"""The equations of motion in the coordinates of a task: Lambda Vdot + eta = F (Modern Robotics 8.6; Khatib 1987)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from armdyn.algorithms.bias_acceleration import bias_acceleration
from armdyn.algorithms.factors import factored_mass_matrix
from armdyn.algorithms.kinematics import jacobian
from armdyn.algorithms.newton_euler import gravity_forces, parallel_spring_forces, velocity_forces
from armdyn.algorithms.task_rows import (
    COMPONENTS,
    Components,
    Row,
    SingularTask,
    check_joints_suffice,
    checked_damping,
    checked_place,
    chosen_rows,
    name_of,
    selected,
    with_point,
)
from armdyn.model.mechanism import Mechanism
from armdyn.spatial.positive_definite import Cholesky, ZeroPivot
from armdyn.spatial.rotations import Array


class TaskSpace(NamedTuple):
    """The dynamics of an arm of n joints in a task of k components: F = Lambda Vdot + eta, with tau = J^T F + N tau_0.

    V = J qd are the components of the frame's twist of the task, F the forces along them.

    ``Lambda`` is the task's mass matrix, kg, kg m or kg m^2, shape (..., k, k); ``eta`` its velocity and gravity
    forces, N or N m, shape (..., k), the sum of ``mu`` (velocities) and ``p`` (gravity); ``J`` the task's rows of the
    Jacobian, shape (..., k, n), and ``Jdot_qd`` = Jdot qd, m/s^2 or rad/s^2, shape (..., k): Vdot = J qdd + Jdot qd.
    ``Jbar`` = M^-1 J^T Lambda is the dynamically consistent inverse of J, shape (..., n, k), and ``N`` = 1 - J^T Jbar^T
    removes from joint forces their effect on the task, shape (..., n, n). ``mobility`` = J M^-1 J^T is the
    inverse of Lambda, which singular configurations do not make infinite, shape (..., k, k).
    """

    Lambda: Array
    eta: Array
    mu: Array
    p: Array
    J: Array
    Jdot_qd: Array
    Jbar: Array
    N: Array
    mobility: Array


def task_space(
    mechanism: Mechanism,
    q: Array,
    qd: Array,
    *,
    frame: str | None = None,
    point: Sequence[float] = (0.0, 0.0, 0.0),
    components: Components = COMPONENTS,
    expressed_in: str = "body",
    damping: float = 0.0,
) -> TaskSpace:
    """Task-space dynamics Lambda(q), eta(q, qd) and related matrices, kg and N, as a `TaskSpace`.

    Lambda = (J M^-1 J^T)^-1 and eta = Jbar^T h - Lambda Jdot qd, which are J^-T M J^-1 and Modern Robotics 8.91 if J
    is square (Modern Robotics 8.90, 8.91; Khatib 1987, 45-53 for arms with joints to spare).

    The function takes numbers or traced scalars, inside functions of your own; `Robot.task_space` also checks for
    singularities.

    Args:
        mechanism: the mechanism that functions of a robot receive.
        q: joint positions, rad or m, shape (n,).
        qd: joint velocities, rad/s or m/s, shape (n,).
        frame: name of the frame; the tip by default.
        point: the point of the frame, m, in its axes, that has the velocity v; its origin by default. Not with "space".
        components: of its twist for the task, in this order: keys ("wx" ... "vz", "position", "orientation", "pose") or
            rows of six numbers that weigh wx, wy, wz, vx, vy, vz.
        expressed_in: "body", "space" or "world", as of `jacobian`. With "world" Vdot is the acceleration of the point;
            it is Pinocchio's LOCAL_WORLD_ALIGNED, whose WORLD is "space".
        damping: lambda of Lambda = (J M^-1 J^T + lambda^2 1)^-1, kg^-1/2 or (kg m^2)^-1/2: no effective mass exceeds
            1 / lambda^2. Zero by default: if J loses rank, there is no Lambda then.

    Raises:
        UnknownName: a frame, component or way of expression that does not exist.
        SingularTask: components that the joints cannot make independently, whatever the configuration.
        TaskSpaceError: invalid settings.
    """
    rows, point = chosen_rows(components), checked_place(point, expressed_in)
    damping = checked_damping(damping)
    check_joints_suffice(mechanism, frame, rows)
    at_point = with_point(mechanism, frame, point)
    J = selected(rows, jacobian(at_point, q, frame=frame, expressed_in=expressed_in))
    Jdot_qd = selected(rows, bias_acceleration(at_point, q, qd, frame=frame, expressed_in=expressed_in))
    c, g = velocity_forces(mechanism, q, qd), gravity_forces(mechanism, q) + parallel_spring_forces(mechanism, q)

    MinvJT = factored_mass_matrix(mechanism, q).solve(J.T)
    mobility = symmetric_product(J, MinvJT)
    Lambda = inverse_mobility(mechanism, frame, rows, mobility, damping)  # 8.90
    Jbar = MinvJT @ Lambda
    mu = Jbar.T @ c - Lambda @ Jdot_qd  # 8.91, without gravity
    p = Jbar.T @ g
    N = (
        np.eye(mechanism.dof) - J.T @ Jbar.T
        if damping or len(rows) < mechanism.dof
        else np.zeros((mechanism.dof, mechanism.dof))
    )
    return TaskSpace(Lambda, mu + p, mu, p, J, Jdot_qd, Jbar, N, mobility)


def symmetric_product(A: Array, B: Array) -> Array:
    """The product A B, which must be symmetric: one half of it is computed."""
    size = len(A)
    product = np.zeros((size, size), dtype=object)
    for i in range(size):
        for j in range(i + 1):
            product[i, j] = product[j, i] = A[i] @ B[:, j]
    return product


def inverse_mobility(
    mechanism: Mechanism, frame: str | None, rows: Sequence[Row], mobility: Array, damping: float
) -> Array:
    """Lambda = (mobility + damping^2 1)^-1."""
    try:
        return Cholesky.of(mobility + damping**2 * np.eye(len(rows)) if damping else mobility).inverse()
    except ZeroPivot as zero:
        others = ", ".join(name_of(row) for row in rows[: zero.row])
        beside = f" independently of {others}" if others else ""
        raise SingularTask(
            f"no joint of {mechanism.name!r} moves {mechanism.model.frame(frame).name!r} along "
            f"{name_of(rows[zero.row])}{beside}; leave it out of components=, or choose a damping="
        ) from None
