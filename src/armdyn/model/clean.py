"""Exact zeros in place of rounding errors: numbers below the digits of a description count as zero."""

from __future__ import annotations

from decimal import Decimal

import numpy as np

from armdyn.base.exact import ONE, ZERO, Exact, exact, is_traced, norm, unit
from armdyn.base.scalars import Scalar
from armdyn.spatial.rotations import Array, rigid
from armdyn.spatial.turns import Turn, matrix, to_child

ROUNDING = Exact(Decimal("1e-14"))
"""Direction components and relative lengths below this are rounding errors of an exact zero: three times the error of a
right angle written with fifteen digits, 1.5707963267949. The arithmetic here adds nothing to it."""

FLOAT_NOISE = Exact(Decimal("1e-15"))
"""The threshold for numbers in float64, after two or three products, each rounded to half a last digit."""


def clean_direction(v: Array) -> Array:
    """v as a unit vector, in `Exact` numbers, whose components below rounding are zeros."""
    return unit(clean(unit(exact(v)), ONE))


def clean_pose(T: Array) -> Array:
    """A pose with zeros in place of rounding errors, its rotation still a rotation (`clean_rotation`)."""
    return rigid(clean_rotation(T[:3, :3]), clean(T[:3, 3], largest(T[:3, 3])))


def clean_rotation(R: Array) -> Array:
    """A rotation in `Exact` numbers with zeros in place of entries below the error of fifteen digits.

    It is rebuilt as Rz Rx Rz of clean turns, so that it stays a rotation; remaining float64 rounding errors are removed
    after that.
    """
    if not any(ZERO < abs(x) < ROUNDING for x in R.flat):
        return R
    turns = constant_turns(clean_direction(R[:, 2]))
    x = to_child(turns, R[:, 0])
    result = matrix((*turns, *_turn_by(2, x[0], x[1])))
    return np.asarray(np.where(np.abs(result) < FLOAT_NOISE, 0.0, result))


def _turn_by(axis: int, cosine: Scalar, sine: Scalar) -> tuple[Turn, ...]:
    """A constant turn with exact zeros and ones; no turn at all if it is the identity."""
    c, s = clean_direction(np.array([cosine, sine]))
    return () if c == 1.0 and s == 0.0 else (Turn(axis, c, s),)


def constant_turns(z: Array) -> tuple[Turn, ...]:
    """Rz(phi) Rx(alpha) that brings e_z to the direction z = (sin phi sin alpha, -cos phi sin alpha, cos alpha)."""
    if z[0] == 0.0:
        return _turn_by(0, z[2], -z[1])
    sine = norm(z[:2])
    return _turn_by(2, -z[1] / sine, z[0] / sine) + _turn_by(0, z[2], sine)


def total(*terms: Array) -> Array:
    """The sum of arrays, with zeros in place of entries that are only rounding errors of their float64 terms."""
    result = sum(terms[1:], start=terms[0])
    if is_traced(result):
        return result
    return np.where(np.abs(result) < np.finfo(float).eps * sum(map(np.abs, terms)), 0.0, result)


def clean(values: Array, scale: Scalar) -> Array:
    """Values with zeros in place of rounding errors, relative to ``scale``; traced scalars stay."""
    return values if is_traced(values) else np.where(np.abs(values) < ROUNDING * scale, 0.0, values)


def largest(values: Array) -> Scalar:
    """The largest size of a component; 0 for traced scalars."""
    return 0.0 if is_traced(values) else max(abs(x) for x in values.flat)
