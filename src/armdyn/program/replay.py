"""Evaluation of a program node by node, in order, by a target's table of operations."""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping, Sequence
from itertools import islice
from typing import Protocol

from armdyn.base.errors import Unsupported
from armdyn.base.scalars import Scalar
from armdyn.program.graph import Node
from armdyn.program.ports import Port

Operations = Mapping[str, Callable[..., Scalar]]
"""A target's function for each operation, by the names of `armdyn.program.operations.OPERATIONS`."""

ARITHMETIC: dict[str, Callable[..., Scalar]] = {
    "add": operator.add,
    "sub": operator.sub,
    "mul": operator.mul,
    "div": operator.truediv,
    "neg": operator.neg,
    "pow": operator.pow,
}
"""The arithmetic operations of scalars with Python's operators."""

ELEMENTARY = ("sin", "cos", "tan", "asin", "acos", "atan", "atan2", "sqrt", "exp", "log", "tanh", "sign", "floor")
"""Operations that symbolic libraries have as functions with these names."""


class Replayed(Protocol):
    """The attributes of a `Program` that `replay` reads."""

    @property
    def name(self) -> str:
        """The name, for messages."""

    @property
    def inputs(self) -> tuple[Port, ...]:
        """The arrays that it reads."""

    @property
    def outputs(self) -> tuple[Port, ...]:
        """The arrays that it returns."""

    @property
    def nodes(self) -> tuple[Node, ...]:
        """The operations, in order of evaluation."""

    @property
    def results(self) -> tuple[int, ...]:
        """The nodes that are returned."""


def replay(
    program: Replayed, scalars: Sequence[Scalar], operations: Operations, constant: Callable[[float], Scalar] = float
) -> list[list[Scalar]]:
    """The results of a program on any kind of scalar: numbers, arrays, symbols, or names of variables in source code.

    Every node is visited once, in order of evaluation, also if several others need it; so a table whose operations
    write a line and return the name of its result is a printer of source code.

    Args:
        program: the program to evaluate.
        scalars: one for each number of the inputs, array after array, row-major.
        operations: the function of each operation in the program. ``guard(value, unused)`` occurs in guarded programs
        only: it is the value, but NaN if ``unused`` is NaN or infinite.
        constant: the function that makes a scalar of a constant.

    Returns:
        The list of the scalars of every output port, row-major.

    Raises:
        Unsupported: if the program contains an operation that is not in the table.

    >>> import math
    >>> from armdyn.program import Port, trace
    >>> program = trace(lambda q: np.sin(2.0 * q), [Port("q", (2,))])
    >>> replay(program, [0.0, 1.0], {"mul": lambda a, b: a * b, "sin": math.sin})
    [[0.0, 0.9092974268256817]]
    >>> replay(program, ["q0", "q1"], {"mul": "({} * {})".format, "sin": "sin({})".format})
    [['sin((q0 * 2.0))', 'sin((q1 * 2.0))']]
    """
    missing = {str(node[0]) for node in program.nodes} - {"input", "const", *operations}
    if missing:
        raise Unsupported(f"{program.name} contains {', '.join(sorted(missing))}, which the target does not have")
    values: list[Scalar] = []
    for name, *arguments in program.nodes:
        if name == "const":
            values.append(constant(arguments[0]))  # type: ignore[arg-type]
        elif name == "input":
            values.append(scalars[arguments[0]])  # type: ignore[index]
        else:
            values.append(operations[str(name)](*[values[a] for a in arguments]))  # type: ignore[index]
    results = iter(program.results)
    return [[values[r] for r in islice(results, port.size)] for port in program.outputs]
