"""Bodies without thickness: rods, plates, discs, shells, point masses. Their densities are per metre or per area."""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from operator import add

import numpy as np
from numpy.typing import ArrayLike

from armdyn.base.checks import scalars
from armdyn.base.errors import ShapeError
from armdyn.inertia import regions
from armdyn.inertia.arguments import circle_constant, inner_length, mass_from, positive, positives
from armdyn.inertia.density import DensityLike, shape_inertia
from armdyn.inertia.shape import PrincipalShape, diagonal, inertia
from armdyn.model.inertia import Inertia

AREA = ("area_density", "kg/m^2")


def rod(length: float, *, mass: float | None = None, line_density: DensityLike | None = None) -> Inertia:
    """Inertia of a straight thin rod, m l^2/12 across it and 0 along it, kg, m and kg m^2.

    Frame: origin at the middle, z along the rod.

    Args:
        length: of the rod, l, m.
        mass: kg; give this or ``line_density``.
        line_density: kg/m, or a function of arrays x, y, z (`armdyn.inertia.Density`).

    Raises:
        ModelError: the length is not positive, or not exactly one of mass and line_density is given.

    >>> armdyn.inertia.rod(2.0, mass=3.0).tensor.diagonal()
    array([1., 1., 0.])
    """
    z = positive(length, "length")
    shape = PrincipalShape(z, (0, 0, z**2 / 12))
    return shape_inertia(shape, lambda: regions.rod(z), mass, line_density, "line_density", "kg/m")


def plate(size: Sequence[float], *, mass: float | None = None, area_density: DensityLike | None = None) -> Inertia:
    """Inertia of a thin rectangular plate, I_zz = m (x^2 + y^2)/12, kg, m and kg m^2.

    Frame: origin at the centre, x and y along the edges, z across the plate.

    Args:
        size: full lengths along x and y, m, shape (2,).
        mass: kg; give this or ``area_density``.
        area_density: kg/m^2, or a function of arrays x, y, z (`armdyn.inertia.Density`).

    Raises:
        ModelError: a size is not positive, or not exactly one of mass and area_density is given.

    >>> armdyn.inertia.plate((1.0, 2.0), mass=12.0).tensor.diagonal()
    array([4., 1., 5.])
    """
    x, y = positives(size, "size", 2)
    shape = PrincipalShape(x * y, (x**2 / 12, y**2 / 12, 0))
    return shape_inertia(shape, lambda: regions.plate((x, y)), mass, area_density, *AREA)


def disc(
    radius: float,
    *,
    inner_radius: float | None = None,
    mass: float | None = None,
    area_density: DensityLike | None = None,
) -> Inertia:
    """Inertia of a thin circular disc or ring, I_zz = m r^2/2 for a disc, kg, m and kg m^2.

    Frame: origin at the centre, z across the disc.

    Args:
        radius: m.
        inner_radius: of a concentric hole, m.
        mass: kg; give this or ``area_density``.
        area_density: kg/m^2, or a function of arrays x, y, z (`armdyn.inertia.Density`).

    Raises:
        ModelError: a size is not positive, the hole is too wide, or not exactly one of mass and area_density is given.

    >>> armdyn.inertia.disc(2.0, mass=3.0).tensor.diagonal()
    array([3., 3., 6.])
    """
    r = positive(radius, "radius")
    b = inner_length(inner_radius, r)
    shape = PrincipalShape(circle_constant(r, b) * (r - b) * (r + b), ((r**2 + b**2) / 4, (r**2 + b**2) / 4, 0))
    return shape_inertia(shape, lambda: regions.disc(r, b), mass, area_density, *AREA)


def spherical_shell(radius: float, *, mass: float | None = None, area_density: DensityLike | None = None) -> Inertia:
    """Inertia of a thin spherical shell, I = 2 m r^2/3 about every axis, kg, m and kg m^2.

    Frame: origin at the centre, any axes.

    Args:
        radius: m.
        mass: kg; give this or ``area_density``.
        area_density: kg/m^2, or a function of arrays x, y, z (`armdyn.inertia.Density`).

    Raises:
        ModelError: the radius is not positive, or not exactly one of mass and area_density is given.

    >>> armdyn.inertia.spherical_shell(1.0, mass=3.0).tensor.diagonal()
    array([2., 2., 2.])
    """
    r = positive(radius, "radius")
    shape = PrincipalShape(4 * circle_constant(r) * r**2, (r**2 / 3,) * 3)
    return shape_inertia(shape, lambda: regions.spherical_shell(r), mass, area_density, *AREA)


def cylindrical_shell(
    radius: float, height: float, *, mass: float | None = None, area_density: DensityLike | None = None
) -> Inertia:
    """Inertia of a thin tube, open at both ends, I_zz = m r^2, kg, m and kg m^2.

    Frame: origin at the centre, z along the axis. Two discs close it: ``tube + lid.at((0, 0, h/2)) + ...``.

    Args:
        radius: m.
        height: full length along z, m.
        mass: kg; give this or ``area_density``.
        area_density: kg/m^2, or a function of arrays x, y, z (`armdyn.inertia.Density`).

    Raises:
        ModelError: a size is not positive, or not exactly one of mass and area_density is given.

    >>> armdyn.inertia.cylindrical_shell(1.0, 6.0, mass=2.0).tensor.diagonal()
    array([7., 7., 2.])
    """
    r, h = positive(radius, "radius"), positive(height, "height")
    shape = PrincipalShape(2 * circle_constant(r, h) * r * h, (r**2 / 2, r**2 / 2, h**2 / 12))
    return shape_inertia(shape, lambda: regions.cylindrical_shell(r, h), mass, area_density, *AREA)


def box_shell(size: Sequence[float], *, mass: float | None = None, area_density: DensityLike | None = None) -> Inertia:
    """Inertia of a closed box of six thin walls, 5 m l^2/18 about every axis of a cube, kg, m and kg m^2.

    Frame: origin at the centre, axes along the edges.

    Args:
        size: full lengths along x, y and z, m, shape (3,).
        mass: kg; give this or ``area_density``.
        area_density: kg/m^2, or a function of arrays x, y, z (`armdyn.inertia.Density`).

    Raises:
        ModelError: a size is not positive, or not exactly one of mass and area_density is given.

    >>> armdyn.inertia.box_shell((1.0, 1.0, 1.0), mass=18.0).tensor.diagonal().round(12)
    array([5., 5., 5.])
    """
    x, y, z = positives(size, "size", 3)
    across_x, across_y, across_z = 2 * y * z, 2 * x * z, 2 * x * y  # areas of the pairs of walls
    area = across_x + across_y + across_z
    shape = PrincipalShape(
        area,
        (
            x**2 / 4 * across_x / area + x**2 / 12 * (across_y + across_z) / area,
            y**2 / 4 * across_y / area + y**2 / 12 * (across_x + across_z) / area,
            z**2 / 4 * across_z / area + z**2 / 12 * (across_x + across_y) / area,
        ),
    )
    return shape_inertia(shape, lambda: regions.box_shell((x, y, z)), mass, area_density, *AREA)


def point_masses(masses: Sequence[float], positions: ArrayLike) -> Inertia:
    """Inertia of point masses held together by massless bars, I = sum m_i (r.r 1 - r r^T), kg, m and kg m^2.

    Modern Robotics 8.23. Frame: that of the positions.

    Args:
        masses: m_i, kg, shape (n,).
        positions: r_i, m, shape (n, 3).

    Raises:
        ShapeError: if there is not one position per mass.
        ModelError: if a mass is negative.

    >>> armdyn.inertia.point_masses([1.0, 1.0], [[0, 0, 1], [0, 0, -1]]).tensor.diagonal()
    array([2., 2., 0.])
    """
    if np.ndim(masses) != 1 or np.shape(positions) != (len(masses), 3):
        raise ShapeError(
            f"positions has shape {np.shape(positions)} and masses {np.shape(masses)}; expected (n, 3) and (n,)"
        )
    if len(masses) == 0:
        raise ShapeError("masses is empty; expected one or more point masses")
    values = [mass_from(1, mass, None, *AREA) for mass in masses]
    places = [scalars(f"positions[{i}]", p, (3,), exact=True) for i, p in enumerate(np.asarray(positions))]
    return reduce(add, (inertia(m, p, diagonal(0, 0, 0)) for m, p in zip(values, places, strict=True)))
