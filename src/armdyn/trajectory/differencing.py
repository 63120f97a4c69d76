"""Velocities and accelerations by finite differences of positions (Modern Robotics, exercise 8.14)."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from armdyn.base.errors import ShapeError
from armdyn.spatial.rotations import Array
from armdyn.trajectory.checks import MotionError, fixed, rising
from armdyn.trajectory.joint_path import JointStates


def differentiated(times: ArrayLike, positions: ArrayLike, *, order: int = 4) -> JointStates:
    """Joint motion q, qd, qdd, rad or m, rad/s or m/s, ..., shape (T, n), from positions at times by differences.

    They are the derivatives of the polynomial through the nearest samples: ``order + 1`` of them for velocities,
    ``order + 3`` for accelerations, as many before as after if there are enough, and the first or last ones at the ends
    (Fornberg 1988). The error falls with the ``order``-th power of the time between samples, at the ends and for uneven
    times too; the error of rounding grows with its inverse (velocities) and the square of that (accelerations).

    Args:
        times: s, rising, evenly spaced or not, shape (T,).
        positions: q at these times, rad or m, shape (T, n); angles run on beyond pi.
        order: of accuracy, even: 2, 4, 6 or 8.

    Raises:
        MotionError: fewer than order + 3 samples, or another order.

    >>> robot = armdyn.load("ur5")
    >>> t = np.linspace(0, 2, 101)
    >>> q = np.sin(t)[:, None] * np.ones(6)
    >>> motion = armdyn.trajectory.differentiated(t, q)
    >>> bool(abs(motion.qd - np.cos(t)[:, None]).max() < 1e-7)
    True
    >>> robot.inverse_dynamics(*motion).shape
    (101, 6)
    """
    t, q = rising(times), fixed("positions", positions, ("T", "n"))
    if len(q) != len(t):
        raise ShapeError(f"{len(q)} positions at {len(t)} times; expected one time for each")
    if order not in (2, 4, 6, 8):
        raise MotionError(f"order={order!r}; expected 2, 4, 6 or 8")
    if len(t) < order + 3:
        raise MotionError(f"{len(t)} samples; differences of order {order} need {order + 3} at least")
    return JointStates(q, _derivative(t, q, 1, order + 1), _derivative(t, q, 2, order + 3))


def _derivative(t: Array, q: Array, derivative: int, points: int) -> Array:
    """The derivative at every time, of the polynomial through the ``points`` samples around it."""
    first = np.clip(np.arange(len(t)) - points // 2, 0, len(t) - points)
    window = first[:, None] + np.arange(points)
    weights = difference_weights(t[window] - t[:, None], derivative)
    result: Array = np.einsum("tk,tkn->tn", weights, q[window] - q[:, None])  # less rounding: the weights sum to zero
    return result


def difference_weights(offsets: Array, derivative: int) -> Array:
    """Finite-difference weights at these offsets for a derivative at 0, for each row: shape (T, points) to (T, points).

    The Lagrange polynomials' Taylor coefficients, built up sample by sample (Fornberg 1988, "Generation of finite
    difference formulas on arbitrarily spaced grids").
    """
    rows, points = offsets.shape
    weights = np.zeros((rows, points, derivative + 1))  # [..., k, m]: of sample k in the m-th derivative
    weights[:, 0, 0] = 1.0
    c1, powers = np.ones(rows), np.arange(derivative + 1)
    for i in range(1, points):
        c2 = np.prod(offsets[:, i, None] - offsets[:, :i], axis=1)
        last = weights[:, i - 1].copy()
        for j in range(i):
            gap = offsets[:, i] - offsets[:, j]
            weights[:, j] = (offsets[:, i, None] * weights[:, j] - powers * _lower(weights[:, j])) / gap[:, None]
        weights[:, i] = (c1 / c2)[:, None] * (powers * _lower(last) - offsets[:, i - 1, None] * last)
        c1 = c2
    return weights[:, :, derivative]


def _lower(coefficients: Array) -> Array:
    """The coefficient of the next lower derivative; zero below the zeroth."""
    return np.concatenate([np.zeros((len(coefficients), 1)), coefficients[:, :-1]], axis=1)
