"""The fastest way through a path that torques and speeds allow, by TOPP-RA (Pham and Pham 2018)."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy.interpolate import PPoly

from armdyn.errors import MissingLibrary, ShapeError
from armdyn.robot import Robot
from armdyn.spatial.rotations import Array
from armdyn.trajectory.checks import MotionError, fixed, limit_of_each
from armdyn.trajectory.joint_path import JointPath, Retimed
from armdyn.trajectory.polynomial_law import PolynomialLaw, constant_in_segments


class GridLaw(PolynomialLaw):
    """A law of constant acceleration between grid points; made by `fastest_along`.

    Args:
        s: grid points, rising from 0, shape (m,).
        sd: velocity at each, shape (m,); not zero at two in a row.
    """

    def __init__(self, s: Array, sd: Array) -> None:
        steps = 2 * np.diff(s) / (sd[:-1] + sd[1:])  # the mean velocity of a constant acceleration is that of its ends
        object.__setattr__(self, "_steps", steps)
        object.__setattr__(self, "_accelerations", np.diff(sd) / steps)
        super().__init__(float(s[-1]), float(steps.sum()))

    def _polynomials(self) -> PPoly:
        return constant_in_segments(2, self._steps, self._accelerations)  # type: ignore[attr-defined]


def fastest_along(
    robot: Robot,
    path: JointPath,
    *,
    torque: ArrayLike | None = None,
    velocity: ArrayLike | None = None,
    f_tip: ArrayLike | None = None,
    grid: int = 500,
) -> Retimed:
    """Joint motion along a path in the least time, rad or m, from rest to rest within torque and velocity limits.

    The path keeps its shape, and its own timing is forgotten. Torques are those of armdyn's inverse dynamics. The
    library toppra finds the velocity at each of ``grid`` + 1 places of the path; between them the parameter accelerates
    evenly, and limits are kept at both ends of each interval.

    Args:
        robot: whose dynamics and limits count.
        path: with a velocity that vanishes nowhere: a spline with end velocities, a line with `ConstantVelocity`.
        torque: limits of |tau|, N m or N, shape (n,), or one for all; by default the description's effort limits.
        velocity: limits of |qd|, rad/s or m/s, shape (n,), or one for all; by default the description's.
        f_tip: constant wrench (m, f) the tip applies to its surroundings, tip frame, N m and N, shape (6,).
        grid: number of intervals.

    Raises:
        MissingLibrary: where toppra is not installed.
        MotionError: torques too small to hold or to move the arm, no torque limit at all, or a path that rests.
    """
    described = np.array([(joint.limits.effort, joint.limits.velocity) for joint in robot.joints]).T
    tau = described[0] if torque is None else limit_of_each("torque", torque, robot.dof)
    qd = described[1] if velocity is None else limit_of_each("velocity", velocity, robot.dof)
    if path.dof != robot.dof:
        raise ShapeError(f"the path has {path.dof} joints, {robot.name!r} has {robot.dof}")
    if not np.isfinite(tau).any():
        raise MotionError(f"{robot.name!r} has no torque limit; give torque=")
    wrench = () if f_tip is None else (fixed("f_tip", f_tip, (6,)),)
    s = np.linspace(0.0, path.duration, grid + 1)
    _refuse_rest(path)
    _refuse_weak_arm(robot, path, s, tau, wrench)
    sd = _velocities(robot, path, s, tau, qd, wrench)
    return path.along(GridLaw(s, sd))


def _velocities(robot: Robot, path: JointPath, s: Array, tau: Array, qd: Array, wrench: tuple[Array, ...]) -> Array:
    """sd at the grid points, by TOPP-RA."""
    toppra = _toppra()
    # toppra wants numbers; limits that bind nothing are left to those that do.
    unlimited = 1e9
    force = np.where(np.isfinite(tau), tau, unlimited)
    constraints = [
        toppra.constraint.JointTorqueConstraint(
            lambda q, dq, ddq: robot.inverse_dynamics(q, dq, ddq, *wrench),
            np.stack([-force, force], axis=1),
            np.zeros(robot.dof),
            discretization_scheme=toppra.constraint.DiscretizationType.Interpolation,
        )
    ]
    if np.isfinite(qd).any():
        speed = np.where(np.isfinite(qd), qd, unlimited)
        constraints.append(toppra.constraint.JointVelocityConstraint(np.stack([-speed, speed], axis=1)))
    solver = toppra.algorithm.TOPPRA(constraints, _as_toppra_path(toppra, path), gridpoints=s)
    _, sd, _ = solver.compute_parameterization(0.0, 0.0)
    if sd is None or not np.isfinite(sd).all() or (sd[1:-1] <= 0.0).any():
        raise MotionError(
            f"{robot.name!r} cannot run through this path within its limits ({solver.problem_data.return_code}); "
            "raise the limits, or choose a smoother path"
        )
    return np.asarray(sd, dtype=float)


def _as_toppra_path(toppra: Any, path: JointPath) -> Any:
    class Adapter(toppra.interpolator.AbstractGeometricPath):  # type: ignore[misc]
        """A JointPath with the interface that toppra expects."""

        def __call__(self, path_positions: ArrayLike, order: int = 0) -> Array:
            return path.evaluate(path_positions)[order]

        @property
        def dof(self) -> int:
            return path.dof

        @property
        def path_interval(self) -> Array:
            return np.array([0.0, path.duration])

    return Adapter()


def _refuse_rest(path: JointPath) -> None:
    """Refuse a path that rests somewhere: its parameter would have to run infinitely fast there."""
    s, motion = path.sampled(2001)
    speed = np.abs(motion.qd).max(axis=1)
    resting = speed <= 1e-6 * speed.max()
    if resting.any():
        raise MotionError(
            f"the path itself rests at {s[resting][0] / path.duration:.0%} of its way; expected a velocity that "
            "vanishes nowhere, for the scaling brings it to rest at its ends. Give a spline end velocities, a straight "
            "line the law ConstantVelocity, and scale the parts between stops one by one"
        )


def _refuse_weak_arm(robot: Robot, path: JointPath, s: Array, tau: Array, wrench: tuple[Array, ...]) -> None:
    q = path.evaluate(s).q
    holding = np.abs(robot.inverse_dynamics(q, np.zeros_like(q), np.zeros_like(q), *wrench))
    excess = holding - tau
    if (excess > 0.0).any():
        k, joint = np.unravel_index(int(np.argmax(excess)), excess.shape)
        raise MotionError(
            f"joint {robot.joint_names[joint]!r} of {robot.name!r} needs {holding[k, joint]:.4g} N m or N to hold the "
            f"arm at {s[k] / s[-1]:.0%} of the path; its limit is {tau[joint]:.4g}"
        )


def _toppra() -> Any:
    try:
        import toppra  # noqa: PLC0415 - optional
        import toppra.algorithm  # noqa: PLC0415
        import toppra.constraint  # noqa: PLC0415
        import toppra.interpolator  # noqa: PLC0415
    except ImportError as error:
        raise MissingLibrary("fastest_along() needs the library toppra; install it with: pip install toppra") from error
    return toppra
