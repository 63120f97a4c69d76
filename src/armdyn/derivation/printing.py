"""Derivations as text, with the short names of textbooks: c12 for cos(q1 + q2).

SymPy's printers write the expressions. `armdyn.targets.equations` has its own printer, because its terms are nodes of a
program, which keep their order of evaluation and share subexpressions; expressions of SymPy have neither. Both use the
letters, escapes and document of `armdyn.targets.equations.symbol` and `armdyn.targets.equations.document`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import sympy
from sympy.printing.pretty.pretty_symbology import pretty_symbol, pretty_use_unicode
from sympy.printing.str import StrPrinter

from armdyn.base.scalars import Scalar
from armdyn.targets.equations.symbol import subscript, superscript

if TYPE_CHECKING:
    from armdyn.derivation.named_results import NamedResults

DOTS = {"sign_qd": "sign_qd", "qdd": "qddot", "qd": "qdot"}


def short(expression: Scalar) -> Scalar:
    """An expression with the symbols of textbooks: c12 for cos(q1 + q2), s1-2 for sin(q1 - q2), dots on rates.

    >>> import sympy
    >>> q1, q2, qd1 = sympy.symbols("q1 q2 qd1")
    >>> short(qd1 * sympy.cos(q1 + q2))
    c12*qdot1
    """
    if not hasattr(expression, "free_symbols"):
        return expression
    names = {wave: sympy.Symbol(name) for wave in _waves(expression) if (name := _short_name(wave))}
    names |= {symbol: sympy.Symbol(_dotted(symbol.name)) for symbol in expression.free_symbols if _is_rate(symbol.name)}
    return expression.xreplace(names)


def _waves(expression: Scalar) -> set[Scalar]:
    if isinstance(expression, sympy.NDimArray):
        return {wave for entry in sympy.flatten(expression.tolist()) for wave in _waves(sympy.sympify(entry))}
    result: set[Scalar] = expression.atoms(sympy.cos, sympy.sin)
    return result


def _short_name(wave: Scalar) -> str:
    """c12 for cos(q1 + q2); empty if the angle is not a sum or difference of coordinates."""
    letter = "c" if isinstance(wave, sympy.cos) else "s"
    terms = [term.as_coeff_Mul() for term in sympy.Add.make_args(wave.args[0])]
    if any(abs(factor) != 1 or not symbol.is_Symbol for factor, symbol in terms):
        return ""
    indices = sorted((int(symbol.name[1:]), factor) for factor, symbol in terms)
    apart = "," if indices[-1][0] > 9 else ""
    return letter + "".join(
        ("-" if factor < 0 else apart if place else "") + str(i) for place, (i, factor) in enumerate(indices)
    )


def _is_rate(name: str) -> bool:
    return name.rstrip("0123456789") in ("qd", "qdd")


def _dotted(name: str) -> str:
    kind = name.rstrip("0123456789")
    return DOTS[kind] + name[len(kind) :]


def _with_indices(name: str) -> str:
    """m1 as m₁ and s1-2 as s₁₋₂, independent of SymPy's detection of the terminal: lines are not ASCII anyway."""
    if name[0] in "cs" and ("-" in name or "," in name):
        return name[0] + subscript(name[1:])
    before = pretty_use_unicode(True)
    try:
        return str(pretty_symbol(name))
    finally:
        pretty_use_unicode(before)


class OneLine(StrPrinter):  # type: ignore[misc]  # SymPy has no types
    """Expressions in one line of Unicode: L₁·g·m₁·c₁."""

    def _print_Symbol(self, symbol: Scalar) -> str:
        return _with_indices(symbol.name)

    def _print_Pow(self, power: Scalar, rational: bool = False) -> str:
        if power.exp.is_Integer and power.exp > 1:
            return f"{self.parenthesize(power.base, 100)}{superscript(power.exp)}"
        return str(super()._print_Pow(power, rational=rational))

    def _print_Mul(self, product: object) -> str:
        return str(super()._print_Mul(product)).replace("*", "·")

    def _print_Float(self, number: Scalar) -> str:
        return repr(float(number))


RATES = {"qddot": 0, "qdot": 1}


class BookNotation:
    """The order of factors and terms in textbooks: masses, lengths, angles and rates; accelerations before velocities.

    Args:
        parameters: symbols of the arm, in their order in a product.
    """

    def __init__(self, parameters: Sequence[Any] = ()) -> None:
        self._rank = {symbol: i for i, symbol in enumerate(parameters)}

    def line(self, expression: object) -> str:
        """An expression in one line of Unicode."""
        return str(OneLine({"order": "none"}).doprint(self.ordered(expression)))

    def ordered(self, expression: object) -> Scalar:
        """An expression in the symbols and order of textbooks; for printing only, not for computations."""
        return self._ordered(short(expression))

    def _ordered(self, x: Scalar) -> Scalar:
        if isinstance(x, sympy.MatrixBase):
            return x.applyfunc(self._ordered)
        if x.is_Add:
            terms = sorted(x.args, key=self._place_of_term)
            return sympy.Add(*map(self._ordered, terms), evaluate=False)
        if x.is_Mul:
            factors = sorted(x.args, key=self._place_of_factor)
            return sympy.Mul(*map(self._ordered, factors), evaluate=False)
        if x.is_Pow and not x.base.is_Symbol:
            return sympy.Pow(self._ordered(x.base), x.exp, evaluate=False)
        return x

    def _place_of_factor(self, x: Scalar) -> tuple[object, ...]:
        """The sort key of a factor: number, sum of masses, parameter, sum of lengths, coordinate or angle, rate."""
        if x.is_Number:
            return (0,)
        places = sorted(self._place_of_symbol(symbol) for symbol in x.free_symbols)
        return (1, places[-1][0] if x.is_Add else places[0][0], *places)

    def _place_of_symbol(self, symbol: Scalar) -> tuple[object, ...]:
        name = symbol.name
        kind = name.rstrip("0123456789")
        if symbol in self._rank:
            return 1, self._rank[symbol], name
        return (4 if kind in RATES else 3 if kind in ("c", "s") or "," in name or "-" in name else 2), 0, name

    def _place_of_term(self, x: Scalar) -> tuple[object, ...]:
        factors = x.args if x.is_Mul else (x,)
        kinds = {symbol.name.rstrip("0123456789") for factor in factors for symbol in factor.free_symbols}
        moving = min((RATES[kind] for kind in kinds & set(RATES)), default=2)
        rates = sorted(s.name for s in x.free_symbols if s.name.rstrip("0123456789") in RATES)
        places = [self._place_of_factor(factor) for factor in factors if not factor.is_Number]
        return moving, rates if moving < 2 else [], not places, sorted(places), str(x)


VECTORS = ("tau", "c", "c_cen", "c_cor", "g", "V", "G", "tau_f", "eta", "mu", "p", "w")
"""Results with one entry per coordinate."""


def lines_of(name: str, value: object, notation: BookNotation) -> Iterator[str]:
    """``name = value``, or a line for each entry of an array; entries that are zero share one line."""
    if not hasattr(value, "shape"):
        yield f"{name} = {notation.line(value)}"
        return
    zero = []
    for label, entry in entries(name, value):
        if entry == 0:
            zero.append(label)
        else:
            yield f"{label} = {notation.line(entry)}"
    if zero:
        yield f"{' = '.join(zero)} = 0"


def entries(name: str, value: Scalar) -> Iterator[tuple[str, Scalar]]:
    """The entries of an array with their names, e.g. M_12."""
    shape = value.shape[:1] if name in VECTORS else value.shape
    for index in np.ndindex(*shape):
        yield f"{name}_{_place(index)}", value[(*index, 0) if name in VECTORS else index]


def _place(index: tuple[int, ...]) -> str:
    return (",".join if max(index) > 8 else "".join)(str(i + 1) for i in index)


def text_of(derivation: NamedResults) -> str:
    """All steps of a derivation as text."""
    notation = BookNotation(derivation.arm.parameters)
    parts = [heading(derivation), *symbols_table(derivation)]
    for i, step in enumerate(derivation.steps, start=1):
        parts += ["", f"{i}. {step.title}", f"   {step.sentence}", ""]
        parts += [f"   {text}" for equation in step.equations for text in lines_of_equation(equation, notation)]
    return "\n".join(parts)


def lines_of_equation(equation: Scalar, notation: BookNotation) -> Iterator[str]:
    """An equation as text; a vector in space in one line, another array with a line for each entry."""
    value = equation.expression
    if getattr(value, "shape", ()) == (3, 1) and str(equation.symbol) not in VECTORS:  # a vector in space
        yield f"{equation.symbol} = ({', '.join(map(notation.line, value))})"
    else:
        yield from lines_of(str(equation.symbol), value, notation)


FORM_NAMES = {
    "lagrange": "Lagrange's equations",
    "newton-euler": "Newton-Euler equations",
    "state-space": "State-space equations",
    "configuration-space": "Configuration-space equations",
    "task-space": "Task-space equations",
    "constrained": "Constrained equations",
}


def heading(derivation: NamedResults) -> str:
    """The title: form and arm."""
    return f"{FORM_NAMES[derivation.form]} of {derivation.arm.name}"


def symbols_table(derivation: NamedResults) -> Iterator[str]:
    """The meanings of the symbols, one line each."""
    for i, (name, slides) in enumerate(zip(derivation.arm.coordinates, derivation.arm.slides, strict=True), start=1):
        yield f"   {BookNotation().line(sympy.Symbol(f'q{i}'))}: position of {name}, {'m' if slides else 'rad'}"
    for symbol in derivation.arm.parameters:
        yield f"   {BookNotation().line(symbol)}: {symbol_description(derivation, symbol)}"


def symbol_description(derivation: NamedResults, symbol: object) -> str:
    """The meaning of a symbol and its number."""
    meaning = derivation.meanings.get(symbol, "a parameter of the description")
    value = derivation.values.get(symbol)
    return meaning if value is None else f"{meaning}, {value:g} here"
