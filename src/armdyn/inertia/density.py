"""Densities that vary over a body, as functions of the point, and the inertia they give it."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from armdyn.base.checks import number
from armdyn.base.errors import DTypeError, ModelError, ShapeError
from armdyn.inertia.arguments import mass_from
from armdyn.inertia.cubature import Integral, Integrand, integrate
from armdyn.inertia.regions import Coordinates, Region
from armdyn.inertia.shape import PrincipalShape
from armdyn.model.inertia import Inertia
from armdyn.spatial.rotations import Array

SMALLEST_RTOL = 1e-13
"""The smallest tolerance that sums of rounded numbers can meet."""

PAIRS = ((0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2))
"""The entries of the second moment that are integrated."""


@dataclass(frozen=True)
class Density:
    """A density that varies over a body, rho(x, y, z), and the tolerance of its integrated moments.

    A plain function in its place is ``Density(function)``.

    Args:
        function: takes x, y and z, m, three arrays of one shape, in the frame of the shape, and returns the density at
            each point: kg/m^3 for solids and meshes, kg/m^2 for surfaces, kg/m for rods. `numpy.vectorize` makes such a
            function from one of single numbers.
        rtol: allowed error in the mass m, relative to m; in the first moments relative to m L, and in the
            second moments relative to m L^2, with L the size of the body. From 1e-13 on.
        most_points: largest number of evaluated points; an error is raised if they do not reach the tolerance.

    >>> heavy_below = armdyn.inertia.Density(lambda x, y, z: 1000.0 * np.exp(-z / 0.1), rtol=1e-11)
    >>> block = armdyn.inertia.box((0.1, 0.1, 0.2), density=heavy_below)
    >>> bool(np.isclose(block.mass, 0.1**3 * 1000.0 * (np.e - 1 / np.e), rtol=1e-12)), bool(block.com[2] < 0)
    (True, True)
    """

    function: Callable[[Array, Array, Array], ArrayLike]
    rtol: float = 1e-9
    most_points: int = 20_000_000

    def __post_init__(self) -> None:
        if not callable(self.function):
            raise DTypeError(f"function is {self.function!r}; expected a function rho(x, y, z) of arrays.")
        number("rtol", self.rtol, least=SMALLEST_RTOL, below=1.0, expected=f"a number from {SMALLEST_RTOL:g} to 1.")
        if isinstance(self.most_points, bool) or not isinstance(self.most_points, int) or self.most_points < 1:
            raise ModelError(f"most_points is {self.most_points!r}; expected a whole number above 0.")


DensityLike = float | Density | Callable[[Array, Array, Array], ArrayLike]
"""A density as it may be given: a number, a function rho(x, y, z) of arrays, or that with a tolerance."""


def varies(density: object) -> bool:
    """True if a density is given as a function."""
    return isinstance(density, Density) or (callable(density) and not hasattr(density, "free_symbols"))


def shape_inertia(
    shape: PrincipalShape,
    region: Callable[[], Region | Iterable[Region]],
    mass: object,
    density: object,
    name: str = "density",
    unit: str = "kg/m^3",
) -> Inertia:
    """The inertia of a shape from its mass or density, or by integrals over its region of a density that varies."""
    if mass is None and varies(density):
        result = region()
        return integrate_moments([result] if isinstance(result, Region) else result, density, name, unit)
    return shape.with_mass(mass_from(shape.content, mass, density, name, unit))


def integrate_moments(regions: Iterable[Region], density: Any, name: str = "density", unit: str = "kg/m^3") -> Inertia:
    """m, m c and the integral of r r^T dm over regions with one origin and unit (Craig 6.3, Modern Robotics 8.24)."""
    rho = density if isinstance(density, Density) else Density(density)
    parts = list(regions)
    origin, length = np.array(parts[0].origin), parts[0].unit
    sums: Array = sum(_moments(region, rho, name, unit) for region in parts)  # type: ignore[assignment]
    m = float(sums[0])
    if m == 0.0:
        return Inertia(0.0, origin)
    c = sums[1:4] / m
    S = np.empty((3, 3))
    for (i, j), second in zip(PAIRS, sums[4:], strict=True):
        S[i, j] = S[j, i] = second - m * c[i] * c[j]
    return Inertia(m, origin + length * c, (np.trace(S) * np.eye(3) - S) * length**2)


def _moments(region: Region, rho: Density, name: str, unit: str) -> Array:
    """The integrals of 1, x, y, z, x^2, y^2, z^2, x y, x z, y z over dm, in the region's unit of length."""
    content_unit = region.unit ** len(region.grid)

    def moments(points: Coordinates, content: Array) -> Array:
        where = tuple(o + region.unit * x for o, x in zip(region.origin, points, strict=True))
        dm = _values(rho.function, where, name, unit) * content * content_unit
        first = [dm * x for x in points]
        return np.stack([dm, *first, *(first[i] * points[j] for i, j in PAIRS)], axis=1)

    scale = region.reach ** np.array([0, 1, 1, 1, 2, 2, 2, 2, 2, 2])
    result = integrate(Integrand(region, moments, scale), rho.rtol, rho.most_points)
    if not result.error <= rho.rtol * abs(result.values[0]):
        raise ModelError(_not_reached(result, rho, name))
    return result.values


def _not_reached(integral: Integral, rho: Density, name: str) -> str:
    relative = integral.error / abs(integral.values[0]) if integral.values[0] else math.inf
    return (
        f"{name}: {integral.points:,} points leave a relative error of up to {relative:.1e}; expected rtol "
        f"{rho.rtol:g}. A density that jumps or is not smooth inside a body needs many points: add bodies that end "
        f"where it jumps, or accept a larger error, Density(function, rtol={min(2 * relative, 0.5):.0e}), or more "
        "most_points."
    )


def _values(function: Callable[..., object], where: Coordinates, name: str, unit: str) -> Array:
    """The density at points, kg over m, m^2 or m^3: finite numbers, 0 or more."""
    x, y, z = (np.ascontiguousarray(part).ravel() for part in where)
    try:
        returned = function(x, y, z)
    except Exception as error:
        _refuse_single_numbers_only(function, name, (x[0], y[0], z[0]), error)
        called = error.__traceback__ and error.__traceback__.tb_next  # None if the call itself fails
        if isinstance(error, TypeError) and called is None:
            raise ShapeError(f"{name} cannot be called with three arrays x, y, z: {error}") from error
        raise
    try:
        rho = np.asarray(returned)
        rho = np.broadcast_to(rho, x.shape) if rho.shape in ((), x.shape) else rho
    except ValueError:
        raise ShapeError(f"{name} returned something ragged; expected one number a point, shape {x.shape}") from None
    if rho.shape != x.shape:
        raise ShapeError(
            f"{name} returned shape {rho.shape} for x, y and z of shape {x.shape}; expected the same shape"
        )
    if rho.dtype.kind not in "fiub":
        raise DTypeError(f"{name} returned {rho.dtype} values; expected real numbers, {unit}")
    wrong = np.flatnonzero(~((rho >= 0) & (rho < np.inf)))
    if len(wrong):
        k = wrong[0]
        raise ModelError(
            f"{name} is {rho[k]:g} {unit} at (x, y, z) = ({x[k]:.6g}, {y[k]:.6g}, {z[k]:.6g}) m; "
            "expected a finite number, 0 or more, at every point."
        )
    return rho.reshape(where[0].shape).astype(np.float64, copy=False)


def _refuse_single_numbers_only(
    function: Callable[..., Any], name: str, point: tuple[float, ...], error: Exception
) -> None:
    """Raise a `DTypeError` if a function fails on arrays and works on numbers."""
    try:
        float(function(*map(float, point)))
    except Exception:  # then it fails for another reason, which the caller shows
        return
    raise DTypeError(
        f"{name} is a function of single numbers ({type(error).__name__}: {error}); "
        "expected one of arrays. numpy.vectorize(function) makes it one."
    ) from error
