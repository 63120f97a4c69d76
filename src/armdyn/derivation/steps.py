"""`Step` and `Equation`: the parts of a derivation."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import sympy

from armdyn.base.scalars import Scalar


@dataclass(frozen=True)
class Equation:
    """One line of a derivation.

    Args:
        symbol: the left side, a symbol of SymPy whose name is plain text, such as "tau_1".
        expression: the right side, an expression or a matrix of SymPy.
        latex: the left side in LaTeX.
    """

    symbol: sympy.Symbol
    expression: Scalar
    latex: str


@dataclass(frozen=True)
class Step:
    """One step of a derivation.

    Args:
        title: short title.
        sentence: description of the step in one sentence.
        equations: its results.
    """

    title: str
    sentence: str
    equations: tuple[Equation, ...]


@dataclass
class Writer:
    """Collects the steps of a derivation, with elements of the ring written as expressions.

    Args:
        written: function of an element, or an array of them, and the name of the left side, that converts it to SymPy.
        seen: callback with the title of each step at its start.
    """

    written: Callable[[Scalar, str], Scalar]
    seen: Callable[[str], None] = lambda title: None
    steps: list[Step] = field(default_factory=list)

    def step(self, title: str, sentence: str, equations: list[tuple[str, str, Scalar]]) -> None:
        """Add a step of equations: plain left side, LaTeX of it, right side."""
        self.seen(title)
        lines = ((sympy.Symbol(name), self.written(value, name), latex) for name, latex, value in equations)
        self.steps.append(Step(title, sentence, tuple(Equation(*line) for line in lines)))
