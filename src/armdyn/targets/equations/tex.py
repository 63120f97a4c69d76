r"""Equations in LaTeX: \dot{q}_{1}, s_{2}, 2.5\,c_{1}."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from armdyn.targets.equations.document import latex_document
from armdyn.targets.equations.matrices import MOST_ROWS, Matrix, elements, matrices
from armdyn.targets.equations.printed import Binds, Notation, TermText, Typeset, expressions
from armdyn.targets.equations.symbol import Symbol

if TYPE_CHECKING:
    from armdyn.targets.equations.equation_data import Array, EquationData
    from armdyn.targets.equations.term import Term

WIDEST = 92
"""The approximate length of a line of a document, characters."""

COLUMNS = 3
"""The number of short equations side by side in a document."""

SHORT = 24
"""The approximate length of an equation that shares its line with others, characters."""

_FUNCTIONS = {
    **{name: rf"\{name}" for name in ("sin", "cos", "tan", "exp", "tanh", "min", "max")},
    **{name: rf"\arc{name[1:]}" for name in ("asin", "acos", "atan")},
    "log": r"\ln",
    "sign": r"\operatorname{sgn}",
    "atan2": r"\operatorname{atan2}",
    "guard": r"\operatorname{guard}",
}
_RELATIONS = {"less": "<", "less_equal": r"\le"}
_AROUND = {
    "abs": r"\left|{}\right|",
    "floor": r"\left\lfloor {} \right\rfloor",
    "sqrt": r"\sqrt{{{}}}",
}


class Latex(Typeset):
    """The notation of LaTeX with amsmath."""

    infinity, times = r"\infty", r" \cdot "

    def symbol(self, symbol: Symbol) -> str:
        """A name."""
        return symbol.latex

    def power_of_ten(self, exponent: int) -> str:
        """10 with an exponent."""
        return rf"10^{{{exponent}}}"

    def product(self, a: str, b: str) -> str:
        """Factors side by side; a dot before a digit, a thin space after one."""
        if b[0].isdigit():
            return rf"{a} \cdot {b}"
        return rf"{a}\,{b}" if a[-1].isdigit() or (a.endswith("}") and re.search(r"10\^\{-?\d+\}$", a)) else f"{a} {b}"

    def quotient(self, a: TermText, b: TermText) -> TermText:
        """A fraction, with the precedence of a product."""
        return TermText(rf"\frac{{{a.text}}}{{{b.text}}}", Binds.PRODUCT)

    def parenthesised(self, text: str) -> str:
        """Parentheses as high as their content."""
        return rf"\left({text}\right)" if r"\frac" in text or r"\left" in text else f"({text})"

    def square(self, a: str) -> TermText | None:
        """The square of a symbol."""
        return TermText(f"{a}^{{2}}")

    def call(self, name: str, arguments: list[TermText]) -> TermText:
        """A function by name, or a comparison or choice with its sign."""
        a = [self.signed(x) for x in arguments]
        if name in ("less", "less_equal"):
            return TermText(rf"{a[0]} {_RELATIONS[name]} {a[1]}", Binds.RELATION)
        if name == "select":
            condition = a[0] if arguments[0].binds == Binds.RELATION else rf"{a[0]} \ne 0"
            cases = rf"\displaystyle {a[1]} & \text{{if }} {condition} \\ \displaystyle {a[2]} & \text{{otherwise}}"
            return TermText(rf"\left\{{\begin{{array}}{{ll}} {cases} \end{{array}}\right.", Binds.CASES)
        if name == "pow":
            base = self.parenthesised(a[0])
            return TermText(f"{base}^{{{a[1]}}}")
        if name in _AROUND:
            return TermText(_AROUND[name].format(*a))
        return TermText(f"{_FUNCTIONS[name]}{self.parenthesised(', '.join(a))}")


def latex_of(equations: EquationData) -> str:
    """All equations and results in one environment."""
    return _environment([*_definitions(equations), *_results(equations)])


def _environment(rows: list[str]) -> str:
    return "\n".join([r"\begin{align*}", " \\\\\n".join(rows), r"\end{align*}"])


def document_of(equations: EquationData, title: str | None) -> str:
    """A document with the arrays of the equations, the equations and the results."""
    title = title or equations.program.name.replace("_", " ").capitalize()
    return latex_document(title, blocks_of(equations))


def blocks_of(equations: EquationData) -> list[str]:
    """The blocks of these equations, for `latex_document` with others."""
    return [*_introduction(equations), *_blocks(equations)]


def _blocks(equations: EquationData) -> Iterator[str]:
    if rows := list(_packed(equations)):
        body = " \\\\\n".join(rows)
        yield f"\\begin{{alignat*}}{{{COLUMNS}}}\n{body}\n\\end{{alignat*}}"
    if rows := list(_results(equations)):
        yield _environment(rows)


def _introduction(equations: EquationData) -> Iterator[str]:
    arguments, results = (", ".join(map(_array, arrays)) for arrays in (equations.inputs, equations.outputs))
    counts = [_count_text(n, name) for name, n in vars(equations.op_counts).items() if n]
    yield f"Given: {arguments or 'nothing'}. Result: {results}. Operations: {', '.join(counts) or 'none'}."
    if equations.digits is not None:
        yield f"Constants are rounded to {equations.digits} significant digits."


def _array(array: Array) -> str:
    shape = r" \times ".join(map(str, array.shape))
    return f"${Symbol(array.word).latex}$" + (f" (${shape}$)" if shape else "")


def _count_text(n: int, name: str) -> str:
    words = {"trigonometric": "trigonometric functions", "other": "other functions"}.get(name, name.replace("_", " "))
    return f"{n} {words if n > 1 else words.removesuffix('s')}"


def _packed(equations: EquationData) -> Iterator[str]:
    """Rows of short equations side by side, to be read line by line; longer ones alone, over the page's width."""
    notation = Latex(equations.digits)
    right, _ = expressions(equations, notation)
    row: list[str] = []
    for term in equations.defined:
        mine = _row(equations, term, right[term], notation)
        short = width(mine.replace("&", "")) <= SHORT
        places = 2 if term.operation == "sin" else 1  # its cosine follows
        if row and (not short or len(row) + places > COLUMNS):
            yield " &\\qquad ".join(row)
            row = []
        if short:
            row.append(mine)
        else:
            yield _over_all_columns(mine)
    if row:
        yield " &\\qquad ".join(row)


def _over_all_columns(row: str) -> str:
    """The lines of an equation as boxes without width, which make no column wider."""
    lines = row.split(" \\\\\n")
    parts = (line.partition("&= " if k == 0 else "&\\quad {}") for k, line in enumerate(lines))
    return " \\\\\n".join(rf"{name}{sign}\rlap{{$\displaystyle {inside}$}}" for name, sign, inside in parts)


def _definitions(equations: EquationData) -> Iterator[str]:
    """The equations; the cosine of an angle follows its sine."""
    notation = Latex(equations.digits)
    right, _ = expressions(equations, notation)
    before: Term | None = None
    row = ""
    for term in equations.defined:
        mine = _row(equations, term, right[term], notation)
        if before is not None and _belong(before, term, equations):
            row += rf", \qquad {mine.replace(' &= ', ' = ')}"
            continue
        if row:
            yield row
        before, row = term, mine
    if row:
        yield row


def _belong(sine: Term, cosine: Term, equations: EquationData) -> bool:
    """True if two terms are the sine and the cosine of one symbol."""
    functions = sine.operation, cosine.operation
    return functions == ("sin", "cos") and sine.arguments == cosine.arguments and sine.arguments[0] in equations.symbols


def _row(equations: EquationData, term: Term, printed: TermText, notation: Latex) -> str:
    side = equations.symbols[term].latex
    if term.operation in ("sin", "cos") and (symbol := equations.symbols.get(term.arguments[0])):
        return rf"{side} &= \{term.operation} {symbol.latex}"
    return f"{side} &= {_broken(printed, notation)}"


def _broken(printed: TermText, notation: Notation) -> str:
    """A right-hand side, broken before signs if it is longer than a line."""
    if printed.negative or width(printed.text) <= WIDEST or len(printed.summands) < 2:
        return notation.signed(printed)
    broken, line = [], ""
    for summand in printed.summands:
        if line and width(line + summand) > WIDEST:
            broken.append(line)
            line = ""
        line += summand
    return " \\\\\n&\\quad {}".join([*broken, line])


def width(latex: str) -> float:
    r"""The approximate width of LaTeX's output, characters: commands and braces have no width, indices half of it.

    >>> from armdyn.targets.equations.tex import width
    >>> width(r"\dot{q}_{12} + 2.5")
    7.5
    """
    indices = re.sub(r"[_^]\{([^{}]*)\}", lambda found: "." * math.ceil(len(found[1]) / 2), latex)
    plain = re.sub(r"\\[A-Za-z]+|[{}\\]", "", indices)
    spaces = plain.count(" ")
    return len(plain) - spaces + (latex.count(" + ") + latex.count(" - ") + latex.count(" = ")) * 1.5


def _results(equations: EquationData) -> Iterator[str]:
    notation = Latex(equations.digits)
    _, written = expressions(equations, notation)
    cells = {term: notation.signed(printed) for term, printed in written.items()}
    for output in equations.outputs:
        for matrix in matrices(output, equations.symbols):
            if _fits(matrix, cells):
                yield f"{matrix.symbol.latex} &= {_matrix(matrix, cells)}"
            else:
                yield from _elements(matrix, output, equations, cells)


def _fits(matrix: Matrix, cells: dict[Term, str]) -> bool:
    widths = [max(width(cells[term]) for term in column) for column in zip(*matrix.rows, strict=True)]
    return len(matrix.rows) <= MOST_ROWS and sum(widths) + 2.5 * len(widths) <= WIDEST


def _matrix(matrix: Matrix, cells: dict[Term, str]) -> str:
    """A matrix in brackets; a vector is a column, a number has no brackets."""
    rows = matrix.rows
    if len(rows) == len(rows[0]) == 1:
        return cells[rows[0][0]]
    if len(rows) == 1:
        rows = tuple((term,) for term in rows[0])
    inside = r" \\ ".join(" & ".join(cells[term] for term in row) for row in rows)
    return rf"\begin{{bmatrix}} {inside} \end{{bmatrix}}"


def _elements(matrix: Matrix, output: Array, equations: EquationData, cells: dict[Term, str]) -> Iterator[str]:
    """The elements one by one, except for those with equations above and zeros."""
    zeros = 0
    for symbol, term in elements(matrix, output):
        if term.operation == "const" and term.value == 0:
            zeros += 1
        elif equations.symbols.get(term) != symbol:
            yield f"{symbol.latex} &= {cells[term]}"
    if zeros:
        yield rf"&\text{{the other {zeros} elements of }} {matrix.symbol.latex} \text{{ are }} 0"
