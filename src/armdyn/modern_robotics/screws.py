"""Rigid motions as pairs (R, p) of traced scalars: exponentials of screws, and twists and wrenches in other frames."""

from __future__ import annotations

import numpy as np

from armdyn.base.scalars import Scalar
from armdyn.modern_robotics.rotations import SMALL
from armdyn.program import select
from armdyn.spatial.rotations import Array, cross, skew

Motion = tuple[Array, Array]
"""R and p."""


def pair(T: Array) -> Motion:
    """(R, p) of a homogeneous matrix."""
    return T[:3, :3], T[:3, 3]


def compose(a: Motion, b: Motion) -> Motion:
    """T_a T_b."""
    return a[0] @ b[0], a[0] @ b[1] + a[1]


def inverse(T: Motion) -> Motion:
    """T^-1 = (R^T, -R^T p) (Modern Robotics 3.64)."""
    R, p = T
    return R.T, -(R.T @ p)


def exponential(S: Array, theta: Scalar) -> Motion:
    """exp([S] theta) of any screw (w, v), of any length and pitch, a translation if w is exactly zero (MR 3.88, 3.89).

    As in the book's code, rotations below 1e-6 rad count as zero, but the translation along v remains.
    """
    square = S[:3] @ S[:3]
    length = np.sqrt(select(square > 0.0, square, 1.0))
    unit = S * (1.0 / length)
    w, v, way = unit[:3], unit[3:], length * theta
    angle = select(abs(way) < SMALL, 0.0, way)
    s, versine = np.sin(angle), 1.0 - np.cos(angle)
    W = skew(w)
    R = np.eye(3) + s * W + versine * (np.outer(w, w) - (w @ w) * np.eye(3))  # [w]^2 = w w^T - (w.w) 1
    across = cross(w, v)
    return R, way * v + versine * across + (angle - s) * cross(w, across)


def twist_in(T: Motion, V: Array) -> Array:
    """[Ad_T] V (Modern Robotics 3.83)."""
    R, p = T
    w = R @ V[:3]
    return np.concatenate([w, cross(p, w) + R @ V[3:]])


def wrench_back(T: Motion, F: Array) -> Array:
    """[Ad_T]^T F (Modern Robotics 3.98)."""
    R, p = T
    m, f = F[:3], F[3:]
    return np.concatenate([R.T @ (m - cross(p, f)), R.T @ f])


def bracket_back(V: Array, F: Array) -> Array:
    """[ad_V]^T F (Modern Robotics 8.39)."""
    w, v, m, f = V[:3], V[3:], F[:3], F[3:]
    return np.concatenate([-(cross(w, m) + cross(v, f)), -cross(w, f)])
