"""``print(program)``: inputs, outputs, operation counts, and the equations, of long programs the first ones."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING

from armdyn.targets.equations.let_bound import equations
from armdyn.targets.equations.text import header, lines, sides

if TYPE_CHECKING:
    from armdyn.program.program import Program

WHOLE = 40
"""The most equations of a program that is shown as a whole."""

FIRST = 12
"""The number of equations shown of a longer program."""


def summary(program: Program) -> str:
    """A readable summary of the program: a header, and its equations, the first ones if there are many.

    >>> print(armdyn.load("planar_2r").mass_matrix.program())
    mass_matrix(q[2]) -> M[2,2]: ...
    """
    text = equations(program)
    if len(text) <= WHOLE:
        return str(text)
    rest = (
        f"... {len(text) - FIRST} more equations: print(program.equations()) shows all, program.latex() is LaTeX, "
        "program.to_python() Python"
    )
    return f"{header(text)}\n\n{lines(islice(sides(text), FIRST))}\n{rest}"
