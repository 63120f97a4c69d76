"""Fields of constraints, checked and normalised: vectors, directions, poses, functions."""

from __future__ import annotations

import inspect
from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from armdyn.base.checks import array, without_booleans
from armdyn.base.errors import ArmdynError, ModelError, excerpt
from armdyn.base.exact import exact, rounded, unit
from armdyn.model.constraints import Constraint, Numbers
from armdyn.spatial.rotations import Array, cross

ORIGIN = (0.0, 0.0, 0.0)

POSE_ROUNDING = 1e-9
"""Tolerance of R^T R of a pose to the identity."""


def vector(values: ArrayLike, subject: str, size: int = 3) -> Numbers:
    """``size`` finite numbers, as a tuple."""
    try:
        vector_ = array(subject, without_booleans(subject, values), (size,), finite=ModelError)
    except ArmdynError:
        raise ModelError(f"{subject} is {excerpt(values)}; expected {size} finite numbers") from None
    return tuple((vector_ + 0.0).tolist())


def direction(values: ArrayLike, subject: str) -> Numbers:
    """A unit vector along a direction of any length."""
    v = vector(values, subject)
    if not any(v):
        raise ModelError(f"{subject} is zero; expected a direction such as (0, 0, 1)")
    return tuple(float(x) for x in unit(exact(v)))


def pose(values: ArrayLike | None, subject: str) -> Numbers:
    """A pose as the sixteen numbers of T, row by row; the identity by default."""
    if values is None:
        return tuple(np.eye(4).ravel().tolist())
    try:
        T = array(subject, without_booleans(subject, values))
    except ArmdynError:
        T = np.empty(0)
    if T.size == 16:
        T = T.reshape(4, 4)
    is_pose = T.shape == (4, 4) and np.isfinite(T).all() and np.array_equal(T[3], [0.0, 0.0, 0.0, 1.0])
    if not is_pose or not np.allclose(T[:3, :3].T @ T[:3, :3], np.eye(3), rtol=0, atol=POSE_ROUNDING):
        raise ModelError(
            f"{subject} is not a pose; expected a 4x4 matrix of a rotation and a position, last row 0 0 0 1"
        )
    if np.linalg.det(T[:3, :3]) < 0.0:
        raise ModelError(f"{subject} is a reflection; expected the matrix of a rotation, with determinant 1")
    return tuple(float(x) for x in T.ravel() + 0.0)


def as_pose(numbers: Numbers) -> Array:
    """The (4, 4) array of a stored pose."""
    return np.array(numbers).reshape(4, 4)


def distinct(constraint: Constraint) -> None:
    """Raise if a frame is constrained to itself, which no motion changes."""
    frame, other = constraint.frames
    if frame == other:
        raise ModelError(f"constraint {constraint.name!r} is between frame {frame!r} and itself; name two frames")


def axes_along(z: Sequence[float]) -> Array:
    """A rotation whose third column is the unit vector z; for a coordinate axis, the cyclic permutation."""
    z_axis = unit(exact(z))
    k = int(np.argmin(np.abs(z_axis))) if np.count_nonzero(z_axis) > 1 else (int(np.flatnonzero(z_axis)[0]) + 1) % 3
    x = unit(cross(z_axis, cross(exact(np.eye(3))[k], z_axis)))
    return rounded(np.column_stack([x, cross(z_axis, x), z_axis]))  # type: ignore[no-any-return]


def check_function(function: object, subject: str, name: str, arguments: tuple[str, ...]) -> None:
    """Raise if ``function`` cannot be called with this many arguments."""
    if not callable(function):
        raise ModelError(f"{subject} of constraint {name!r} is {function!r}; expected a function")
    try:
        signature = inspect.signature(function)
    except (TypeError, ValueError):
        return  # written in C: a wrong number raises when it is called
    try:
        signature.bind(*arguments)
    except TypeError:
        raise ModelError(
            f"{subject} of constraint {name!r} takes {signature}; it is called with ({', '.join(arguments)})"
        ) from None
