"""The traced scalar: arithmetic on an `Expr` writes instructions instead of computing numbers."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from contextvars import ContextVar
from dis import opname
from functools import cache
from numbers import Real
from typing import Any, NoReturn

import numpy as np

from armdyn.base.errors import TraceError, is_ours
from armdyn.base.scalars import Scalar
from armdyn.program.graph import Graph

NUMBERS = (Real, np.bool_)

LARGEST_POWER = 64
"""The largest integer power that becomes products; larger ones call the library's pow."""

WHY_NO_VALUE = (
    "has no value yet: the function is being traced once for all states, so it cannot branch on it or turn it "
    "into a number. Use armdyn.select(condition, if_true, if_false), armdyn.minimum, armdyn.maximum or armdyn.clip, "
    "which work on numbers and while tracing; arrays are compared by armdyn.less, armdyn.greater and the like; "
    "in the place of math.sin and the like, np.sin"
)

NO_PLACE = (
    "has no value yet: the function is being traced once for all states, and the elements of an array of floats are "
    "numbers. Make the array that is filled np.zeros(n, dtype=object), or write all its elements in np.array([...])"
)
"""The error of ``F[0] = x`` for an array F of floats."""


ASKED: ContextVar[list[NeedsNumbers] | None] = ContextVar("armdyn_asked", default=None)
"""Errors of code that converted traced scalars to numbers, even if it continued after catching them."""


@cache
def _is_number(kind: type) -> bool:
    """True for types of real numbers; remembered, because checks of abstract classes are slow."""
    return issubclass(kind, NUMBERS)


class NeedsNumbers(TraceError):
    """A function that cannot be traced because it needs the values of traced scalars as numbers."""


class MixedTraces(TraceError):
    """Scalars of two traces in one operation."""

    def __init__(self, *graphs: Graph) -> None:
        self.graphs = graphs
        super().__init__("two traces are mixed: an Expr kept from an earlier trace is used in this one")


def _binary(name: str) -> tuple[Callable[[Expr, Scalar], Expr], Callable[[Expr, Scalar], Expr]]:
    """The operation with an `Expr` as its first argument, and as its second."""

    def operation(self: Expr, other: object) -> Expr:
        graph = self.graph
        if type(other) is Expr and other.graph is graph:  # most are
            return Expr(graph, graph.apply(name, self.index, other.index))
        index = self._index_of(other)
        if index is None:
            return NotImplemented  # type: ignore[no-any-return]
        return Expr(graph, graph.apply(name, self.index, index))

    return operation, lambda self, other: self._apply_reflected(name, other)


class Expr:
    """A scalar value of a traced function: a node of a `Graph`.

    NumPy's arithmetic, ``@``, ``np.sin``, ``np.sqrt`` and the like work on object arrays of these.
    """

    __slots__ = ("graph", "index")
    __hash__ = None  # type: ignore[assignment]  # == means equality of values, which is not yet determined

    def __init__(self, graph: Graph, index: int) -> None:
        self.graph = graph
        self.index = index

    def _index_of(self, other: object) -> int | None:
        """The node of an operand: an `Expr` of this trace or a real number; None for anything else."""
        if type(other) is Expr:
            if other.graph is not self.graph:
                raise MixedTraces(self.graph, other.graph)
            return other.index
        if _is_number(type(other)):  # type: ignore[arg-type] # types are hashable
            return self.graph.constant(other)  # type: ignore[arg-type]
        return None

    def _apply(self, name: str, *others: object) -> Expr:
        indices = [self._index_of(other) for other in others]
        if None in indices:
            return NotImplemented  # type: ignore[no-any-return]
        return Expr(self.graph, self.graph.apply(name, self.index, *indices))  # type: ignore[arg-type]

    def _apply_reflected(self, name: str, other: object) -> Expr:
        index = self._index_of(other)
        if index is None:
            return NotImplemented  # type: ignore[no-any-return]
        return Expr(self.graph, self.graph.apply(name, index, self.index))

    __add__, __radd__ = _binary("add")
    __sub__, __rsub__ = _binary("sub")
    __mul__, __rmul__ = _binary("mul")
    __truediv__, __rtruediv__ = _binary("div")
    __lt__, __gt__ = _binary("less")
    __le__, __ge__ = _binary("less_equal")
    __rpow__ = _binary("pow")[1]

    def __eq__(self, other: object) -> Any:
        """1 if it is equal, else 0; a bool for two constants. Without it Python would compare identities."""
        return self._equals(other, negated=False)

    def __ne__(self, other: object) -> Any:
        return self._equals(other, negated=True)

    def _equals(self, other: object, *, negated: bool) -> Scalar:
        index = self._index_of(other)
        if index is None:
            return NotImplemented
        values = self.graph.value_of(self.index), self.graph.value_of(index)
        if None not in values:
            return (values[0] != values[1]) if negated else (values[0] == values[1])
        one = Expr(self.graph, index)
        equal: Expr = (self <= one) * (one <= self)
        return ~equal if negated else equal

    def __and__(self, other: object) -> Expr:
        """The conjunction of conditions, which are 1 or 0."""
        return self._apply("mul", other)

    def __or__(self, other: object) -> Expr:
        return self._apply("max", other)

    def __xor__(self, other: object) -> Expr:
        return self._apply("sub", other)._apply("abs")

    def __invert__(self) -> Expr:
        return self._apply_reflected("sub", 1.0)

    __rand__, __ror__, __rxor__ = __and__, __or__, __xor__

    def __pow__(self, exponent: object) -> Expr:
        if isinstance(exponent, Real) and float(exponent).is_integer() and abs(float(exponent)) <= LARGEST_POWER:
            return self._integer_power(int(float(exponent)))
        if isinstance(exponent, Real) and float(exponent) == 0.5:
            return self._apply("sqrt")
        return self._apply("pow", exponent)

    def _integer_power(self, exponent: int) -> Expr:
        """An integer power by squaring: x^13 = x^8 x^4 x."""
        if exponent < 0:
            return self._integer_power(-exponent)._apply_reflected("div", 1.0)
        power, square = Expr(self.graph, self.graph.constant(1.0)), self
        while exponent:
            if exponent & 1:
                power = power * square
            exponent >>= 1
            if exponent:
                square = square * square
        return power

    def __neg__(self) -> Expr:
        return self._apply("neg")

    def __abs__(self) -> Expr:
        return self._apply("abs")

    def __floor__(self) -> Expr:  # type: ignore[override,unused-ignore]
        """Called by ``np.floor`` on the elements of an object array."""
        return self._apply("floor")

    def __mod__(self, other: object) -> Expr:
        """a - b floor(a/b), with b's sign and less than b in size, even if a/b is rounded to the next integer."""
        index = self._index_of(other)
        if index is None:
            return NotImplemented
        b = Expr(self.graph, index)
        rest: Expr = self - b * (self / b).__floor__()
        rest = rest + b * (rest * b < 0.0)
        result: Expr = rest - b * (abs(b) <= abs(rest))
        return result

    def __rmod__(self, other: object) -> Expr:
        index = self._index_of(other)
        return NotImplemented if index is None else Expr(self.graph, index).__mod__(self)

    def __floordiv__(self, other: Any) -> Expr:
        whole: Expr = (self - self % other) / other
        return whole.rint()

    def __rfloordiv__(self, other: object) -> Expr:
        index = self._index_of(other)
        return NotImplemented if index is None else Expr(self.graph, index).__floordiv__(self)

    def rint(self) -> Expr:
        """The nearest integer, the even one of two; called by ``np.rint`` too."""
        low = self.__floor__()
        part, odd = self - low, low - 2.0 * (0.5 * low).__floor__()
        up: Expr = (part == 0.5)._apply("select", odd, part > 0.5)
        return low + up

    def __round__(self, digits: int | None = None) -> Expr:
        return self.rint() if digits is None else (self * 10.0**digits).rint() / 10.0**digits

    def arctan2(self, other: object) -> Expr:
        """Called by ``np.arctan2`` on the elements of an object array, as are the methods added below."""
        return self._apply("atan2", other)

    def select(self, if_true: object, if_false: object) -> Expr:
        """One of two scalars by this condition, for modules independent of programs."""
        return self._apply("select", if_true, if_false)

    def __pos__(self) -> Expr:
        return self

    def __bool__(self) -> NoReturn:
        raise _record_request(NeedsNumbers(f"the truth of {self!r} {WHY_NO_VALUE}"))

    def __float__(self) -> float:
        value = self.graph.value_of(self.index)
        if value is None:
            raise _record_request(NeedsNumbers(f"{self!r} {NO_PLACE if _is_stored() else WHY_NO_VALUE}"))
        return value

    def __repr__(self) -> str:
        operation, *arguments = self.graph.nodes[self.index]
        return f"Expr({operation} {', '.join(map(str, arguments))})"


def _is_stored() -> bool:
    """True if the caller of ``__float__`` stores the value in an element of an array."""
    frame = sys._getframe(2)
    return opname[frame.f_code.co_code[frame.f_lasti]] == "STORE_SUBSCR"


def _record_request(error: NeedsNumbers) -> NeedsNumbers:
    """Record an error in `ASKED`, if that is active and code outside this library caused the error."""
    noted = ASKED.get()
    if noted is not None and not is_ours(sys._getframe(2).f_globals.get("__name__")):
        noted.append(error)
    return error


def _unary(name: str) -> Callable[[Expr], Expr]:
    return lambda self: self._apply(name)


def traced(graph: Graph, nodes: Sequence[int], shape: tuple[int, ...]) -> Scalar:
    """Nodes as an array of traced scalars, or as one scalar if the shape is ()."""
    return shaped([Expr(graph, node) for node in nodes], shape)


def shaped(scalars: Sequence[Scalar], shape: tuple[int, ...]) -> Scalar:
    """Scalars, traced or numbers, as an array, or as one scalar if the shape is ()."""
    array = np.empty(len(scalars), dtype=object)
    array[:] = scalars
    return array.reshape(shape)[()]


_UFUNCS = {"arcsin": "asin", "arccos": "acos", "arctan": "atan"}
_UFUNCS |= {name: name for name in ("sin", "cos", "tan", "sqrt", "exp", "log", "tanh", "floor", "sign")}
for _method, _name in _UFUNCS.items():
    setattr(Expr, _method, _unary(_name))
