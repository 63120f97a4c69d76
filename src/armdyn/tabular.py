"""Small tables of text: printed in columns, as HTML for notebooks, as LaTeX.

>>> print(Table(("joint", "mass"), [("elbow", "2.5"), ("wrist", "10")], align="lr"))
joint  mass
elbow   2.5
wrist    10
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from typing import Any

import numpy as np

DUST = 1e-12
"""Numbers below this are rounding of zero, relative to the largest beside them, or to 1 where that is smaller."""

DIGITS = 6

_SIDES = {"l": "left", "r": "right"}

_STYLE = "border-collapse: collapse; font-variant-numeric: tabular-nums;"

_LATEX = {
    "\\": r"\textbackslash{}", "_": r"\_", "&": r"\&", "%": r"\%", "#": r"\#", "$": r"\$", "{": r"\{", "}": r"\}",
    "~": r"\textasciitilde{}", "^": r"\textasciicircum{}", "°": r"$^\circ$", "\u2212": "$-$", "±": r"$\pm$",
    "²": "$^2$", "…": r"\ldots{}",
}  # fmt: skip


@dataclass(frozen=True)
class Table:
    """Headings and rows of text, and how columns stand: ``align`` holds an "l" or "r" for each.

    ``title`` stands above, ``below`` are lines beneath.
    """

    headings: tuple[str, ...]
    rows: Sequence[tuple[str, ...]]
    align: str
    title: str = ""
    below: tuple[str, ...] = ()

    def __str__(self) -> str:
        widths = [max(map(len, column)) for column in zip(self.headings, *self.rows, strict=True)]
        lines = [self._line(row, widths) for row in (self.headings, *self.rows)]
        return "\n".join([*([self.title] if self.title else []), *lines, *self.below])

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


def _latex(text: str) -> str:
    if text.startswith("$"):
        return text
    return "".join(_LATEX.get(letter, letter) for letter in text)


def figure(value: float, *, size: float = 1.0, digits: int = DIGITS) -> str:
    """A number with six digits; what rounding leaves of a zero, relative to ``size``, is one.

    >>> figure(0.089159000001), figure(-6e-17), figure(-0.5), figure(float("inf"))
    ('0.089159', '0', '-0.5', 'inf')
    """
    if abs(value) <= DUST * max(size, 1.0):
        return "0"
    return f"{value:.{digits}g}"


def figures(values: Any, *, size: float = 0.0, digits: int = DIGITS) -> tuple[str, ...]:
    """The numbers of a vector, with its own largest as their size where none is given."""
    flat = np.asarray(values, dtype=float).ravel()
    finite = np.abs(flat[np.isfinite(flat)])
    largest = max(size, float(finite.max(initial=0.0)))
    return tuple(figure(float(value), size=largest, digits=digits) for value in flat)
