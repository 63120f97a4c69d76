"""Results of a derivation as programs with the motion and the symbols as inputs, and as C99."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import numpy as np
import sympy

from armdyn.base.scalars import Scalar
from armdyn.derivation.printing import heading
from armdyn.derivation.python_source import FUNCTIONS, NumberPrinter
from armdyn.program import Port, Program, sign, trace
from armdyn.targets.c.code import CCode
from armdyn.targets.c.export import c_code
from armdyn.targets.c.functions import CFunction
from armdyn.targets.c.names import c_name
from armdyn.targets.c.notes import Notes
from armdyn.targets.identifiers import chosen_name

if TYPE_CHECKING:
    from armdyn.derivation.named_results import DynamicsResults

MOTION = {"q": "coordinates, rad or m", "qd": "their rates", "qdd": "their accelerations"}
ELEMENTARY = {"sin": np.sin, "cos": np.cos, "sign": sign}


class _Traced(NumberPrinter):
    def _print_sign(self, expression: Scalar) -> str:
        return f"sign({self._print(expression.args[0])})"


def c_of(derivation: DynamicsResults, name: str | None, scalar: str, sincos: str | tuple[str, str]) -> CCode:
    """The functions of `FUNCTIONS` as a module of C99; the arguments of each are the inputs of its result."""
    plain = c_name(chosen_name(name, derivation.arm.name))
    text = MOTION | {str(s): _meaning(derivation, s) for s in derivation.arm.parameters}
    functions = [
        CFunction.of(f"{plain}_{function}", program_of(derivation, function), Notes(documentation, text))
        for function, (_, _, documentation) in FUNCTIONS.items()
    ]
    return c_code(functions, plain, scalar=scalar, sincos=sincos, about=(f"{heading(derivation)}.",))


def _meaning(derivation: DynamicsResults, symbol: sympy.Symbol) -> str:
    """The meaning of a symbol, and the robot's number."""
    meaning = derivation.meanings.get(symbol, "")
    if symbol not in derivation.values:
        return meaning
    return f"{meaning}: {derivation.values[symbol]!r} in {derivation.arm.name}"


def program_of(derivation: DynamicsResults, function: str) -> Program:
    """One of `FUNCTIONS` as a program of its arguments among q, qd, qdd, and of the symbols in its result."""
    result, motion, _ = FUNCTIONS[function]
    expression = derivation[result]
    coordinates = [derivation.arm.algebra.symbols[kind] for kind in motion]
    parameters = [s for s in derivation.arm.parameters if s in expression.free_symbols]
    shape = expression.shape if result == "M" else expression.shape[:1]
    ports = [Port(kind, (len(symbols),)) for kind, symbols in zip(motion, coordinates, strict=True)]
    ports += [Port(str(symbol), ()) for symbol in parameters]
    evaluate = sympy.lambdify(
        [*coordinates, *parameters],
        list(_entries(expression)),
        [ELEMENTARY],
        _Traced(PLAIN),
        cse=True,
        dummify=True,
    )

    def traced(*arrays: Scalar) -> Scalar:
        return np.array(evaluate(*arrays), dtype=object).reshape(shape)

    return trace(traced, ports, [function], name=function)


def _entries(matrix: Scalar) -> Iterator[object]:
    rows: Sequence[int] = range(matrix.shape[0])
    yield from (matrix[i, j] for i in rows for j in range(matrix.shape[1]))


PLAIN = {"fully_qualified_modules": False}
