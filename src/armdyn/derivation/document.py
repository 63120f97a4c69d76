"""Derivations in LaTeX: aligned equations with line breaks in long sums, and a self-contained document."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np
import sympy
from sympy.printing.latex import LatexPrinter

from armdyn.base.scalars import Scalar
from armdyn.derivation.printing import VECTORS, BookNotation, heading, symbol_description
from armdyn.derivation.steps import Equation
from armdyn.targets.equations.document import latex_document
from armdyn.targets.equations.symbol import GREEK, escape_latex

if TYPE_CHECKING:
    from armdyn.derivation.named_results import NamedResults

WIDTH = 62
"""Characters of a line of equations on a page, as estimated by `width`."""

MATHEMATICS = {
    "tau = M(q) qdd + c(q, qd) + g(q)": r"$\tau = M(q)\,\ddot{q} + c(q, \dot{q}) + g(q)$",
    "tau = M(q) qdd + V(q, qd) + G(q)": r"$\tau = M(q)\,\ddot{q} + V(q, \dot{q}) + G(q)$",
    "tau = M(q) qdd + B(q) [qd qd] + C(q) [qd^2] + G(q)": (
        r"$\tau = M(q)\,\ddot{q} + B(q)\,[\dot{q}\dot{q}] + C(q)\,[\dot{q}^2] + G(q)$"
    ),
    "V = J(q) qd": r"$V = J(q)\,\dot{q}$",
    "Vdot = J qdd + Jdot qd": r"$\dot{V} = J\,\ddot{q} + \dot{J}\,\dot{q}$",
    "F = Lambda(q) Vdot + mu(q, qd) + p(q)": r"$F = \Lambda(q)\,\dot{V} + \mu(q, \dot{q}) + p(q)$",
    "tau = J^T F": r"$\tau = J^T F$",
    "eta = mu + p": r"$\eta = \mu + p$",
    "no Lambda": r"no $\Lambda$",
    "det J": r"$\det J$",
    "A(q) qd = 0": r"$A(q)\,\dot{q} = 0$",
    "tau = M qdd + c + g + A^T lambda": r"$\tau = M\,\ddot{q} + c + g + A^T \lambda$",
    "lambda = W(q) tau + w(q, qd)": r"$\lambda = W(q)\,\tau + w(q, \dot{q})$",
    "P tau": r"$P\,\tau$",
    "A^T W tau": r"$A^T W \tau$",
    "[qd qd]": r"$[\dot{q}\dot{q}]$",
    "[qd^2]": r"$[\dot{q}^2]$",
    "m v.v": r"$m\,v \cdot v$",
    "omega.I omega": r"$\omega \cdot I \omega$",
    "-m g.p": r"$-m\,g \cdot p$",
}
"""Formulas of the sentences of steps."""


SUBSCRIPTED = re.compile(r"([A-Za-z])([A-Za-z]*)([0-9]+(?:[-,][0-9]+)*)([A-Za-z]*)")
"""A name, e.g. m1, lc1, I2zz, s1-2: a letter and its subscript."""


class _Latex(LatexPrinter):  # type: ignore[misc]  # SymPy has no types
    def _print_Symbol(self, symbol: Scalar, style: str = "plain") -> str:
        parts = SUBSCRIPTED.fullmatch(symbol.name)
        if parts is None or parts[1] + parts[2] in (*GREEK, "qdot", "qddot"):
            return str(super()._print_Symbol(symbol, style))
        below = f"{parts[2]}{parts[3]}" + (f",{parts[4]}" if parts[4] else "")
        return f"{parts[1]}_{{{below}}}"

    def _print_Float(self, number: Scalar) -> str:
        text = repr(float(number))
        return re.sub(r"e([+-]?)0*(\d+)", lambda m: rf" \cdot 10^{{{m[1].strip('+')}{m[2]}}}", text)


def latex_of(expression: object, notation: BookNotation) -> str:
    """An expression of SymPy in the short symbols and the order of books."""
    return str(_Latex({"order": "none", "mat_str": "matrix", "mat_delim": "["}).doprint(notation.ordered(expression)))


def width(latex: str) -> int:
    """The approximate number of characters of a formula on the page."""
    plain = re.sub(r"\\(?:left|right|dot|ddot|begin\{[a-z]*\}|end\{[a-z]*\})", "", latex)
    return len(re.sub(r"\\[a-zA-Z]+", "x", plain).translate(str.maketrans("", "", "{}_^ \\")))


def lines_of(equation: Equation, notation: BookNotation) -> Iterator[str]:
    """Lines of an align environment: one equation with its long sum broken, or one per entry of a wide matrix."""
    side, expression = equation.latex, equation.expression
    if not hasattr(expression, "shape"):
        yield from _broken(side, expression, notation)
        return
    columns = [] if isinstance(expression, sympy.NDimArray) else [list(c) for c in expression.T.tolist()]
    wide = sum(max(width(latex_of(x, notation)) for x in column) + 3 for column in columns)
    if columns and wide + width(side) <= WIDTH:
        yield f"{side} &= {latex_of(expression, notation)}"
        return
    vector = str(equation.symbol) in VECTORS or expression.shape[1:] == (1,)
    zero = []
    for index in np.ndindex(*(expression.shape[:1] if vector else expression.shape)):
        entry = expression[(*index, 0) if vector else index]
        label = rf"\left[{side}\right]_{{{','.join(str(i + 1) for i in index)}}}"
        if entry == 0:
            zero.append(label)
        else:
            yield from _broken(label, entry, notation)
    yield from _equal_to_zero(zero)


def _equal_to_zero(labels: list[str]) -> Iterator[str]:
    """Lines of entries that are zero, with as many entries per line as fit."""
    while labels:
        count = max(1, sum(sum(width(x) + 4 for x in labels[: k + 1]) <= WIDTH for k in range(len(labels))))
        yield f"&{' = '.join(labels[:count])} = 0"  # right of the alignment point, near the other left sides
        labels = labels[count:]


def _broken(side: str, expression: object, notation: BookNotation) -> Iterator[str]:
    """The lines of left &= terms, with a line break after each full line."""
    line, columns = f"{side} &= ", width(side) + 2
    for i, term in enumerate(_signed_terms(expression, notation)):
        size = width(term)
        if i and columns + size > WIDTH:
            yield line.rstrip()
            line, columns = r"&\quad ", 2
        line, columns = f"{line}{term} ", columns + size
    yield line.rstrip()


def _signed_terms(expression: object, notation: BookNotation) -> Iterator[str]:
    """The terms of a sum, each with its sign; a product too wide for a line is multiplied out once."""
    ordered = notation.ordered(expression)
    place = 0
    for term in ordered.args if ordered.is_Add else [ordered]:
        text = latex_of(term, notation)
        for part in _multiplied_out(term) if width(text) > WIDTH else [term]:
            yield _signed(latex_of(part, notation), place)
            place += 1


def _multiplied_out(term: Scalar) -> list[object]:
    """The terms of a product with a sum, by the sum's terms."""
    sums = [factor for factor in term.args if factor.is_Add] if term.is_Mul else []
    if not sums:
        return [term]
    rest = sympy.Mul(*(factor for factor in term.args if factor is not sums[-1]))
    return [rest * x for x in sums[-1].args]


def _signed(text: str, place: int) -> str:
    return text if text.startswith("-") or not place else f"+ {text}"


def body_of(derivation: NamedResults) -> str:
    """Headings, sentences and equations."""
    parts, notation = [_symbols(derivation)], BookNotation(derivation.arm.parameters)
    for step in derivation.steps:
        parts += [
            rf"\section{{{escape_latex(step.title)}}}",
            _sentence(step.sentence),
            _aligned(step.equations, notation),
        ]
    return "\n".join(parts)


def result_of(derivation: NamedResults, name: str) -> str:
    """The equations of one result."""
    return _aligned((derivation.equation(name),), BookNotation(derivation.arm.parameters))


def _sentence(text: str) -> str:
    pattern = "|".join(re.escape(words) for words in sorted(MATHEMATICS, key=len, reverse=True))
    pieces = re.split(f"({pattern}|tau_[0-9]+)", text)
    return "".join(
        MATHEMATICS.get(piece)
        or (rf"$\tau_{{{piece[4:]}}}$" if re.fullmatch("tau_[0-9]+", piece) else escape_latex(piece))
        for piece in pieces
    )


def _aligned(equations: tuple[Equation, ...], notation: BookNotation) -> str:
    lines = [text for equation in equations for text in lines_of(equation, notation)]
    return "\\begin{align*}\n" + " \\\\\n".join(lines) + "\n\\end{align*}"


def _symbols(derivation: NamedResults) -> str:
    arm = derivation.arm
    rows = [
        rf"$q_{{{i}}}$ & position of {escape_latex(name)}, {'m' if slides else 'rad'} \\"
        for i, (name, slides) in enumerate(zip(arm.coordinates, arm.slides, strict=True), start=1)
    ]
    rows += [
        rf"${latex_of(symbol, BookNotation())}$ & {escape_latex(symbol_description(derivation, symbol))} \\"
        for symbol in arm.parameters
    ]
    where = r"\noindent $c_{12}$ is $\cos(q_1 + q_2)$, $s_{12}$ is $\sin(q_1 + q_2)$, and so on."
    tables = [rows[start : start + 40] for start in range(0, len(rows), 40)]  # a table is not broken across pages
    begin, end = r"\noindent\begin{tabular}{ll}", r"\end{tabular}\par"
    return "\n".join([*(line for table in tables for line in (begin, *table, end)), where])


def document_of(derivation: NamedResults) -> str:
    """A document that pdflatex, xelatex and lualatex compile."""
    return latex_document(heading(derivation), [body_of(derivation)])


def shown_in_jupyter(derivation: NamedResults) -> str:
    """The equations alone, as MathJax supports them."""
    notation = BookNotation(derivation.arm.parameters)
    return "\n".join(_aligned(step.equations, notation) for step in derivation.steps)
