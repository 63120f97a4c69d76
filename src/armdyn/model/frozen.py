"""Numbers that enter a model: real ones, in arrays that cannot be changed afterwards."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from armdyn.arrays import as_plain, is_masked
from armdyn.errors import ArmdynError, DTypeError, ModelError, ShapeError
from armdyn.spatial.rotations import Array

LONGEST_SHOWN = 60
"""How many letters of what was given a message shows at most."""


def frozen_array(values: ArrayLike, shape: tuple[int, ...], name: str) -> Array:
    """A read-only float64 copy of ``values``, whose shape must be ``shape``. Zeros have no sign in it."""
    array = real_array(values, shape, name) + 0.0
    array.setflags(write=False)
    return array


def unrounded(values: ArrayLike) -> Array | None:
    """A read-only copy of what is in `armdyn.exact.Exact` numbers; None of what is in float64."""
    if not isinstance(values, np.ndarray) or values.dtype != object:
        return None
    array = values.copy()
    array.setflags(write=False)
    return array


def finite_array(values: ArrayLike, shape: tuple[int, ...], name: str, meaning: str) -> Array:
    """A read-only float64 copy of ``values``, which must be finite; ``meaning`` says what was expected.

    >>> finite_array((0, 0, -9.81), (3,), "gravity", "three numbers, m/s^2")
    array([ 0.  ,  0.  , -9.81])
    """
    array = real_array(values, shape, name, meaning) + 0.0
    if not np.isfinite(array).all():
        where = str(np.argwhere(~np.isfinite(array))[0].tolist()) if shape else ""
        raise ModelError(f"{name}{where} is {array[~np.isfinite(array)][0]:g}; expected {meaning}, finite.")
    array.setflags(write=False)
    return array


def real_array(values: Any, shape: tuple[int, ...], name: str, meaning: str = "") -> Array:
    """``values`` as a float64 array of that shape; texts, complex numbers and None are no real numbers.

    Raises:
        ShapeError: another shape.
        DTypeError: what is not made of real numbers, or has masked ones.
    """
    expected = f"{shape}, {meaning}" if meaning else str(shape)
    numbers = real_numbers(values, name, expected, meaning or "real numbers")
    if numbers.shape != shape:
        raise ShapeError(f"{name} has shape {numbers.shape}; expected {expected}")
    return numbers


def real_numbers(values: Any, name: str, expected: str, meaning: str = "real numbers") -> Array:
    """``values`` as a float64 array of whatever shape; ``expected`` says which shapes would do."""
    if is_masked(values):
        raise DTypeError(f"{name} has masked values; expected {meaning}")
    try:
        given = np.asarray(as_plain(name, values))
    except ArmdynError:
        raise
    except ValueError:
        raise ShapeError(f"{name} is ragged; expected {expected}") from None
    numbers = _floats(given)
    if numbers is None:
        shown = repr(values)
        found = f"is {shown}" if len(shown) <= LONGEST_SHOWN else f"holds {given.dtype} values"
        raise DTypeError(f"{name} {found}; expected {meaning}")
    return numbers


def _floats(given: np.ndarray[Any, Any]) -> Array | None:
    """The array in float64; None where it holds something else than real numbers."""
    if given.dtype.kind not in "fiubO":
        return None
    if given.dtype == object and any(x is None or isinstance(x, str | bytes) for x in given.flat):
        return None  # NumPy would take None for NaN, and read texts
    try:
        with np.errstate(over="ignore"):  # what is too large becomes infinity, which is for others to judge
            return given.astype(np.float64)
    except (TypeError, ValueError, OverflowError):
        return None
