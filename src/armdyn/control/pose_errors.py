"""The error of a frame's pose: a rotation vector and a displacement, smooth while traced."""

from __future__ import annotations

import numpy as np

from armdyn.algorithms import forward_kinematics
from armdyn.kinematics.aims import longest_column
from armdyn.model.mechanism import Mechanism
from armdyn.program import arctan2, greater, less, select
from armdyn.spatial.rotations import Array

NEAR = 1e-12
"""If sin(angle)^2 is below this, the series angle / sin(angle) = 1 + sin(angle)^2 / 6 is exact to rounding."""


def rotation_vector(R: Array) -> Array:
    """w with R = exp([w]), rad, shape (3,), of a length from 0 to pi (Modern Robotics 3.2.3.3).

    w = theta a with tan(theta) = sin(theta) / cos(theta). Up to a right angle sin(theta) a is the axial vector of R.
    Beyond it the axis is the longest column of R + R^T + (1 - tr R) 1 = 2 (1 - cos(theta)) a a^T, towards the axial
    vector, so that w keeps its digits up to half a turn. Of the two vectors of half a turn it is the limit from one
    side; if the axial vector is exactly zero, the one whose largest component is positive. Numbers or traced scalars.

    Args:
        R: a rotation, shape (3, 3).

    >>> turn = np.array([[0.0, -1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]])
    >>> armdyn.control.rotation_vector(turn).astype(float).round(12) + 0.0
    array([0.        , 0.        , 1.57079633])
    >>> armdyn.control.rotation_vector(turn @ turn).astype(float).round(12) + 0.0
    array([0.        , 0.        , 3.14159265])
    """
    axial = np.array([R[2, 1] - R[1, 2], R[0, 2] - R[2, 0], R[1, 0] - R[0, 1]]) / 2  # sin(theta) a
    sine2, cosine = axial @ axial, (R[0, 0] + R[1, 1] + R[2, 2] - 1) / 2
    turns, is_far = greater(sine2, NEAR), less(cosine, 0.0)
    root = np.sqrt(select(turns, sine2, 1.0))  # a number that can be divided by, whichever is chosen below
    column = longest_column(R + R.T - 2 * cosine * np.eye(3))
    length = np.sqrt(select(is_far, column @ column, 1.0))
    towards = select(less(column @ axial, 0.0), -1.0, 1.0)
    sine = select(turns, root, axial @ column * towards / length)  # near half a turn along the axis itself
    angle = arctan2(sine, cosine)
    near = axial * select(turns, angle / root, 1 + sine2 / 6)
    return np.array([select(is_far, towards * angle * c / length, v) for c, v in zip(column, near, strict=True)])


def pose_error(model: Mechanism, q: Array, T_ref: Array, *, frame: str | None = None) -> Array:
    """The way (w, p) from a frame to a pose, in base axes, rad and m, shape (6,).

    R_ref = exp([w]) R and p = p_ref - p: the twist that takes the frame there in a second, to the first order
    expressed as "world".

    Args:
        model: the mechanism, as functions of a robot are given it.
        q: joint positions, rad or m, shape (n,).
        T_ref: the pose, lengths in m, shape (4, 4).
        frame: its name; the tip if None.
    """
    T = forward_kinematics(model, q, frame=frame)
    turn = rotation_vector(T_ref[:3, :3] @ T[:3, :3].T)
    return np.concatenate([turn, T_ref[:3, 3] - T[:3, 3]])
