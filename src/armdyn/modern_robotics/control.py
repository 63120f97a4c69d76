"""Motion control, chapter 11: the computed-torque law and its simulation."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from armdyn.base.errors import ShapeError
from armdyn.modern_robotics.arguments import joints_of, lists, resolution, rows, tip_rows, vector
from armdyn.modern_robotics.documentation import complete_documentation
from armdyn.modern_robotics.dynamics import FREE, InverseDynamics
from armdyn.modern_robotics.integration import ArmStepper
from armdyn.spatial.rotations import Array


@complete_documentation
def ComputedTorque(
    thetalist: ArrayLike,
    dthetalist: ArrayLike,
    eint: ArrayLike,
    g: ArrayLike,
    Mlist: ArrayLike,
    Glist: ArrayLike,
    Slist: ArrayLike,
    thetalistd: ArrayLike,
    dthetalistd: ArrayLike,
    ddthetalistd: ArrayLike,
    Kp: object,
    Ki: object,
    Kd: object,
) -> Array:
    """Joint forces M(q) (qdd_d + Kp e + Ki (eint + e) + Kd de/dt) + h(q, qd), N m or N, shape (n,) (MR 11.35).

    The error is e = q_d - q. The law is one call of inverse dynamics, at the acceleration in the brackets.

    Args:
        eint: the integral of the errors, rad s or m s, shape (n,).
        thetalistd: joint positions to follow, rad or m, shape (n,).
        dthetalistd: joint velocities to follow, rad/s or m/s, shape (n,).
        ddthetalistd: joint accelerations to follow, rad/s^2 or m/s^2, shape (n,).
        Kp: proportional gain, 1/s^2, one number, or one for each joint.
        Ki: integral gain, 1/s^3.
        Kd: derivative gain, 1/s.
    """
    q, qd = np.asarray(thetalist, dtype=float), np.asarray(dthetalist)
    e = np.asarray(thetalistd) - q
    command = ddthetalistd + Kp * e + Ki * (np.asarray(eint) + e) + Kd * (np.asarray(dthetalistd) - qd)
    if command.shape != q.shape:
        raise ShapeError(
            f"errors and gains make accelerations of shape {command.shape}; expected {q.shape}: eint, thetalistd, "
            "dthetalistd and ddthetalistd have one number for each joint, gains are one number or one for each joint"
        )
    return InverseDynamics(q, qd, command, g, FREE, Mlist, Glist, Slist)


@complete_documentation
def SimulateControl(
    thetalist: ArrayLike,
    dthetalist: ArrayLike,
    g: ArrayLike,
    Ftipmat: ArrayLike,
    Mlist: ArrayLike,
    Glist: ArrayLike,
    Slist: ArrayLike,
    thetamatd: ArrayLike,
    dthetamatd: ArrayLike,
    ddthetamatd: ArrayLike,
    gtilde: ArrayLike,
    Mtildelist: ArrayLike,
    Gtildelist: ArrayLike,
    Kp: object,
    Ki: object,
    Kd: object,
    dt: float,
    intRes: int,
) -> tuple[Array, Array]:
    """Commanded joint forces and joint positions along a trajectory, shape (N, n) each; both angles are drawn.

    Computed torque with a model that may differ from the arm, Euler's method for the arm (Modern Robotics 11.4.3). Row
    i of the positions is the state a step after the forces of row i begin to act. At the end matplotlib shows the
    actual and desired angles.

    Args:
        thetalist: joint positions at the start, rad or m, shape (n,).
        dthetalist: joint velocities at the start, rad/s or m/s, shape (n,).
        g: the real acceleration of free fall in base axes, m/s^2, shape (3,).
        Mlist: the real M_01, M_12, ..., M_{n,n+1}, shape (n + 1, 4, 4).
        Glist: the real spatial inertias, shape (n, 6, 6).
        thetamatd: joint positions to follow, one row per point of time, rad or m, shape (N, n).
        dthetamatd: joint velocities to follow, rad/s or m/s, shape (N, n).
        ddthetamatd: joint accelerations to follow, rad/s^2 or m/s^2, shape (N, n).
        gtilde: the controller's g.
        Mtildelist: the controller's Mlist.
        Gtildelist: the controller's Glist.
        Kp: proportional gain, 1/s^2.
        Ki: integral gain, 1/s^3.
        Kd: derivative gain, 1/s.
        dt: time from row to row, s.
        intRes: number of Euler steps between rows, 1 or more.
    """
    n, count = joints_of(thetalist), len(np.asarray(thetamatd))
    goals = [
        rows(name, values, count, n)
        for name, values in (("thetamatd", thetamatd), ("dthetamatd", dthetamatd), ("ddthetamatd", ddthetamatd))
    ]
    f_tip, steps = tip_rows(Ftipmat, count), resolution(intRes)
    lists_of_arm = lists(Mtildelist, Gtildelist, Slist, n)
    arm = ArmStepper(n, vector("g", g, 3), lists(Mlist, Glist, Slist, n), expected=steps * count)
    q, qd = vector("thetalist", thetalist, n), vector("dthetalist", dthetalist, n)
    summed = np.zeros(n)
    taumat, thetamat = np.empty((count, n)), np.empty((count, n))
    for i, (q_goal, qd_goal, qdd_goal) in enumerate(zip(*goals, strict=True)):
        tau = ComputedTorque(q, qd, summed, gtilde, *lists_of_arm, q_goal, qd_goal, qdd_goal, Kp, Ki, Kd)
        q, qd = arm.advance(q, qd, tau, f_tip[i], dt / steps, steps)
        taumat[i], thetamat[i] = tau, q
        summed = summed + dt * (q_goal - q)
    _draw(thetamat, goals[0], dt)
    return taumat, thetamat


def _draw(actual: Array, goal: Array, dt: float) -> None:
    """Draw the actual angles, and the desired ones dashed in equal colours."""
    from matplotlib import pyplot as plt  # noqa: PLC0415 - seconds, for this one function

    t = dt * np.arange(1, len(actual) + 1)
    for k in range(actual.shape[1]):
        (line,) = plt.plot(t, actual[:, k], label=f"ActualTheta{k + 1}")
        plt.plot(t, goal[:, k], "--", color=line.get_color(), label=f"DesiredTheta{k + 1}")
    plt.legend(loc="upper left")
    plt.xlabel("Time")
    plt.ylabel("Joint Angles")
    plt.title("Plot of Actual and Desired Joint Angles")
    plt.show()
