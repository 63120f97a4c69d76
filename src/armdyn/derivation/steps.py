"""`Step` and `Equation`: what a derivation consists of."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import sympy


@dataclass(frozen=True)
class Equation:
    """One line of a derivation.

    Args:
        symbol: the left side, a symbol of SymPy whose name is plain text, such as "tau_1".
        expression: the right side, an expression or a matrix of SymPy.
        latex: the left side in LaTeX.
    """

    symbol: sympy.Symbol
    expression: Any
    latex: str


@dataclass(frozen=True)
class Step:
    """One step of a derivation.

    Args:
        title: a few words.
        sentence: what is done, in one sentence.
        equations: its results.
    """

    title: str
    sentence: str
    equations: tuple[Equation, ...]


@dataclass
class Writer:
    """Steps as they are made, with elements of the ring written as expressions.

    Args:
        written: an element, or an array of them, as SymPy writes it.
        seen: called with the title of each step that begins.
    """

    written: Callable[[Any], Any]
    seen: Callable[[str], None] = lambda title: None
    steps: list[Step] = field(default_factory=list)

    def step(self, title: str, sentence: str, equations: list[tuple[str, str, Any]]) -> None:
        """Add a step of equations: plain left side, LaTeX of it, right side."""
        self.seen(title)
        lines = tuple(Equation(sympy.Symbol(name), self.written(value), latex) for name, latex, value in equations)
        self.steps.append(Step(title, sentence, lines))
