"""Motor side and joint side: angles and torques of motors as those of joints, by the matrix of the drives.

A motor turns by the ratio of its gear times its joint, and in coupled wrists with other joints, too:

    theta = A (q - q_0),    tau = A^T tau_m,

with A[m, j] the turns of motor m per turn of joint j, and q_0 the positions of the joints at which the motors read
zero. Both follow from each other: the power of motors is that of joints, tau_m . theta' = tau . q'.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from armdyn.base.checks import array
from armdyn.base.errors import ShapeError
from armdyn.logs.errors import LogError
from armdyn.spatial.rotations import Array

if TYPE_CHECKING:
    from armdyn.functions.robot_like import RobotLike

SINGULAR = 1e-9
"""A matrix whose determinant is below this, with rows in units of their largest ratio, has no inverse."""


@dataclass(frozen=True, eq=False)
class Drives:
    """The drives of a robot.

    Args:
        matrix: A, motor turns per joint turn, shape (n, n).
        zeros: q_0, rad or m, shape (n,).
    """

    matrix: Array
    zeros: Array

    @classmethod
    def of(cls, drives: ArrayLike | None, zeros: ArrayLike | None, robot: RobotLike) -> Drives | None:
        """The drives of ratios or of a matrix; None if neither they nor zeros are given.

        Raises:
            LogError: a ratio of zero, a matrix without an inverse, numbers that are not finite.
            ShapeError: another shape.
        """
        if drives is None and zeros is None:
            return None
        n = robot.dof
        A = np.ones(n) if drives is None else array(
            "drives", drives, None, f"{n} ratios, or a motor in each of {n} rows", finite=LogError
        )  # fmt: skip
        if A.shape not in ((n,), (n, n)):
            raise ShapeError(
                f"drives has shape {A.shape}; expected ({n},): the ratio of each joint of {robot.name!r}, or "
                f"({n}, {n}): the turns of the motor of a row per turn of the joint of a column"
            )
        A = np.diag(A) if A.ndim == 1 else A
        if not np.diag(A).all():
            motor = robot.joint_names[int(np.argmin(np.abs(np.diag(A))))]
            raise LogError(f"drives states that motor and joint {motor} do not turn together; expected its gear ratio")
        if abs(np.linalg.det(A / np.abs(A).max(axis=1, keepdims=True))) < SINGULAR:
            raise LogError(
                "drives is singular: the motors do not determine the joints; expected rows of different motors"
            )
        q_0 = np.zeros(n) if zeros is None else array("zeros", zeros, (n,), "rad or m", finite=LogError)
        return cls(A.astype(np.float64), q_0.astype(np.float64))

    def on_joints(self, quantity: str, of_motors: Array) -> Array:
        """A quantity of the joints, of that of the motors, shape (T, n); currents stay those of motors."""
        if quantity == "current":
            return of_motors
        if quantity == "tau":
            return np.asarray(of_motors @ self.matrix)
        of_joints = np.linalg.solve(self.matrix, of_motors.T).T
        return np.asarray(of_joints + self.zeros if quantity == "q" else of_joints)


def coupling_of_drives(A: Array) -> Array:
    """The velocity of each motor, as its own joint sees it, per velocity of each joint: rows of A by their ratios."""
    return np.asarray(A / np.diag(A)[:, None])
