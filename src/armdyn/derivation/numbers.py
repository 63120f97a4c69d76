"""Numbers of a description as exact rationals, and rationals as printed numbers."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction

import sympy

from armdyn.base.exact import Exact
from armdyn.base.scalars import Scalar

SHORT = 15
"""Largest number of significant digits of a decimal that is read as exact: 0.35 is 7/20."""

DENOMINATORS = (1, 2, 3, 4, 6, 12)
"""Denominators of numbers printed as fractions: 1/2 of a kinetic energy, 1/12 of a rod."""


MEANT, EXACT = Decimal("2e-16"), Decimal("1e-40")
"""Relative tolerance to a short decimal for which a number is replaced by it: lengths and masses; rotations."""


def rational(value: object, nearness: Decimal = MEANT) -> Fraction:
    """A number as a rational: a short decimal as written, another number with all its digits.

    Entries of rotations and axes are read as short decimals only if they are (``EXACT``), because they must remain
    orthonormal.

    >>> rational(0.35), rational(-2.0)
    (Fraction(7, 20), Fraction(-2, 1))
    """
    decimal = Exact(value).decimal
    short = Decimal(repr(float(decimal)))
    close = abs(decimal - short) <= abs(decimal) * nearness
    return Fraction(short if close and len(short.as_tuple().digits) <= SHORT else decimal)


def sympy_number(coefficient: Scalar) -> Scalar:
    """A rational as a number of SymPy: a small fraction unchanged, another as a decimal fraction of 17 digits.

    >>> sympy_number(Fraction(1, 2)), sympy_number(Fraction(3863, 4000))
    (1/2, 0.96575)
    """
    number = Fraction(int(coefficient.numerator), int(coefficient.denominator))
    if number.denominator in DENOMINATORS:
        return sympy.Rational(number.numerator, number.denominator)
    return Decimals(float(number))


class Decimals(sympy.Float):  # type: ignore[misc]  # SymPy has no types
    """A float64 that prints the fewest digits that identify it, like Python."""

    __slots__ = ()

    def _sympystr(self, printer: object) -> str:
        return repr(float(self))
