"""Arrays that cannot be changed after they entered a model."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from armdyn.errors import ShapeError
from armdyn.spatial.rotations import Array


def frozen_array(values: ArrayLike, shape: tuple[int, ...], name: str) -> Array:
    """A read-only float64 copy of ``values``, whose shape must be ``shape``. Zeros have no sign in it."""
    array = np.array(values, dtype=np.float64) + 0.0
    if array.shape != shape:
        raise ShapeError(f"{name} has shape {array.shape}; expected {shape}")
    array.setflags(write=False)
    return array
