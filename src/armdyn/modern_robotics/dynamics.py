"""Dynamics of open chains, chapter 8: the functions of section 8.11."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from armdyn.base.checks import array
from armdyn.base.errors import ShapeError
from armdyn.modern_robotics import recursion
from armdyn.modern_robotics.arguments import joints_of, lists, resolution, rows, tip_rows, vector
from armdyn.modern_robotics.documentation import complete_documentation
from armdyn.modern_robotics.integration import ArmStepper
from armdyn.modern_robotics.kernels import compile_kernel, try_kernel
from armdyn.spatial.rotations import Array

WEIGHTLESS, FREE = np.zeros(3), np.zeros(6)
"""No gravity, no tip force."""


@cache
def _still_and_unit(n: int) -> tuple[Array, Array]:
    """No velocity or acceleration of n joints, and a unit acceleration of each joint in turn."""
    return np.zeros(n), np.eye(n)


@complete_documentation
def InverseDynamics(
    thetalist: ArrayLike,
    dthetalist: ArrayLike,
    ddthetalist: ArrayLike,
    g: ArrayLike,
    Ftip: ArrayLike,
    Mlist: ArrayLike,
    Glist: ArrayLike,
    Slist: ArrayLike,
) -> Array:
    """Joint forces tau = M(q) qdd + c(q, qd) + g(q) + J^T(q) Ftip, N m or N, shape (n,) (Modern Robotics 8.3.2).

    Raises:
        ShapeError: an argument that does not fit the number of joints, which is the length of ``thetalist``.

    >>> point_mass = np.diag([0.0, 0, 0, 2, 2, 2])
    >>> M, S = [np.eye(4), np.eye(4)], [[0], [1], [0], [0], [0], [1.0]]
    >>> armdyn.modern_robotics.InverseDynamics([0], [0], [0], [0, 0, -10], np.zeros(6), M, [point_mass], S)
    array([20.])
    """
    return _torques(thetalist, dthetalist, ddthetalist, g, Ftip, Mlist, Glist, Slist)


def _torques(thetalist: Any, *rest: ArrayLike) -> Array:
    """Inverse dynamics of one state; the arguments are checked and converted if the compiled recursion refuses them."""
    n = joints_of(thetalist)
    run = compile_kernel(recursion.inverse_dynamics, n)
    tau = try_kernel(run, thetalist, *rest)
    if tau is not None and tau.ndim == 1:
        return tau  # type: ignore[no-any-return]
    qd, qdd, g, f_tip, Mlist, Glist, Slist = rest
    return run(  # type: ignore[no-any-return]
        vector("thetalist", thetalist, n),
        vector("dthetalist", qd, n),
        vector("ddthetalist", qdd, n),
        vector("g", g, 3),
        vector("Ftip", f_tip, 6),
        *lists(Mlist, Glist, Slist, n),
    )


@complete_documentation
def MassMatrix(thetalist: ArrayLike, Mlist: ArrayLike, Glist: ArrayLike, Slist: ArrayLike) -> Array:
    """Mass matrix M(q), kg m^2, kg m or kg, shape (n, n) (Modern Robotics 8.5).

    Its columns are the joint forces of unit accelerations, all computed at once.
    """
    n = joints_of(thetalist)
    run, (still, unit) = compile_kernel(recursion.inverse_dynamics, n), _still_and_unit(n)
    columns = try_kernel(run, thetalist, still, unit, WEIGHTLESS, FREE, Mlist, Glist, Slist)
    if columns is not None and np.ndim(thetalist) == 1 and columns.ndim == 2:
        return columns.T  # type: ignore[no-any-return]
    q = vector("thetalist", thetalist, n)
    return run(q, still, unit, WEIGHTLESS, FREE, *lists(Mlist, Glist, Slist, n)).T  # type: ignore[no-any-return]


@complete_documentation
def VelQuadraticForces(
    thetalist: ArrayLike, dthetalist: ArrayLike, Mlist: ArrayLike, Glist: ArrayLike, Slist: ArrayLike
) -> Array:
    """Coriolis and centripetal joint forces c(q, qd), N m or N, shape (n,) (Modern Robotics 8.79)."""
    still, _ = _still_and_unit(joints_of(thetalist))
    return _torques(thetalist, dthetalist, still, WEIGHTLESS, FREE, Mlist, Glist, Slist)


@complete_documentation
def GravityForces(thetalist: ArrayLike, g: ArrayLike, Mlist: ArrayLike, Glist: ArrayLike, Slist: ArrayLike) -> Array:
    """Joint forces g(q) that hold the arm at rest, N m or N, shape (n,) (Modern Robotics 8.80)."""
    still, _ = _still_and_unit(joints_of(thetalist))
    return _torques(thetalist, still, still, g, FREE, Mlist, Glist, Slist)


@complete_documentation
def EndEffectorForces(
    thetalist: ArrayLike, Ftip: ArrayLike, Mlist: ArrayLike, Glist: ArrayLike, Slist: ArrayLike
) -> Array:
    """Joint forces J^T(q) Ftip that create the end-effector's wrench, N m or N, shape (n,) (Modern Robotics 8.77)."""
    still, _ = _still_and_unit(joints_of(thetalist))
    return _torques(thetalist, still, still, WEIGHTLESS, Ftip, Mlist, Glist, Slist)


@complete_documentation
def ForwardDynamics(
    thetalist: ArrayLike,
    dthetalist: ArrayLike,
    taulist: ArrayLike,
    g: ArrayLike,
    Ftip: ArrayLike,
    Mlist: ArrayLike,
    Glist: ArrayLike,
    Slist: ArrayLike,
) -> Array:
    """Joint accelerations M^-1(q) (tau - c - g - J^T Ftip), rad/s^2 or m/s^2, shape (n,) (Modern Robotics 8.5).

    Args:
        taulist: joint forces, N m or N, shape (n,).

    Raises:
        numpy.linalg.LinAlgError: if M(q) is singular, as it is for links without mass.
    """
    n = joints_of(thetalist)
    step = ArmStepper(n, vector("g", g, 3), lists(Mlist, Glist, Slist, n))
    return step.accelerations(
        vector("thetalist", thetalist, n),
        vector("dthetalist", dthetalist, n),
        vector("taulist", taulist, n),
        vector("Ftip", Ftip, 6),
    )


@complete_documentation
def EulerStep(thetalist: ArrayLike, dthetalist: ArrayLike, ddthetalist: ArrayLike, dt: float) -> tuple[Array, Array]:
    """Joint positions q + qd dt and velocities qd + qdd dt a step later, shape (n,) each (Modern Robotics 8.5).

    Args:
        dt: length of the step, s.
    """
    qd = np.asarray(dthetalist)
    return np.asarray(thetalist) + dt * qd, qd + dt * np.asarray(ddthetalist)


@complete_documentation
def InverseDynamicsTrajectory(
    thetamat: ArrayLike,
    dthetamat: ArrayLike,
    ddthetamat: ArrayLike,
    g: ArrayLike,
    Ftipmat: ArrayLike,
    Mlist: ArrayLike,
    Glist: ArrayLike,
    Slist: ArrayLike,
) -> Array:
    """Joint forces along a trajectory, N m or N, shape (N, n), all points in one call (Modern Robotics 8.7).

    Args:
        thetamat: joint positions, one row per point of time, rad or m, shape (N, n).
        dthetamat: joint velocities, rad/s or m/s, shape (N, n).
        ddthetamat: joint accelerations, rad/s^2 or m/s^2, shape (N, n).
    """
    count, n = _table(thetamat, "thetamat")
    return compile_kernel(recursion.inverse_dynamics, n)(  # type: ignore[no-any-return]
        rows("thetamat", thetamat, count, n),
        rows("dthetamat", dthetamat, count, n),
        rows("ddthetamat", ddthetamat, count, n),
        vector("g", g, 3),
        tip_rows(Ftipmat, count),
        *lists(Mlist, Glist, Slist, n),
    )


@complete_documentation
def ForwardDynamicsTrajectory(
    thetalist: ArrayLike,
    dthetalist: ArrayLike,
    taumat: ArrayLike,
    g: ArrayLike,
    Ftipmat: ArrayLike,
    Mlist: ArrayLike,
    Glist: ArrayLike,
    Slist: ArrayLike,
    dt: float,
    intRes: int,
) -> tuple[Array, Array]:
    """Joint positions and velocities that result from a history of joint forces, shape (N, n) each.

    Integration is by Euler's method with ``intRes`` steps per row, with the forces of a row constant (Modern Robotics
    8.7).

    Args:
        thetalist: joint positions at the start, rad or m, shape (n,).
        dthetalist: joint velocities at the start, rad/s or m/s, shape (n,).
        taumat: joint forces, one row per point of time, N m or N, shape (N, n).
        dt: time from row to row, s.
        intRes: number of Euler steps between rows, 1 or more.

    Raises:
        numpy.linalg.LinAlgError: where M(q) is singular, as it is for links without mass.
    """
    count, n = _table(taumat, "taumat")
    tau, f_tip = rows("taumat", taumat, count, n), tip_rows(Ftipmat, max(count - 1, 0))
    q, qd = (np.empty((count, n)) for _ in range(2))
    q[0], qd[0] = vector("thetalist", thetalist, n), vector("dthetalist", dthetalist, n)
    steps = resolution(intRes)
    step = ArmStepper(n, vector("g", g, 3), lists(Mlist, Glist, Slist, n), expected=steps * count)
    for i in range(count - 1):
        q[i + 1], qd[i + 1] = step.advance(q[i], qd[i], tau[i], f_tip[i], dt / steps, steps)
    return q, qd


def _table(values: ArrayLike, name: str) -> tuple[int, int]:
    """The numbers of points and joints: the shape of a table."""
    shape = array(name, values, missing=True).shape
    if len(shape) != 2 or 0 in shape:
        raise ShapeError(
            f"{name} has shape {shape}; expected (N, n): a row for each point of time, a column each joint"
        )
    return shape
