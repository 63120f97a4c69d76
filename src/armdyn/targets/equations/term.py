"""Programs as graphs of terms: every operation is an object that holds its arguments."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING

from armdyn.program.operations import OPERATIONS

if TYPE_CHECKING:
    from armdyn.program.program import Program


@dataclass(frozen=True, eq=False, slots=True)
class Term:
    """One value of a program. Terms are compared by identity, because a program computes nothing twice."""

    operation: str
    """``"input"``, ``"const"``, or a name of `armdyn.program.operations.OPERATIONS`."""

    arguments: tuple[Term, ...] = field(default=(), repr=False)
    value: float = 0.0
    """The value of a constant."""

    @property
    def is_atom(self) -> bool:
        """True if it is an input or a constant."""
        return not self.arguments

    @property
    def unsigned(self) -> Term:
        """The term without leading negations, which are not counted as operations."""
        return self.arguments[0].unsigned if self.operation == "neg" else self


@dataclass(frozen=True)
class Terms:
    """All terms of a program."""

    inputs: tuple[Term, ...]
    """One term for each number of the program's inputs."""

    evaluated: tuple[Term, ...]
    """Constants and operations, in order of evaluation."""

    results: tuple[tuple[Term, ...], ...]
    """The terms of every output, row-major."""

    def __iter__(self) -> Iterator[Term]:
        yield from self.inputs
        yield from self.evaluated


def terms_of(program: Program) -> Terms:
    """The terms of a program, by replaying it."""
    inputs = tuple(Term("input") for port in program.inputs for _ in range(port.size))
    evaluated: list[Term] = []

    def record(term: Term) -> Term:
        evaluated.append(term)
        return term

    def applied(name: str, *arguments: Term) -> Term:
        return record(Term(name, arguments))

    operations = {name: partial(applied, name) for name in OPERATIONS}
    results = program.replay(inputs, operations, lambda value: record(Term("const", value=value)))
    return Terms(inputs, tuple(evaluated), tuple(map(tuple, results)))
