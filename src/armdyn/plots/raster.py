"""Hidden surfaces by a depth buffer: the nearest triangle at each pixel, with array operations only.

Each triangle is cut into the rows of pixel centres that it covers, each row into pixels, and each pixel keeps the
nearest depth (Catmull 1974). Triangles that share an edge leave no gap and overlap in no pixel, because the edge
crosses a row at one number for both. Sorting triangles by their mean depth, as Matplotlib does, draws hidden triangles
over visible ones.
"""

from __future__ import annotations

import numpy as np

from armdyn.spatial.rotations import Array

PIECE = 2_000_000
"""Largest number of pixels of triangles that are handled at once, a bound on memory."""

STEPS = 2.0**31 - 1.0
"""Number of distinguishable depths between the nearest and the farthest corner."""

NOTHING = -1
"""Index of the triangle of pixels that no triangle covers."""


def nearest(corners: Array, depths: Array, width: int, height: int) -> tuple[Array, Array]:
    """The index of the nearest triangle at each pixel, shape (height, width), and its depth, infinite without one.

    Args:
        corners: corners of triangles, pixels from the lower left corner of the picture, shape (k, 3, 2).
        depths: depth of each corner, affine across each triangle, larger is farther, shape (k, 3).
        width: width of the picture, pixels.
        height: height of the picture, pixels.

    >>> square = np.array([[[0.0, 0.0], [4.0, 0.0], [4.0, 4.0]], [[0.0, 0.0], [4.0, 4.0], [0.0, 4.0]]])
    >>> nearest(square, np.zeros((2, 3)), 5, 4)[0]
    array([[ 0,  0,  0,  0, -1],
           [ 1,  0,  0,  0, -1],
           [ 1,  1,  0,  0, -1],
           [ 1,  1,  1,  0, -1]])
    """
    finite = np.isfinite(corners).all(axis=(1, 2)) & np.isfinite(depths).all(axis=1)
    own = np.flatnonzero(finite)
    corners, depths = corners[own], depths[own]
    low, span = (float(depths.min()), float(np.ptp(depths))) if len(own) else (0.0, 1.0)
    span = span if span > 0.0 else 1.0
    planes = _planes(corners, (depths - low) / span)
    triangle, y, begin, end = _rows(corners, height)
    first = np.clip(np.ceil(begin - 0.5), 0, width).astype(np.int64)
    counts = np.clip(np.ceil(end - 0.5), 0, width).astype(np.int64) - first
    keep = counts > 0
    triangle, y, first, counts = triangle[keep], y[keep], first[keep], counts[keep]
    keys = np.zeros(width * height, dtype=np.uint64)
    ends = np.cumsum(counts)
    start = 0
    while start < len(counts):
        done = ends[start - 1] if start else 0
        stop = max(int(np.searchsorted(ends, done + PIECE)), start + 1)
        row = np.repeat(np.arange(start, stop), counts[start:stop])
        x = (
            first[row]
            + np.arange(len(row))
            - np.repeat(ends[start:stop] - counts[start:stop] - done, counts[start:stop])
        )
        a, b, c = planes[triangle[row]].T
        depth = np.clip(a * (x + 0.5) + b * (y[row] + 0.5) + c, 0.0, 1.0)
        nearness = (STEPS * (1.0 - depth)).astype(np.uint64) + np.uint64(1)
        np.maximum.at(keys, y[row] * width + x, (nearness << np.uint64(32)) | triangle[row].astype(np.uint64))
        start = stop
    covered = keys > 0
    index = np.full(width * height, NOTHING)
    index[covered] = own[(keys[covered] & np.uint64(0xFFFFFFFF)).astype(np.int64)]
    far = np.full(width * height, np.inf)
    far[covered] = low + span * (1.0 - ((keys[covered] >> np.uint64(32)) - np.uint64(1)) / STEPS)
    return index.reshape(height, width), far.reshape(height, width)


def _planes(corners: Array, depths: Array) -> Array:
    """The depth of each triangle as a x + b y + c, shape (k, 3); constant for a triangle seen from its edge."""
    (x1, y1), (x2, y2) = (corners[:, 1] - corners[:, 0]).T, (corners[:, 2] - corners[:, 0]).T
    d1, d2 = depths[:, 1] - depths[:, 0], depths[:, 2] - depths[:, 0]
    area = x1 * y2 - x2 * y1
    inverse = np.divide(1.0, area, out=np.zeros_like(area), where=np.abs(area) > 1e-9)
    a, b = (d1 * y2 - d2 * y1) * inverse, (d2 * x1 - d1 * x2) * inverse
    return np.column_stack([a, b, depths[:, 0] - a * corners[:, 0, 0] - b * corners[:, 0, 1]])


def _rows(corners: Array, height: int) -> tuple[Array, Array, Array, Array]:
    """The rows of all triangles: index of the triangle, number of the row, and the range of x in the row."""
    low, high = corners[..., 1].min(axis=1), corners[..., 1].max(axis=1)
    first = np.clip(np.ceil(low - 0.5), 0, height).astype(np.int64)
    counts = np.maximum(np.clip(np.ceil(high - 0.5), 0, height).astype(np.int64) - first, 0)
    triangle = np.repeat(np.arange(len(corners)), counts)
    y = np.arange(len(triangle)) - np.repeat(np.cumsum(counts) - counts - first, counts)
    start, end = np.full(len(triangle), np.inf), np.full(len(triangle), -np.inf)
    for i, j in ((0, 1), (1, 2), (2, 0)):
        up = corners[:, i, 1] <= corners[:, j, 1]  # an edge from its lower end, the same for both triangles at it
        begin = np.where(up[:, None], corners[:, i], corners[:, j])
        way = np.where(up[:, None], corners[:, j], corners[:, i]) - begin
        slope = np.divide(way[:, 0], way[:, 1], out=np.zeros(len(way)), where=way[:, 1] > 0.0)
        height_in = y + 0.5 - begin[triangle, 1]
        x = begin[triangle, 0] + height_in * slope[triangle]
        cut = (height_in > 0.0) & (height_in <= way[triangle, 1])
        start = np.where(cut, np.minimum(start, x), start)
        end = np.where(cut, np.maximum(end, x), end)
    empty = start > end
    start[empty], end[empty] = 0.0, 0.0
    return triangle, y, start, end
