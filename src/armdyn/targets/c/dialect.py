"""`Dialect`: the names of scalars, literals and functions in C and similar languages."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

import numpy as np

LIBM = {
    "sin": "sin",
    "cos": "cos",
    "tan": "tan",
    "asin": "asin",
    "acos": "acos",
    "atan": "atan",
    "atan2": "atan2",
    "sqrt": "sqrt",
    "exp": "exp",
    "log": "log",
    "tanh": "tanh",
    "pow": "pow",
    "abs": "fabs",
    "floor": "floor",
}
"""The functions of C's library, by operation."""

INLINE = ("min", "max", "sign")
"""Operations that C's library does not define as programs do, defined by `armdyn.targets.c.helpers`."""


@dataclass(frozen=True)
class Dialect:
    """The syntax of a language for numbers and functions.

    Args:
        scalar: the type of a number, ``"double"`` or ``"float"``.
        functions: the function of each operation that is not an operator.
        suffix: the suffix of literals of constants.
        sincos: a function of (x, &sine, &cosine), called if a program needs both; without it there are two calls.
        infinity: the constant for infinity.

    >>> DOUBLE.literal(2.0), FLOAT.literal(0.1), FLOAT.literal(1e30)
    ('2.0', '0.1f', '1e+30f')
    """

    scalar: str = "double"
    functions: Mapping[str, str] = field(default_factory=dict)
    suffix: str = ""
    sincos: str | None = None
    infinity: str = "HUGE_VAL"

    @property
    def dtype(self) -> np.dtype[np.floating]:
        """NumPy's name for the scalar."""
        return np.dtype(np.float32 if self.scalar == "float" else np.float64)

    def literal(self, value: float) -> str:
        """The shortest text that is exactly this constant, rounded to the scalar; it may begin with a minus sign."""
        with np.errstate(over="ignore", under="ignore"):
            rounded = self.dtype.type(value)
        if math.isinf(rounded):
            return f"-{self.infinity}" if value < 0 else self.infinity
        text = str(rounded)
        return f"{text}{'' if set('.e') & set(text) else '.0'}{self.suffix}"

    def with_functions(self, functions: Mapping[str, str], *, sincos: str | None = None) -> Dialect:
        """The dialect with other functions for some operations, and with another one for sine and cosine together."""
        return replace(self, functions={**self.functions, **functions}, sincos=sincos)


DOUBLE = Dialect(functions={**LIBM, **{name: f"{name}_of" for name in INLINE}})
"""C99 with double."""

FLOAT = Dialect(
    "float",
    {**{name: f"{function}f" for name, function in LIBM.items()}, **{name: f"{name}_of" for name in INLINE}},
    suffix="f",
    infinity="INFINITY",
)
"""C99 with float, without any operation in double."""
