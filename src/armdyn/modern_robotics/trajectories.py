"""Trajectories from point to point, chapter 9: time scalings, and straight lines in joint space, screws and space."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from armdyn.base.checks import array
from armdyn.base.errors import ShapeError
from armdyn.base.scalars import Scalar
from armdyn.modern_robotics.arguments import ArgumentError, points, pose
from armdyn.modern_robotics.documentation import complete_documentation
from armdyn.modern_robotics.rigid_motions import TransInv, log6
from armdyn.modern_robotics.rotations import SMALL, log3, numbers
from armdyn.spatial.rotations import Array, skew

CUBIC = 3


def CubicTimeScaling(Tf: float, t: Array) -> Scalar:
    """S(t) = 3 (t/Tf)^2 - 2 (t/Tf)^3, at rest at both ends (Modern Robotics 9.2.2.1).

    Args:
        Tf: duration, s.
        t: time from 0 to Tf, s.

    >>> armdyn.modern_robotics.CubicTimeScaling(2, 1)
    0.5
    """
    u = t / Tf
    return 3 * u**2 - 2 * u**3


def QuinticTimeScaling(Tf: float, t: Array) -> Scalar:
    """S(t) = 10 (t/Tf)^3 - 15 (t/Tf)^4 + 6 (t/Tf)^5, at rest and unaccelerated at both ends (MR 9.2.2.2).

    Args:
        Tf: duration, s.
        t: time from 0 to Tf, s.

    >>> armdyn.modern_robotics.QuinticTimeScaling(2, 1)
    0.5
    """
    u = t / Tf
    return 10 * u**3 - 15 * u**4 + 6 * u**5


@complete_documentation
def JointTrajectory(thetastart: ArrayLike, thetaend: ArrayLike, Tf: float, N: int, method: int) -> Array:
    """A straight line in joint space, one row for each of N points of time, shape (N, n) (Modern Robotics 9.2.1).

    Args:
        thetastart: joint positions at the start, rad or m, shape (n,).
        thetaend: joint positions at the end, rad or m, shape (n,).

    >>> armdyn.modern_robotics.JointTrajectory([0.0, 1.0], [1.0, 0.0], 2, 3, 5)
    array([[0. , 1. ],
           [0.5, 0.5],
           [1. , 0. ]])
    """
    start, end = array("thetastart", thetastart, missing=True), array("thetaend", thetaend, missing=True)
    if start.ndim != 1 or start.shape != end.shape:
        raise ShapeError(f"thetastart and thetaend have shapes {start.shape} and {end.shape}; expected (n,) for both")
    s = _scaling(Tf, N, method)[:, None]
    return s * end + (1.0 - s) * start


@complete_documentation
def ScrewTrajectory(Xstart: ArrayLike, Xend: ArrayLike, Tf: float, N: int, method: int) -> list[Array]:
    """A motion about one screw axis, a pose (4, 4) for each of N points of time (Modern Robotics 9.6)."""
    start, end = pose("Xstart", Xstart), pose("Xend", Xend)
    twist = np.array(log6((TransInv(start) @ end).tolist()))
    return list(start @ _powers(twist, _scaling(Tf, N, method)))


@complete_documentation
def CartesianTrajectory(Xstart: ArrayLike, Xend: ArrayLike, Tf: float, N: int, method: int) -> list[Array]:
    """A straight line of the origin and a rotation about one axis, a pose (4, 4) for each of N points (MR 9.7, 9.8)."""
    start, end = pose("Xstart", Xstart), pose("Xend", Xend)
    s = _scaling(Tf, N, method)
    omega, _ = log3(numbers(start[:3, :3].T @ end[:3, :3]))
    path = _powers(np.array([*omega, 0.0, 0.0, 0.0]), s)
    path[:, :3, :3] = start[:3, :3] @ path[:, :3, :3]
    path[:, :3, 3] = s[:, None] * end[:3, 3] + (1.0 - s[:, None]) * start[:3, 3]
    return list(path)


def _scaling(Tf: float, N: Scalar, method: int) -> Array:
    """S at N points of time from 0 to Tf."""
    count = points(N)
    if Tf == 0:
        raise ArgumentError("Tf is 0; a trajectory takes time")
    u = np.arange(count) / (count - 1.0)
    scaled: Array = CubicTimeScaling(1.0, u) if method == CUBIC else QuinticTimeScaling(1.0, u)
    return scaled


def _powers(twist: Array, s: Array) -> Array:
    """exp([V] s) for every s, shape (N, 4, 4); rotations below 1e-6 rad count as zero (Modern Robotics 3.88, 3.89)."""
    T = np.zeros((len(s), 4, 4))
    T[:, :, :] = np.eye(4)
    theta = float(np.linalg.norm(twist[:3]))
    if theta == 0.0:
        T[:, :3, 3] = s[:, None] * twist[3:]
        return T
    unit = twist / theta
    W, v = skew(unit[:3]), unit[3:]
    way = (theta * s)[:, None, None]
    angle = np.where(np.abs(way) < SMALL, 0.0, way)
    sin, versine = np.sin(angle), 1.0 - np.cos(angle)
    T[:, :3, :3] += sin * W + versine * (W @ W)
    T[:, :3, 3] = (way * np.eye(3) + versine * W + (angle - sin) * (W @ W)) @ v
    return T
