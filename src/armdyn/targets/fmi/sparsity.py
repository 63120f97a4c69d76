"""Dependencies of a program's results on its inputs, number by number, with a flag for constant factors."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from armdyn.program.graph import Node
from armdyn.program.program import Program

LINEAR = {"add", "sub", "neg"}
"""Operations with constant derivatives by their arguments; those of a product and a quotient may be constant."""


class Dependency(NamedTuple):
    """The dependency of a result's number on an input's number, both counted through all arrays."""

    result: int
    cause: int
    is_constant: bool


class _Sets(NamedTuple):
    """The inputs that a node depends on, and those among them with a variable factor, as bits."""

    all: int
    changing: int


def dependencies(program: Program) -> Iterator[Dependency]:
    """All dependencies, result by result; derivatives that are zero by the program's constants are not detected.

    >>> from armdyn.program import Port, trace
    >>> program = trace(lambda x: np.array([x[0] * x[1], 2.0 * x[0]]), [Port("x", (2,))])
    >>> [tuple(pair) for pair in dependencies(program)]
    [(0, 0, False), (0, 1, False), (1, 0, True)]
    """
    sets: list[_Sets] = []
    for node in program.nodes:
        sets.append(_of_node(node, sets))
    for k, result in enumerate(program.results):
        results = sets[result]
        for cause in _bits(results.all):
            yield Dependency(k, cause, not results.changing >> cause & 1)


def _of_node(node: Node, sets: Sequence[_Sets]) -> _Sets:
    name, *arguments = node
    if name == "input":
        return _Sets(1 << int(arguments[0]), 0)
    if name == "const":
        return _Sets(0, 0)
    sets_of_arguments = [sets[int(a)] for a in arguments]
    everything = changing = 0
    for one in sets_of_arguments:
        everything, changing = everything | one.all, changing | one.changing
    by_constants = (name == "mul" and 0 in (sets_of_arguments[0].all, sets_of_arguments[1].all)) or (
        name == "div" and sets_of_arguments[1].all == 0
    )
    return _Sets(everything, changing if name in LINEAR or by_constants else everything)


def _bits(number: int) -> Iterator[int]:
    while number:
        lowest = number & -number
        yield lowest.bit_length() - 1
        number ^= lowest
