"""Results as vectors and matrices: the parts of an output array shown after the equations."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import product
from typing import TYPE_CHECKING

from armdyn.targets.equations.symbol import Symbol

if TYPE_CHECKING:
    from armdyn.targets.equations.equation_data import Array
    from armdyn.targets.equations.term import Term

MOST_ROWS = 12


@dataclass(frozen=True)
class Matrix:
    """An array of at most two axes, or the part of a larger one at some indices: rows of terms."""

    symbol: Symbol
    rows: tuple[tuple[Term, ...], ...]


def matrices(output: Array, symbols: Mapping[Term, Symbol]) -> Iterator[Matrix]:
    """The matrices of an output; none if its equations define every element."""
    plain = all(symbols.get(term) == symbol for term, symbol in zip(output.terms, output.symbols(), strict=True))
    if plain and len(output.shape) < 2:
        return
    outer, (rows, columns) = output.shape[:-2], _last(output.shape)
    for k, index in enumerate(product(*(range(1, d + 1) for d in outer))):
        terms = output.terms[k * rows * columns : (k + 1) * rows * columns]
        if terms:
            yield Matrix(
                Symbol(output.word, index), tuple(terms[r : r + columns] for r in range(0, len(terms), columns))
            )


def elements(matrix: Matrix, output: Array) -> Iterator[tuple[Symbol, Term]]:
    """The elements of a matrix with their symbols."""
    for i, row in enumerate(matrix.rows, 1):
        for j, term in enumerate(row, 1):
            inner = (i, j)[2 - min(len(output.shape), 2) :] if len(output.shape) != 1 else (j,)
            yield Symbol(output.word, (*matrix.symbol.index, *inner)), term


def _last(shape: tuple[int, ...]) -> tuple[int, int]:
    """Rows and columns; a vector is a row, a number a row of one."""
    return (1, 1) if not shape else (1, shape[0]) if len(shape) == 1 else (shape[-2], shape[-1])
