"""Tables: on the screen, and of numbers in files."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, TextIO

import numpy as np
from rich.box import SIMPLE_HEAD
from rich.console import Console, RenderableType
from rich.measure import Measurement
from rich.table import Column, Table
from rich.text import Text

from armdyn.base.tabular import csv_text
from armdyn.base.writing import write_text
from armdyn.cli.screen import labelled, visible
from armdyn.spatial.rotations import Array

_NAMES = (
    *("#", "joint", "coordinate", "name", "type", "kind", "on link", "moves link", "link", "frame", "to"),
    *(
        "function",
        "unit",
        "source",
        "what",
        "motor",
        "gear",
        "fail by",
        "motor and\nother parts",
        "friction laws",
        "parameter",
    ),
    *("severity", "element", "finding", "repair"),
)

_SEVERAL = (
    *("axis", "stands at", "centre of mass,\nm", "principal inertia,\nkg m²", "rows", "source", "what", "fail by"),
    *("origin, m", "roll, pitch, yaw,\ndeg", "motor and\nother parts", "friction laws", "parameter"),
    *("element", "finding", "repair"),
)
"""Columns whose cells hold several words or numbers, between which a line may end."""


def new_table(title: str, *headings: str) -> Table:
    """An empty table of the command line's style; all columns after the first are numbers, aligned to the right."""
    table = _plain_table(title=title)
    for heading in headings:
        table.add_column(heading, justify="left" if heading in _NAMES else "right", no_wrap=heading not in _SEVERAL)
    return table


def account(rows: Iterable[tuple[str, str]]) -> Table:
    """A table of two columns without headings: quantities and their values."""
    table = _plain_table(show_header=False)
    for name, value in rows:
        table.add_row(name, value)
    return table


def _plain_table(**options: Any) -> Table:
    return Table(box=SIMPLE_HEAD, pad_edge=False, padding=(0, 1, 0, 0), **options)


def show(console: Console, table: Table) -> None:
    """Print a table. In a narrow window lines end between words, or reach beyond it; no name, no number is broken."""
    lacks = []  # of the columns whose lines may end between words, up to the width of their longest line
    for column in table.columns:
        sizes = [_size(console, cell) for cell in (column.header, *column.cells)]
        longest = max((size.maximum for size in sizes), default=0)
        column.min_width = longest if column.no_wrap else max((size.minimum for size in sizes), default=0)
        if not column.no_wrap:
            lacks.append((longest - column.min_width, column))
    size = _size(console, table)
    if size.minimum > console.width:
        table.width = size.minimum
    elif size.maximum > console.width:
        _share(console.width - size.minimum, lacks)
    if table.title:
        console.print(Text(visible(str(table.title)), "bold"), soft_wrap=True)
        table.title = None
    console.print(table, crop=False)


def _share(spare: int, lacks: list[tuple[int, Column]]) -> None:
    """Share spare characters among columns that lack some, evenly; rich would let them reach beyond the window."""
    for done, (lack, column) in enumerate(sorted(lacks, key=lambda one: one[0])):
        more = min(lack, spare // (len(lacks) - done))
        column.width = (column.min_width or 0) + more
        spare -= more


def _size(console: Console, cell: RenderableType) -> Measurement:
    """The least and greatest width of a cell: its longest word and its longest line, in characters."""
    text = console.render_str(cell) if isinstance(cell, str) else cell
    return Measurement.get(console, console.options.update_width(_ANY_WIDTH), text)


_ANY_WIDTH = 10_000


def show_notes(console: Console, notes: Iterable[str]) -> None:
    """Print the robot's notes, a line each."""
    for note in notes:
        console.print(labelled("note:", "yellow", note), soft_wrap=True)


def show_limits(console: Console, passed: Iterable[object]) -> None:
    """Print the limits that a motion passes, a line each."""
    for limit in passed:
        console.print(labelled("limit:", "red", str(limit)), soft_wrap=True)


def figures(vector: Array, *, size: float = 0.0, digits: int = 4, width: int = 8) -> str:
    """The numbers of a vector; rounding, relative to the largest or to ``size``, counts as zero.

    >>> figures(np.array([0.5, -3e-17, 0.25]))
    '0.5 0 0.25'
    """
    dust = DUST * max(float(np.abs(vector).max()), size)
    return " ".join(figure(0.0 if abs(x) < dust else x, digits=digits, width=width) for x in vector)


DUST = 1e-12


def figure(x: float, *, digits: int = 4, width: int = 8) -> str:
    """A number in ``digits`` significant digits, or in as many as fit into ``width`` characters.

    >>> [figure(x) for x in (0.0, 1.5, -0.142318, -0.00081874, 2.375e-06, -1e-100)]
    ['0', '1.5', '-0.1423', '-8.19e-4', '2.375e-6', '-1e-100']
    """
    for count in range(digits, 0, -1):
        for text in (f"{x:.{count}g}", f"{x:.{count - 1}e}"):
            result = _EXPONENT.sub(r"e\1\2", text)
            if len(result) <= width:
                return result
    return result


_EXPONENT = re.compile(r"e\+?(-?)0*(\d+)$")  # "e-07" is "e-7", "e+10" is "e10"


def write_table(target: Path | TextIO, header: Sequence[str], values: Array) -> None:
    """A csv with a header; numbers in full precision."""
    text = csv_text(header, np.asarray(values, dtype=float))
    if isinstance(target, Path):
        write_text(target, text)
    else:
        target.write(text)
