"""Tables: on the screen, and of states and numbers in files."""

from __future__ import annotations

import csv
import re
import sys
import warnings
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, TextIO

import numpy as np
from rich.box import SIMPLE_HEAD
from rich.console import Console, RenderableType
from rich.markup import escape
from rich.measure import Measurement
from rich.table import Table

from armdyn.errors import ArmdynError, ShapeError
from armdyn.robot import Robot
from armdyn.spatial.rotations import Array

QUANTITIES = ("q", "qd", "qdd")

_UNIT = re.compile(r" \[[^\]]*\]$")  # "q_elbow [rad]": the columns of a saved trajectory name their units


_NAMES = (
    *("#", "joint", "coordinate", "name", "type", "kind", "on link", "moves link", "link", "frame", "to"),
    *("function", "unit", "source", "what"),
)

_SEVERAL = ("axis", "stands at", "centre of mass,\nm", "principal inertia,\nkg m²", "rows", "source", "what")
"""Columns whose cells hold several words or numbers, between which a line may end."""


class TableError(ArmdynError, ValueError):
    """A table of states that cannot be read."""


def new_table(title: str, *headings: str) -> Table:
    """An empty table of the command line's style; numbers, that is all columns behind names, stand to the right."""
    table = _plain_table(title=title, title_justify="left", title_style="bold")
    for heading in headings:
        table.add_column(heading, justify="left" if heading in _NAMES else "right", no_wrap=heading not in _SEVERAL)
    return table


def new_account() -> Table:
    """An empty table of two columns without headings: what, and how much of it."""
    return _plain_table(show_header=False)


def _plain_table(**options: Any) -> Table:
    return Table(box=SIMPLE_HEAD, pad_edge=False, padding=(0, 1, 0, 0), **options)


def show(console: Console, table: Table) -> None:
    """Print a table. In a narrow window lines end between words, or reach beyond it; no name, no number is broken."""
    for column in table.columns:
        sizes = [_size(console, cell) for cell in (column.header, *column.cells)]
        column.min_width = max((size.maximum if column.no_wrap else size.minimum for size in sizes), default=0)
    least = _size(console, table).minimum
    if least > console.width:
        table.width = least
    console.print(table, crop=False)


def _size(console: Console, cell: RenderableType) -> Measurement:
    """How narrow and how wide it can be: the longest word and the longest line, in characters."""
    text = console.render_str(cell) if isinstance(cell, str) else cell
    return Measurement.get(console, console.options.update_width(_ANY_WIDTH), text)


_ANY_WIDTH = 10_000


def show_notes(console: Console, notes: Iterable[str]) -> None:
    """What the description said and the equations do not contain, a line each."""
    for note in notes:
        console.print(f"[yellow]note:[/] {escape(note)}", soft_wrap=True)


def figure(x: float, *, digits: int = 4, width: int = 8) -> str:
    """A number in ``digits`` significant digits, or in as many as fit into ``width`` characters.

    >>> [figure(x) for x in (0.0, 1.5, -0.142318, -0.00081874, 2.375e-06, -1e-100)]
    ['0', '1.5', '-0.1423', '-8.19e-4', '2.375e-6', '-1e-100']
    """
    for count in range(digits, 0, -1):
        for text in (f"{x:.{count}g}", f"{x:.{count - 1}e}"):
            shown = _EXPONENT.sub(r"e\1\2", text)
            if len(shown) <= width:
                return shown
    return shown


_EXPONENT = re.compile(r"e\+?(-?)0*(\d+)$")  # "e-07" is "e-7", "e+10" is "e10"


def read_states(path: Path, robot: Robot) -> tuple[Array, Array, Array]:
    """q, qd and qdd, each of shape (rows, n), from a csv with or without a header."""
    rows = [row for row in _rows(path) if row]
    if not rows:
        raise ShapeError(f"{path} is empty; expected a row of states for each line")
    if _is_number(rows[0][0]):
        header, first_line = [f"{quantity}_{joint}" for quantity in QUANTITIES for joint in robot.joint_names], 1
    else:
        header, rows, first_line = [_UNIT.sub("", word.strip()) for word in rows[0]], rows[1:], 2
    _refuse_repeated(path, header)
    values = _numbers(path, rows, header, first_line)
    columns = {name: values[:, k] for k, name in enumerate(header)}
    wanted = {quantity: [f"{quantity}_{joint}" for joint in robot.joint_names] for quantity in QUANTITIES}
    _check_columns(path, columns, wanted, robot)
    states = [
        np.stack([columns[name] for name in names], axis=-1)
        if names[0] in columns
        else np.zeros((len(rows), robot.dof))
        for names in wanted.values()
    ]
    return states[0], states[1], states[2]


def _rows(path: Path) -> list[list[str]]:
    """The words of every line; a file that is no table is refused by name."""
    try:
        if str(path) == "-":
            return list(csv.reader(sys.stdin))
        with path.open(newline="", encoding="utf-8-sig") as file:
            return list(csv.reader(file))
    except FileNotFoundError:
        raise TableError(f"no file {str(path)!r}; expected a csv of states, or - for standard input") from None
    except OSError as error:
        raise TableError(f"{str(path)!r} cannot be read: {error.strerror or error}") from None
    except (UnicodeDecodeError, csv.Error) as error:
        raise TableError(f"{str(path)!r} is no csv in UTF-8: {error}") from None


def _refuse_repeated(path: Path, header: Sequence[str]) -> None:
    repeated = [name for name, times in Counter(header).items() if times > 1]
    if repeated:
        raise TableError(f"{path}:1 names {', '.join(map(repr, repeated))} more than once; expected each column once")


def _is_number(word: str) -> bool:
    try:
        float(word)
    except ValueError:
        return False
    return True


def _numbers(path: Path, rows: list[list[str]], header: Sequence[str], first_line: int) -> Array:
    values = np.empty((len(rows), len(header)))
    for k, row in enumerate(rows):
        line = first_line + k
        if len(row) != len(header):
            raise ShapeError(f"{path}:{line} has {len(row)} values; expected {len(header)}: {', '.join(header)}")
        for column, (name, word) in enumerate(zip(header, row, strict=True)):
            try:
                values[k, column] = float(word)
            except ValueError:
                raise ShapeError(f"{path}:{line} column {name!r} holds {word!r}; expected a number") from None
    return values


def _check_columns(path: Path, columns: dict[str, Array], wanted: dict[str, list[str]], robot: Robot) -> None:
    for quantity, names in wanted.items():
        missing = [name for name in names if name not in columns]
        if missing and (quantity == "q" or len(missing) < len(names)):
            raise ShapeError(
                f"{path} has no column {', '.join(missing)}; joints of {robot.name!r}: {robot.joint_names}"
            )
    known = {name for names in wanted.values() for name in names}
    unused = [name for name in columns if name not in known]
    if unused:
        warnings.warn(f"{path}: columns not used: {', '.join(unused)}", stacklevel=2)


def write_table(target: Path | TextIO, header: Sequence[str], values: Array) -> None:
    """A csv with a header; numbers in full precision."""
    if isinstance(target, Path):
        with target.open("w", newline="", encoding="utf-8") as file:
            write_table(file, header, values)
        return
    writer = csv.writer(target, lineterminator="\n")
    writer.writerow(header)
    writer.writerows([[repr(float(x)) for x in row] for row in values])
