"""Poses of MJCF elements: pos, and one of quat, axisangle, xyaxes, zaxis and euler.

https://mujoco.readthedocs.io/en/stable/modeling.html#frame-orientations
"""

from __future__ import annotations

import numpy as np

from armdyn.doctor.mjcf.settings import Attributes, DocumentSettings
from armdyn.formats.findings import read_number
from armdyn.spatial.rotations import Array

ORIENTATIONS = ("quat", "axisangle", "xyaxes", "zaxis", "euler")


def numbers(attributes: Attributes, name: str, size: int, default: tuple[float, ...]) -> Array:
    """The numbers of an attribute; the default if it is missing, NaN if it cannot be read."""
    if name not in attributes:
        return np.array(default)
    words = attributes[name].text.split()
    return np.array([read_number(word) for word in words]) if len(words) == size else np.full(size, np.nan)


def pose(attributes: Attributes, settings: DocumentSettings) -> Array:
    """The pose of an element, shape (4, 4)."""
    T = np.eye(4)
    T[:3, :3] = rotation(attributes, settings)
    T[:3, 3] = numbers(attributes, "pos", 3, (0.0, 0.0, 0.0))
    return T


def rotation(attributes: Attributes, settings: DocumentSettings) -> Array:
    """The rotation of an element, shape (3, 3); NaN if it cannot be read."""
    name = next((one for one in ORIENTATIONS if one in attributes), None)
    if name is None:
        return np.eye(3)
    size = {"quat": 4, "axisangle": 4, "xyaxes": 6}.get(name, 3)
    result = numbers(attributes, name, size, ())
    with np.errstate(all="ignore"):
        if name == "quat":
            R = _of_quaternion(result)
        elif name == "axisangle":
            R = _about(result[:3] / np.linalg.norm(result[:3]), result[3] * settings.angle)
        elif name == "xyaxes":
            R = _of_x_and_y(result[:3], result[3:])
        elif name == "zaxis":
            R = _turned_to(result)
        else:
            R = _of_euler(result * settings.angle, settings.word("eulerseq", "xyz"))
    return R


def _of_quaternion(quaternion: Array) -> Array:
    """1 + 2 (w [v] + [v]^2) of the quaternion w + v, divided by its length."""
    w, x, y, z = quaternion / np.linalg.norm(quaternion)
    K = np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
    R: Array = np.eye(3) + 2.0 * (w * K + K @ K)
    return R


def _about(axis: Array, angle: float) -> Array:
    """Rodrigues' formula."""
    x, y, z = axis
    K = np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
    R: Array = np.eye(3) + np.sin(angle) * K + (1.0 - np.cos(angle)) * (K @ K)
    return R


def _of_x_and_y(x: Array, y: Array) -> Array:
    x = x / np.linalg.norm(x)
    y = y - (x @ y) * x
    y = y / np.linalg.norm(y)
    return np.column_stack([x, y, np.cross(x, y)])


def _turned_to(z: Array) -> Array:
    """The smallest rotation that turns (0, 0, 1) to a direction."""
    z = z / np.linalg.norm(z)
    across = np.cross([0.0, 0.0, 1.0], z)
    sine = float(np.linalg.norm(across))
    axis = across / sine if sine > 1e-10 else np.array([1.0, 0.0, 0.0])
    return _about(axis, float(np.arctan2(sine, z[2])))


def _of_euler(angles: Array, sequence: str) -> Array:
    """Lower case turns about axes that turn along, upper case about fixed ones."""
    R = np.eye(3)
    for letter, angle in zip(sequence, angles, strict=False):
        axis = np.eye(3)["xyz".index(letter.lower())] if letter.lower() in "xyz" else np.full(3, np.nan)
        turn = _about(axis, float(angle))
        R = R @ turn if letter.islower() else turn @ R
    return R
