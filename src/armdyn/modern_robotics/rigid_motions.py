"""Rigid motions, chapters 3.3 and 8.2: se(3), SE(3), twists, screws and the Lie bracket."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike

from armdyn.modern_robotics.rotations import SMALL, Numbers, exp3, length, log3, numbers
from armdyn.spatial.rotations import Array


def RpToTrans(R: ArrayLike, p: ArrayLike) -> Array:
    """T = (R, p), homogeneous matrix, shape (4, 4) (Modern Robotics 3.62).

    Args:
        R: rotation matrix, shape (3, 3).
        p: position, shape (3,).
    """
    (a, b, c), (x, y, z) = numbers(R), np.asarray(p).reshape(3).tolist()
    return np.array([[*a, x], [*b, y], [*c, z], [0, 0, 0, 1]])


def TransToRp(T: ArrayLike) -> tuple[Array, Array]:
    """R, shape (3, 3), and p, shape (3,), of T = (R, p) (Modern Robotics 3.62).

    Args:
        T: homogeneous matrix, shape (4, 4).
    """
    copy = np.array(T)
    return copy[:3, :3], copy[:3, 3]


def TransInv(T: ArrayLike) -> Array:
    """T^-1 = (R^T, -R^T p), homogeneous matrix, shape (4, 4) (Modern Robotics 3.64).

    Args:
        T: homogeneous matrix, shape (4, 4).

    >>> armdyn.modern_robotics.TransInv([[1, 0, 0, 0], [0, 0, -1, 0], [0, 1, 0, 3], [0, 0, 0, 1]])
    array([[ 1,  0,  0,  0],
           [ 0,  0,  1, -3],
           [ 0, -1,  0,  0],
           [ 0,  0,  0,  1]])
    """
    (a, b, c, x), (d, e, f, y), (g, h, i, z), _ = numbers(T)
    return np.array(
        [
            [a, d, g, -(a * x + d * y + g * z)],
            [b, e, h, -(b * x + e * y + h * z)],
            [c, f, i, -(c * x + f * y + i * z)],
            [0, 0, 0, 1],
        ]
    )


def VecTose3(V: ArrayLike) -> Array:
    """[V], the 4x4 matrix of a twist, shape (4, 4) (Modern Robotics 3.71).

    Args:
        V: twist (omega, v), shape (6,).
    """
    x, y, z, a, b, c = numbers(V)
    return np.array([[0.0, -z, y, a], [z, 0.0, -x, b], [-y, x, 0.0, c], [0.0, 0.0, 0.0, 0.0]])


def se3ToVec(se3mat: ArrayLike) -> Array:
    """V = (omega, v), the twist of a matrix of se(3), shape (6,) (Modern Robotics 3.71).

    Args:
        se3mat: [V], shape (4, 4).
    """
    (_, _, y, a), (z, _, _, b), (_, x, _, c), _ = numbers(se3mat)
    return np.array([x, y, z, a, b, c])


def Adjoint(T: ArrayLike) -> Array:
    """[Ad_T] = [[R, 0], [[p] R, R]], shape (6, 6) (Modern Robotics 3.83).

    Args:
        T: homogeneous matrix, shape (4, 4).
    """
    (a, b, c, x), (d, e, f, y), (g, h, i, z), _ = numbers(T)
    return np.array(
        [
            [a, b, c, 0.0, 0.0, 0.0],
            [d, e, f, 0.0, 0.0, 0.0],
            [g, h, i, 0.0, 0.0, 0.0],
            [y * g - z * d, y * h - z * e, y * i - z * f, a, b, c],
            [z * a - x * g, z * b - x * h, z * c - x * i, d, e, f],
            [x * d - y * a, x * e - y * b, x * f - y * c, g, h, i],
        ]
    )


def ad(V: ArrayLike) -> Array:
    """[ad_V] = [[[w], 0], [[v], [w]]], the Lie bracket with V as a matrix, shape (6, 6) (Modern Robotics 8.38).

    Args:
        V: twist (omega, v), shape (6,).

    >>> armdyn.modern_robotics.ad([1, 2, 3, 4, 5, 6])[3]
    array([ 0., -6.,  5.,  0., -3.,  2.])
    """
    x, y, z, a, b, c = numbers(V)
    return np.array(
        [
            [0.0, -z, y, 0.0, 0.0, 0.0],
            [z, 0.0, -x, 0.0, 0.0, 0.0],
            [-y, x, 0.0, 0.0, 0.0, 0.0],
            [0.0, -c, b, 0.0, -z, y],
            [c, 0.0, -a, z, 0.0, -x],
            [-b, a, 0.0, -y, x, 0.0],
        ]
    )


def ScrewToAxis(q: ArrayLike, s: ArrayLike, h: float) -> Array:
    """S = (s, q x s + h s), the screw axis through a point, shape (6,) (Modern Robotics 3.3.2.2).

    Args:
        q: a point of the axis, shape (3,).
        s: unit vector along it, shape (3,).
        h: pitch.

    >>> armdyn.modern_robotics.ScrewToAxis([3, 0, 0], [0, 0, 1], 2)
    array([ 0,  0,  1,  0, -3,  2])
    """
    (a, b, c), (x, y, z) = numbers(q), numbers(s)
    return np.array([x, y, z, b * z - c * y + h * x, c * x - a * z + h * y, a * y - b * x + h * z])


def AxisAng6(expc6: ArrayLike) -> tuple[Array, np.float64]:
    """Unit screw S, shape (6,), and distance theta of exponential coordinates (Modern Robotics 3.3.3.1).

    Args:
        expc6: S theta, shape (6,), not zero, for which S is NaN. Rotations below 1e-6 rad count as zero.

    >>> S, theta = armdyn.modern_robotics.AxisAng6([0, 0, 2, 1, 0, 0])
    >>> S, float(theta)
    (array([0. , 0. , 1. , 0.5, 0. , 0. ]), 2.0)
    """
    array = np.asarray(expc6)
    theta = length(array[:3])
    if theta < SMALL:
        theta = length(array[3:])
    return array / theta, theta


def MatrixExp6(se3mat: ArrayLike) -> Array:
    """T = exp([S] theta), homogeneous matrix, shape (4, 4) (Modern Robotics 3.88, 3.89).

    Args:
        se3mat: [S] theta, shape (4, 4). A rotation below 1e-6 rad counts as zero.

    >>> armdyn.modern_robotics.MatrixExp6([[0, 0, 0, 2], [0, 0, 0, 0], [0, 0, 0, 3], [0, 0, 0, 0]])[:, 3]
    array([2., 0., 3., 1.])
    """
    (_, _, y, a), (z, _, _, b), (_, x, _, c), _ = numbers(se3mat)
    theta = math.sqrt(x * x + y * y + z * z)
    rows = exp3(x, y, z)
    if theta == math.inf:
        a = b = c = math.nan
    elif not theta < SMALL:
        x, y, z, a, b, c = x / theta, y / theta, z / theta, a / theta, b / theta, c / theta
        a, b, c = _position(x, y, z, a, b, c, theta)
    return np.array([[*rows[0], a], [*rows[1], b], [*rows[2], c], [0.0, 0.0, 0.0, 1.0]])


def _position(x: float, y: float, z: float, a: float, b: float, c: float, theta: float) -> tuple[float, float, float]:
    """P = (theta 1 + (1 - cos) [w] + (theta - sin) [w]^2) v for the unit screw (w, v) = (x, y, z, a, b, c)."""
    along, across = theta - math.sin(theta), 1.0 - math.cos(theta)
    ka, kb, kc = y * c - z * b, z * a - x * c, x * b - y * a  # w x v
    return (
        theta * a + across * ka + along * (y * kc - z * kb),
        theta * b + across * kb + along * (z * ka - x * kc),
        theta * c + across * kc + along * (x * kb - y * ka),
    )


def MatrixLog6(T: ArrayLike) -> Array:
    """[S] theta, the logarithm of a rigid motion, shape (4, 4) (Modern Robotics 3.91, 3.92).

    Args:
        T: homogeneous matrix, shape (4, 4).
    """
    x, y, z, a, b, c = log6(numbers(T))
    return np.array([[0.0, 0.0 - z, y, a], [z, 0.0, 0.0 - x, b], [0.0 - y, x, 0.0, c], [0.0, 0.0, 0.0, 0.0]])


def log6(T: Numbers) -> tuple[float, float, float, float, float, float]:
    """S theta = (omega theta, G^-1(theta) p) of a rigid motion (Modern Robotics 3.92)."""
    (x, y, z), theta = log3(T)
    a, b, c = float(T[0][3]), float(T[1][3]), float(T[2][3])
    if x == 0.0 and y == 0.0 and z == 0.0:
        return 0.0, 0.0, 0.0, a, b, c
    if theta < 1e-2:  # the difference below would cancel: (1/theta - cot(theta/2)/2) / theta by its series
        f = 1.0 / 12.0 + theta * theta / 720.0 * (1.0 + theta * theta / 42.0)
    else:
        f = (1.0 / theta - 0.5 / math.tan(0.5 * theta)) / theta
    ka, kb, kc = y * c - z * b, z * a - x * c, x * b - y * a  # w x p
    return (
        x,
        y,
        z,
        a - 0.5 * ka + f * (y * kc - z * kb),
        b - 0.5 * kb + f * (z * ka - x * kc),
        c - 0.5 * kc + f * (x * kb - y * ka),
    )
