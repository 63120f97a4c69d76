"""Functions of NumPy on traced scalars and arrays of them, which NumPy itself cannot do: by the name it has them."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from armdyn.program import (
    arctan2,
    greater,
    greater_equal,
    less,
    less_equal,
    maximum,
    minimum,
    select,
    sign,
)
from armdyn.spatial.rotations import Array


def _equal(a: Any, b: Any) -> Any:
    return less_equal(a, b) * less_equal(b, a)


def _not_equal(a: Any, b: Any) -> Any:
    return 1.0 - _equal(a, b)


def _and(a: Any, b: Any) -> Any:
    return _not_equal(a, 0.0) * _not_equal(b, 0.0)


def _or(a: Any, b: Any) -> Any:
    return maximum(_not_equal(a, 0.0), _not_equal(b, 0.0))


def _not(a: Any) -> Any:
    return _equal(a, 0.0)


def _clip(a: Any, a_min: Any = None, a_max: Any = None, *, min: Any = None, max: Any = None) -> Any:
    low, high = (a_min if min is None else min), (a_max if max is None else max)
    above = a if low is None else maximum(a, low)
    return above if high is None else minimum(above, high)


def _hypot(a: Any, b: Any) -> Any:
    return np.sqrt(a * a + b * b)


def _heaviside(x: Any, at_zero: Any) -> Any:
    return select(less(x, 0.0), 0.0, select(less(0.0, x), 1.0, at_zero))


def _copysign(size: Any, of: Any) -> Any:
    return abs(size) * select(less(of, 0.0), -1.0, 1.0)


def _ceil(x: Any) -> Any:
    return -np.floor(-x)


def _trunc(x: Any) -> Any:
    return select(less(x, 0.0), _ceil(x), np.floor(x))


def _rint(x: Any) -> Any:
    """The nearest whole number, of two the even one."""
    low = np.floor(x)
    part, odd = x - low, low - 2.0 * np.floor(0.5 * low)
    return low + select(_equal(part, 0.5), odd, less(0.5, part))


def _round(a: Any, decimals: int = 0) -> Any:
    scale = 10.0**decimals
    return _rint(a * scale) / scale if decimals else _rint(a)


def _remainder(a: Any, b: Any) -> Any:
    return a - b * np.floor(a / b)


def _fmod(a: Any, b: Any) -> Any:
    return a - b * _trunc(a / b)


def _interp(x: Any, xp: ArrayLike, fp: ArrayLike) -> Any:
    """On straight lines between given points, constant beyond them: each line's rise as far as x has come on it."""
    at: Array = np.asarray(xp, dtype=float)
    values: Array = np.asarray(fp, dtype=float)
    if at.ndim != 1 or at.shape != values.shape or not (np.diff(at) > 0.0).all():
        raise ValueError("np.interp of a traced x needs xp that rises and as many fp, both numbers")
    found = values[0] + 0.0 * x
    for k, slope in enumerate(np.diff(values) / np.diff(at)):
        found = found + slope * (_clip(x, at[k], at[k + 1]) - at[k])
    return found


def _fold(function: Callable[[Any, Any], Any]) -> Callable[..., Any]:
    """The largest or smallest element, of all or along an axis."""

    def folded(a: Any, axis: int | None = None) -> Any:
        array = np.asarray(a)
        rows = array.ravel() if axis is None else np.moveaxis(array, axis, 0)
        return functools.reduce(function, rows)

    return folded


DEGREE, LN2, LN10 = math.pi / 180.0, math.log(2.0), math.log(10.0)

FUNCTIONS: dict[str, Callable[..., Any]] = {
    "sign": sign,
    **dict.fromkeys(("maximum", "fmax"), maximum),
    **dict.fromkeys(("minimum", "fmin"), minimum),
    **dict.fromkeys(("max", "amax"), _fold(maximum)),
    **dict.fromkeys(("min", "amin"), _fold(minimum)),
    "clip": _clip,
    "where": select,
    "arctan2": arctan2,
    "hypot": _hypot,
    "heaviside": _heaviside,
    "copysign": _copysign,
    "less": less,
    "less_equal": less_equal,
    "greater": greater,
    "greater_equal": greater_equal,
    "equal": _equal,
    "not_equal": _not_equal,
    **dict.fromkeys(("logical_and", "bitwise_and"), _and),
    **dict.fromkeys(("logical_or", "bitwise_or"), _or),
    **dict.fromkeys(("logical_not", "invert"), _not),
    "ceil": _ceil,
    "trunc": _trunc,
    "rint": _rint,
    "round": _round,
    **dict.fromkeys(("remainder", "mod"), _remainder),
    "fmod": _fmod,
    "interp": _interp,
    **dict.fromkeys(("deg2rad", "radians"), lambda x: x * DEGREE),
    **dict.fromkeys(("rad2deg", "degrees"), lambda x: x / DEGREE),
    "log2": lambda x: np.log(x) / LN2,
    "log10": lambda x: np.log(x) / LN10,
}
"""By NumPy's names; each takes an argument that is traced, and others of any kind."""
