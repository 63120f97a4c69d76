"""`ClosedFormResults`: named results with their derivation, as text, LaTeX and functions."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

from armdyn.base.scalars import Scalar
from armdyn.base.writing import write_text
from armdyn.derivation.document import body_of, document_of, result_of, shown_in_jupyter
from armdyn.derivation.evaluation import numeric_function
from armdyn.derivation.named_results import NamedResults
from armdyn.derivation.printing import BookNotation, lines_of_equation, text_of


class ClosedFormResults(NamedResults):
    """Results of an arm in closed form, by name, and the steps to them.

    It prints as text, is displayed in Jupyter, and writes LaTeX. Its subclasses are `Derivation`, `TaskEquations` and
    `ConstrainedEquations`.
    """

    def function(self, name: str, values: Mapping[Scalar, float] | None = None) -> Callable[..., Scalar]:
        """A result as a NumPy function of q, qd and qdd, with numbers in place of the symbols.

        Args:
            name: one of `RESULTS`.
            values: numbers of symbols, by symbol or name; the robot's own by default.

        Raises:
            ModelError: a symbol without a number; raised by the function, a denominator that is zero.

        >>> arm = armdyn.derive(armdyn.load("planar_2r"), symbols="all")
        >>> arm.function("M")([0.0, np.pi / 2], [0, 0], [0, 0])
        array([[3., 1.],
               [1., 1.]])
        """
        return numeric_function(self, name, values)

    def text(self, name: str) -> str:
        """A result as text, one line per entry."""
        return "\n".join(lines_of_equation(self.equation(name), BookNotation(self.arm.parameters)))

    def __str__(self) -> str:

        return text_of(self)

    def latex(self, name: str | None = None) -> str:
        """The steps in LaTeX: headings, sentences and aligned equations (amsmath); or one result.

        Args:
            name: one of `RESULTS`, or of an equation of the steps; all steps if None.

        Raises:
            UnknownName: an unknown result.
        """
        return body_of(self) if name is None else result_of(self, name)

    def _repr_latex_(self) -> str:

        return shown_in_jupyter(self)

    def document(self, path: str | Path | None = None) -> str:
        """A self-contained LaTeX document of the steps; written to a file if a path is given."""
        text = document_of(self)
        if path is not None:
            write_text(path, text)
        return text
