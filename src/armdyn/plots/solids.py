"""Simple solids as triangles about their own origin, m, shape (k, 3, 3)."""

from __future__ import annotations

import numpy as np

from armdyn.spatial.rotations import Array

ROUND = 20
"""Number of sides of a drawn circle."""


def apart(whole: Array, length: float) -> Array:
    """A ball whose halves are moved apart along z, with the surface that joins them."""
    corners = np.array(whole)
    upper = whole.mean(axis=1)[:, 2] > 0.0
    corners[..., 2] += np.where(upper, 0.5, -0.5)[:, None] * length
    tube = _around(np.full(2, np.abs(whole[..., 0]).max()), np.array([-0.5, 0.5]) * length)
    return np.concatenate([corners, tube])


def _grid(points: Array) -> Array:
    """The triangles between the points of a grid, shape (rows, columns, 3)."""
    a, b, c, d = points[:-1, :-1], points[1:, :-1], points[1:, 1:], points[:-1, 1:]
    both = np.stack([np.stack([a, b, c], axis=-2), np.stack([a, c, d], axis=-2)])
    return both.reshape(-1, 3, 3)


def _around(radii: Array, heights: Array) -> Array:
    """A surface of revolution about z."""
    angle = np.linspace(0.0, 2.0 * np.pi, ROUND + 1)
    ring = np.stack([np.cos(angle), np.sin(angle)], axis=-1)
    xy = radii[:, None, None] * ring
    z = np.broadcast_to(heights[:, None, None], (*xy.shape[:2], 1))
    return _grid(np.concatenate([xy, z], axis=-1))


def cylinder(radius: float, length: float) -> Array:
    """A closed cylinder along z about the origin."""
    half = length / 2.0
    return _around(np.array([0.0, radius, radius, 0.0]), np.array([-half, -half, half, half]))


def ball() -> Array:
    """A ball of radius 1."""
    latitude = np.linspace(-np.pi / 2.0, np.pi / 2.0, ROUND // 2 + 1)
    return _around(np.cos(latitude), np.sin(latitude))


def box(size: tuple[float, float, float]) -> Array:
    """A box about the origin."""
    scaled: Array = _BOX * (np.array(size) / 2.0)
    return scaled


def _unit_box() -> Array:
    faces = []
    square = np.array([[-1.0, -1.0], [1.0, -1.0], [1.0, 1.0], [-1.0, 1.0]])
    for axis in range(3):
        for side in (-1.0, 1.0):
            corners = np.insert(square, axis, side, axis=1)
            faces += [corners[[0, 1, 2]], corners[[0, 2, 3]]]
    return np.array(faces)


_BOX = _unit_box()
