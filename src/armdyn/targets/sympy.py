"""Programs as expressions of SymPy."""

from __future__ import annotations

import itertools
import math
from typing import TYPE_CHECKING, Any

from armdyn.base.errors import Unsupported
from armdyn.base.extras import extra
from armdyn.program.replay import ARITHMETIC, ELEMENTARY, Operations
from armdyn.targets.identifiers import identifiers

if TYPE_CHECKING:
    from armdyn.program.ports import Port
    from armdyn.program.program import Program

MOST_CASES = 1000
"""The most cases of one condition: SymPy expands every combination of the choices in its two sides."""


def to_sympy(program: Program) -> Any:
    """The results of the program as expressions of SymPy in the symbols of its inputs.

    The symbols are real; each has the name of its array, followed by the entry's indices, counted from 1: q1, q2,
    f_tip3, T_1_2; a scalar has the name alone. A scalar is an expression, a vector a column, a matrix a matrix, an
    array of higher rank an array of SymPy. Several results are a tuple. SymPy orders sums and products by itself, so
    numbers agree to rounding.

    Shared terms are written out wherever they are used; for the functions of larger arms that is long. Closed forms as
    books print them come from `armdyn.derive`.

    Args:
        program: the program to export.

    Raises:
        MissingLibrary: without SymPy.
        Unsupported: if two of its arrays would have one name in SymPy, or if a condition depends on so many choices
            that SymPy would not finish, e.g. in forward dynamics with friction that depends on the load.

    >>> armdyn.load("planar_2r").gravity_forces.to_sympy()[1]
    -9.81*sin(q1)*sin(q2) + 9.81*cos(q1)*cos(q2)
    """
    sympy = extra("sympy", "to_sympy", library="SymPy")
    if _most_cases(program) > MOST_CASES:
        raise Unsupported(
            f"{program.name} compares numbers chosen by comparisons before, with more than {MOST_CASES:,} cases in all,"
            " each of which SymPy would write out; use to_casadi() or to_c(), or a function without such choices, like "
            "inverse_dynamics"
        )
    names = identifiers((port.name for port in program.inputs), "SymPy")
    scalars = [sympy.Symbol(name, real=True) for port in program.inputs for name in _names(names[port.name], port)]
    outputs = program.replay(scalars, _operations(sympy), lambda number: _constant(sympy, number))
    results = tuple(_shaped(sympy, port, values) for port, values in zip(program.outputs, outputs, strict=True))
    return results[0] if len(results) == 1 else results


def _most_cases(program: Program) -> int:
    """The most combinations of choices that one comparison of a program depends on, counted up to the limit."""
    cases: list[int] = []
    most = 0
    for operation, *arguments in program.nodes:
        of = [] if operation in ("input", "const") else [cases[int(a)] for a in arguments]
        if operation in ("less", "less_equal"):
            most = max(most, math.prod(of))
            own = 2
        else:
            own = sum(of[-2:]) if operation in ("select", "min", "max") else math.prod(of)
        cases.append(min(own, MOST_CASES + 1))
    return most


def _names(name: str, port: Port) -> list[str]:
    """The names of the entries of an array."""
    places = itertools.product(*(range(1, size + 1) for size in port.shape))
    if len(port.shape) < 2:
        return [name + "".join(map(str, place)) for place in places]
    return ["_".join((name, *map(str, place))) for place in places]


def _constant(sympy: Any, number: float) -> Any:
    """An Integer for a whole number, a Float for any other."""
    return sympy.Integer(int(number)) if math.isfinite(number) and number == int(number) else sympy.Float(number)


def _shaped(sympy: Any, port: Port, values: list[Any]) -> Any:
    if len(port.shape) > 2:
        return sympy.ImmutableDenseNDimArray(values, port.shape)
    if not port.shape:
        return values[0]
    return sympy.ImmutableMatrix(port.shape[0], port.shape[1] if len(port.shape) == 2 else 1, values)


def _operations(sympy: Any) -> Operations:
    """The operations on expressions, without SymPy's simplification of cases, which takes minutes for nested ones."""

    def cases(condition: object, if_true: object, if_not: object) -> Any:
        return sympy.Piecewise((if_true, condition), (if_not, True), evaluate=False)

    def truth(relation: type, a: object, b: object) -> Any:
        return cases(relation(a, b, evaluate=False), sympy.Integer(1), sympy.Integer(0))

    def select(condition: Any, a: object, b: object) -> Any:
        if condition.is_Piecewise and condition == cases(condition.args[0].cond, sympy.Integer(1), sympy.Integer(0)):
            return cases(condition.args[0].cond, a, b)
        return cases(sympy.Ne(condition, 0, evaluate=False), a, b)

    return (
        ARITHMETIC
        | {name: getattr(sympy, name) for name in ELEMENTARY}
        | {
            "abs": sympy.Abs,
            "min": sympy.Min,
            "max": sympy.Max,
            "less": lambda a, b: truth(sympy.StrictLessThan, a, b),
            "less_equal": lambda a, b: truth(sympy.LessThan, a, b),
            "select": select,
            "guard": lambda value, unused: value + 0 * unused,
        }
    )
