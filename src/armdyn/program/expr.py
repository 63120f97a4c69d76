"""The traced scalar: arithmetic on an `Expr` writes instructions instead of computing numbers."""

from __future__ import annotations

from collections.abc import Callable
from numbers import Real
from typing import Any, NoReturn

import numpy as np

from armdyn.errors import TraceError
from armdyn.program.graph import Graph

_WHY_NO_VALUE = (
    "has no value yet: the function is being traced once for all states, so it cannot branch on it or turn it "
    "into a number. Use armdyn.select(condition, if_true, if_false), armdyn.minimum, armdyn.maximum or armdyn.clip, "
    "which work on numbers and while tracing"
)


class Expr:
    """A scalar that stands for a value of a traced function: a node of a `Graph`.

    NumPy's arithmetic, ``@``, ``np.sin``, ``np.sqrt`` and the like work on object arrays of these.
    """

    __slots__ = ("graph", "index")
    __hash__ = None  # type: ignore[assignment]  # == means equality of values, which is not known yet

    def __init__(self, graph: Graph, index: int) -> None:
        self.graph = graph
        self.index = index

    def _index_of(self, other: Any) -> int | None:
        """The node of an operand: an `Expr` of this trace or a real number; None for anything else."""
        if isinstance(other, Expr):
            if other.graph is not self.graph:
                raise TraceError("two traces are mixed: an Expr kept from an earlier trace is used in this one")
            return other.index
        if isinstance(other, Real | np.bool_):
            return self.graph.constant(float(other))
        return None

    def _apply(self, name: str, *others: Any) -> Expr:
        indices = [self._index_of(other) for other in others]
        if None in indices:
            return NotImplemented
        return Expr(self.graph, self.graph.apply(name, self.index, *indices))  # type: ignore[arg-type]

    def _apply_reflected(self, name: str, other: Any) -> Expr:
        index = self._index_of(other)
        return NotImplemented if index is None else Expr(self.graph, self.graph.apply(name, index, self.index))

    def __pow__(self, exponent: Any) -> Expr:
        if isinstance(exponent, Real) and float(exponent).is_integer() and abs(float(exponent)) <= 64:
            return self._integer_power(int(exponent))
        if isinstance(exponent, Real) and float(exponent) == 0.5:
            return self._apply("sqrt")
        return self._apply("pow", exponent)

    def _integer_power(self, exponent: int) -> Expr:
        """By squaring: x^13 = x^8 x^4 x."""
        if exponent < 0:
            return 1.0 / self._integer_power(-exponent)
        power, square = Expr(self.graph, self.graph.constant(1.0)), self
        while exponent:
            if exponent & 1:
                power = power * square
            exponent >>= 1
            if exponent:
                square = square * square
        return power

    def __pos__(self) -> Expr:
        return self

    def __bool__(self) -> NoReturn:
        raise TraceError(f"the truth of {self!r} {_WHY_NO_VALUE}")

    def __float__(self) -> float:
        value = self.graph.value_of(self.index)
        if value is None:
            raise TraceError(f"{self!r} {_WHY_NO_VALUE}")
        return value

    def __repr__(self) -> str:
        operation, *arguments = self.graph.nodes[self.index]
        return f"Expr({operation} {', '.join(map(str, arguments))})"


def _binary(name: str) -> Callable[[Expr, Any], Expr]:
    return lambda self, other: self._apply(name, other)


def _reflected(name: str) -> Callable[[Expr, Any], Expr]:
    return lambda self, other: self._apply_reflected(name, other)


def _unary(name: str) -> Callable[[Expr], Expr]:
    return lambda self: self._apply(name)


# Python's operators, then the methods NumPy's ufuncs call on the elements of an object array.
for _method, _name in {"add": "add", "sub": "sub", "mul": "mul", "truediv": "div"}.items():
    setattr(Expr, f"__{_method}__", _binary(_name))
    setattr(Expr, f"__r{_method}__", _reflected(_name))
for _method, _name in {"__lt__": "less", "__le__": "less_equal", "arctan2": "atan2"}.items():
    setattr(Expr, _method, _binary(_name))
for _method, _name in {"__gt__": "less", "__ge__": "less_equal", "__rpow__": "pow"}.items():
    setattr(Expr, _method, _reflected(_name))
for _method, _name in {
    **{"__neg__": "neg", "__abs__": "abs", "arcsin": "asin", "arccos": "acos", "arctan": "atan"},
    **{name: name for name in ("sin", "cos", "tan", "sqrt", "exp", "log", "tanh", "floor")},
}.items():
    setattr(Expr, _method, _unary(_name))
