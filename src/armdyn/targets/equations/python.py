"""Equations as a Python module with one function, for numbers (``math``) or for arrays (NumPy)."""

from __future__ import annotations

import keyword
import math
from collections.abc import Iterable, Sequence
from textwrap import fill, indent
from typing import TYPE_CHECKING, Any

from armdyn.base.errors import DTypeError, Unsupported
from armdyn.targets.equations import python_helpers as source
from armdyn.targets.equations.let_bound import equations as let_bound
from armdyn.targets.equations.printed import Binds, Notation, TermText, expressions
from armdyn.targets.equations.symbol import Symbol
from armdyn.targets.identifiers import chosen_name, identifier, identifiers

if TYPE_CHECKING:
    from armdyn.program.ports import Port
    from armdyn.program.program import Program
    from armdyn.targets.equations.equation_data import Array, EquationData
    from armdyn.targets.equations.term import Term

_OWN = (
    "np math batch arranged quotient or_nan inf nan isnan isfinite copysign float len enumerate function ValueError "
    "OverflowError sin cos tan asin acos atan atan2 sqrt exp log tanh pow abs sign floor min max minimum maximum less "
    "less_equal select guard arcsin arccos arctan arctan2 power"
)
RESERVED = frozenset([*keyword.kwlist, *_OWN.split()])
"""Words that printed modules use themselves."""


WIDEST = 100
"""The longest line of source code, characters."""

LEGEND = "m, a, d, r, t, o: multiplications, additions, divisions, square roots, trigonometric and other functions."


def to_python(program: Program, *, numpy: bool = False, name: str | None = None, **options: Any) -> str:
    """The program as the source of a Python module with one function of the equations, independent of armdyn.

    It rounds as the program does, operation for operation. With ``math`` it takes numbers, lists and tuples and returns
    floats and lists; a division by zero and the like raise Python's errors. With NumPy it takes arrays of shape
    (..., *shape) whose leading axes broadcast, and returns arrays.

    Args:
        program: the program to print.
        numpy: the function works on arrays, with NumPy.
        name: the name of the function; the program's own if not given.
        options: the options of `equations`, e.g. ``named_constants=True``.

    Raises:
        Unsupported: if two arrays or terms would have one name in Python.

    >>> robot = armdyn.load("planar_2r")
    >>> exec(robot.gravity_forces.program().to_python())  # or write it to a file and import that
    >>> gravity_forces([0.0, 0.0]) == list(robot.gravity_forces([0.0, 0.0]))
    True
    """
    if options.pop("digits", None) is not None:
        raise DTypeError("Python source is exact; digits= is for text and LaTeX")
    return module_of(let_bound(program, **options), numpy=numpy, name=name)


class Python(Notation):
    """The notation of source code, which keeps the order of rounding."""

    associative = False

    def __init__(self, names: dict[Symbol, str], functions: dict[str, str], *, quotient: bool) -> None:
        self.names, self.functions, self.by_call = names, functions, quotient

    def symbol(self, symbol: Symbol) -> str:
        """A name."""
        return self.names[symbol]

    def number(self, value: float) -> TermText:
        """The shortest digits that read back as the same number."""
        return TermText("inf" if math.isinf(value) else repr(value))

    def product(self, a: str, b: str) -> str:
        """a * b."""
        return f"{a} * {b}"

    def quotient(self, a: TermText, b: TermText) -> TermText:
        """a / b."""
        if self.by_call:
            return TermText(f"quotient({a.text}, {b.text})")
        return TermText(f"{self.in_parentheses(a, Binds.SUM)} / {self.in_parentheses(b, Binds.PRODUCT)}", Binds.PRODUCT)

    def call(self, name: str, arguments: list[TermText]) -> TermText:
        """A call."""
        return TermText(f"{self.functions.get(name, name)}({', '.join(map(self.signed, arguments))})")


def module_of(equations: EquationData, *, numpy: bool, name: str | None) -> str:
    """The source: imports, helpers, the function."""
    operations = {term.operation for term in equations.terms.evaluated}
    unchosen = not numpy and bool(operations & {"select", "min", "max"})
    names = _names(equations)
    functions = source.NAMES_IN_NUMPY if numpy else source.NAMES_IN_MATH
    notation = Python(names, functions, quotient=unchosen and "div" in operations)
    defined = source.helpers(operations, source.NUMPY if numpy else source.MATH)
    if numpy:
        defined.append(source.ARRANGED)
    elif unchosen:
        defined += _unchosen(operations)
    called = identifier(chosen_name(name, equations.program.name), RESERVED)
    body = "\n".join(_body(equations, notation, names, numpy=numpy))
    function = f"def {called}({', '.join(_parameters(equations.program.inputs))}):\n{indent(body, '    ')}"
    head = f'"""{_title(equations)}\n\n{LEGEND}\n"""'
    imports = "\n".join(_imports(equations, operations, defined, numpy=numpy))
    top = "\n\n".join(filter(None, (head, imports)))
    return "\n\n\n".join([top, *map(str.strip, defined), function]) + "\n"


def _unchosen(operations: set[str]) -> list[str]:
    """Helpers for branches that are evaluated but not chosen."""
    wrapped = [f"{name} = or_nan({name})" for name in source.CAN_FAIL if name in operations]
    quotient = [source.QUOTIENT] if "div" in operations else []
    return [*quotient, source.OR_NAN + "\n\n" + "\n".join(wrapped)] if wrapped else quotient


def _title(equations: EquationData) -> str:
    return f"{_quoted(equations.program.name)}: straight-line code, {equations.program.op_counts}."


def _quoted(text: str) -> str:
    """Text with characters escaped for a docstring."""
    return text.replace("\\", "\\\\").replace('"', "'")


def _parameters(ports: Sequence[Port]) -> list[str]:
    result = identifiers((port.name for port in ports), "Python", RESERVED)
    return [result[port.name] for port in ports]


def _names(equations: EquationData) -> dict[Symbol, str]:
    """An identifier for every symbol: q1, or q_1 if another name is q1.

    Raises:
        Unsupported: if two symbols still have one name.
    """
    scalars = {s for array in equations.inputs for s in array.symbols()}
    symbols = list(dict.fromkeys([*(s for a in equations.inputs for s in a.symbols()), *equations.symbols.values()]))
    whole = set(_parameters(equations.program.inputs)) - {_own(s) for s in scalars if not s.index}
    for compact in (True, False):
        names = {symbol: _own(symbol, compact=compact) for symbol in symbols}
        if len(set(names.values())) == len(names) and not whole & set(names.values()):
            return names
    raise Unsupported(f"{_same(names)} in Python; rename one of the arrays of {equations.program.name}")


def _same(names: dict[Symbol, str]) -> str:
    """The start of the error message for two symbols with one name."""
    by_name: dict[str, Symbol] = {}
    for symbol, mine in names.items():
        if mine in by_name:
            return f"{by_name[mine].unicode} and {symbol.unicode} are both {mine!r}"
        by_name[mine] = symbol
    return "an array and a number have one name"


def _own(symbol: Symbol, *, compact: bool = True) -> str:
    name = symbol.identifier(compact=compact)
    return f"{name}_" if name in RESERVED else name


def _imports(equations: EquationData, operations: set[str], helpers: list[str], *, numpy: bool) -> list[str]:
    infinite = any(t.operation == "const" and math.isinf(t.value) for t in equations.terms.evaluated)
    written = "\n".join(helpers)
    if numpy:
        own = {
            source.NAMES_IN_NUMPY.get(o, o) for o in operations - {"input", "const", "add", "sub", "mul", "div", "neg"}
        }
        names = own - set(source.NUMPY) | ({"inf"} if infinite else set())
        return ["import numpy as np", *([f"from numpy import {', '.join(sorted(names))}"] if names else [])]
    own = operations & {"sin", "cos", "tan", "asin", "acos", "atan", "atan2", "sqrt", "exp", "log", "tanh", "pow"}
    needed = {word for word in ("isnan", "isfinite", "copysign", "inf", "nan") if word in written.replace("or_nan", "")}
    needed |= {"nan"} if "return nan" in written else set()
    names = own | needed | ({"inf"} if infinite else set())
    whole = ["import math"] if "math.floor" in written else []
    return [*whole, *([f"from math import {', '.join(sorted(names))}"] if names else [])]


def _body(equations: EquationData, notation: Python, names: dict[Symbol, str], *, numpy: bool) -> Iterable[str]:
    right, written = expressions(equations, notation)
    parameters = _parameters(equations.program.inputs)
    yield f'"""{_signature(equations, numpy=numpy)}"""'
    if numpy:
        yield from _as_arrays(equations.program.inputs, parameters)
    for array, parameter in zip(equations.inputs, parameters, strict=True):
        yield from _unpacked(array, parameter, names, numpy=numpy)
    for term in equations.defined:
        yield _line(f"{names[equations.symbols[term]]} = ", notation.signed(right[term]))
    results = [_returned(output, written, notation, numpy=numpy) for output in equations.outputs]
    yield _line("return ", ", ".join(results))


def _line(before: str, value: str, after: str = "") -> str:
    """A statement; in parentheses, over several lines, if it is long."""
    if len(before + value + after) <= WIDEST:
        return f"{before}{value}{after}"
    inside = fill(value, WIDEST, break_long_words=False, break_on_hyphens=False)
    return f"{before}(\n{indent(inside, '    ')}\n){after}"


def _signature(equations: EquationData, *, numpy: bool) -> str:
    """The shapes of the arrays, as a sentence."""
    inputs = ", ".join(f"{port.name} {_shape(port.shape, numpy=numpy)}" for port in equations.program.inputs)
    text = ", ".join(f"{port.name} {_shape(port.shape, numpy=numpy)}" for port in equations.program.outputs)
    return _quoted(f"Takes {inputs or 'nothing'}; returns {text}.")


def _shape(shape: tuple[int, ...], *, numpy: bool) -> str:
    return f"({', '.join([*(['...'] if numpy else []), *map(str, shape)])})" if shape or numpy else "(a number)"


def _as_arrays(ports: Sequence[Port], parameters: list[str]) -> Iterable[str]:
    for parameter in parameters:
        yield f"{parameter} = np.asarray({parameter}, float)"
    shapes = [
        f"{p}.shape[:-{len(port.shape)}]" if port.shape else f"{p}.shape"
        for p, port in zip(parameters, ports, strict=True)
    ]
    yield f"batch = np.broadcast_shapes({', '.join(shapes)})"


def _unpacked(array: Array, parameter: str, names: dict[Symbol, str], *, numpy: bool) -> Iterable[str]:
    """``q1, q2 = q``, with as many parentheses as there are axes."""
    scalars = [names[symbol] for symbol in array.symbols()]
    if not array.shape:
        if scalars != [parameter]:
            yield f"{scalars[0]} = {parameter}"
        return
    if not scalars:
        return
    target = _nested(array.shape, scalars, "(", ")")[1:-1]
    yield _line("", target, f" = {_axes_first(array, parameter) if numpy else parameter}")


def _axes_first(array: Array, parameter: str) -> str:
    """An array whose last axes, those of one state, come first."""
    if len(array.shape) == 1:
        return f"np.moveaxis({parameter}, -1, 0)"
    return f"np.moveaxis({parameter}, {tuple(range(-len(array.shape), 0))}, {tuple(range(len(array.shape)))})"


def _returned(output: Array, written: dict[Term, TermText], notation: Python, *, numpy: bool) -> str:
    scalars = [notation.signed(written[term]) for term in output.terms]
    if numpy:
        return f"arranged({', '.join(['batch', str(output.shape), *scalars])})"
    return _nested(output.shape, scalars, "[", "]")


def _nested(shape: tuple[int, ...], scalars: Sequence[str], opening: str, closing: str) -> str:
    """Scalars as nested tuples or lists, row-major."""
    level = list(scalars)
    for axis in range(len(shape) - 1, -1, -1):
        outer = math.prod(shape[:axis])
        size = shape[axis]
        rows = [level[k * size : (k + 1) * size] for k in range(outer)]
        tail = "," if opening == "(" else ""
        level = [f"{opening}{', '.join(row)}{tail if len(row) == 1 else ''}{closing}" for row in rows]
    return level[0]
