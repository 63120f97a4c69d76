"""The terms and symbols of a program as equations, which are printed as text, as LaTeX and as Python."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product
from typing import TYPE_CHECKING

from armdyn.targets.equations.symbol import Symbol
from armdyn.targets.equations.term import Term, Terms

if TYPE_CHECKING:
    from armdyn.program.ports import Port
    from armdyn.program.program import OperationCounts, Program

LONGEST = 84
"""The approximate length of a right-hand side, characters."""


@dataclass(frozen=True)
class Array:
    """An input or output array: its symbol and the terms of its scalars, row-major."""

    word: str
    port: Port
    terms: tuple[Term, ...]

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape of the array."""
        return self.port.shape

    def symbols(self) -> Iterator[Symbol]:
        """The symbols of its scalars, row-major."""
        return (Symbol(self.word, index) for index in product(*(range(1, d + 1) for d in self.shape)))


@dataclass(frozen=True)
class EquationOptions:
    """The options of `equations`."""

    longest: int = LONGEST
    named_constants: bool = False
    digits: int | None = None


@dataclass(frozen=True, eq=False, repr=False)
class EquationData:
    """A program's terms, the symbols of those that have one, and the terms with an equation."""

    program: Program
    inputs: tuple[Array, ...]
    outputs: tuple[Array, ...]
    symbols: dict[Term, Symbol]
    """The symbols of the inputs and of all terms that have one."""

    terms: Terms
    defined: tuple[Term, ...]
    """The terms with an equation, in order."""

    options: EquationOptions

    @property
    def digits(self) -> int | None:
        """The significant digits of constants in text and LaTeX; Python is exact."""
        return self.options.digits

    @property
    def op_counts(self) -> OperationCounts:
        """The operation counts of all equations, which are those of the program."""
        return self.program.op_counts

    def __len__(self) -> int:
        return len(self.defined)
