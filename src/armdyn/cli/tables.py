"""Tables: on the screen, and of states and numbers in files."""

from __future__ import annotations

import csv
import re
import sys
import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import TextIO

import numpy as np
from rich.box import SIMPLE_HEAD
from rich.table import Table

from armdyn.errors import ShapeError
from armdyn.robot import Robot
from armdyn.spatial.rotations import Array

QUANTITIES = ("q", "qd", "qdd")

_UNIT = re.compile(r" \[[^\]]*\]$")  # "q_elbow [rad]": the columns of a saved trajectory name their units


def new_table(title: str, *headings: str) -> Table:
    """An empty table of the command line's style; numbers, that is all columns behind names, stand to the right."""
    names = ("#", "joint", "type", "on link", "moves link", "link", "function", "unit", "source", "what")
    table = Table(title=title, title_justify="left", title_style="bold", box=SIMPLE_HEAD, pad_edge=False)
    for heading in headings:
        is_name = heading in names
        table.add_column(
            heading, justify="left" if is_name else "right", no_wrap=heading in ("joint", "function"), overflow="fold"
        )
    return table


def read_states(path: Path, robot: Robot) -> tuple[Array, Array, Array]:
    """q, qd and qdd, each of shape (rows, n), from a csv with or without a header."""
    if str(path) == "-":
        rows = list(csv.reader(sys.stdin))
    else:
        with path.open(newline="", encoding="utf-8-sig") as file:
            rows = list(csv.reader(file))
    rows = [row for row in rows if row]
    if not rows:
        raise ShapeError(f"{path} is empty; expected a row of states for each line")
    if _is_number(rows[0][0]):
        header, first_line = [f"{quantity}_{joint}" for quantity in QUANTITIES for joint in robot.joint_names], 1
    else:
        header, rows, first_line = [_UNIT.sub("", word.strip()) for word in rows[0]], rows[1:], 2
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
