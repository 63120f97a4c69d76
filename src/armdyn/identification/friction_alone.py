"""Friction and armature alone, with the bodies of the description: a fit of the bodies must have smaller errors."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

import numpy as np

from armdyn.identification.design import Parameters
from armdyn.identification.factors import JointFactor, triangle_of
from armdyn.spatial.rotations import Array


def friction_alone(factors: Sequence[JointFactor], parameters: Parameters, bodies: Array, deviations: Array) -> Array:
    """All parameters: the bodies' as given, those of joints by least squares, for each joint by itself.

    Joints whose motors are coupled are fitted together.

    Args:
        factors: of the rows of each joint.
        parameters: of the regression.
        bodies: parameters of the bodies, which stay.
        deviations: of each joint's residual.
    """
    rank, n = len(parameters.base.independent), parameters.robot.dof
    base = parameters.base.matrix @ bodies
    own = np.zeros(len(parameters.of_joints) * n)
    rules = parameters.not_negative[len(parameters.standard) :]
    for joints in _groups(parameters):
        places = np.unique(np.concatenate([parameters.of_row[j] for j in joints]))
        places = places[places >= rank] - rank
        rows, right = [], []
        for j in joints:
            triangle, of_row = factors[j].triangle / deviations[j], parameters.of_row[j]
            block = np.zeros((len(triangle), len(own)))
            block[:, of_row[of_row >= rank] - rank] = triangle[:, :-1][:, of_row >= rank]
            rows.append(block[:, places])
            right.append(triangle[:, -1] - triangle[:, :-1][:, of_row < rank] @ base[of_row[of_row < rank]])
        gain = [] if parameters.gain_spread is None else [NO_GAIN]
        spread = 1.0 / np.repeat([*(term.spread for term in parameters.terms), *gain], n)
        rows.append(np.diag(np.concatenate([np.zeros(len(own) - len(spread)), spread]))[:, places])
        right.append(np.zeros(len(own)))
        own[places] = bounded_least_squares(np.vstack(rows), np.concatenate(right), rules[places])
    return np.concatenate([bodies, own])


NO_GAIN = 1e-12
"""The spread of gains with friction alone: they stay as they are stated."""


def _groups(parameters: Parameters) -> list[list[int]]:
    """Joints that share motors, directly or by others."""
    n = parameters.robot.dof
    if parameters.coupling is None:
        return [[j] for j in range(n)]
    linked = (parameters.coupling != 0.0).astype(int)
    linked = np.linalg.matrix_power(linked @ linked.T + linked.T @ linked + np.eye(n, dtype=int), n) > 0
    return [list(group) for group in dict.fromkeys(tuple(np.flatnonzero(row).tolist()) for row in linked)]


MOST_TRIED = 5
"""Parameters with bounds of which every active set is tried; more are left to SciPy."""


def bounded_least_squares(A: Array, y: Array, not_negative: Array) -> Array:
    """The least squares solution with some parameters not below zero."""
    scale = np.linalg.norm(A, axis=0)
    scale[scale == 0.0] = 1.0
    places = np.flatnonzero(not_negative)
    if len(places) > MOST_TRIED:
        from scipy.optimize import lsq_linear  # noqa: PLC0415 - slow to import

        bounds = np.where(not_negative, 0.0, -np.inf), np.full(A.shape[1], np.inf)
        return np.asarray(lsq_linear(A / scale, y, bounds, method="bvls", tol=1e-12).x / scale)
    best, least = np.zeros(A.shape[1]), np.inf
    triangle = triangle_of(np.column_stack([A / scale, y]))  # |A x - y| of all x, in fewer rows
    A, y = triangle[:, :-1], triangle[:, -1]
    for count in range(len(places) + 1):
        for at_zero in combinations(places, count):
            free = np.ones(A.shape[1], dtype=bool)
            free[list(at_zero)] = False
            x = np.zeros(A.shape[1])
            x[free] = np.linalg.lstsq(A[:, free], y, rcond=1e-10)[0]
            if (x[places] < -1e-12 * np.abs(x).max(initial=0.0)).any():
                continue
            x[places] = np.maximum(x[places], 0.0)
            cost = float(np.sum((A @ x - y) ** 2))
            if cost < least:
                best, least = x, cost
        if count == 0 and least < np.inf:
            break  # without any at its bound: nothing is smaller
    return np.asarray(best / scale)
