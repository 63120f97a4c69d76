"""Constants as digits and a power of ten."""

from __future__ import annotations


def decimal(value: float, digits: int | None = None) -> tuple[str, int]:
    """The shortest decimal that reads back as the same float64, or a rounded one, and its power of ten if it has one.

    >>> from armdyn.targets.equations.numbers import decimal
    >>> decimal(0.1), decimal(2.0), decimal(1.5e-07), decimal(0.089159, digits=2)
    (('0.1', 0), ('2', 0), ('1.5', -7), ('0.089', 0))
    """
    rounded = value if digits is None else float(f"{value:.{digits}g}")
    mantissa, _, exponent = repr(rounded).partition("e")
    return mantissa.removesuffix(".0"), int(exponent or 0)
