"""Surfaces with fewer triangles, within a bound of work: vertex clustering with error quadrics.

Corners in one cell of a grid become one corner: the point of the cell nearest to the planes of the triangles around it
and to the open edges, in least squares (Lindstrom 2000, "Out-of-core simplification of large polygonal models"). So
caps, rims and edges keep their positions, whereas the mean of the corners would shrink every part and open gaps between
parts.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from armdyn.plots.solids import box
from armdyn.spatial.rotations import Array

ROUNDS = 6
"""Largest number of grids tried; a surface needs two or three; triangles that form none are replaced by their box."""

FLATTEST = 1e-3
"""Directions with an eigenvalue below this fraction of the largest of a cell use the mean of the corners."""

LEAST = 0.8
"""Least fraction of the size of a surface along an axis that must remain after thinning."""

_STEPS = 2**20
"""Number of steps across a surface; corners in one step coincide. Three step numbers fit into a 64-bit integer."""


class Thinned(NamedTuple):
    """Triangles, shape (k, 3, 3), and the indices of the original ones; None for a box around all."""

    triangles: Array
    indices: Array | None


def thinned(triangles: Array, most: int) -> Thinned:
    """A surface with ``most`` triangles at most, by vertex clustering; its bounding box if no grid gives so few.

    Args:
        triangles: triangles, shape (k, 3, 3).
        most: largest number of triangles of the result; a box has 12.

    >>> fine = np.random.default_rng(0).uniform(size=(5000, 3, 3))
    >>> len(thinned(fine, 1000).triangles) <= 1000
    True
    """
    if len(triangles) <= most:
        return Thinned(triangles, np.arange(len(triangles)))
    cells = max(int(np.sqrt(most / 2.0)), 2)  # a closed surface crosses more cells than one of its box's sides
    for _ in range(ROUNDS):
        coarse, indices = clustered(triangles, cells)
        if len(coarse) <= most:
            break
        cells = max(int(cells * min(np.sqrt(most / len(coarse)), 0.85)), 2)  # triangles grow with the square of cells
    if len(coarse) <= most and _as_large(coarse, triangles):
        return Thinned(coarse, indices)
    return Thinned(box_around(triangles), None)


def _as_large(coarse: Array, triangles: Array) -> bool:
    """Return True if a thinned surface extends about as far as the original one; otherwise it is a remnant."""
    if not len(coarse):
        return False
    sizes = [np.ptp(each.reshape(-1, 3), axis=0) for each in (coarse, triangles)]
    return bool((sizes[0] >= LEAST * sizes[1] - 0.02 * sizes[1].max()).all())


def box_around(points: Array) -> Array:
    """The box of points, with sides along the axes, as 12 triangles, shape (12, 3, 3)."""
    corners = points.reshape(-1, 3)
    low, high = corners.min(axis=0), corners.max(axis=0)
    result: Array = box((1.0, 1.0, 1.0)) * (high - low) + 0.5 * (low + high)
    return result


def clustered(triangles: Array, cells: int) -> tuple[Array, Array]:
    """Triangles with corners in three cells of a grid, each corner at the best point of its cell, and their indices.

    Args:
        triangles: triangles, shape (k, 3, 3).
        cells: number of cells along the longest side of their box.
    """
    corners = triangles.reshape(-1, 3)
    low, size = corners.min(axis=0), max(float(np.ptp(corners, axis=0).max()), 1e-300)
    places = np.minimum(((corners - low) * (cells / size)).astype(np.int64), cells - 1)
    keys, selection = np.unique(_key(places, cells), return_inverse=True)
    selection = selection.reshape(-1)
    points = _best_points(triangles, selection, len(keys))
    lower = np.stack([keys // cells**2, keys // cells % cells, keys % cells], axis=-1) * (size / cells) + low
    points = np.clip(points, lower, lower + size / cells)
    faces = selection.reshape(-1, 3)
    whole = np.flatnonzero((faces != np.roll(faces, 1, axis=1)).all(axis=1))
    _, first = np.unique(_key(np.sort(faces[whole], axis=1), len(keys)), return_index=True)
    remaining = whole[np.sort(first)]
    return points[faces[remaining]], remaining


def _key(rows: Array, base: int) -> Array:
    """One integer that encodes three integers below ``base``."""
    key: Array = (rows[:, 0] * base + rows[:, 1]) * base + rows[:, 2]
    return key


def _best_points(triangles: Array, selection: Array, count: int) -> Array:
    """The point of each cell with the least squares of distances to planes: sum w n n^T x = sum w n (n . p)."""
    sums = np.bincount(selection, minlength=count)
    corners = triangles.reshape(-1, 3)
    mean = np.stack([np.bincount(selection, corners[:, k], count) for k in range(3)], axis=-1) / sums[:, None]
    cross = np.cross(triangles[:, 1] - triangles[:, 0], triangles[:, 2] - triangles[:, 0])
    length = np.linalg.norm(cross, axis=1)
    normals = np.divide(cross, length[:, None], out=np.zeros_like(cross), where=length[:, None] > 0.0)
    A, b = np.zeros((count, 3, 3)), np.zeros((count, 3))
    _add_planes(A, b, selection, np.repeat(normals, 3, axis=0), np.repeat(length, 3), corners - mean[selection])
    _add_open_edges(A, b, triangles, normals, selection, mean)
    values, vectors = np.linalg.eigh(A)
    significant = values > FLATTEST * np.maximum(values[:, -1:], 1e-300)
    along = np.einsum("kij,ki->kj", vectors, b)
    along = np.divide(along, values, out=np.zeros_like(along), where=significant)
    best: Array = mean + np.einsum("kij,kj->ki", vectors, along)
    return best


def _add_planes(A: Array, b: Array, selection: Array, normals: Array, weights: Array, points: Array) -> None:
    """Add planes through points, which are relative to the mean of their cell, to the equations of the cells."""
    heights = weights * np.einsum("ki,ki->k", normals, points)
    for i in range(3):
        b[:, i] += np.bincount(selection, heights * normals[:, i], len(b))
        for j in range(i, 3):
            entry = np.bincount(selection, weights * normals[:, i] * normals[:, j], len(b))
            A[:, i, j] += entry
            A[:, j, i] += entry if i != j else 0.0


def _add_open_edges(A: Array, b: Array, triangles: Array, normals: Array, selection: Array, mean: Array) -> None:
    """Add planes through the edges of only one triangle, perpendicular to it, which keep a rim in position."""
    corners = triangles.reshape(-1, 3)
    low, size = corners.min(axis=0), max(float(np.ptp(corners, axis=0).max()), 1e-300)
    _, vertex = np.unique(_key(((corners - low) * ((_STEPS - 1) / size)).astype(np.int64), _STEPS), return_inverse=True)
    first = np.arange(len(corners))
    second = first.reshape(-1, 3)[:, [1, 2, 0]].reshape(-1)
    ends = np.sort(np.stack([vertex.reshape(-1)[first], vertex.reshape(-1)[second]], axis=-1), axis=1)
    _, place, times = np.unique(ends[:, 0] * len(corners) + ends[:, 1], return_index=True, return_counts=True)
    alone = place[times == 1]
    along = corners[second[alone]] - corners[alone]
    across = np.cross(along, normals[alone // 3])
    length = np.linalg.norm(across, axis=1)
    across = np.divide(across, length[:, None], out=np.zeros_like(across), where=length[:, None] > 0.0)
    for end in (alone, second[alone]):
        _add_planes(A, b, selection[end], across, length**2, corners[end] - mean[selection[end]])
