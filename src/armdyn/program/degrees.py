"""The degree of a program's results in some of its inputs: constant, affine, or neither, from its operations."""

from __future__ import annotations

from collections.abc import Callable, Collection

from armdyn.program.operations import OPERATIONS
from armdyn.program.program import Program
from armdyn.program.replay import replay

AFFINE = 1
NONLINEAR = 2
"""Any degree above one, and every kink and step."""


def degrees(program: Program, wrt: Collection[str]) -> dict[str, int]:
    """The degree of each output in the inputs ``wrt`` together: 0, `AFFINE` or `NONLINEAR`.

    It is an upper bound by the rules for sums and products, which do not detect cancelling terms.

    >>> from armdyn.program import Port, trace
    >>> product = trace(lambda a, b: (a * b, b + 2.0), [Port("a", ()), Port("b", ())], ("c", "d"))
    >>> degrees(product, ["b"]), degrees(product, ["a", "b"])
    ({'c': 1, 'd': 1}, {'c': 2, 'd': 1})
    """
    scalars = [int(port.name in wrt) for port in program.inputs for _ in range(port.size)]
    values = replay(program, scalars, _RULES, constant=lambda _: 0)
    return {port.name: max(of, default=0) for port, of in zip(program.outputs, values, strict=True)}


def _other(*arguments: int) -> int:
    return NONLINEAR if any(arguments) else 0


def _quotient(a: int, b: int) -> int:
    return NONLINEAR if b else a


def _selected(condition: int, if_true: int, if_false: int) -> int:
    return NONLINEAR if condition else max(if_true, if_false)


_RULES: dict[str, Callable[..., int]] = {
    **dict.fromkeys(OPERATIONS, _other),
    **dict.fromkeys(("add", "sub", "neg"), lambda *terms: max(terms)),
    "mul": lambda a, b: min(a + b, NONLINEAR),
    "div": _quotient,
    "select": _selected,
}
