"""The points of solids, thin bodies and meshes as functions of coordinates between 0 and 1, to integrate over."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from armdyn.base.errors import ModelError
from armdyn.base.scalars import Scalar
from armdyn.spatial.rotations import Array

ALONG, ROUND = 4, 8
"""Initial cells along a length and around a full turn: features smaller than a tenth of a cell may be overlooked."""

Coordinates = tuple[Array, ...]


@dataclass(frozen=True)
class Region:
    """A body, surface or line: its points as functions of coordinates between 0 and 1, part by part.

    Args:
        parts: the number of parts.
        grid: the number of initial cells of a part, along each coordinate.
        at: the parts' numbers, shape (cells, 1), and the coordinates, each (cells, points), to the points (x, y, z) and
            their content: volume, area or length per unit of the coordinates.
        reach: approximate distance of the points from 0, in their own unit.
        origin: offset added to the points, m.
        unit: of the points and of content, m.
    """

    parts: int
    grid: tuple[int, ...]
    at: Callable[[Array, Coordinates], tuple[Coordinates, Array]]
    reach: float
    origin: tuple[float, float, float] = (0.0, 0.0, 0.0)
    unit: float = 1.0


def number(size: Scalar) -> float:
    """A size as a number; a density that varies cannot be integrated over symbols."""
    if getattr(size, "free_symbols", None):
        raise ModelError(f"a size is {size}; expected numbers for the sizes of a body whose density is a function.")
    return float(size)


def box(size: Sequence[Scalar], inner: Sequence[Scalar] | None) -> Region:
    """A block about the origin without the concentric one inside it, as up to six blocks."""
    half = np.array([number(x) for x in size]) / 2
    if inner is None:
        return _straight([-half], [np.diag(2 * half)])
    hole = np.array([number(x) for x in inner]) / 2
    corners, edges = [], []
    low, high = -half, half
    for axis in np.flatnonzero(hole < half):  # a pair of walls, then the part between them
        for start, end in ((low[axis], -hole[axis]), (hole[axis], high[axis])):
            corner, edge = low.copy(), high - low
            corner[axis], edge[axis] = start, end - start
            corners.append(corner)
            edges.append(np.diag(edge))
        low, high = low.copy(), high.copy()
        low[axis], high[axis] = -hole[axis], hole[axis]
    return _straight(corners, edges)


def box_shell(size: Sequence[Scalar]) -> Region:
    """The six walls of a box about the origin."""
    full = np.array([number(x) for x in size])
    sides = [np.delete(np.diag(full), axis, axis=0) for axis in range(3)]
    far = [-full / 2 + np.diag(full)[axis] for axis in range(3)]
    return _straight([-full / 2] * 3 + far, sides * 2)


def plate(size: Sequence[Scalar]) -> Region:
    """A rectangle about the origin, across z."""
    x, y = (number(x) for x in size)
    return _straight([[-x / 2, -y / 2, 0.0]], [np.diag([x, y, 0.0])[:2]])


def rod(length: object) -> Region:
    """A line along z, its middle at the origin."""
    z = number(length)
    return _straight([[0.0, 0.0, -z / 2]], [[[0.0, 0.0, z]]])


def _straight(corners: ArrayLike, edges: ArrayLike) -> Region:
    """Blocks, rectangles or lines: corners of shape (parts, 3) and edges at right angles of shape (parts, d, 3)."""
    corner, edge = np.asarray(corners), np.asarray(edges)
    content = np.linalg.norm(edge, axis=-1).prod(axis=-1)

    def at(part: Array, u: Coordinates) -> tuple[Coordinates, Array]:
        points = [
            corner[part, i] + sum(u_k * edge[part, k, i] for k, u_k in enumerate(u)) + np.zeros_like(u[0])
            for i in range(3)
        ]
        return tuple(points), content[part] + np.zeros_like(u[0])

    return Region(len(corner), (ALONG,) * edge.shape[1], at, float(np.abs(corner).max()))


def tube(radius: object, top_radius: object, inner_radius: object, bottom: object, height: object) -> Region:
    """A solid of revolution about z between a straight outline and a bore: cylinders, tubes, cones."""
    r, t, b, z0, h = (number(x) for x in (radius, top_radius, inner_radius, bottom, height))

    def at(_: Array, u: Coordinates) -> tuple[Coordinates, Array]:
        wall = r + (t - r) * u[1] - b
        rho, phi = b + u[0] * wall, 2 * np.pi * u[2]
        return (rho * np.cos(phi), rho * np.sin(phi), z0 + h * u[1]), rho * wall * h * 2 * np.pi

    return Region(1, (ALONG, ALONG, ROUND), at, max(r, t, h))


def disc(radius: object, inner_radius: object) -> Region:
    """A circle or ring about the origin, across z."""
    r, b = number(radius), number(inner_radius)

    def at(_: Array, u: Coordinates) -> tuple[Coordinates, Array]:
        rho, phi = b + u[0] * (r - b), 2 * np.pi * u[1]
        return (rho * np.cos(phi), rho * np.sin(phi), np.zeros_like(rho)), rho * (r - b) * 2 * np.pi

    return Region(1, (ALONG, ROUND), at, r)


def cylindrical_shell(radius: object, height: object) -> Region:
    """The surface of a cylinder about z without its ends."""
    r, h = number(radius), number(height)

    def at(_: Array, u: Coordinates) -> tuple[Coordinates, Array]:
        phi = 2 * np.pi * u[1]
        return (r * np.cos(phi), r * np.sin(phi), h * (u[0] - 0.5)), np.full_like(phi, 2 * np.pi * r * h)

    return Region(1, (ALONG, ROUND), at, max(r, h))


def ball(
    semi_axes: Sequence[Scalar],
    inner: Sequence[Scalar] | None,
    *,
    angles: tuple[float, float] = (0.0, np.pi),
    height: float = 0.0,
) -> Region:
    """An ellipsoid without a concentric one inside it, between two polar angles, its centre at z = ``height``.

    The points lie on ellipsoids that grow from the inner one to the outer one, all semi-axes at the same rate.
    """
    outer = np.array([number(x) for x in semi_axes])
    wall = outer - (0.0 if inner is None else np.array([number(x) for x in inner]))
    first, span = angles[0], angles[1] - angles[0]

    def at(_: Array, u: Coordinates) -> tuple[Coordinates, Array]:
        (x, y, z), sine = _on_ball(first + span * u[1], 2 * np.pi * u[2])
        a, b, c = ((u[0] - 1) * w + o for o, w in zip(outer, wall, strict=True))
        growth = wall[0] * b * c * x**2 + a * wall[1] * c * y**2 + a * b * wall[2] * z**2
        return (a * x, b * y, height + c * z), growth * sine * span * 2 * np.pi

    return Region(1, (ALONG, ALONG, ROUND), at, abs(height) + float(outer.max()))


def capsule(radius: object, straight: object, inner_radius: object) -> tuple[Region, ...]:
    """A cylinder about z with half a ball on either end, all with one wall."""
    r, h, b = number(radius), number(straight), number(inner_radius)
    inner = (b, b, b) if b else None
    ends = (((0.0, np.pi / 2), h / 2), ((np.pi / 2, np.pi), -h / 2))
    halves = [ball((r, r, r), inner, angles=angles, height=height) for angles, height in ends]
    return (*halves, tube(r, r, b, -h / 2, h))


def spherical_shell(radius: object) -> Region:
    """The surface of a ball."""
    r = number(radius)

    def at(_: Array, u: Coordinates) -> tuple[Coordinates, Array]:
        (x, y, z), sine = _on_ball(np.pi * u[0], 2 * np.pi * u[1])
        return (r * x, r * y, r * z), r**2 * sine * 2 * np.pi**2

    return Region(1, (ALONG, ROUND), at, r)


def _on_ball(polar: Array, azimuth: Array) -> tuple[Coordinates, Array]:
    """Points of the unit ball's surface, and the sine of the polar angle."""
    sine = np.sin(polar)
    return (sine * np.cos(azimuth), sine * np.sin(azimuth), np.cos(polar)), sine


def tetrahedra(triangles: Array, origin: Array, unit: float) -> Region:
    """The volume that triangles enclose: tetrahedra from 0 to each, negative for faces seen from inside.

    The corners A, B, C of each, shape (k, 3, 3), are in units of ``unit`` from ``origin``, m.
    """
    volume = np.linalg.det(triangles)
    solid = volume != 0.0
    volume, (A, B, C) = volume[solid], np.moveaxis(triangles[solid], 1, 0)
    AB, BC = B - A, C - B

    def at(part: Array, u: Coordinates) -> tuple[Coordinates, Array]:
        a, b, c = u
        points = [a * (A[part, i] + b * (AB[part, i] + c * BC[part, i])) for i in range(3)]
        return tuple(points), a**2 * b * volume[part]

    x, y, z = origin
    return Region(len(volume), (1, 1, 1), at, float(np.abs(triangles).max()), (float(x), float(y), float(z)), unit)
