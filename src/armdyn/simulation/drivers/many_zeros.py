"""Zeros of many functions at once, each between two times at which its signs differ, by Chandrupatla's method."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from armdyn.spatial.rotations import Array

MOST_STEPS = 100

RESOLUTION = 5e-16
"""s: half of how far apart the times are between which a zero lies in the end."""


def zeros_between(f: Callable[[Array], Array], a: Array, b: Array, f_a: Array, f_b: Array) -> Array:
    """The times x between a and b with f(x) = 0, s, by inverse quadratic interpolation or halving.

    Chandrupatla (1997), A new hybrid quadratic/bisection algorithm for finding the zero of a nonlinear function without
    using derivatives. As Brent's, it never takes many more steps than halving does.

    Args:
        f: of all times at once.
        a: times, s.
        b: times after them.
        f_a: the values there.
        f_b: values of the other sign, or zero.

    >>> zeros_between(lambda x: x**2 - np.array([2.0, 9.0]), np.zeros(2), np.full(2, 4.0), -np.array([2, 9.0]),
    ...     np.array([14.0, 7.0])).round(12)
    array([1.41421356, 3.        ])
    """
    x_1, f_1, x_2, f_2 = b, f_b, a, f_a
    part, resolution = np.full(a.shape, 0.5), np.maximum(RESOLUTION, np.spacing(np.maximum(np.abs(a), np.abs(b))))
    for _ in range(MOST_STEPS):
        near = np.abs(f_1) <= np.abs(f_2)
        wide = np.abs(x_2 - x_1)
        done = (np.where(near, f_1, f_2) == 0.0) | (wide <= 2.0 * resolution)
        if done.all():
            break
        x = np.where(done, x_1, x_1 + part * (x_2 - x_1))
        f_x = np.where(done, f_1, f(x))
        same = np.sign(f_x) == np.sign(f_1)
        x_3, f_3 = np.where(same, x_1, x_2), np.where(same, f_1, f_2)
        x_2, f_2 = np.where(same & ~done, x_2, np.where(done, x_2, x_1)), np.where(same | done, f_2, f_1)
        x_1, f_1 = x, f_x
        part = _next_part(x_1, x_2, x_3, f_1, f_2, f_3, resolution)
    return np.where(np.abs(f_1) <= np.abs(f_2), x_1, x_2)


def _next_part(x_1: Array, x_2: Array, x_3: Array, f_1: Array, f_2: Array, f_3: Array, resolution: Array) -> Array:
    """Fraction of the way from x_1 to x_2: by inverse quadratic interpolation if that is monotone, else one half."""
    with np.errstate(all="ignore"):
        xi, phi = (x_1 - x_2) / (x_3 - x_2), (f_1 - f_2) / (f_3 - f_2)
        monotone = (phi**2 < xi) & ((1.0 - phi) ** 2 < 1.0 - xi)
        first = f_1 / (f_2 - f_1) * f_3 / (f_2 - f_3)
        inverse = first + (x_3 - x_1) / (x_2 - x_1) * f_1 / (f_3 - f_1) * f_2 / (f_3 - f_2)
        least = np.minimum(resolution / np.abs(x_2 - x_1), 0.5)
    return np.where(monotone, np.clip(inverse, least, 1.0 - least), 0.5)
