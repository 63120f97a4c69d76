"""Rotations and rigid motions: SO(3) and SE(3) as 3x3 and 4x4 arrays of floats or traced scalars."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]


def skew(v: Array) -> Array:
    """[v], the matrix with [v] u = v x u (Modern Robotics 3.30)."""
    return np.array([[0.0, -v[2], v[1]], [v[2], 0.0, -v[0]], [-v[1], v[0], 0.0]])


def cross(a: Array, b: Array) -> Array:
    """a x b; unlike ``np.cross`` it takes traced scalars at their operation count."""
    return np.array([a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]])


def rotation_about(axis: Array, angle: float) -> Array:
    """Rot(axis, angle) about a unit axis, by Rodrigues' formula (Modern Robotics 3.51)."""
    k = skew(axis)
    return np.eye(3) + math.sin(angle) * k + (1.0 - math.cos(angle)) * (k @ k)


def rotation_from_rpy(roll: float, pitch: float, yaw: float) -> Array:
    """Rz(yaw) Ry(pitch) Rx(roll): roll, pitch and yaw about the fixed axes x, y, z, as URDF has them."""
    x, y, z = np.eye(3)
    return rotation_about(z, yaw) @ rotation_about(y, pitch) @ rotation_about(x, roll)


def rigid(R: Array | None = None, p: Array | None = None) -> Array:
    """The homogeneous matrix T = (R, p); identity where a part is left out (Modern Robotics 3.62)."""
    T = np.eye(4)
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
    return np.block([[R, np.zeros((3, 3))], [skew(p) @ R, R]])
