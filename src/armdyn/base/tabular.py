"""Small tables of text: printed in columns, as HTML for notebooks, as LaTeX, as csv.

>>> print(TextTable(("joint", "mass"), [("elbow", "2.5"), ("wrist", "10")], align="lr"))
joint  mass
elbow   2.5
wrist    10
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from html import escape
from itertools import zip_longest
from textwrap import wrap
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from armdyn.base.errors import ShapeError
from armdyn.base.extras import extra

if TYPE_CHECKING:
    from pandas import DataFrame

DUST = 1e-12
"""Numbers below this are rounding of zero, relative to the largest in their column, or to 1 if that is smaller."""

DIGITS = 6

_SIDES = {"l": "left", "r": "right"}

_STYLE = "border-collapse: collapse; font-variant-numeric: tabular-nums;"

_LATEX = {
    "\\": r"\textbackslash{}", "_": r"\_", "&": r"\&", "%": r"\%", "#": r"\#", "$": r"\$", "{": r"\{", "}": r"\}",
    "~": r"\textasciitilde{}", "^": r"\textasciicircum{}", "°": r"$^\circ$", "\u2212": "$-$", "±": r"$\pm$",
    "²": "$^2$", "…": r"\ldots{}", "Ω": r"$\Omega$", "ω": r"$\omega$", "τ": r"$\tau$",
}  # fmt: skip


_SYMBOLS = {"ω̇": r"$\dot{\omega}$", "v̇": r"$\dot{v}$", "v̇_C": r"$\dot{v}_C$"}
"""Cells that LaTeX writes as symbols."""


class Tabulated:
    """A result that is shown as a table: ``print`` it, show it in a notebook, take it to LaTeX or to pandas."""

    def table(self) -> TextTable:
        """The table that ``print`` and notebooks show."""
        raise NotImplementedError

    def to_latex(self) -> str:
        """The table as a LaTeX ``tabular`` that needs no package."""
        return self.table().to_latex()

    def to_dataframe(self) -> DataFrame:
        """The table as a ``pandas.DataFrame``, with numbers in full; it needs the library pandas.

        Raises:
            MissingLibrary: if pandas is not installed.
        """
        return self.table().to_dataframe()

    def _repr_html_(self) -> str:
        return self.table().html()

    def __str__(self) -> str:
        return str(self.table())


@dataclass(frozen=True)
class TextTable:
    """Headings and rows of text, and how columns stand: ``align`` holds an "l" or "r" for each.

    ``title`` stands above, ``below`` are lines beneath. ``values`` are the rows as numbers and texts, if there are any.
    ``widths`` are the most characters of a line of each column in print, 0 for any number.
    """

    headings: tuple[str, ...]
    rows: Sequence[tuple[str, ...]]
    align: str
    title: str = ""
    below: tuple[str, ...] = ()
    values: Sequence[tuple[Any, ...]] = ()
    widths: tuple[int, ...] = ()

    @classmethod
    def of(
        cls,
        headings: Sequence[str],
        values: Sequence[Sequence[Any]],
        *,
        title: str = "",
        below: Sequence[str] = (),
        digits: int = DIGITS,
    ) -> TextTable:
        """A table of numbers, which stand right, texts, and None, which is left out.

        >>> table = TextTable.of(("joint", "force [N m]"), [("elbow", 2.0 / 3.0), ("wrist", None)], digits=3)
        >>> print(table)
        joint  force [N m]
        elbow        0.667
        wrist
        >>> table.to_dataframe()["force [N m]"][0]
        np.float64(0.6666666666666666)
        """
        rows = [tuple(map(_plain, row)) for row in values]
        numeric = [any(isinstance(row[k], int | float) for row in rows) for k in range(len(headings))]
        align = "".join("r" if number else "l" for number in numeric)
        texts = [tuple(_text(value, digits) for value in row) for row in rows]
        return cls(tuple(headings), texts, align, title, tuple(below), rows)

    def to_dataframe(self) -> DataFrame:
        """The rows as a ``pandas.DataFrame``, numbers in full if they are known; it needs the library pandas.

        Raises:
            MissingLibrary: if pandas is not installed.
        """
        pandas = extra("pandas", "to_dataframe")
        return pandas.DataFrame([*(self.values or self.rows)], columns=list(self.headings))

    def to_latex(self) -> str:
        """A ``tabular`` that needs no package."""
        return self.latex()

    def csv(self) -> str:
        """The table as comma-separated values, numbers in full if they are known."""
        return csv_text(self.headings, self.values or self.rows)

    def _repr_html_(self) -> str:
        return self.html()

    def __str__(self) -> str:
        rows = [self.headings, *(line for row in self.rows for line in self._folded(row))]
        widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
        lines = [self._line(row, widths) for row in rows]
        return "\n".join([*([self.title] if self.title else []), *lines, *self.below])

    def _folded(self, row: tuple[str, ...]) -> Iterable[tuple[str, ...]]:
        """The lines of a row, whose cells have no more characters than the widths of their columns."""
        if not any(self.widths):
            return [row]
        cells = [wrap(cell, width) if width else [cell] for cell, width in zip(row, self.widths, strict=True)]
        return zip_longest(*cells, fillvalue="")

    def _line(self, row: tuple[str, ...], widths: list[int]) -> str:
        cells = zip(row, self.align, widths, strict=True)
        return "  ".join(f"{cell:{'<' if side == 'l' else '>'}{width}}" for cell, side, width in cells).rstrip()

    def html(self) -> str:
        """An HTML table without colours of its own, for light and dark notebooks; all text escaped."""
        caption = f'<caption style="text-align: left; font-weight: bold">{escape(self.title)}</caption>'
        head = "".join(self._cell("th", text, side) for text, side in zip(self.headings, self.align, strict=True))
        body = [
            "".join(self._cell("td", text, side) for text, side in zip(row, self.align, strict=True))
            for row in self.rows
        ]
        rows = "".join(f"<tr>{cells}</tr>" for cells in body)
        notes = "".join(f"<div>{escape(line)}</div>" for line in self.below)
        table = f'<table style="{_STYLE}">{caption if self.title else ""}'
        return f"<div>{table}<thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>{notes}</div>"

    @staticmethod
    def _cell(tag: str, text: str, side: str) -> str:
        return f'<{tag} style="text-align: {_SIDES[side]}; white-space: nowrap">{escape(text)}</{tag}>'

    def latex(self) -> str:
        """A ``tabular`` that needs no package. Cells that begin with a dollar sign are LaTeX already."""
        lines = [" & ".join(map(_latex, row)) + r" \\" for row in (self.headings, *self.rows)]
        head, *body = lines
        begin, end = rf"\begin{{tabular}}{{{self.align}}}", r"\end{tabular}"
        return "\n".join([begin, r"\hline", head, r"\hline", *body, r"\hline", end])


def csv_text(
    header: Sequence[str], rows: Iterable[Sequence[Any]] | NDArray[np.float64], *, line_end: str = "\n"
) -> str:
    r"""The text of a csv; numbers by the fewest digits that are read back exactly.

    >>> csv_text(["name", "mass [kg]"], [("a,b", 0.1)])
    'name,mass [kg]\n"a,b",0.1\n'
    """
    text = io.StringIO(newline="")
    writer = csv.writer(text, lineterminator=line_end)
    writer.writerow(header)
    if isinstance(rows, np.ndarray):  # nothing to quote
        text.writelines(f"{','.join(map(repr, row))}{line_end}" for row in rows.tolist())
    else:
        writer.writerows(rows)
    return text.getvalue()


def vector_rows(
    names: Sequence[str], quantities: Sequence[tuple[str, str, str]], vectors: Sequence[object]
) -> list[list[tuple[Any, ...]]]:
    """Rows (name, quantity, symbol, unit, x, y, z) of vectors of bodies, for each body those of all its quantities.

    Args:
        names: of the bodies.
        quantities: word, symbol and unit of each.
        vectors: of each quantity, shape (bodies, 3).
    """
    numbers = [np.asarray(values, dtype=float) for values in vectors]
    return [
        [(name, *quantity, *map(float, values[k])) for quantity, values in zip(quantities, numbers, strict=True)]
        for k, name in enumerate(names)
    ]


def vector_table(
    names: Sequence[str] | None, quantities: Sequence[tuple[str, str, str]], vectors: Sequence[Any], body: str
) -> TextTable:
    """A table of vectors of bodies, one row each; numbered bodies if there are no names; see `vector_rows`.

    Raises:
        ShapeError: vectors of several states, or another number of names than of bodies.
    """
    shape = np.shape(vectors[0])
    if len(shape) != 2:
        raise ShapeError(
            f"vectors have shape {shape}; expected ({body}s, 3): a table shows one state, index the others"
        )
    names = [str(k) for k in range(shape[0])] if names is None else list(names)
    if len(names) != shape[0]:
        raise ShapeError(f"{len(names)} names for {shape[0]} {body}s; expected one each")
    rows = [row for of_body in vector_rows(names, quantities, vectors) for row in of_body]
    return TextTable.of((body, "quantity", "symbol", "unit", "x", "y", "z"), rows)


def _plain(value: object) -> Any:
    """NumPy's numbers as Python's, anything else as it is."""
    return value.item() if isinstance(value, np.generic) else value


def _text(value: object, digits: int) -> str:
    """A cell of a table."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int):
        return str(value)
    return figure(float(value), size=0.0, digits=digits) if isinstance(value, int | float) else str(value)


def _latex(text: str) -> str:
    if text.startswith("$"):
        return text
    if text in _SYMBOLS:
        return _SYMBOLS[text]
    return "".join(_LATEX.get(letter, letter) for letter in text)


def figure(value: float, *, size: float = 1.0, digits: int = DIGITS) -> str:
    """A number with six digits; what rounding leaves of a zero, relative to ``size``, is one.

    >>> figure(0.089159000001), figure(-6e-17), figure(-0.5), figure(float("inf"))
    ('0.089159', '0', '-0.5', 'inf')
    """
    if abs(value) <= DUST * max(size, 1.0):
        return "0"
    return f"{value:.{digits}g}"


def figures(values: object, *, size: float = 0.0, digits: int = DIGITS) -> tuple[str, ...]:
    """The numbers of a vector, with its own largest as their size by default."""
    flat = np.asarray(values, dtype=float).ravel()
    finite = np.abs(flat[np.isfinite(flat)])
    largest = max(size, float(finite.max(initial=0.0)))
    return tuple(figure(float(value), size=largest, digits=digits) for value in flat)
