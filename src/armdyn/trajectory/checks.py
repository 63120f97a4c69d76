"""Checks of what a caller sets: numbers, arrays, times, poses."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from armdyn.arrays import as_plain
from armdyn.errors import ArmdynError, DTypeError, ShapeError
from armdyn.spatial.rotations import Array
from armdyn.trajectory.errors import MotionError

ROUNDING = 1e-9
"""How far beyond its ends, in durations, a motion may be asked for: no more than adding up times gets wrong."""


def finite(name: str, value: Any, unit: str = "") -> float:
    """``value`` as a float, where it is a finite number."""
    try:
        number = float(value)
    except (TypeError, ValueError, OverflowError):
        number = math.nan
    if isinstance(value, str) or not math.isfinite(number):
        raise MotionError(f"{name}={value!r}; expected a finite number{', in ' + unit if unit else ''}")
    return number


def positive(name: str, value: Any, unit: str = "") -> float:
    """``value`` as a float, where it is a finite number above zero."""
    number = finite(name, value, unit)
    if number <= 0.0:
        raise MotionError(f"{name}={value!r}; expected a number above zero{', in ' + unit if unit else ''}")
    return number


def not_negative(name: str, value: Any, unit: str = "") -> float:
    """``value`` as a float, where it is a finite number, zero or above."""
    number = finite(name, value, unit)
    if number < 0.0:
        raise MotionError(f"{name}={value!r}; expected zero or more{', in ' + unit if unit else ''}")
    return number


def real_array(name: str, values: Any, shape: tuple[int | str, ...]) -> Array:
    """``values`` as a read-only float64 array of this shape, finite; letters stand for any size.

    Equal letters are not compared: what must fit together is said where it is put together.
    """
    expected = f"({', '.join(map(str, shape))}{',' if len(shape) == 1 else ''})"
    try:
        array = np.asarray(as_plain(name, values))
    except ArmdynError:
        raise
    except ValueError:
        raise ShapeError(f"{name} is ragged; expected shape {expected}") from None
    if array.dtype.kind not in "biuf":
        raise DTypeError(f"{name} holds {array.dtype}; expected real numbers of shape {expected}")
    fits = array.ndim == len(shape) and all(
        isinstance(size, str) or size == given for size, given in zip(shape, array.shape, strict=True)
    )
    if not fits:
        raise ShapeError(f"{name} has shape {array.shape}; expected {expected}")
    array = np.array(array, dtype=np.float64)
    if not np.isfinite(array).all():
        place = tuple(int(k) for k in np.argwhere(~np.isfinite(array))[0])
        raise MotionError(f"{name}[{', '.join(map(str, place))}] is {array[place]}; expected finite numbers")
    array.setflags(write=False)
    return array


def times_within(t: Any, duration: float) -> Array:
    """``t`` as float64 times from 0 to ``duration``; what rounding put beyond the ends is put back on them."""
    try:
        times = np.asarray(t, dtype=np.float64)
    except (TypeError, ValueError):
        raise DTypeError(f"t holds something else than real numbers; expected times from 0 to {duration:g} s") from None
    slack = ROUNDING * duration
    outside = ~((times >= -slack) & (times <= duration + slack))  # NaN is outside
    if outside.any():
        raise MotionError(
            f"t = {times[outside].flat[0]:g} s is outside the motion, which lasts from 0 to {duration:g} s. "
            "To hold its ends, ask for np.clip(t, 0, motion.duration)"
        )
    return np.clip(times, 0.0, duration)


def rising(name: str, times: Any) -> Array:
    """Times that rise from each to the next, shape (m,), two at least."""
    array = real_array(name, times, ("m",))
    if len(array) < 2 or not (np.diff(array) > 0.0).all():
        raise MotionError(f"{name} must hold at least two times, each after the one before")
    return array


def pose(name: str, value: Any) -> Array:
    """A rigid motion, shape (4, 4)."""
    T = real_array(name, value, (4, 4))
    R = T[:3, :3]
    if not np.allclose(R.T @ R, np.eye(3), rtol=0, atol=1e-8) or np.linalg.det(R) < 0:
        off = float(np.abs(R.T @ R - np.eye(3)).max())
        raise MotionError(f"{name} is no pose: R^T R differs from the identity by {off:.3g}, det R = "
                          f"{np.linalg.det(R):.6g}; expected a rotation in its upper left 3x3")  # fmt: skip
    if not np.array_equal(T[3], [0.0, 0.0, 0.0, 1.0]):
        raise MotionError(f"{name} is no pose: its last row is {T[3]}; expected 0 0 0 1")
    return T
