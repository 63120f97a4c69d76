"""Integrals over bodies by adaptive cubature: product rules in cells that are halved if two rules disagree.

The rules are Gauss and Lobatto's, with nodes at the corners too: a jump inside a cell lies between nodes, so that it is
detected. All cells of a round are evaluated together, and the integrand gets long arrays. (`scipy.integrate.cubature`
takes one box and halves one cell at a time in all directions, which is slow for the many tetrahedra of a mesh and for
jumps.)
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import NamedTuple

import numpy as np

from armdyn.inertia.regions import Coordinates, Region
from armdyn.spatial.rotations import Array

ROUGH = (5, 7)
"""Nodes per coordinate of the two rules for any integrand: exact for polynomials of degree 7 and 11 in each."""

SMOOTH = (8, 10)
"""Nodes per coordinate of the rules that are tried first, in few cells: of degree 13 and 17."""

AGREED = 1e-9
"""Relative error within which these must agree, for any allowed error: no jump does that by chance."""

FEW = 300_000
"""Largest number of points spent on the test for a smooth integrand."""

TOGETHER = 1 << 17
"""Points that are evaluated at once: their arrays stay in the cache of a core."""


class Integral(NamedTuple):
    """Integrals, shape (k,), an estimate of their errors, relative to the first, and the number of points evaluated."""

    values: Array
    error: float
    points: int


class Integrand(NamedTuple):
    """An integrand over a region, ``at`` its points (x, y, z), in the region's unit, and their content.

    It gives k numbers per point, shape (cells, k, points); ``scale`` is that of the k integrals relative to the first.
    """

    region: Region
    at: Callable[[Coordinates, Array], Array]
    scale: Array


class _Rule(NamedTuple):
    """Nodes of a coarse and a fine rule in the unit cube, shape (d, N), and weights, shape (N, 2 + d).

    The weights are those of the coarse rule, of the fine rule, and, along each coordinate, of the component of the
    highest degree that the fine rule's nodes resolve.
    """

    nodes: Array
    weights: Array


class _CellPlaces(NamedTuple):
    """Cells: the part of the region, the lowest corner and the size in its coordinates."""

    part: Array
    low: Array
    size: Array


class _Cells(NamedTuple):
    """Cells, and for each the fine rule's integrals, their error, and the coordinate along which it is roughest."""

    part: Array
    low: Array
    size: Array
    values: Array
    errors: Array
    roughest: Array

    @property
    def integrals(self) -> Array:
        integrals: Array = self.values.sum(axis=0)
        return integrals

    def some(self, selection: Array) -> _Cells:
        return _Cells(*(x[selection] for x in self))

    def joined(self, other: _Cells) -> _Cells:
        return _Cells(*(np.concatenate(both) for both in zip(self, other, strict=True)))


def integrate(integrand: Integrand, rtol: float, most: int) -> Integral:
    """The integrals with an estimated error of ``rtol`` times the first, or the result of ``most`` points.

    Cells are halved across the coordinate along which the integrand is roughest, the worst cells first.
    """
    first = _first_cells(integrand.region)
    smooth = _rule(len(integrand.region.grid), *SMOOTH)
    spent = len(first.part) * smooth.nodes.shape[1]
    if spent <= min(most, FEW):
        cells = _evaluated(integrand, smooth, first)
        error = float(cells.errors.sum())
        if error <= min(rtol, AGREED) * abs(cells.integrals[0]):
            return Integral(cells.integrals, error, spent)
    else:
        spent = 0
    return _refined(integrand, first, rtol, most, spent)


def _refined(integrand: Integrand, first: _CellPlaces, rtol: float, most: int, spent: int) -> Integral:
    """The integrals by halving cells, after ``spent`` points have been evaluated."""
    rule = _rule(len(integrand.region.grid), *ROUGH)
    a_cell = rule.nodes.shape[1]
    cells = _evaluated(integrand, rule, first)
    spent += len(first.part) * a_cell
    while True:
        integrals, error = cells.integrals, float(cells.errors.sum())
        allowed = rtol * abs(integrals[0])
        count = min(_worth_halving(cells.errors, allowed), (most - spent) // (2 * a_cell))
        if error <= allowed or count <= 0:
            return Integral(integrals, error, spent)
        order = np.argsort(-cells.errors, kind="stable")
        whole = cells.some(order[:count])
        halves = _doubted(_evaluated(integrand, rule, _halved(whole)), whole, integrand.scale)
        cells = cells.some(order[count:]).joined(halves)
        spent += 2 * count * a_cell


def _worth_halving(errors: Array, allowed: float) -> int:
    """The number of largest errors without which the others sum up to half of the allowed error."""
    remaining = errors.sum() - np.cumsum(np.sort(errors)[::-1])
    return min(int(np.searchsorted(-remaining, -allowed / 2)) + 1, len(errors))


def _first_cells(region: Region) -> _CellPlaces:
    corners = np.stack(np.meshgrid(*map(np.arange, region.grid), indexing="ij"), axis=-1).reshape(-1, len(region.grid))
    low = np.tile(corners / region.grid, (region.parts, 1))
    part = np.repeat(np.arange(region.parts), len(corners))
    return _CellPlaces(part, low, np.full_like(low, 1.0) / region.grid)


def _halved(cells: _Cells) -> _CellPlaces:
    """Each of these cells as two: all lower halves, then all upper ones."""
    row = np.arange(len(cells.part))
    size, upper = cells.size.copy(), cells.low.copy()
    size[row, cells.roughest] /= 2
    upper[row, cells.roughest] += size[row, cells.roughest]
    return _CellPlaces(np.tile(cells.part, 2), np.concatenate([cells.low, upper]), np.tile(size, (2, 1)))


def _doubted(halves: _Cells, whole: _Cells, scale: Array) -> _Cells:
    """The halves with their change of the integral added to their errors: two rules may agree and both be wrong."""
    lower, upper = np.split(halves.values, 2)
    change = (np.abs(lower + upper - whole.values) / scale).max(axis=1)
    return halves._replace(errors=halves.errors + np.tile(change, 2))


def _evaluated(integrand: Integrand, rule: _Rule, places: _CellPlaces) -> _Cells:
    step = max(1, TOGETHER // rule.nodes.shape[1])
    sums = []
    for start in range(0, len(places.part), step):
        part, low, size = (x[start : start + step] for x in places)
        u = low[:, :, None] + size[:, :, None] * rule.nodes
        points, content = integrand.region.at(part[:, None], tuple(np.moveaxis(u, 1, 0)))
        sums.append(integrand.at(points, content * size.prod(axis=1)[:, None]) @ rule.weights)
    whole = np.concatenate(sums)
    coarse, fine, rough = whole[..., 0], whole[..., 1], whole[..., 2:]
    errors = 2 * (np.abs(fine - coarse) / integrand.scale).max(axis=1)
    roughest = (np.abs(rough) / integrand.scale[:, None]).max(axis=1).argmax(axis=1)
    return _Cells(*places, fine, errors, roughest)


@cache
def _rule(dimension: int, coarse: int, fine: int) -> _Rule:
    (nodes, weights), (fine_nodes, fine_weights) = _lobatto(coarse), _lobatto(fine)
    all_nodes = [_product_nodes(nodes, dimension), _product_nodes(fine_nodes, dimension)]
    first = coarse**dimension
    sums = np.zeros((first + fine**dimension, 2 + dimension))
    sums[:first, 0] = _product_weights([weights] * dimension)
    sums[first:, 1] = _product_weights([fine_weights] * dimension)
    highest = fine_weights * np.polynomial.legendre.Legendre.basis(fine - 1)(2 * fine_nodes - 1)
    for axis in range(dimension):
        sums[first:, 2 + axis] = _product_weights([highest if k == axis else fine_weights for k in range(dimension)])
    return _Rule(np.concatenate(all_nodes, axis=1), sums)


def _lobatto(count: int) -> tuple[Array, Array]:
    """Gauss and Lobatto's rule between 0 and 1: both ends, and the extrema of the Legendre polynomial P."""
    P = np.polynomial.legendre.Legendre.basis(count - 1)
    nodes = np.concatenate([[-1.0], np.sort(P.deriv().roots()), [1.0]])
    return (nodes + 1) / 2, 1 / (count * (count - 1) * P(nodes) ** 2)


def _product_nodes(nodes: Array, dimension: int) -> Array:
    return np.stack(np.meshgrid(*[nodes] * dimension, indexing="ij")).reshape(dimension, -1)


def _product_weights(factors: list[Array]) -> Array:
    product = np.ones(1)
    for weights in factors:
        product = np.multiply.outer(product, weights).ravel()
    return product
