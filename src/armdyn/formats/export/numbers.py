"""Numbers and rotations as the texts of a URDF file: all digits, and turns that come back as the same numbers."""

from __future__ import annotations

import math
import sys
from collections.abc import Iterable
from itertools import product

import numpy as np

from armdyn.base.exact import arctan2, exact, norm, rounded
from armdyn.spatial.rotations import Array, rotation_from_rpy

STRAIGHT = 1e-7
"""Cosine of the pitch below which roll and yaw turn about one axis, and only roll is written."""

ULPS = (0, 1, -1, 2, -2)


def numbers(values: Array | Iterable[float]) -> str:
    """Several numbers, with blanks between them."""
    return " ".join(number(value) for value in values)


def number(value: float) -> str:
    """All digits; the largest number for infinity, which other readers of URDF cannot read."""
    value = float(value)
    if math.isinf(value):
        value = math.copysign(sys.float_info.max, value)
    return repr(value)


def rpy_of(R: Array) -> tuple[float, float, float]:
    """Roll, pitch and yaw, rad, whose rotation equals R to the last bit if possible, or else the nearest ones found."""
    best, least = (0.0, 0.0, 0.0), math.inf
    for start in _starts(R):
        for steps in product(ULPS, repeat=3):
            angles = _move(start, steps)
            off = float(np.abs(rounded(rotation_from_rpy(*angles)) - R).max())
            if off < least:
                best, least = angles, off
            if off == 0.0:
                return best
    return best


def _starts(R: Array) -> list[tuple[float, float, float]]:
    """The angles by arctangents; before them, candidates with near right angles made exact."""
    cos_pitch = float(norm(exact(R[:2, 0])))
    pitch = float(arctan2(-R[2, 0], cos_pitch))
    roll, yaw = float(arctan2(R[2, 1], R[2, 2])), float(arctan2(R[1, 0], R[0, 0]))
    result = [(roll, pitch, yaw)]
    if cos_pitch < STRAIGHT:  # pitch is a right angle: only roll - yaw or roll + yaw matters
        result.append((float(arctan2(-R[1, 2], R[1, 1])), pitch, 0.0))
    snapped = [tuple(map(_right_angle, angles)) for angles in result]
    return [(r, p, y) for r, p, y in dict.fromkeys([*snapped, *result])]


def _right_angle(angle: float) -> float:
    quarters = round(angle / (math.pi / 2))
    right = quarters * (math.pi / 2)
    return right if abs(angle - right) < 1e-14 else angle


def _move(angles: tuple[float, float, float], ulps: tuple[int, ...]) -> tuple[float, float, float]:
    roll, pitch, yaw = (a + k * math.ulp(a) if a else a for a, k in zip(angles, ulps, strict=True))
    return roll, pitch, yaw


def quaternions(T: Array) -> Array:
    """Unit quaternions w, x, y, z of poses (..., 4, 4), w not below zero, shape (..., 4)."""
    from scipy.spatial.transform import Rotation  # noqa: PLC0415 - slow to import

    xyzw: Array = Rotation.from_matrix(T[..., :3, :3].reshape(-1, 3, 3)).as_quat(canonical=True)
    wxyz: Array = np.roll(xyzw, 1, axis=-1).reshape(*T.shape[:-2], 4)
    return wxyz
