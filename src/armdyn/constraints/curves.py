"""The nearest point of a curve, without branches: the best of samples, then Newton's steps."""

from __future__ import annotations

from typing import Any

import numpy as np

from armdyn.errors import ModelError
from armdyn.model.constraints import PointOnCurve
from armdyn.program import derivative, select
from armdyn.spatial.rotations import Array

STEPS = 6
"""Newton's steps from the nearest sample; each doubles the digits."""

TOO_STEEP = 1e-3
"""The sine between the curve and ``up`` must be above this."""


def nearest(constraint: PointOnCurve, r: Array) -> Any:
    """The parameter s with c'(s) . (r - c(s)) = 0 next to the nearest of the samples."""
    parameters = np.linspace(*constraint.interval, constraint.samples)
    places = np.array([_place(constraint, float(s)) for s in parameters])
    _check_up(constraint, parameters)
    squares = [place @ place - 2.0 * (place @ r) for place in places]  # |r - c|^2 less what all share
    s, least = parameters[0], squares[0]
    for parameter, square in zip(parameters[1:], squares[1:], strict=True):
        nearer = square < least
        s, least = select(nearer, parameter, s), select(nearer, square, least)
    for _ in range(STEPS):
        s = s - _slope(constraint, r, s)
    return s


def _slope(constraint: PointOnCurve, r: Array, s: Any) -> Any:
    """Newton's step for c' . (c - r) = 0."""

    def c(t: Any) -> Array:
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
        if not np.linalg.norm(np.cross(up, tangent)) > TOO_STEEP * length:
            raise ModelError(
                f"the curve of constraint {constraint.name!r} "
                + (f"runs along up = {constraint.up} at s = {s:g}; name another direction, up=..."
                   if length else f"stands still at s = {s:g}; expected one whose derivative is not zero")
            )  # fmt: skip
