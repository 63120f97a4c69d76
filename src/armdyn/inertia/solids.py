"""Solid bodies, full or hollow: box, cylinder, sphere, ellipsoid, capsule, cone.

Craig 6.3, Modern Robotics figure 8.5: of uniform density, each shape is its volume and its mean squares <x^2>, <y^2>,
<z^2>.
"""

from __future__ import annotations

from collections.abc import Sequence

from armdyn.base.exact import is_zero
from armdyn.inertia import regions
from armdyn.inertia.arguments import (
    circle_constant,
    inner_length,
    inner_lengths,
    positive,
    positives,
    scalar,
)
from armdyn.inertia.density import DensityLike, shape_inertia
from armdyn.inertia.shape import PrincipalShape
from armdyn.model.inertia import Inertia


def box(
    size: Sequence[float],
    *,
    inner: Sequence[float] | None = None,
    mass: float | None = None,
    density: DensityLike | None = None,
) -> Inertia:
    """Inertia of a rectangular block, I_xx = m (y^2 + z^2)/12 and so on, kg, m and kg m^2 (Craig 6.3).

    Frame: origin at the centre, axes along the edges.

    Args:
        size: full lengths along x, y and z, m, shape (3,).
        inner: full lengths of a concentric cavity, m, shape (3,). As long as the block along one axis it makes a
            rectangular tube.
        mass: kg; give this or ``density``.
        density: kg/m^3, or a function rho(x, y, z) of arrays in this frame, m (`armdyn.inertia.Density`).

    Raises:
        ModelError: a size is not positive, the cavity does not fit, or not exactly one of mass and density is given.

    >>> armdyn.inertia.box((0.1, 0.2, 0.3), mass=12.0).tensor.diagonal()
    array([0.13, 0.1 , 0.05])
    """
    outer = positives(size, "size", 3)
    shape = _box(*outer)
    if inner is not None:
        shape = shape.without(_box(*inner_lengths(inner, outer, "size")))
    return shape_inertia(shape, lambda: regions.box(outer, inner), mass, density)


def _box(x: float, y: float, z: float) -> PrincipalShape:
    return PrincipalShape(x * y * z, (x**2 / 12, y**2 / 12, z**2 / 12))


def cylinder(
    radius: float,
    height: float,
    *,
    inner_radius: float | None = None,
    mass: float | None = None,
    density: DensityLike | None = None,
) -> Inertia:
    """Inertia of a circular cylinder or tube, I_zz = m r^2/2, kg, m and kg m^2 (Modern Robotics figure 8.5).

    Frame: origin at the centre, z along the axis.

    Args:
        radius: m.
        height: full length along z, m.
        inner_radius: of a bore from end to end, m.
        mass: kg; give this or ``density``.
        density: kg/m^3, or a function rho(x, y, z) of arrays in this frame, m (`armdyn.inertia.Density`).

    Raises:
        ModelError: a size is not positive, the bore is too wide, or not exactly one of mass and density is given.

    >>> armdyn.inertia.cylinder(0.2, 0.6, mass=10.0).tensor.diagonal()
    array([0.4, 0.4, 0.2])
    """
    r, h = positive(radius, "radius"), positive(height, "height")
    b = inner_length(inner_radius, r)
    pi = circle_constant(r, h, b)
    shape = PrincipalShape(pi * (r - b) * (r + b) * h, ((r**2 + b**2) / 4, (r**2 + b**2) / 4, h**2 / 12))
    return shape_inertia(shape, lambda: regions.tube(r, r, b, -h / 2, h), mass, density)


def sphere(
    radius: float,
    *,
    inner_radius: float | None = None,
    mass: float | None = None,
    density: DensityLike | None = None,
) -> Inertia:
    """Inertia of a ball, I = 2 m r^2/5 about every axis, kg, m and kg m^2 (Modern Robotics figure 8.5).

    Frame: origin at the centre, any axes.

    Args:
        radius: m.
        inner_radius: of a concentric cavity, m.
        mass: kg; give this or ``density``.
        density: kg/m^3, or a function rho(x, y, z) of arrays in this frame, m (`armdyn.inertia.Density`).

    Raises:
        ModelError: a size is not positive, the cavity is too wide, or not exactly one of mass and density is given.

    >>> armdyn.inertia.sphere(0.5, mass=10.0).tensor.diagonal()
    array([1., 1., 1.])
    """
    r = positive(radius, "radius")
    b = inner_length(inner_radius, r)
    quotient = r**2 + r * b + b**2  # (r^3 - b^3) / (r - b), so that a thin wall loses no digits
    mean_square = (r**4 + r**3 * b + r**2 * b**2 + r * b**3 + b**4) / (5 * quotient)
    shape = PrincipalShape(4 * circle_constant(r, b) * (r - b) * quotient / 3, (mean_square,) * 3)
    return shape_inertia(shape, lambda: regions.ball((r,) * 3, (b,) * 3 if b else None), mass, density)


def ellipsoid(
    semi_axes: Sequence[float],
    *,
    inner: Sequence[float] | None = None,
    mass: float | None = None,
    density: DensityLike | None = None,
) -> Inertia:
    """Inertia of an ellipsoid, I_xx = m (b^2 + c^2)/5 and so on, kg, m and kg m^2 (Modern Robotics figure 8.5).

    Frame: origin at the centre, axes along the semi-axes.

    Args:
        semi_axes: (a, b, c) along x, y and z, m, shape (3,).
        inner: semi-axes of a concentric ellipsoidal cavity, m, shape (3,).
        mass: kg; give this or ``density``.
        density: kg/m^3, or a function rho(x, y, z) of arrays in this frame, m (`armdyn.inertia.Density`).

    Raises:
        ModelError: a size is not positive, the cavity does not fit, or not exactly one of mass and density is given.

    >>> armdyn.inertia.ellipsoid((0.1, 0.2, 0.3), mass=10.0).tensor.diagonal()
    array([0.26, 0.2 , 0.1 ])
    """
    outer = positives(semi_axes, "semi_axes", 3)
    shape = _ellipsoid(*outer)
    if inner is not None:
        shape = shape.without(_ellipsoid(*inner_lengths(inner, outer, "semi_axes")))
    return shape_inertia(shape, lambda: regions.ball(outer, inner), mass, density)


def _ellipsoid(a: float, b: float, c: float) -> PrincipalShape:
    return PrincipalShape(4 * circle_constant(a, b, c) * a * b * c / 3, (a**2 / 5, b**2 / 5, c**2 / 5))


def capsule(
    radius: float,
    straight: float,
    *,
    inner_radius: float | None = None,
    mass: float | None = None,
    density: DensityLike | None = None,
) -> Inertia:
    """Inertia of a cylinder with a half ball on either end, kg, m and kg m^2.

    Frame: origin at the centre, z along the axis.

    Args:
        radius: of the cylinder and of the half balls, m.
        straight: length of the cylinder between the half balls, m; over all the capsule is 2 radius longer.
        inner_radius: of a capsular cavity of the same straight length, with a wall equally thick all round, m.
        mass: kg; give this or ``density``.
        density: kg/m^3, or a function rho(x, y, z) of arrays in this frame, m (`armdyn.inertia.Density`).

    Raises:
        ModelError: a size is not positive, the cavity is too wide, or not exactly one of mass and density is given.

    >>> armdyn.inertia.capsule(0.1, 0.3, density=1000.0).mass
    13.613568165555773
    """
    r, h = positive(radius, "radius"), positive(straight, "straight")
    b = inner_length(inner_radius, r)
    shape = _capsule(r, h).without(_capsule(b, h)) if b else _capsule(r, h)
    return shape_inertia(shape, lambda: regions.capsule(r, h, b), mass, density)


def _capsule(r: float, h: float) -> PrincipalShape:
    """Mean squares of the parts, weighed by their volumes pi r^2 h and 4 pi r^3/3, here both over pi r^2."""
    straight, balls = h, 4 * r / 3
    across = (straight * r**2 / 4 + balls * r**2 / 5) / (straight + balls)
    along_balls = r**2 / 5 + 3 * r * h / 8 + h**2 / 4  # <(h/2 + z)^2> over a half ball, whose <z> is 3 r/8
    along = (straight * h**2 / 12 + balls * along_balls) / (straight + balls)
    return PrincipalShape(circle_constant(r, h) * r**2 * (straight + balls), (across, across, along))


def cone(
    radius: float,
    height: float,
    *,
    top_radius: float = 0,
    mass: float | None = None,
    density: DensityLike | None = None,
) -> Inertia:
    """Inertia of a circular cone or a conical frustum, I_zz = 3 m r^2/10 for a cone, kg, m and kg m^2.

    Frame: origin at the centre of the base, z along the axis to the top; the centre of mass of a cone is at height/4.

    Args:
        radius: of the base, m.
        height: along z, m.
        top_radius: of the top, m; 0 for a cone.
        mass: kg; give this or ``density``.
        density: kg/m^3, or a function rho(x, y, z) of arrays in this frame, m (`armdyn.inertia.Density`).

    Raises:
        ModelError: a size is not positive, or not exactly one of mass and density is given.

    >>> tip = armdyn.inertia.cone(0.1, 0.4, mass=10.0)
    >>> tip.com, tip.tensor[2, 2].round(12)
    (array([0. , 0. , 0.1]), np.float64(0.03))
    """
    r, h = positive(radius, "radius"), positive(height, "height")
    t = scalar(top_radius, "top_radius")
    t = t if is_zero(t) else positive(t, "top_radius")
    quotient = r**2 + r * t + t**2  # (r^3 - t^3) / (r - t), so that a straight side divides by no zero
    across = 3 * (r**4 + r**3 * t + r**2 * t**2 + r * t**3 + t**4) / (20 * quotient)
    centroid = h * (r**2 + 2 * r * t + 3 * t**2) / (4 * quotient)
    mean_square_height = h**2 * (r**2 + 3 * r * t + 6 * t**2) / (10 * quotient)
    shape = PrincipalShape(
        circle_constant(r, h, t) * h * quotient / 3, (across, across, mean_square_height - centroid**2), centroid
    )
    return shape_inertia(shape, lambda: regions.tube(r, t, 0, 0, h), mass, density)
