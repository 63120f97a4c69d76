"""Derivatives of functions in 50 digits by central differences over steps so small that their error is below them."""

from collections.abc import Callable

import numpy as np
from mpmath import mp, mpf

mp.dps = 50
STEP = mpf(10) ** -20
"""The error of a first difference is its square, 1e-40, and the rounding 1e-50 over it, 1e-30."""

LARGER_STEP = mpf(10) ** -12
"""Of second differences: error 1e-24, rounding 1e-50 over the square, 1e-26."""


def first(f: Callable, x: np.ndarray) -> np.ndarray:
    """df/dx as floats, shape (*f(x).shape, *x.shape), of a function of an array of mpf."""
    columns = []
    for e in units(np.shape(x)):
        columns.append((np.asarray(f(moved(x, e, STEP))) - np.asarray(f(moved(x, e, -STEP)))) / (2 * STEP))
    return gathered(columns, np.shape(x))


def second(f: Callable, x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """d2f/dx dy as floats, shape (*f(x, y).shape, *x.shape, *y.shape), of a function of two arrays of mpf."""
    rows = []
    h = LARGER_STEP
    for e in units(np.shape(x)):
        columns = []
        for d in units(np.shape(y)):
            corners = [s * t * np.asarray(f(moved(x, e, s * h), moved(y, d, t * h))) for s in (1, -1) for t in (1, -1)]
            columns.append(sum(corners) / (4 * h * h))
        rows.append(gathered(columns, np.shape(y)))
    stacked = np.array(rows)  # x first; it belongs behind the result's own axes
    axes_of_y = len(np.shape(y))
    return np.moveaxis(stacked, 0, stacked.ndim - axes_of_y - 1)


def units(shape: tuple[int, ...]) -> list[np.ndarray]:
    """An array of zeros with one 1, for every place."""
    return list(np.eye(int(np.prod(shape))).reshape(-1, *shape))


def moved(x: np.ndarray, e: np.ndarray, by: mpf) -> np.ndarray:
    """x + by e, exactly."""
    return np.vectorize(lambda a, b: mpf(a) + by * int(b), otypes=[object])(x, e)[()]


def gathered(columns: list[np.ndarray], shape: tuple[int, ...]) -> np.ndarray:
    """The differences, one for each element of x, as floats with the axes of x last."""
    array = np.array([np.vectorize(float, otypes=[float])(c) for c in columns])
    return np.moveaxis(array, 0, -1).reshape(*array.shape[1:], *shape)
