"""Numbers that enter a model: real ones, in arrays that cannot be changed afterwards."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from armdyn.checks import array
from armdyn.errors import ModelError
from armdyn.spatial.rotations import Array


def frozen_array(values: ArrayLike, shape: tuple[int, ...], name: str) -> Array:
    """A read-only float64 copy of ``values``, whose shape must be ``shape``. Zeros have no sign in it."""
    return _frozen(array(name, values, shape))


def finite_array(values: ArrayLike, shape: tuple[int, ...], name: str, meaning: str) -> Array:
    """A read-only float64 copy of ``values``, which must be finite; ``meaning`` says what was expected.

    >>> finite_array((0, 0, -9.81), (3,), "gravity", "three numbers, m/s^2")
    array([ 0.  ,  0.  , -9.81])
    """
    return _frozen(array(name, values, shape, meaning, finite=ModelError))


def unrounded(values: ArrayLike) -> Array | None:
    """A read-only copy of what is in `armdyn.exact.Exact` numbers; None of what is in float64."""
    if not isinstance(values, np.ndarray) or values.dtype != object:
        return None
    copy = values.copy()
    copy.setflags(write=False)
    return copy


def _frozen(values: Array) -> Array:
    values = values + 0.0
    values.setflags(write=False)
    return values
