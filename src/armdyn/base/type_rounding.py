"""Tolerances of functions that are traced once and computed in float64 or in float32."""

from __future__ import annotations

import numpy as np

from armdyn.base.scalars import Scalar

BELOW_FLOAT32 = 1.0 + 1e-9
"""A factor that changes numbers in float64, and is 1 in float32."""


def rounding(size: Scalar, in_float64: float, in_float32: float) -> Scalar:
    """A part of a size that is not negative, or of each of an array: one part in float64, another one in float32.

    >>> from armdyn.base.type_rounding import rounding
    >>> rounding(8.0, 1e-12, 1e-5)
    8e-12
    """

    def part(one: Scalar) -> Scalar:
        return (in_float64 + in_float32 * (BELOW_FLOAT32 * one <= one)) * one

    traced = isinstance(size, np.ndarray) and size.dtype == object
    return np.frompyfunc(part, 1, 1)(size) if traced else part(size)
