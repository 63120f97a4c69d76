"""Functions that NumPy cannot apply to traced scalars, for numbers, arrays and `Expr`."""

from __future__ import annotations

import numpy as np

from armdyn.base.scalars import Scalar
from armdyn.program.expr import Expr
from armdyn.program.operations import OPERATIONS


def _elementwise(name: str, *arguments: Scalar) -> Scalar:
    """Apply an operation element by element; the results are traced if any element is an `Expr`."""
    values = [np.asarray(a) for a in arguments]
    if all(a.dtype != object for a in values):
        return OPERATIONS[name].evaluate(*(a if a.dtype.kind == "f" else a.astype(float) for a in values))
    arrays = np.broadcast_arrays(*values)
    results = np.empty(arrays[0].shape, dtype=object)
    for index in np.ndindex(arrays[0].shape):
        results[index] = applied(name, *(a[index] for a in arrays))
    return results if results.shape else results[()]


def applied(name: str, *scalars: Scalar) -> Scalar:
    """The result of an operation on scalars, traced if any of them is an `Expr`."""
    graph = next((s.graph for s in scalars if isinstance(s, Expr)), None)
    if graph is None:
        return OPERATIONS[name].evaluate(*scalars)
    anchor = Expr(graph, 0)
    return Expr(graph, graph.apply(name, *(anchor._index_of(s) for s in scalars)))  # type: ignore[arg-type]


def select(condition: Scalar, if_true: Scalar, if_false: Scalar) -> Scalar:
    """``if_true`` if ``condition`` holds, else ``if_false``; both are evaluated.

    Args:
        condition: 1 or 0, true or false, or of `less` and the like, of any shape.
        if_true: numbers, of a shape that broadcasts with the others.
        if_false: likewise.

    >>> float(select(2.0 < 3.0, 1.0, -1.0))
    1.0
    """
    return _elementwise("select", condition, if_true, if_false)


def minimum(a: Scalar, b: Scalar) -> Scalar:
    """The smaller of a and b; NaN if either is NaN.

    >>> float(minimum(2.0, -1.0))
    -1.0
    """
    return _elementwise("min", a, b)


def maximum(a: Scalar, b: Scalar) -> Scalar:
    """The larger of a and b; NaN if either is NaN.

    >>> float(maximum(2.0, -1.0))
    2.0
    """
    return _elementwise("max", a, b)


def clip(x: Scalar, low: Scalar, high: Scalar) -> Scalar:
    """x limited to the interval from ``low`` to ``high``.

    >>> float(clip(7.0, -5.0, 5.0))
    5.0
    """
    return minimum(maximum(x, low), high)


def sign(x: Scalar) -> Scalar:
    """-1, 0 or 1, the sign of x.

    >>> float(sign(-3.0))
    -1.0
    """
    return _elementwise("sign", x)


def less(a: Scalar, b: Scalar) -> Scalar:
    """1 if a < b, else 0, of each element: comparison of arrays, whose ``<`` is not traced.

    NumPy makes booleans of the results of ``<`` between arrays of traced scalars, which have no value yet. Two traced
    scalars are compared by ``<`` too.

    Args:
        a: numbers or traced scalars, of any shape.
        b: likewise, of a shape that broadcasts with that of a.

    >>> less(np.array([1.0, 5.0]), 2.0)
    array([1., 0.])
    """
    return _elementwise("less", a, b)


def less_equal(a: Scalar, b: Scalar) -> Scalar:
    """1 if a <= b, else 0, of each element; arrays are compared by it in place of ``<=``, see `less`.

    Args:
        a: numbers or traced scalars, of any shape.
        b: likewise, of a shape that broadcasts with that of a.

    >>> less_equal(np.array([2.0, 5.0]), 2.0)
    array([1., 0.])
    """
    return _elementwise("less_equal", a, b)


def greater(a: Scalar, b: Scalar) -> Scalar:
    """1 if a > b, else 0, of each element; arrays are compared by it in place of ``>``, see `less`.

    Args:
        a: numbers or traced scalars, of any shape.
        b: likewise, of a shape that broadcasts with that of a.

    >>> greater(np.array([1.0, 5.0]), 2.0)
    array([0., 1.])
    """
    return less(b, a)


def greater_equal(a: Scalar, b: Scalar) -> Scalar:
    """1 if a >= b, else 0, of each element; arrays are compared by it in place of ``>=``, see `less`.

    Args:
        a: numbers or traced scalars, of any shape.
        b: likewise, of a shape that broadcasts with that of a.

    >>> greater_equal(np.array([2.0, 1.0]), 2.0)
    array([1., 0.])
    """
    return less_equal(b, a)


def arctan2(y: Scalar, x: Scalar) -> Scalar:
    """The angle of the point (x, y), rad; ``np.arctan2`` traces it only if y is traced.

    >>> float(arctan2(1.0, 1.0))
    0.7853981633974483
    """
    return _elementwise("atan2", y, x)
