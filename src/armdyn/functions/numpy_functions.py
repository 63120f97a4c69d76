"""Functions for traced scalars and arrays of them, which NumPy itself cannot handle, by NumPy's names."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Sequence
from numbers import Real

import numpy as np
from numpy.typing import ArrayLike

from armdyn.base.scalars import Scalar
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


def _equal(a: Scalar, b: Scalar) -> Scalar:
    return less_equal(a, b) * less_equal(b, a)


def _not_equal(a: Scalar, b: Scalar) -> Scalar:
    return 1.0 - _equal(a, b)


def _and(a: Scalar, b: Scalar) -> Scalar:
    return _not_equal(a, 0.0) * _not_equal(b, 0.0)


def _or(a: Scalar, b: Scalar) -> Scalar:
    return maximum(_not_equal(a, 0.0), _not_equal(b, 0.0))


def _not(a: Scalar) -> Scalar:
    return _equal(a, 0.0)


def _xor(a: Scalar, b: Scalar) -> Scalar:
    return abs(_not_equal(a, 0.0) - _not_equal(b, 0.0))


def _clip(a: Scalar, a_min: Scalar = None, a_max: Scalar = None, *, min: Scalar = None, max: Scalar = None) -> Scalar:
    low, high = (a_min if min is None else min), (a_max if max is None else max)
    above = a if low is None else maximum(a, low)
    return above if high is None else minimum(above, high)


def _hypot(a: Scalar, b: Scalar) -> Scalar:
    return each(np.sqrt, a * a + b * b)


def _heaviside(x: Scalar, at_zero: Scalar) -> Scalar:
    return select(less(x, 0.0), 0.0, select(less(0.0, x), 1.0, select(_equal(x, 0.0), at_zero, x)))


def _copysign(size: Scalar, of: Scalar) -> Scalar:
    return abs(size) * select(less(of, 0.0), -1.0, 1.0)


def _ceil(x: Scalar) -> Scalar:
    return -each(np.floor, -x)


def _trunc(x: Scalar) -> Scalar:
    return select(less(x, 0.0), _ceil(x), each(np.floor, x))


def _round(a: Scalar, decimals: int = 0) -> Scalar:
    """Round as NumPy does, to the nearest number of this many decimals, of two the even one."""
    scale = 10.0**decimals
    return each(np.rint, a * scale) / scale if decimals else each(np.rint, a)


def _fmod(a: Scalar, b: Scalar) -> Scalar:
    """The remainder of a's sign."""
    return abs(a) % abs(b) * select(less(a, 0.0), -1.0, 1.0)


def _interp(x: Scalar, xp: ArrayLike, fp: ArrayLike, left: float | None = None, right: float | None = None) -> Scalar:
    """Linear interpolation between points, constant beyond them."""
    at: Array = np.asarray(xp, dtype=float)
    values: Array = np.asarray(fp, dtype=float)
    if at.ndim != 1 or at.shape != values.shape or not (np.diff(at) > 0.0).all():
        raise ValueError("np.interp of a traced x needs xp that rises and as many fp, both numbers")
    result = select(less(at[-1], x), values[-1] if right is None else right, values[-1])
    for k in reversed(range(len(at) - 1)):
        slope = (values[k + 1] - values[k]) / (at[k + 1] - at[k])
        result = select(less(x, at[k + 1]), values[k] + slope * (x - at[k]), result)
    result = select(less(x, at[0]), values[0] if left is None else left, result)
    return select(_equal(x, x), result, x)  # NaN stays


def _is_nan(x: Scalar) -> Scalar:
    return 1.0 - less_equal(x, x)


def _is_finite(x: Scalar) -> Scalar:
    return less(abs(x), math.inf)


def _is_infinite(x: Scalar) -> Scalar:
    return _equal(abs(x), math.inf)


def _nan_to_num(
    x: Scalar, copy: bool = True, nan: float = 0.0, posinf: float | None = None, neginf: float | None = None
) -> Scalar:
    """Replace NaN and infinity by numbers; always in a copy."""
    if not copy:
        raise ValueError("np.nan_to_num of traced scalars makes a copy; leave copy=False out")
    most = np.finfo(float).max
    result = select(_equal(x, math.inf), most if posinf is None else posinf, x)
    result = select(_equal(x, -math.inf), -most if neginf is None else neginf, result)
    return select(less_equal(x, x), result, nan)


def _cosh(x: Scalar) -> Scalar:
    grown = each(np.exp, 0.5 * abs(x))  # its square may be beyond the floats when half of that is not
    return 0.5 * grown * grown + 0.5 / grown / grown


def _logarithm(base: float) -> Callable[[Scalar], Scalar]:
    """The logarithm to a base, a whole number for a whole power of it."""

    def logarithm(x: Scalar) -> Scalar:
        y = each(np.log, x) / math.log(base)
        nearest = each(np.rint, y)
        power = each(lambda r: base**r, nearest)
        return select(less_equal(abs(power - x), OF_POWER * x), nearest, y)

    return logarithm


OF_POWER = 1e-15
"""If a number is relatively nearer to a power of the base than this, its logarithm is that whole number."""


def _sinh(x: Scalar) -> Scalar:
    return each(np.tanh, x) * _cosh(x)


def _select(conditions: Sequence[Scalar], choices: Sequence[Scalar], default: Scalar = 0.0) -> Scalar:
    """The choice of the first condition that holds."""
    result = default
    for condition, choice in zip(reversed(conditions), reversed(choices), strict=True):
        result = select(condition, choice, result)
    return result


def each(function: Callable[[Scalar], Scalar], values: Scalar) -> Scalar:
    """A function of one number applied to each of several, traced scalars and numbers side by side."""
    arguments = np.asarray(values)
    result = np.empty(arguments.shape, dtype=object)
    for index in np.ndindex(arguments.shape):
        one: Scalar = arguments[index]
        result[index] = function(float(one) if isinstance(one, Real) else one)
    return result if result.shape else result[()]


def fold(function: Callable[[Scalar, Scalar], Scalar]) -> Callable[..., Scalar]:
    """A function of two numbers on all elements, or on those along an axis."""

    def folded(a: Scalar, axis: int | None = None) -> Scalar:
        array = np.asarray(a)
        rows = array.ravel() if axis is None else np.moveaxis(array, axis, 0)
        return functools.reduce(function, rows)

    return folded


DEGREE = math.pi / 180.0

FUNCTIONS: dict[str, Callable[..., Scalar]] = {
    "sign": sign,
    "maximum": maximum,
    "minimum": minimum,
    "any": fold(_or),
    "all": fold(_and),
    "select": _select,
    "fabs": abs,
    **dict.fromkeys(("max", "amax"), fold(maximum)),
    **dict.fromkeys(("min", "amin"), fold(minimum)),
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
    **dict.fromkeys(("logical_xor", "bitwise_xor"), _xor),
    **dict.fromkeys(("logical_not", "invert"), _not),
    "ceil": _ceil,
    "trunc": _trunc,
    "round": _round,
    "fmod": _fmod,
    "interp": _interp,
    "isnan": _is_nan,
    "isfinite": _is_finite,
    "isinf": _is_infinite,
    "nan_to_num": _nan_to_num,
    "log10": _logarithm(10.0),
    "log2": _logarithm(2.0),
    "cosh": _cosh,
    "sinh": _sinh,
    "square": lambda x: x * x,
    **dict.fromkeys(("deg2rad", "radians"), lambda x: x * DEGREE),
    **dict.fromkeys(("rad2deg", "degrees"), lambda x: x / DEGREE),
}
"""Functions by the names of NumPy; each takes an argument that is traced, and others of any kind."""
