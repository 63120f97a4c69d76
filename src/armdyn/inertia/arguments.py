"""Sizes, masses and densities as arguments: positive numbers, or symbols."""

from __future__ import annotations

import math
import sys
from collections.abc import Sequence
from decimal import Decimal
from numbers import Rational, Real

import numpy as np

from armdyn.base.arrays import as_plain
from armdyn.base.checks import listed
from armdyn.base.errors import DTypeError, ModelError, ShapeError
from armdyn.base.scalars import Scalar
from armdyn.model.bounds import SHORTEST, largest_problem


def is_number(value: object) -> bool:
    """True for an ordinary number: not a symbol or one of SymPy's exact numbers, which stay exact."""
    return isinstance(value, Real) and not hasattr(value, "free_symbols")


def scalar(value: Scalar, name: str) -> Scalar:
    """A finite float, a whole number or fraction kept exact for symbols it may meet, or the symbol that was given."""
    if isinstance(value, np.generic | np.ndarray) and np.ndim(value) == 0 and not np.ma.is_masked(value):
        value = np.asarray(as_plain(name, value)).item()
    if isinstance(value, Decimal):
        value = float(value)
    if is_number(value) and not isinstance(value, bool):
        if not math.isfinite(_as_float(value)):
            raise ModelError(f"{name} is {number_text(value)}; expected a finite number.")
        return value if isinstance(value, Rational) else float(value)
    if isinstance(value, bool | str | bytes | complex | type | np.ndarray) or not hasattr(value, "__mul__"):
        raise DTypeError(f"{name} is {value!r}; expected a number or a symbol.")
    if hasattr(value, "__len__"):
        raise DTypeError(f"{name} is {value!r}; expected a number or a symbol.")
    return value


def _as_float(value: Real) -> float:
    """The nearest float; infinity for numbers larger than all floats."""
    try:
        return float(value)
    except OverflowError:
        return math.inf


def positive(value: object, name: str) -> Scalar:
    """A length that is positive, m, or a symbol."""
    size = scalar(value, name)
    if (size <= 0) if is_number(size) else getattr(size, "is_positive", None) is False:
        raise ModelError(
            f"{name} {number_text(size)} m is not positive; "
            "for a body without thickness take a plate, disc, shell, rod or point mass."
        )
    if is_number(size) and (fault := largest_problem(float(size), "prismatic")):
        raise ModelError(f"{name} is {fault}.")
    if is_number(size) and size < SHORTEST:
        raise ModelError(f"{name} is {number_text(size)} m; expected a length of at least {SHORTEST:g} m.")
    return size


def number_text(value: Scalar) -> str:
    """A number with six digits, a symbol unchanged."""
    return f"{_as_float(value):g}" if is_number(value) else str(value)


def positives(values: Sequence[Scalar], name: str, count: int) -> list[Scalar]:
    """``count`` positive sizes, m, or symbols."""
    sizes = listed(values)
    if sizes is None or len(sizes) != count or any(listed(size) is not None for size in sizes):
        raise ShapeError(f"{name} is {values!r}; expected {count} lengths, m")
    return [positive(value, f"{name}[{i}]") for i, value in enumerate(sizes)]


def inner_length(inner: object, outer: object) -> Scalar:
    """The radius of a cavity: smaller than the radius around it; zero without a cavity."""
    if inner is None:
        return 0
    size = positive(inner, "inner_radius")
    if is_number(size) and is_number(outer) and size >= outer:
        raise ModelError(
            f"inner_radius {number_text(size)} m is not smaller than radius {number_text(outer)} m; no material "
            "would be left. For a wall without thickness take a shell."
        )
    return size


def inner_lengths(inner: Sequence[Scalar], outer: Sequence[Scalar], outer_name: str) -> list[Scalar]:
    """The sizes of a cavity: nowhere larger than those around it, and smaller somewhere."""
    sizes = positives(inner, "inner", len(outer))
    both = [(i, a, b) for i, (a, b) in enumerate(zip(sizes, outer, strict=True)) if is_number(a) and is_number(b)]
    for i, a, b in both:
        if a > b:
            raise ModelError(
                f"inner[{i}] {number_text(a)} m is larger than {outer_name}[{i}] {number_text(b)} m; the cavity must "
                "fit inside."
            )
    if len(both) == len(outer) and all(a == b for _, a, b in both):
        raise ModelError(f"inner equals {outer_name}; no material would be left. Make one of its sizes smaller.")
    return sizes


def mass_from(content: object, mass: object, density: object, density_name: str, unit: str) -> Scalar:
    """m, kg: given, or density times ``content`` (volume, area or length)."""
    if (mass is None) == (density is None):
        values = "neither was" if mass is None else "both were"
        raise ModelError(f"give either mass= (kg) or {density_name}= ({unit}); {values} given.")
    name, value = ("mass", mass) if density is None else (density_name, density)
    value = scalar(value, name)
    if (value < 0) if is_number(value) else getattr(value, "is_negative", None):
        raise ModelError(
            f"{name} {number_text(value)} {'kg' if density is None else unit} is negative; expected 0 or more."
        )
    return value if density is None else value * content


def circle_constant(*sizes: Scalar) -> Scalar:
    """pi as a float, or as SymPy's exact one if a size is an expression of SymPy."""
    sympy = sys.modules.get("sympy")
    if sympy is not None and any(isinstance(size, sympy.Basic) for size in sizes):
        return sympy.pi
    return math.pi
