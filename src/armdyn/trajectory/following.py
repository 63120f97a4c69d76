"""The joints' motion along a path of the tip: positions, then rates, then accelerations (Kazerounian and Gupta 3)."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy.spatial.transform import Rotation

from armdyn.algorithms.task_rows import COMPONENTS
from armdyn.base.advice import option
from armdyn.base.checks import places
from armdyn.base.errors import ShapeError
from armdyn.kinematics.rates import joint_accelerations, joint_rates
from armdyn.robot import Robot
from armdyn.spatial.rotations import Array
from armdyn.trajectory.cartesian_path import CartesianPath, TipMotion
from armdyn.trajectory.checks import MotionError, NotFollowed, fixed, rising
from armdyn.trajectory.joint_path import JointStates

LAST_STEP = 1e-8
"""Newton's method doubles the digits with each step: after a step this small the error is below rounding."""

SINGULAR = 1e-9
"""Rows of the Jacobian are singular if their least singular value is below this part of the norm of all six."""

LONGEST_STEP, MOST_STEPS = 0.5, 100
LARGEST_JUMP = 0.5

FAR = -0.9
"""A rotation counts as near half a turn if the cosine of its angle is below this."""

FINEST = 200
"""Least number of steps along the path, for any number of samples, so that no turn is missed."""


def follow(
    robot: Robot,
    path: CartesianPath,
    times: ArrayLike,
    *,
    near: ArrayLike,
    frame: str | None = None,
    components: Sequence[str] = COMPONENTS,
) -> JointStates:
    """Joint motion q, qd, qdd, rad or m, rad/s or m/s, ..., shape (T, n), with which a frame follows a path.

    Positions by Newton's method, each continued from those before, so that no joint jumps and angles run on beyond pi;
    then rates and accelerations from J qd = V and J qdd = Vdot - Jdot qd
    (Kazerounian and Gupta 4a, 4b). A full turn of a joint is followed as a full turn.

    Args:
        robot: the robot, with one joint per followed component.
        path: of the frame, to follow.
        times: s, rising, shape (T,).
        near: joint positions near those at the first time, rad or m, shape (n,): they choose among the solutions.
        frame: the frame that follows the path; the tip if None.
        components: followed components of the motion in base axes, of "wx", "wy", "wz", "vx", "vy", "vz"; all by
            default. ("vx", "vy") is for a planar arm of two joints.

    Raises:
        MotionError: a place out of reach, a singular position on the way, or a joint that jumps near one.
        ShapeError: a robot whose number of joints is not that of the components.

    >>> robot = armdyn.load("ur5")
    >>> q0 = np.array([0.0, -1.0, 1.5, -0.5, -1.5, 0.0])
    >>> start = robot.forward_kinematics(q0)
    >>> arc = armdyn.trajectory.Arc(start, center=start[:3, 3] + [0, 0, 0.1], axis=[1, 0, 0])
    >>> path = armdyn.trajectory.CurvePath(arc, armdyn.trajectory.Quintic(2 * np.pi, duration=4.0))
    >>> t = np.linspace(0.0, 4.0, 201)
    >>> motion = armdyn.trajectory.follow(robot, path, t, near=q0)
    >>> robot.inverse_dynamics(*motion).shape
    (201, 6)
    """
    t = rising(times, least=1)
    rows = places("components", components, COMPONENTS, "component", "a twist", error=MotionError)
    arm = Following(robot, frame, rows)
    if robot.dof != len(rows):
        raise ShapeError(
            f"{robot.name!r} has {robot.dof} joints, and {len(rows)} components are followed; expected as many. "
            f"Hold joints with {option('locked')}, or name the components that are to be followed"
        )
    start = fixed("near", near, (robot.dof,), robot)
    _, V, Vdot = path.evaluate(t)
    fine = np.unique(np.concatenate([t, np.linspace(t[0], t[-1], FINEST + 1)]))
    q = arm.positions(fine, path.evaluate(fine), start)[np.searchsorted(fine, t)]
    how: dict[str, Any] = {"frame": frame, "expressed_in": "world", "components": components}
    qd = joint_rates(robot, q, V, **how).values  # (4a)
    return JointStates(q, qd, joint_accelerations(robot, q, qd, Vdot, **how).values)  # (4b)


def _rotation_vector(R: Array) -> Array:
    """The rotation vector; SciPy, which takes 0.1 ms per call, is used near half a turn, at which sin loses digits."""
    (xx, xy, xz), (yx, yy, yz), (zx, zy, zz) = R.tolist()
    cosine = 0.5 * (xx + yy + zz - 1.0)
    if not cosine > FAR:
        return np.asarray(Rotation.from_matrix(R).as_rotvec())
    axial = 0.5 * (zy - yz), 0.5 * (xz - zx), 0.5 * (yx - xy)  # sin(angle) times the axis
    sine = math.hypot(*axial)
    ratio = math.atan2(sine, cosine) / sine if sine else 1.0
    return np.array([ratio * x for x in axial])


@dataclass(frozen=True)
class Following:
    """One frame of a robot on a path, with the joint positions for a pose."""

    robot: Robot
    frame: str | None
    rows: list[int]

    def positions(self, t: Array, tip: TipMotion, near: Array) -> Array:
        """The joint positions over time, each found from the one before and its rate."""
        q = np.empty((len(t), self.robot.dof))
        q[0] = self.position(t[0], tip.pose[0], near)
        for k in range(1, len(t)):
            rate = self._solve(t[k - 1], q[k - 1], tip.twist[k - 1, self.rows])
            expected = q[k - 1] + rate * (t[k] - t[k - 1])
            q[k] = self.position(t[k], tip.pose[k], expected)
            self.refuse_jump(t[k], expected, q[k])
        return q

    def position(self, t: float, T: Array, q: Array) -> Array:
        """The joint positions for a pose T nearest to q, by Newton's method; the error of a failure contains t."""
        error = self._error(T, q)
        for _ in range(MOST_STEPS):
            step = self._solve(t, q, error)
            longest = float(np.abs(step).max())
            q = q + step * min(1.0, LONGEST_STEP / longest if longest else 1.0)
            if longest < LAST_STEP:
                return q
            error = self._error(T, q)
        raise NotFollowed(
            f"the tip of {self.robot.name!r} does not reach the path at t = {t:.6g} s: Newton's method stays ",
            *self._off(error),
            " away. Move the path nearer, or begin with near= closer to a solution",
        )

    def _off(self, error: Array) -> Iterator[str | tuple[str, float]]:
        """The largest angle and the largest length of an error, as parts of a message."""
        of_lengths = np.array(self.rows) >= 3
        kinds = {"revolute": error[~of_lengths], "prismatic": error[of_lengths]}
        for k, (kind, values) in enumerate((kind, values) for kind, values in kinds.items() if values.size):
            yield from (" and ",) * (k > 0)
            yield kind, float(np.abs(values).max())

    def refuse_jump(self, t: float, expected: Array, solution: Array) -> None:
        """Raise if Newton's method converged to another solution than the followed one."""
        jump = np.abs(solution - expected)
        if jump.max() > LARGEST_JUMP:
            joint = self.robot.joints[int(jump.argmax())]
            raise NotFollowed(
                f"joint {joint.name!r} of {self.robot.name!r} jumps by ",
                (joint.kind, float(jump.max())),
                f" at t = {t:.6g} s: the path passes near a singular position, or far between two times. Ask for times "
                "closer together there",
            )

    def _error(self, T: Array, q: Array) -> Array:
        """The rotation vector and the displacement from the frame to T, in base axes."""
        here = self.robot.forward_kinematics(q, frame=self.frame)
        return np.concatenate([_rotation_vector(T[:3, :3] @ here[:3, :3].T), T[:3, 3] - here[:3, 3]])[self.rows]

    def _solve(self, t: float, q: Array, motion: Array) -> Array:
        """The joint displacements or rates for a small motion, or a velocity, of the frame."""
        whole = self.robot.jacobian(q, frame=self.frame, expressed_in="world")
        J = whole[self.rows]
        values = np.linalg.svd(J, compute_uv=False)
        if values[-1] <= SINGULAR * np.linalg.norm(whole):
            text = ", ".join(f"{x:.4g}" for x in q)
            raise MotionError(
                f"{self.robot.name!r} is singular at t = {t:.6g} s, q = ({text}): no joint rates give every velocity "
                "of the tip there. Begin with near= at another solution, or move the path"
            )
        result: Array = np.linalg.solve(J, motion)
        return result
