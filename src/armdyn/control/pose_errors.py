"""How far a frame is from where it should be: a rotation vector and a way, smooth while traced."""

from __future__ import annotations

from typing import Any

import numpy as np

from armdyn.algorithms import forward_kinematics
from armdyn.program import arctan2, greater, select
from armdyn.spatial.rotations import Array

NEAR = 1e-12
"""Of sin(angle)^2: below, the series angle / sin(angle) = 1 + sin(angle)^2 / 6 is exact to rounding."""


def rotation_vector(R: Array) -> Array:
    """w with R = exp([w]), rad, shape (3,), for angles below half a turn (Modern Robotics 3.53, 3.54).

    w = theta / sin(theta) times the axial vector of R, for numbers or traced scalars. Half a turn has two such vectors:
    within 1e-6 rad of it, a vector near zero comes out, as from no turn.

    Args:
        R: a rotation, shape (3, 3).

    >>> turn = np.array([[0.0, -1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]])
    >>> armdyn.control.rotation_vector(turn).astype(float).round(12) + 0.0
    array([0.        , 0.        , 1.57079633])
    """
    axial = np.array([R[2, 1] - R[1, 2], R[0, 2] - R[2, 0], R[1, 0] - R[0, 1]]) / 2  # sin(theta) times the axis
    sine2, cosine = axial @ axial, (R[0, 0] + R[1, 1] + R[2, 2] - 1) / 2
    far = greater(sine2, NEAR)
    sine = np.sqrt(select(far, sine2, 1.0))  # a number that can be divided by, whichever is chosen below
    factor = select(far, arctan2(sine, cosine) / sine, 1 + sine2 / 6)
    return np.asarray(axial * factor)


def pose_error(model: Any, q: Array, T_ref: Array, *, frame: str | None = None) -> Array:
    """The way (w, p) from a frame to a pose, in base axes, rad and m, shape (6,).

    R_ref = exp([w]) R and p = p_ref - p: the twist that takes the frame there in a second, to the first order
    expressed as "world".

    Args:
        model: the mechanism, as functions of a robot are given it.
        q: joint positions, rad or m, shape (n,).
        T_ref: the pose, lengths in m, shape (4, 4).
        frame: its name; the tip where none is given.
    """
    T = forward_kinematics(model, q, frame=frame)
    turn = rotation_vector(T_ref[:3, :3] @ T[:3, :3].T)
    return np.concatenate([turn, T_ref[:3, 3] - T[:3, 3]])
