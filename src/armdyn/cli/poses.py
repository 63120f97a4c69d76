"""Poses as they are typed and shown: position, roll, pitch and yaw, quaternion, matrix."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from armdyn.base.errors import ModelError, ShapeError
from armdyn.base.exact import rounded
from armdyn.cli.arguments import read_vector
from armdyn.formats.export.numbers import quaternions, rpy_of
from armdyn.formats.given import pose_problems
from armdyn.spatial.rotations import Array, rotation_from_quaternion, rotation_from_rpy


def pose_data(T: Array) -> dict[str, object]:
    """A pose for JSON: T, and its position, m, roll, pitch and yaw, rad, and quaternion."""
    return {
        "position": T[:3, 3],
        "rpy": rpy_of(T[:3, :3]),
        "quaternion_wxyz": quaternions(T),
        "T": T,
    }


class Rotated(NamedTuple):
    """The options of an orientation."""

    rpy: str | None
    quaternion: str | None

    def read(self) -> Array | None:
        """The rotation matrix, or None without an orientation."""
        if self.rpy is not None and self.quaternion is not None:
            raise ShapeError("the orientation is given twice: by --rpy and by --quaternion; choose one")
        if self.rpy is not None:
            angles = read_vector(self.rpy, "--rpy", 3, meaning="roll, pitch, yaw", unit="rad")
            R: Array = rounded(rotation_from_rpy(*map(float, angles)))
            return R
        if self.quaternion is not None:
            return _of_quaternion(self.quaternion)
        return None


def _of_quaternion(text: str) -> Array:
    values = read_vector(text, "--quaternion", 4, meaning="w,x,y,z")
    if not math.isclose(float(np.linalg.norm(values)), 1.0, rel_tol=1e-3):
        raise ShapeError(f"--quaternion {text!r} has length {np.linalg.norm(values):.6g}; expected a unit one, w,x,y,z")
    R: Array = rounded(rotation_from_quaternion(*map(float, values)))
    return R


def read_position(text: str, name: str) -> Array:
    """x, y, z in m, or with a unit of length."""
    return read_vector(text, name, 3, meaning="x,y,z", unit="m")


def read_pose(text: str) -> Array:
    """A homogeneous matrix from its 12 or 16 numbers, row by row; brackets are passed over."""
    words = text.replace("[", " ").replace("]", " ")
    size = len(words.replace(",", " ").split())
    meaning = "or 16, T row by row, in brackets or not"
    values = read_vector(words, "--pose", 16 if size == 16 else 12, meaning=meaning)
    T = np.vstack([values.reshape(-1, 4)[:3], [0.0, 0.0, 0.0, 1.0]]) if size == 12 else values.reshape(4, 4)
    if problems := list(pose_problems(T, "--pose")):
        raise ModelError(problems)
    return T
