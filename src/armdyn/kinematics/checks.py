"""Checks of what a caller asks for: numbers that are no rotation, no direction, no setting."""

from __future__ import annotations

import math
import operator
from typing import Any

import numpy as np

from armdyn.errors import ShapeError
from armdyn.kinematics.errors import TaskError
from armdyn.spatial.rotations import Array

TOLERANCE = 1e-9
"""How far a rotation matrix may be from one, and a unit vector from length one: rounding, not care, explains it."""


def rigid_rotations(R: Array) -> Array:
    """R itself, where every finite one is a rotation."""
    if R.shape[-2:] != (3, 3):
        raise ShapeError(f"R has shape {R.shape}; expected rotation matrices (..., 3, 3)")
    with np.errstate(all="ignore"):
        off = np.abs(np.swapaxes(R, -1, -2) @ R - np.eye(3)).max(axis=(-2, -1))
        mirrored = np.linalg.det(R) < 0.0
    finite = np.isfinite(R).all(axis=(-2, -1))
    wrong = np.argwhere(finite & ((off > TOLERANCE) | mirrored))
    if len(wrong):
        index = tuple(map(int, wrong[0]))
        which = f"target{list(index) if index else ''}"
        if off[index] <= TOLERANCE:
            raise TaskError(f"{which} is no rigid motion: its axes are left-handed (determinant -1); turn one round")
        raise TaskError(
            f"{which} is no rigid motion: R^T R differs from 1 by {off[index]:.1e}, more than {TOLERANCE:g}. "
            "scipy.spatial.transform.Rotation.from_matrix(R).as_matrix() gives the rotation nearest to R"
        )
    return R


def unit_vectors(name: str, v: Array) -> Array:
    """v itself, where every finite one has length one."""
    if v.shape[-1:] != (3,):
        raise ShapeError(f"{name} has shape {v.shape}; expected unit vectors (..., 3)")
    with np.errstate(all="ignore"):
        length = np.linalg.norm(v, axis=-1)
    wrong = np.argwhere(np.abs(length - 1.0) > TOLERANCE)
    if len(wrong):
        index = tuple(map(int, wrong[0]))
        remedy = "divide by it" if length[index] > 0.0 else "the zero vector has no direction"
        raise TaskError(f"{name}{list(index) if index else ''} has length {length[index]:.9g}; expected 1: {remedy}")
    return v


def vector(name: str, value: Any) -> tuple[float, float, float]:
    """Three finite numbers."""
    try:
        numbers = tuple(float(x) for x in value)
    except (TypeError, ValueError):
        numbers = ()
    if len(numbers) != 3 or not all(map(math.isfinite, numbers)):
        raise TaskError(f"{name}={value!r}; expected three finite numbers")
    return numbers[0], numbers[1], numbers[2]


def weight(task: str, value: Any) -> float:
    """A finite number, zero or more."""
    return not_negative(f"weight of {task}", value)


def not_negative(name: str, value: Any) -> float:
    """A finite number, zero or more."""
    return _number(name, value, lambda x: math.isfinite(x) and x >= 0.0, "a number, zero or more")


def positive(name: str, value: Any) -> float:
    """A finite number above zero."""
    return _number(name, value, lambda x: math.isfinite(x) and x > 0.0, "a number above zero")


def _number(name: str, value: Any, is_right: Any, expected: str) -> float:
    try:
        number = float(value)
    except (TypeError, ValueError):
        number = math.nan
    if isinstance(value, str | bool) or not is_right(number):
        raise TaskError(f"{name} is {value!r}; expected {expected}")
    return number


def count(name: str, value: Any) -> int:
    """A whole number, one or more."""
    try:
        number = operator.index(value)
    except TypeError:
        number = 0
    if isinstance(value, bool) or number < 1:
        raise TaskError(f"{name}={value!r}; expected a whole number, one or more")
    return number


def chosen_axes(axes: Any) -> tuple[int, ...]:
    """The indices of the base axes that count, from text such as "xy"."""
    if not isinstance(axes, str) or not axes or set(axes) - set("xyz") or len(set(axes)) != len(axes):
        raise TaskError(f"axes={axes!r} of Position; expected some of 'x', 'y' and 'z' in one word, such as 'xy'")
    return tuple(i for i, axis in enumerate("xyz") if axis in axes)
