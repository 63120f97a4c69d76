"""Equations in Unicode: q̇₁, s₂, 2.5·c₁."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from html import escape
from typing import TYPE_CHECKING

from armdyn.targets.equations.matrices import MOST_ROWS, Matrix, elements, matrices
from armdyn.targets.equations.printed import Binds, Notation, TermText, Typeset, expressions
from armdyn.targets.equations.symbol import Symbol, columns, superscript

if TYPE_CHECKING:
    from armdyn.targets.equations.equation_data import Array, EquationData
    from armdyn.targets.equations.term import Term

WIDEST = 110
"""The widest matrix in text, columns."""


class Unicode(Typeset):
    """The notation of Unicode, for terminals."""

    infinity, times = "∞", "·"

    def symbol(self, symbol: Symbol) -> str:
        """A name."""
        return symbol.unicode

    def power_of_ten(self, exponent: int) -> str:
        """10 with an exponent."""
        return f"10{superscript(exponent)}"

    def product(self, a: str, b: str) -> str:
        """a b."""
        return f"{a}·{b}"

    def quotient(self, a: TermText, b: TermText) -> TermText:
        """a / b."""
        return TermText(
            f"{self.in_parentheses(a, Binds.QUOTIENT)}/{self.in_parentheses(b, Binds.PRODUCT)}", Binds.QUOTIENT
        )

    def square(self, a: str) -> TermText | None:
        """a² of a plain symbol."""
        return TermText(f"{a}²") if "[" not in a and "(" not in a and "⁻" not in a else None

    def call(self, name: str, arguments: list[TermText]) -> TermText:
        """A function by name, or a comparison or choice with its sign."""
        a = [self.signed(x) for x in arguments]
        if name in ("less", "less_equal"):
            return TermText(f"{a[0]} {'<' if name == 'less' else '≤'} {a[1]}", Binds.RELATION)
        if name == "select":
            condition = a[0] if arguments[0].binds == Binds.RELATION else f"{a[0]} ≠ 0"
            return TermText(f"({a[1]} if {condition} else {a[2]})")
        around = {"abs": "|{}|", "floor": "⌊{}⌋", "sqrt": "√({})", "pow": "({})^({})"}
        return TermText(around[name].format(*a) if name in around else f"{name}({', '.join(a)})")


def sides(equations: EquationData) -> Iterator[tuple[str, str]]:
    """The left and right sides of the equations."""
    notation = Unicode(equations.digits)
    right, _ = expressions(equations, notation)
    for term in equations.defined:
        yield notation.symbol(equations.symbols[term]), definition(term, right[term], notation, equations)


def definition(term: Term, printed: TermText, notation: Notation, equations: EquationData) -> str:
    """A right-hand side; a sine or cosine of a symbol without parentheses."""
    if term.operation in ("sin", "cos") and (symbol := equations.symbols.get(term.arguments[0])):
        return f"{term.operation} {notation.symbol(symbol)}"
    return notation.signed(printed)


def text(equations: EquationData) -> str:
    """A header, the equations, the results as matrices."""
    parts = [header(equations), lines(sides(equations)), *results(equations)]
    return "\n\n".join(part for part in parts if part)


def lines(pairs: Iterable[tuple[str, str]]) -> str:
    """Equations with aligned signs of equality."""
    pairs = list(pairs)
    width = max((columns(name) for name, _ in pairs), default=0)
    return "\n".join(f"{' ' * (width - columns(name))}{name} = {right}" for name, right in pairs)


def header(equations: EquationData) -> str:
    """Name, arrays and operations."""
    program = equations.program
    arguments = ", ".join(f"{port.name}{_brackets(port.shape)}" for port in program.inputs)
    results = ", ".join(f"{output.word}{_brackets(output.shape)}" for output in equations.outputs)
    return f"{program.name}({arguments}) -> {results}: {program.op_counts}"


def _brackets(shape: tuple[int, ...]) -> str:
    return f"[{','.join(map(str, shape))}]" if shape else ""


def results(equations: EquationData) -> Iterator[str]:
    """Every output as vectors and matrices, or element by element if they are too large for that."""
    notation = Unicode(equations.digits)
    _, written = expressions(equations, notation)
    cells = {term: notation.signed(printed) for term, printed in written.items()}
    for output in equations.outputs:
        for matrix in matrices(output, equations.symbols):
            yield _matrix(matrix, cells) or _elements(matrix, output, equations, cells)


def _matrix(matrix: Matrix, cells: dict[Term, str]) -> str:
    """A matrix in brackets; empty if it is too large."""
    rows = [[cells[term] for term in row] for row in matrix.rows]
    widths = [max(map(columns, column)) for column in zip(*rows, strict=True)]
    name = matrix.symbol.unicode
    if len(rows) > MOST_ROWS or sum(widths) + 2 * len(widths) > WIDEST:
        return ""
    body = ["  ".join(_padded(cell, width) for cell, width in zip(row, widths, strict=True)) for row in rows]
    if len(body) == 1:
        return f"{name} = {body[0].strip()}" if len(rows[0]) == 1 else f"{name} = ({', '.join(rows[0])})"
    opening, closing = "⎡" + "⎢" * (len(rows) - 2) + "⎣", "⎤" + "⎥" * (len(rows) - 2) + "⎦"
    margins = [f"{name} = ", *[" " * (columns(name) + 3)] * (len(rows) - 1)]
    return "\n".join(f"{m}{a} {row} {b}" for m, a, row, b in zip(margins, opening, body, closing, strict=True))


def _padded(cell: str, width: int) -> str:
    return cell + " " * (width - columns(cell))


def _elements(matrix: Matrix, output: Array, equations: EquationData, cells: dict[Term, str]) -> str:
    """The elements one by one, except for those with equations above and zeros."""
    texts, zeros = [], 0
    for symbol, term in elements(matrix, output):
        if term.operation == "const" and term.value == 0:
            zeros += 1
        elif equations.symbols.get(term) != symbol:
            texts.append((symbol.unicode, cells[term]))
    note = f"the other {zeros} elements of {matrix.symbol.unicode} are 0" if zeros else ""
    return "\n".join(part for part in (lines(texts), note) if part)


def html(equations: EquationData) -> str:
    """The text as HTML, in a box that scrolls."""
    return f'<pre style="max-height: 40em; overflow: auto; line-height: 1.4">{escape(text(equations))}</pre>'
