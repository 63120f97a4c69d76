"""A point of a frame on a parametric curve.

The nearest point of the curve is found without branches: the best of samples, then Newton's steps.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from armdyn.base.errors import ModelError
from armdyn.base.scalars import Scalar
from armdyn.constraints.fields import ORIGIN, check_function, direction, vector
from armdyn.constraints.point_of import PointOf
from armdyn.model.constraints import Equations, Row
from armdyn.program import derivative, rate, select
from armdyn.spatial.rotations import Array

if TYPE_CHECKING:
    from armdyn.constraints.state import State


NEWTON_STEPS = 6
"""Newton's steps from the nearest sample; each doubles the digits."""

LEAST_SINE = 1e-3
"""Least sine of the angle between the curve and ``up``."""


@dataclass(frozen=True)
class PointOnCurve(PointOf):
    """A point of a frame stays on a parametric curve, two rows, m.

    The parameter of the nearest point of the curve is computed at the state of the arm; so the constraint needs no
    coordinate of its own. The rows are the distances from the curve along its binormal and normal, defined by ``up``.

    Args:
        frame: name of the frame of the point.
        curve: c(s), function of one number that returns x, y, z, m; traced and differentiated exactly.
        interval: of the parameter s. The ends do not stop the point.
        point: of the frame, m, in its axes.
        of: name of the frame in whose coordinates the curve is; the base by default.
        up: a direction that the curve never takes: the rows are along up x c' and c' x (up x c').
        samples: number of places of the interval in the first search for the nearest.
        name: of the constraint.

    >>> helix = armdyn.constraints.PointOnCurve(
    ...     "tip", lambda s: np.array([np.cos(s), np.sin(s), 0.1 * s]), interval=(0, 6.28))
    >>> [row.name for row in helix.rows]
    ['tip on curve: across 1', 'tip on curve: across 2']
    """

    frame: str
    curve: Callable[[Scalar], Scalar]
    interval: tuple[float, float]
    point: ArrayLike = ORIGIN
    of: str = ""
    up: ArrayLike = (0.0, 0.0, 1.0)
    samples: int = 33
    name: str = ""

    def __post_init__(self) -> None:
        self._name_and_point("curve")
        check_function(self.curve, "curve", self.name, ("s",))
        low, high = vector(self.interval, f"interval of constraint {self.name!r}", 2)
        if not low < high:
            raise ModelError(f"interval of constraint {self.name!r} is {self.interval!r}; expected two rising numbers")
        if not 3 <= self.samples <= 1000:
            raise ModelError(f"samples of constraint {self.name!r} are {self.samples!r}; expected 3 to 1000")
        self._set(interval=(low, high), up=direction(self.up, f"up of constraint {self.name!r}"))

    @property
    def rows(self) -> tuple[Row, ...]:
        """Two distances across the curve."""
        return self.named(("across 1", "m"), ("across 2", "m"))

    def equations_at(self, state: State) -> Equations:
        """n_i(s) . (r - c(s)) = 0 at the parameter s of the nearest point of the curve, which r determines.

        There c' . (r - c) = 0, so that s_r = c'^T / (c' . c' - c'' . (r - c)) and A = (n_i + s_r n_i' . (r - c)) J.
        """
        seen = self._relative(state)
        s = nearest(self, seen.r)
        up = np.array(self.up)

        def c(s: Scalar) -> Array:
            return np.asarray(self.curve(s))

        def normals(s: Scalar) -> Array:
            tangent = derivative(c, s)
            first = np.cross(up, tangent)
            second = np.cross(tangent, first)
            return np.array([first / np.sqrt(first @ first), second / np.sqrt(second @ second)])

        def gradient(x: Array) -> Array:
            """phi's derivative by r, of x = (r, s)."""
            r, s = x[:3], x[3]
            off, tangent = r - c(s), derivative(c, s)
            by_r = tangent / (tangent @ tangent - derivative(lambda t: derivative(c, t), s) @ off)
            return normals(s) + np.outer(derivative(normals, s) @ off, by_r)

        off, tangent = seen.r - c(s), derivative(c, s)
        sd = tangent @ seen.rd / (tangent @ tangent - derivative(lambda t: derivative(c, t), s) @ off)
        x, xd = np.array([*seen.r, s]), np.array([*seen.rd, sd])
        G = gradient(x)
        return Equations(normals(s) @ off, G @ seen.J, G @ seen.rdd + rate(lambda x: gradient(x) @ seen.rd, x, xd))


def nearest(constraint: PointOnCurve, r: Array) -> Scalar:
    """The parameter s with c'(s) . (r - c(s)) = 0 next to the nearest of the samples."""
    parameters = np.linspace(*constraint.interval, constraint.samples)
    places = np.array([_place(constraint, float(s)) for s in parameters])
    _check_up(constraint, parameters)
    squares = [place @ place - 2.0 * (place @ r) for place in places]  # |r - c|^2 less the common |r|^2
    s, least = parameters[0], squares[0]
    for parameter, square in zip(parameters[1:], squares[1:], strict=True):
        nearer = square < least
        s, least = select(nearer, parameter, s), select(nearer, square, least)
    for _ in range(NEWTON_STEPS):
        s = s - _slope(constraint, r, s)
    return s


def _slope(constraint: PointOnCurve, r: Array, s: Scalar) -> Scalar:
    """Newton's step for c' . (c - r) = 0."""

    def c(t: Scalar) -> Array:
        return np.asarray(constraint.curve(t))

    off, tangent, bend = c(s) - r, derivative(c, s), derivative(lambda t: derivative(c, t), s)
    return (tangent @ off) / (tangent @ tangent + bend @ off)


def _place(constraint: PointOnCurve, s: float) -> Array:
    place = np.asarray(constraint.curve(s), dtype=float)
    if place.shape != (3,) or not np.isfinite(place).all():
        raise ModelError(
            f"the curve of constraint {constraint.name!r} returned {place!r} at s = {s:g}; expected x, y, z in m"
        )
    return place


def _check_up(constraint: PointOnCurve, parameters: Array) -> None:
    up = np.array(constraint.up)
    for s in parameters:
        tangent = np.asarray(derivative(lambda t: np.asarray(constraint.curve(t)), float(s)), dtype=float)
        length = float(np.linalg.norm(tangent))
        if not np.linalg.norm(np.cross(up, tangent)) > LEAST_SINE * length:
            raise ModelError(
                f"the curve of constraint {constraint.name!r} "
                + (f"runs along up = {constraint.up} at s = {s:g}; name another direction, up=..."
                   if length else f"stands still at s = {s:g}; expected one whose derivative is not zero")
            )  # fmt: skip
