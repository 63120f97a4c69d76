"""The inertia of a body along a line, cut into slices across the line that together are the body.

Only mass, centre and tensor of the body are known. Along the line x from 0 to L its mass is assumed to have a beta
distribution with the same centre and the same second moment; a uniform beam is the one with a = b = 1. Across the line
the centres of the slices lie on the straight line y(x), z(x) that gives the body's products of inertia, and each slice
has the share of the remaining second moments that it has of the mass. So the slices add up to the body, for any body.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from scipy.special import betainc

from armdyn.base.errors import ModelError
from armdyn.model.inertia import Inertia
from armdyn.spatial.rotations import Array

SAME_POINT = 1e-12
"""A spread of mass along the line, relative to L^2, below which all of it is at one point."""


def slices(inertia: Inertia, start: Array, axes: Array, length: float, cuts: Sequence[float]) -> list[Inertia]:
    """The slices of a body between cuts, in the frame of the body.

    Args:
        inertia: of the body.
        start: the point x = 0, m, shape (3,).
        axes: unit vectors along x, y and z as columns, shape (3, 3).
        length: of the beam, L, m.
        cuts: places between 0 and L, rising, m.

    Raises:
        ModelError: a body whose mass does not lie between 0 and L.
    """
    if inertia.mass == 0.0:
        return [Inertia() for _ in range(len(cuts) + 1)]
    com = axes.T @ (inertia.com - start)
    spread = axes.T @ inertia.second_moment @ axes / inertia.mass
    shares, means, squares = _moments(com[0], spread[0, 0], length, cuts)
    slope = spread[0] / spread[0, 0] if spread[0, 0] > SAME_POINT * length**2 else np.zeros(3)
    rest = spread - np.outer(slope, spread[0])  # across the line
    parts = []
    for share, mean, square in zip(shares, means, squares, strict=True):
        centre = com + slope * (mean - com[0])
        centre[0] = mean
        along = np.array([1.0, slope[1], slope[2]])
        second = max(square - mean * mean, 0.0) * np.outer(along, along) + rest
        mass = inertia.mass * share
        S = mass * (axes @ second @ axes.T)
        parts.append(Inertia(mass, start + axes @ centre, np.trace(S) * np.eye(3) - S))
    return parts


def _moments(mean: float, variance: float, length: float, cuts: Sequence[float]) -> tuple[Array, Array, Array]:
    """The share of the mass of each slice, its mean of x and of x^2, m and m^2."""
    edges = np.array([0.0, *cuts, length])
    if variance <= SAME_POINT * length**2:
        if not 0.0 <= mean <= length:
            raise ModelError(_outside(mean, variance, length))
        place = min(int(np.searchsorted(edges, mean, side="right")) - 1, len(edges) - 2)
        shares = np.zeros(len(edges) - 1)
        shares[place] = 1.0
        return shares, np.where(shares, mean, edges[:-1]), np.where(shares, mean**2 + variance, edges[:-1] ** 2)
    m, v = mean / length, variance / length**2
    if not (0.0 < m < 1.0 and v < m * (1.0 - m)):
        raise ModelError(_outside(mean, variance, length))
    common = m * (1.0 - m) / v - 1.0
    a, b = m * common, (1.0 - m) * common
    of_mass, of_first, of_second = (np.diff(betainc(a + k, b, edges / length)) for k in range(3))
    first, second = m, m * (a + 1.0) / (a + b + 1.0)
    divisor = np.maximum(of_mass, np.finfo(float).tiny)
    return of_mass, length * first * of_first / divisor, length**2 * second * of_second / divisor


def _outside(mean: float, variance: float, length: float) -> str:
    return (
        f"its mass does not lie along the beam, from 0 to {length:g} m: the centre is at {mean:g} m and the radius of "
        f"gyration about it {math.sqrt(max(variance, 0.0)):g} m"
    )
