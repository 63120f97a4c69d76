"""Read-only arrays of real numbers, as models hold them."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from armdyn.base.checks import array
from armdyn.base.errors import ModelError
from armdyn.spatial.rotations import Array


def frozen_array(values: ArrayLike, shape: tuple[int, ...], name: str, meaning: str = "") -> Array:
    """A read-only float64 copy of ``values``, whose shape must be ``shape``, with positive zeros only.

    With a ``meaning``, the expected quantity in errors, it must be finite too.

    >>> frozen_array((0, 0, -9.81), (3,), "gravity", "three numbers, m/s^2")
    array([ 0.  ,  0.  , -9.81])
    """
    frozen = array(name, values, shape, meaning, finite=ModelError if meaning else None) + 0.0
    frozen.setflags(write=False)
    return frozen


def exact_copy(values: ArrayLike) -> Array | None:
    """A read-only copy of `armdyn.base.exact.Exact` numbers; None for float64 ones."""
    if not isinstance(values, np.ndarray) or values.dtype != object:
        return None
    copy = values.copy()
    copy.setflags(write=False)
    return copy
