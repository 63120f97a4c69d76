"""Friction and armature alone, with the bodies of the description: what a fit of the bodies must be better than."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

import numpy as np

from armdyn.identification.design import Parameters
from armdyn.identification.factors import JointFactor
from armdyn.spatial.rotations import Array


def friction_alone(factors: Sequence[JointFactor], parameters: Parameters, bodies: Array) -> Array:
    """All parameters, with the bodies' as given and those of joints by least squares, joint by joint.

    Args:
        factors: of the rows of each joint.
        parameters: of the regression.
        bodies: parameters of the bodies, which stay.
    """
    count, n = len(parameters.standard), parameters.robot.dof
    rank = len(parameters.base.independent)
    base = parameters.base.matrix @ bodies
    x = np.concatenate([bodies, np.zeros(len(parameters.of_joints) * n)])
    rules = parameters.not_negative[count::n]
    for j, (factor, places) in enumerate(zip(factors, parameters.of_row, strict=True)):
        own = places >= rank
        triangle = factor.triangle
        rest = triangle[:, -1] - triangle[:, :-1][:, ~own] @ base[places[~own]]
        x[count + j :: n] = bounded_least_squares(triangle[:, :-1][:, own], rest, rules)
    return x


def bounded_least_squares(A: Array, y: Array, not_negative: Array) -> Array:
    """The least squares solution with some parameters not below zero, of few parameters: every active set is tried."""
    best, least = np.zeros(A.shape[1]), np.inf
    places = np.flatnonzero(not_negative)
    for count in range(len(places) + 1):
        for at_zero in combinations(places, count):
            free = np.setdiff1d(np.arange(A.shape[1]), at_zero)
            x = np.zeros(A.shape[1])
            if len(free):
                scale = np.linalg.norm(A[:, free], axis=0)
                scale[scale == 0.0] = 1.0
                x[free] = np.linalg.lstsq(A[:, free] / scale, y, rcond=1e-10)[0] / scale
            if (x[places] < -1e-12 * np.abs(x).max(initial=0.0)).any():
                continue
            x[places] = np.maximum(x[places], 0.0)
            cost = float(np.sum((A @ x - y) ** 2))
            if cost < least:
                best, least = x, cost
        if np.isfinite(least):
            break  # the fewest parameters at zero that meet the bounds: the cost is convex
    return best
