"""Rotations and rigid motions: SO(3) and SE(3) as 3x3 and 4x4 arrays of floats or traced scalars."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import numpy as np

from armdyn.base import scalars
from armdyn.base.exact import Exact, cos_and_sin, exact, unit

Array = scalars.Array

Z: Array = np.array([0.0, 0.0, 1.0])
"""The axis of every joint, in the axes of the link it moves."""

ORTHONORMAL = Exact(Decimal("1e-40"))
"""The largest error of R^T R for a rotation in `Exact` numbers."""

MOST_STEPS = 12
"""The most steps of Newton's method, which squares the error in each."""


def skew(v: Array) -> Array:
    """[v], the matrix with [v] u = v x u (Modern Robotics 3.30)."""
    K = np.zeros((3, 3), dtype=np.result_type(np.asarray(v), float))  # symbols stay symbols next to exact zeros
    K[2, 1], K[0, 2], K[1, 0] = v
    K[1, 2], K[2, 0], K[0, 1] = -v[0], -v[1], -v[2]
    return K


def cross(a: Array, b: Array) -> Array:
    """a x b; unlike ``np.cross`` it accepts traced scalars, without extra operations."""
    return np.array([a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]])


def symmetrize(S: Array) -> Array:
    """A symmetric tensor with its upper half on both sides: rounding errors of the lower half are dropped."""
    return np.asarray(np.triu(S) + np.triu(S, 1).T)


def rotation_about(axis: Array, angle: object) -> Array:
    """Rot(axis, angle) about a unit axis, by Rodrigues' formula (Modern Robotics 3.51), in `Exact` numbers."""
    k = skew(unit(exact(axis)))
    c, s = cos_and_sin(angle)
    R: Array = exact(np.eye(3)) + s * k + (1 - c) * (k @ k)
    return R


def rotation_from_rpy(roll: object, pitch: object, yaw: object) -> Array:
    """Rz(yaw) Ry(pitch) Rx(roll), about the fixed axes x, y, z, as in URDF, in `Exact` numbers."""
    (cr, sr), (cp, sp), (cy, sy) = cos_and_sin(roll), cos_and_sin(pitch), cos_and_sin(yaw)
    return np.array(
        [
            [cy * cp, cy * sp * sr - sy * cr, cy * sp * cr + sy * sr],
            [sy * cp, sy * sp * sr + cy * cr, sy * sp * cr - cy * sr],
            [-sp, cp * sr, cp * cr],
        ]
    )


def rotation_from_quaternion(w: object, x: Any, y: Any, z: Any) -> Array:
    """1 + 2 (w [v] + [v]^2) of the quaternion w + v, normalised, v = (x, y, z), in `Exact` numbers."""
    w, x, y, z = unit(exact([w, x, y, z]))
    return np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)],
            [2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)],
            [2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)],
        ]
    )


def orthonormal(R: Array) -> Array:
    """The rotation nearest to R, which is one to rounding: R <- R (3 - R^T R) / 2, in `Exact` numbers."""
    R, eye = exact(R), exact(np.eye(3))
    for _ in range(MOST_STEPS):
        off = eye - R.T @ R
        if max(abs(x) for x in off.flat) < ORTHONORMAL:
            break
        R = R + R @ off / 2
    return R


def rigid(R: Array | None = None, p: Array | None = None) -> Array:
    """Homogeneous matrices T = (R, p), shape (..., 4, 4); identity if a part is left out (Modern Robotics 3.62)."""
    dtype = np.result_type(float, *(np.asarray(part) for part in (R, p) if part is not None))
    batch = np.shape(p)[:-1] if p is not None else () if R is None else np.shape(R)[:-2]
    T = np.empty((*batch, 4, 4), dtype)
    T[...] = np.eye(4, dtype=dtype)
    if R is not None:
        T[..., :3, :3] = R
    if p is not None:
        T[..., :3, 3] = p
    return T


def inverse_rigid(T: Array) -> Array:
    """T^-1 = (R^T, -R^T p) (Modern Robotics 3.64)."""
    R, p = T[:3, :3], T[:3, 3]
    return rigid(R.T, -R.T @ p)


def adjoint(T: Array) -> Array:
    """[Ad_T], which carries twists (w, v) from T's child frame to its parent frame (Modern Robotics 3.83)."""
    R, p = T[:3, :3], T[:3, 3]
    return np.block([[R, np.zeros((3, 3), dtype=R.dtype)], [skew(p) @ R, R]])
