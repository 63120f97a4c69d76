"""What the operations of a program mean on floats of Python, on mpmath's numbers and on SymPy's: tables for replay."""

import math
import operator
from collections.abc import Callable
from typing import Any

import sympy
from mpmath import mp, mpf

Table = dict[str, Callable[..., Any]]

ARITHMETIC: Table = {
    "add": operator.add,
    "sub": operator.sub,
    "mul": operator.mul,
    "div": operator.truediv,
    "neg": operator.neg,
    "pow": operator.pow,
    "abs": abs,
}
COMPARED: Table = {
    "sign": lambda a: (a > 0) - (a < 0),
    "floor": math.floor,
    "min": min,
    "max": max,
    "less": lambda a, b: int(a < b),
    "less_equal": lambda a, b: int(a <= b),
    "select": lambda condition, a, b: a if condition != 0 else b,
    "guard": lambda value, unused: value,
}
FUNCTIONS = ("sin", "cos", "tan", "asin", "acos", "atan", "atan2", "sqrt", "exp", "log", "tanh")

MATH: Table = ARITHMETIC | COMPARED | {name: getattr(math, name) for name in FUNCTIONS}
MPMATH: Table = ARITHMETIC | COMPARED | {name: getattr(mp, name) for name in FUNCTIONS} | {"floor": mp.floor}
SYMPY: Table = (
    ARITHMETIC
    | {name: getattr(sympy, name) for name in FUNCTIONS}
    | {
        "sign": sympy.sign,
        "floor": sympy.floor,
        "min": sympy.Min,
        "max": sympy.Max,
        "less": lambda a, b: sympy.Piecewise((1, a < b), (0, True)),
        "less_equal": lambda a, b: sympy.Piecewise((1, a <= b), (0, True)),
        "select": lambda condition, a, b: sympy.Piecewise((a, sympy.Ne(condition, 0)), (b, True)),
        "guard": lambda value, unused: value,
    }
)


def in_fifty_digits(program: Any, values: list[float | mpf]) -> list[list[mpf]]:
    """The results of a program on flat values, in 50 digits."""
    with mp.workdps(50):
        results: list[list[mpf]] = program.replay([mpf(value) for value in values], MPMATH, mpf)
        return results
