"""Programs as functions of CasADi, on its symbols SX: for optimisation, with CasADi's derivatives.

`function.py` has the user's function and its check of batches.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from armdyn.base.checks import choice
from armdyn.base.errors import ShapeError
from armdyn.base.extras import extra
from armdyn.program.replay import ARITHMETIC, ELEMENTARY, Operations
from armdyn.targets.identifiers import chosen_name, identifier, of_both_sides

if TYPE_CHECKING:
    from armdyn.program.ports import Port
    from armdyn.program.program import Program
    from armdyn.targets.casadi.function import CasadiFunction


RESERVED = ("null", "jac", "hess")
"""Names that CasADi does not allow for functions and arrays."""


def to_casadi(program: Program, *, name: str | None = None, states: str | None = None) -> CasadiFunction:
    """The program as a `casadi.Function` on SX symbols, which CasADi differentiates and exports as code.

    CasADi's arrays are matrices: a vector of n is an (n, 1) column, a number a (1, 1) matrix, and an array with more
    than two axes an (a, b c ...) matrix of its rows. A batch of N states is an (n, N) matrix with one state per column;
    armdyn's other functions take (N, n). An (n, n) matrix fits both, and is refused unless ``states`` is "last".
    For arguments with NaN or infinity, ``min`` and ``max`` are CasADi's fmin and fmax, which ignore NaN.

    Args:
        program: the program to export.
        name: the name of the function in CasADi; the program's own if not given.
        states: "last" if each column of a square matrix is a state; if not given, the call raises a `ShapeError` for
            such a matrix.

    Raises:
        MissingLibrary: without CasADi.
        ShapeError: if ``states`` is another value.
        Unsupported: if two of its arrays would have one name in CasADi.

    >>> M = armdyn.load("planar_2r").mass_matrix.program().to_casadi()
    >>> M
    Function(mass_matrix:(q[2])->(out[2x2]) SXFunction)
    >>> print(M([0.0, np.pi / 2]))
    [[3, 1],
     [1, 1]]
    """
    ca = extra("casadi", "to_casadi", library="CasADi")
    from armdyn.targets.casadi.function import CasadiFunction  # noqa: PLC0415 - it imports casadi

    if states is not None:
        choice("states", states, ("last",), error=ShapeError)
    inputs, arguments = ([port.name for port in ports] for ports in (program.inputs, program.outputs))
    names, results_of = of_both_sides(inputs, arguments, "CasADi", RESERVED)
    symbols = [ca.SX.sym(names[port.name], *_matrix(port)) for port in program.inputs]
    scalars = [scalar for symbol in symbols for scalar in _rows_of(ca, symbol)]
    outputs = program.replay(scalars, _operations(ca), ca.SX)
    results = [_of_rows(ca, port, values) for port, values in zip(program.outputs, outputs, strict=True)]
    io_names = [names[n] for n in inputs], [results_of[n] for n in arguments]
    function = CasadiFunction(identifier(chosen_name(name, program.name), RESERVED), symbols, results, *io_names)
    function.states = states
    return function


def _matrix(port: Port) -> tuple[int, int]:
    """Rows and columns of an array in CasADi."""
    rows = port.shape[0] if port.shape else 1
    return rows, math.prod(port.shape[1:])


def _rows_of(ca: Any, symbol: Any) -> list[object]:
    """The scalars of a matrix, row-major; CasADi's own order is column-major."""
    return list(ca.vertsplit(ca.vec(symbol.T))) if symbol.numel() else []


def _of_rows(ca: Any, port: Port, scalars: list[Any]) -> Any:
    rows, columns = _matrix(port)
    return ca.reshape(ca.vertcat(*scalars), columns, rows).T if scalars else ca.SX(rows, columns)


def _operations(ca: Any) -> Operations:
    return (
        ARITHMETIC
        | {name: getattr(ca, name) for name in ELEMENTARY}
        | {
            "abs": ca.fabs,
            "min": ca.fmin,
            "max": ca.fmax,
            "less": lambda a, b: a < b,
            "less_equal": lambda a, b: a <= b,
            "select": lambda condition, a, b: ca.if_else(condition != 0, a, b),
            "guard": lambda value, unused: value + 0.0 * unused,
        }
    )
