"""Rotations, chapter 3.2: so(3), SO(3), exponential coordinates.

Small matrices are computed element by element, which is several times faster than a few NumPy calls.
"""

from __future__ import annotations

import math
import sys

import numpy as np
from numpy.typing import ArrayLike

from armdyn.base.scalars import Scalar
from armdyn.spatial.rotations import Array

SMALL = 1e-6
"""Numbers below this count as zero in the book's code."""

HALF_TURN = 4.0 * sys.float_info.epsilon
"""The sine of an angle that equals half a turn up to rounding."""

Numbers = Scalar
"""Nested lists of Python numbers."""


def numbers(values: ArrayLike) -> Numbers:
    """An array as nested lists of Python numbers, for fast arithmetic; integers remain integers."""
    return np.asarray(values).tolist()


def NearZero(z: Scalar) -> Scalar:
    """Return True if |z| < 1e-6 (an array of bool for an array).

    Args:
        z: any number.

    >>> armdyn.modern_robotics.NearZero(-1e-7)
    True
    """
    return abs(z) < SMALL


def Normalize(V: ArrayLike) -> Array:
    """V / |V|, the unit vector along V, shape of V.

    Args:
        V: any vector but zero, which gives NaN.

    >>> armdyn.modern_robotics.Normalize([3, 0, 4])
    array([0.6, 0. , 0.8])
    """
    array = np.asarray(V)
    unit: Array = array / length(array)
    return unit


def length(array: Array) -> Scalar:
    """|V| of all elements, equal to np.linalg.norm, but faster."""
    flat = array.ravel()
    return np.sqrt(flat.dot(flat))


def RotInv(R: ArrayLike) -> Array:
    """R^-1 = R^T of a rotation matrix, shape (3, 3) (Modern Robotics 3.21).

    Args:
        R: rotation matrix, shape (3, 3).
    """
    return np.array(R).T


def VecToso3(omg: ArrayLike) -> Array:
    """[omega], the skew-symmetric matrix of a vector, shape (3, 3) (Modern Robotics 3.30).

    Args:
        omg: omega, shape (3,).

    >>> armdyn.modern_robotics.VecToso3([1, 2, 3])
    array([[ 0, -3,  2],
           [ 3,  0, -1],
           [-2,  1,  0]])
    """
    x, y, z = numbers(omg)
    return np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])


def so3ToVec(so3mat: ArrayLike) -> Array:
    """Omega, the vector of a skew-symmetric matrix, shape (3,) (Modern Robotics 3.30).

    Args:
        so3mat: [omega], shape (3, 3).

    >>> armdyn.modern_robotics.so3ToVec([[0, -3, 2], [3, 0, -1], [-2, 1, 0]])
    array([1, 2, 3])
    """
    return np.array(vector_of(numbers(so3mat)))


def vector_of(W: Numbers) -> tuple[Scalar, Scalar, Scalar]:
    """Omega from [omega]."""
    return W[2][1], W[0][2], W[1][0]


def AxisAng3(expc3: ArrayLike) -> tuple[Array, np.float64]:
    """Unit axis, shape (3,), and angle theta, rad, of exponential coordinates (Modern Robotics 3.2.3.3).

    Args:
        expc3: omega theta, rad, shape (3,), not zero, for which the axis is NaN.

    >>> axis, theta = armdyn.modern_robotics.AxisAng3([0, 0, 2])
    >>> axis, float(theta)
    (array([0., 0., 1.]), 2.0)
    """
    array = np.asarray(expc3)
    theta = length(array)
    return array / theta, theta


def MatrixExp3(so3mat: ArrayLike) -> Array:
    """R = exp([omega] theta), rotation matrix, shape (3, 3), by Rodrigues' formula (Modern Robotics 3.51).

    Args:
        so3mat: [omega] theta, skew-symmetric, rad, shape (3, 3). Below 1e-6 rad it counts as zero.

    >>> R = armdyn.modern_robotics.MatrixExp3([[0, -3, 2], [3, 0, -1], [-2, 1, 0]])
    >>> R.round(8)[0]
    array([-0.69492056,  0.71352099,  0.08929286])
    """
    return np.array(exp3(*vector_of(numbers(so3mat))))


def exp3(x: float, y: float, z: float) -> Numbers:
    """The rows of R = 1 + sin(theta) [w] + (1 - cos(theta)) [w]^2 for w theta = (x, y, z)."""
    theta = math.sqrt(x * x + y * y + z * z)
    if theta < SMALL:
        return [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]
    if theta == math.inf:
        return [[math.nan] * 3] * 3
    x, y, z = x / theta, y / theta, z / theta
    s, c = math.sin(theta), math.cos(theta)
    v = 1.0 - c
    return [
        [1.0 - v * (y * y + z * z), v * x * y - s * z, v * x * z + s * y],
        [v * x * y + s * z, 1.0 - v * (x * x + z * z), v * y * z - s * x],
        [v * x * z - s * y, v * y * z + s * x, 1.0 - v * (x * x + y * y)],
    ]


def MatrixLog3(R: ArrayLike) -> Array:
    """[omega] theta, the logarithm of a rotation matrix, rad, shape (3, 3) (Modern Robotics 3.2.3.3).

    It is accurate for all angles up to half a turn; of the two logarithms of half a turn it returns the book's.

    Args:
        R: rotation matrix, shape (3, 3).

    >>> armdyn.modern_robotics.MatrixLog3([[0, -1, 0], [1, 0, 0], [0, 0, 1]]).round(8)[1, 0]
    np.float64(1.57079633)
    """
    (x, y, z), _ = log3(numbers(R))
    return np.array([[0.0, 0.0 - z, y], [z, 0.0, 0.0 - x], [0.0 - y, x, 0.0]])  # 0 - z: no negative zeros


def log3(R: Numbers) -> tuple[tuple[float, float, float], float]:
    """The vector omega theta of a rotation's logarithm, and theta from 0 to pi.

    By theta = atan2(sin, cos), which is accurate near zero and near half a turn, unlike acos(cos).
    """
    cosine = 0.5 * (R[0][0] + R[1][1] + R[2][2] - 1.0)
    x, y, z = 0.5 * (R[2][1] - R[1][2]), 0.5 * (R[0][2] - R[2][0]), 0.5 * (R[1][0] - R[0][1])  # sin(theta) omega
    sine = math.hypot(x, y, z)
    theta = math.atan2(sine, cosine)
    if cosine >= 0.0:  # [omega] = (R - R^T) / (2 sin theta), Modern Robotics 3.54
        f = theta / sine if sine else 1.0
        return (f * x, f * y, f * z), theta
    if sine <= HALF_TURN:
        return _half_turn(R), math.pi
    k = _largest(R)
    x_k, y_k, z_k = (R[i][k] + R[k][i] - (2.0 * cosine if i == k else 0.0) for i in range(3))
    f = math.copysign(theta / math.hypot(x_k, y_k, z_k), x * x_k + y * y_k + z * z_k)
    return (f * x_k, f * y_k, f * z_k), theta


def _largest(R: Numbers) -> int:
    """The column of R + R^T + (1 - tr R) 1 = 2 (1 - cos theta) omega omega^T that is the longest."""
    return max((0, 1, 2), key=lambda i: R[i][i])


def _half_turn(R: Numbers) -> tuple[float, float, float]:
    """pi omega of a rotation by pi (Modern Robotics 3.58-3.60).

    The column of R + 1 with the most digits gives its size, and the last one that is not zero, as in the book's code,
    its direction.
    """
    last = next(k for k in (2, 1, 0) if k == 0 or abs(1.0 + R[k][k]) >= SMALL)
    k = _largest(R)
    f = math.copysign(math.pi / math.sqrt(2.0 * (1.0 + R[k][k])), R[last][k] + (last == k))
    x, y, z = (f * (R[i][k] + (i == k)) for i in range(3))
    return x, y, z
