"""`Equations`: a program as equations, each shared term computed once and named."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import count, islice
from typing import TYPE_CHECKING

from armdyn.base.advice import answering
from armdyn.base.errors import DTypeError
from armdyn.targets.equations.angles import of_angles, sums_of_angles
from armdyn.targets.equations.equation_data import LONGEST, Array, EquationData, EquationOptions
from armdyn.targets.equations.notation import words
from armdyn.targets.equations.sharing import terms_to_name
from armdyn.targets.equations.symbol import Symbol
from armdyn.targets.equations.term import Term, Terms, terms_of
from armdyn.targets.equations.tex import blocks_of, document_of, latex_of
from armdyn.targets.equations.text import html, sides, text

if TYPE_CHECKING:
    from armdyn.program.ports import Port
    from armdyn.program.program import Program

_PLAIN_CONSTANT = 4  # characters of constants that are never named: 2.0, 0.25


@dataclass(frozen=True, eq=False, repr=False)
class Equations(EquationData):
    """A program as equations, in order of evaluation: symbols on a right-hand side are defined above.

    ``str`` and iteration give them in Unicode; `latex`, `document` and `to_python` in other forms; notebooks show them
    typeset. Together they have exactly the operations of the program.
    """

    def __repr__(self) -> str:
        return f"<{len(self)} equations of {self.program.name}: {self.op_counts}>"

    def __reduce__(self) -> tuple[Callable[..., Equations], tuple[Program, EquationOptions]]:
        return _of, (self.program, self.options)  # the terms are nested deeper than pickle's recursion limit

    def __iter__(self) -> Iterator[tuple[str, str]]:
        """Left and right sides in Unicode."""
        return sides(self)

    def __str__(self) -> str:
        return text(self)

    def latex(self) -> str:
        r"""An ``align*`` environment, with the results as matrices, for a document with ``\usepackage{amsmath}``.

        >>> print(armdyn.load("planar_2r").potential_energy.equations().latex())
        \begin{align*}
        ...
        """
        return latex_of(self)

    def document(self, title: str | None = None) -> str:
        r"""A standalone LaTeX document, for pdflatex, xelatex and lualatex; its pages break between equations.

        Args:
            title: above the equations; the program's name if not given.

        >>> print(armdyn.load("planar_2r").mass_matrix.equations().document("Mass matrix of a planar arm"))
        \documentclass...
        """
        return document_of(self, title)

    def blocks(self) -> list[str]:
        """The blocks of `document` below its title, for `latex_document` with others."""
        return blocks_of(self)

    def to_python(self, *, numpy: bool = False, name: str | None = None) -> str:
        """A module of Python with one function, with the options of `armdyn.program.Program.to_python`."""
        from armdyn.targets.equations.python import module_of  # noqa: PLC0415 - it prints Equations

        return module_of(self, numpy=numpy, name=name)

    def _repr_latex_(self) -> str | None:
        """LaTeX for notebooks; None if the equations are too long for MathJax."""
        return f"$\\displaystyle {_aligned(self.latex())}$" if len(self) <= MOST_TYPESET else None

    def _repr_html_(self) -> str | None:
        """HTML for notebooks with long equations: the text in a box that scrolls."""
        return html(self) if len(self) > MOST_TYPESET else None


MOST_TYPESET = 150
"""The most equations that a notebook typesets; more are shown as text."""


def _aligned(latex: str) -> str:
    return latex.replace("{align*}", "{aligned}")


def equations(
    program: Program, *, longest: int = LONGEST, named_constants: bool = False, digits: int | None = None
) -> Equations:
    """The program as readable equations: shared terms are named, all others are written at their place.

    Joint angles are q1, q2, ..., their sines and cosines s1, c1, ..., sums of angles q23 with s23 and c23; other shared
    terms are t1, t2, ... in order of evaluation, results carry the symbols of their quantity (tau1, M12). Parameters
    that are inputs of the program appear by their names. Constants are exact: the shortest number that reads back as
    the same float64.

    Args:
        program: the program to print.
        longest: the approximate length of a right-hand side, characters; parts of longer ones become equations.
        named_constants: name constants k1, k2, ... and list them first, as books do with inertial parameters.
        digits: the significant digits of constants in text and LaTeX; all digits if not given. Python is exact.

    Raises:
        ValueError: if ``longest`` or ``digits`` is less than 1.

    >>> print(armdyn.load("planar_2r").mass_matrix.equations())
    mass_matrix(q[2]) -> M[2,2]: ...
    <BLANKLINE>
    ...
    """
    _check(longest=longest, digits=digits)
    return _of(program, EquationOptions(longest, named_constants, digits))


def _of(program: Program, options: EquationOptions) -> Equations:
    terms = terms_of(program)
    of_inputs, of_outputs = words(program.name, [p.name for p in program.inputs], [p.name for p in program.outputs])
    inputs = tuple(_arrays(of_inputs, program.inputs, terms.inputs))
    results = [term for output in terms.results for term in output]
    outputs = tuple(_arrays(of_outputs, program.outputs, results))
    letters = _Letters([*of_inputs, *of_outputs])
    angles = of_angles(terms, sums_of_angles(program, terms), letters.sine, letters.cosine)
    symbols_of_terms = angles | (_constants(terms, letters.constant) if options.named_constants else {})
    chosen = terms_to_name(terms, symbols_of_terms.keys(), options.longest)
    results_of = _results(outputs, chosen)
    defined = _sort(terms, chosen | results_of.keys(), angles)
    shared = count(1)
    symbols = {term: symbol for array in inputs for term, symbol in zip(array.terms, array.symbols(), strict=True)}
    for term in defined:
        symbols[term] = symbols_of_terms.get(term) or results_of.get(term) or Symbol(letters.shared, (next(shared),))
    return Equations(program, inputs, outputs, symbols, terms, tuple(defined), options)


@answering({}, positional="of M(q) it is robot.mass_matrix.latex(), of a symbolic arm armdyn.derive(robot).latex('M')")
def latex(program: Program, **options: object) -> str:
    r"""The program as equations in LaTeX: ``program.equations(**options).latex()``.

    >>> print(armdyn.load("planar_2r").mass_matrix.latex(digits=4))
    \begin{align*}
    ...
    """
    return equations(program, **options).latex()  # type: ignore[arg-type]


def _check(**limits: int | None) -> None:
    for name, limit in limits.items():
        if limit is None:
            continue
        if isinstance(limit, bool) or not isinstance(limit, int):
            raise DTypeError(f"{name} is {limit!r}; expected a whole number")
        if limit < 1:
            raise ValueError(f"{name} is {limit}; expected 1 or more")


def _arrays(names: Sequence[str], ports: Sequence[Port], terms: Iterable[Term]) -> Iterator[Array]:
    remaining = iter(terms)
    for word, port in zip(names, ports, strict=True):
        yield Array(word, port, tuple(islice(remaining, port.size)))


def _constants(terms: Terms, word: str) -> dict[Term, Symbol]:
    """The symbols of constants that are too long to be read well in an equation."""
    numbers = (t for t in terms.evaluated if t.operation == "const" and math.isfinite(t.value))
    long = [t for t in numbers if len(repr(t.value)) > _PLAIN_CONSTANT]
    return {term: Symbol(word, (k,)) for k, term in enumerate(long, 1)}


def _results(outputs: Iterable[Array], chosen: set[Term]) -> dict[Term, Symbol]:
    """The symbols of terms that are results: that of the first element with each term."""
    result: dict[Term, Symbol] = {}
    for output in outputs:
        for term, symbol in zip(output.terms, output.symbols(), strict=True):
            if term in chosen or not (term.is_atom or term.operation == "neg"):
                result.setdefault(term, symbol)
    return result


def _sort(terms: Terms, defined: set[Term], angles: dict[Term, Symbol]) -> list[Term]:
    """Constants, then sums, sines and cosines of angles (sine next to cosine), then the rest in order of evaluation."""
    at = {term: k for k, term in enumerate(terms.evaluated)}

    def place(term: Term) -> tuple[int, tuple[int, ...], int]:
        if term.operation == "const":
            return 0, (), at[term]
        if term in angles:
            index = angles[term].index
            return (1, (len(index), *index), 0) if term.operation == "add" else (2, index, term.operation == "cos")
        return 3, (), at[term]

    return sorted(defined, key=place)


class _Letters:
    """Letters for symbols that are not names of arrays."""

    def __init__(self, taken: Iterable[str]) -> None:
        words = set(taken)
        self.sine = next(w for w in _candidates("s", "sin") if w not in words)
        self.cosine = next(w for w in _candidates("c", "cos") if w not in words)
        self.shared = next(w for w in _candidates("t", "u", "x", "y", "z") if w not in words)
        self.constant = next(w for w in _candidates("k", "K") if w not in words)


def _candidates(*names: str) -> Iterator[str]:
    yield from names
    for number in count(2):
        yield f"{names[0]}{'_' * (number - 1)}"
