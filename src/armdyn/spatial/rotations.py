"""Rotations and rigid motions: SO(3) and SE(3) as 3x3 and 4x4 arrays of floats or traced scalars."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]


def skew(v: Array) -> Array:
    """[v], the matrix with [v] u = v x u (Modern Robotics 3.30)."""
    K = np.zeros((3, 3), dtype=np.result_type(np.asarray(v), float))  # symbols stay symbols beside exact zeros
    K[2, 1], K[0, 2], K[1, 0] = v
    K[1, 2], K[2, 0], K[0, 1] = -v[0], -v[1], -v[2]
    return K


def cross(a: Array, b: Array) -> Array:
    """a x b; unlike ``np.cross`` it takes traced scalars at their operation count."""
    return np.array([a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]])


def mirrored(S: Array) -> Array:
    """A symmetric tensor with its upper half on both sides: what rounding made of the lower half is gone."""
    return np.asarray(np.triu(S) + np.triu(S, 1).T)


def rotation_about(axis: Array, angle: float) -> Array:
    """Rot(axis, angle) about a unit axis, by Rodrigues' formula (Modern Robotics 3.51)."""
    k = skew(axis)
    squares = k @ k
    c, s = cos_sin(angle)
    R = s * k + (1.0 - c) * squares
    own = np.diag(squares)
    np.fill_diagonal(R, (1.0 + own) - c * own)  # 1 + (1 - c) own would cost a small cosine its digits
    return R


def cos_sin(angle: float) -> tuple[float, float]:
    """cos and sin, exact where the angle is the floating-point number next to a multiple of a right angle."""
    quarters = round(angle / (math.pi / 2)) if math.isfinite(angle) else 0
    if angle == quarters * (math.pi / 2):
        return ((1.0, 0.0), (0.0, 1.0), (-1.0, 0.0), (0.0, -1.0))[quarters % 4]
    return math.cos(angle), math.sin(angle)


def rotation_from_rpy(roll: float, pitch: float, yaw: float) -> Array:
    """Rz(yaw) Ry(pitch) Rx(roll): roll, pitch and yaw about the fixed axes x, y, z, as URDF has them."""
    x, y, z = np.eye(3)
    return rotation_about(z, yaw) @ rotation_about(y, pitch) @ rotation_about(x, roll)


def rigid(R: Array | None = None, p: Array | None = None) -> Array:
    """The homogeneous matrix T = (R, p); identity where a part is left out (Modern Robotics 3.62)."""
    T = np.eye(4, dtype=np.result_type(float, *(np.asarray(part) for part in (R, p) if part is not None)))
    if R is not None:
        T[:3, :3] = R
    if p is not None:
        T[:3, 3] = p
    return T


def inverse_rigid(T: Array) -> Array:
    """T^-1 = (R^T, -R^T p) (Modern Robotics 3.64)."""
    R, p = T[:3, :3], T[:3, 3]
    return rigid(R.T, -R.T @ p)


def adjoint(T: Array) -> Array:
    """[Ad_T], which carries twists (w, v) from T's child frame to its parent frame (Modern Robotics 3.83)."""
    R, p = T[:3, :3], T[:3, 3]
    return np.block([[R, np.zeros((3, 3), dtype=R.dtype)], [skew(p) @ R, R]])
