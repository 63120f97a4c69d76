"""Arrays as people give them: of the right shape, of real numbers or symbols, rotations that are rotations."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from armdyn.errors import DTypeError, ModelError, ShapeError
from armdyn.spatial.rotations import Array

AXES_TOLERANCE = 1e-5
"""How far R^T R may be from the identity: descriptions print axes with about six digits."""

UNIT_TOLERANCE = 1e-6
"""How far from 1 the length of a direction may be."""


def checked_array(values: Any, shape: tuple[int, ...], name: str, *, exact: bool = False) -> Array:
    """``values`` as an array of that shape: of float64 where all are numbers, of objects where there are symbols.

    Where it is going to meet symbols, ``exact`` keeps whole numbers whole, so that 1 x is x and not 1.0 x.
    """
    try:
        array = np.asarray(values)
    except ValueError:
        raise ShapeError(f"{name} is ragged; expected an array of shape {shape}") from None
    if array.shape != shape:
        raise ShapeError(f"{name} has shape {array.shape}; expected {shape}")
    if exact and array.dtype.kind in "iu":
        return array.astype(object)
    if array.dtype.kind in "fiub":
        return array.astype(np.float64)
    if array.dtype != object or any(x is None or isinstance(x, str | complex) for x in array.flat):
        raise DTypeError(f"{name} holds {array.dtype} values; expected real numbers or symbols")
    return array


def checked_vector(values: ArrayLike, name: str, size: int = 3, *, exact: bool = False) -> Array:
    """A vector of ``size`` numbers or symbols."""
    return checked_array(values, (size,), name, exact=exact)


def checked_rotation(R: ArrayLike, name: str, *, exact: bool = False) -> Array:
    """R, refused where its numbers are no rotation; of symbols only the shape is judged."""
    _judge(R, name)
    return checked_array(R, (3, 3), name, exact=exact)


def checked_pose(T: ArrayLike, name: str, *, exact: bool = False) -> Array:
    """T = (R, p), refused where its numbers are no rigid motion; of symbols only the shape is judged."""
    T = checked_array(T, (4, 4), name, exact=exact)
    _judge(T[:3, :3], f"the rotation of {name}")
    if T.dtype != object and not (np.isfinite(T[:3, 3]).all() and np.abs(T[3] - (0.0, 0.0, 0.0, 1.0)).max() < 1e-9):
        raise ModelError(f"{name} is no pose: expected a finite position and the last row 0 0 0 1, here {T[3]}.")
    return T


def checked_direction(v: ArrayLike, name: str, *, exact: bool = False) -> Array:
    """v, refused where its numbers are no unit vector."""
    v = checked_vector(v, name, exact=exact)
    if v.dtype != object:
        length = float(np.linalg.norm(v))
        if length == 0.0 or not np.isfinite(length):
            raise ModelError(f"{name} has length {length:g}; expected a unit vector such as (0, 0, 1).")
        if abs(length - 1.0) > UNIT_TOLERANCE:
            shown = ", ".join(f"{x / length:.9g}" for x in v)
            raise ModelError(f"{name} has length {length:.9g}; expected a unit vector, here ({shown}).")
    return v


def _judge(R: ArrayLike, name: str) -> None:
    """Refuse numbers that are not orthonormal and right-handed."""
    R = checked_array(R, (3, 3), name)
    if R.dtype == object:
        return
    error = float(np.abs(R.T @ R - np.eye(3)).max())
    if not error <= AXES_TOLERANCE:  # NaN lands here too
        raise ModelError(
            f"{name} is no rotation: its columns are not orthonormal, R^T R is off the identity by {error:.3g}; "
            "expected three perpendicular unit vectors as columns (scipy.spatial.transform.Rotation gives them)."
        )
    if np.linalg.det(R) < 0.0:
        raise ModelError(
            f"{name} is no rotation: its columns are left-handed (det R = -1); turn one of the three axes round."
        )
