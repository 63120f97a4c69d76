"""States in a csv: a column for each joint and quantity, named with or without its unit, or no names at all."""

from __future__ import annotations

import csv
import io
import math
import re
import sys
import warnings
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

from armdyn.errors import ArmdynError, ShapeError, UnknownName
from armdyn.formats.units import INCH
from armdyn.robot import Robot
from armdyn.spatial.rotations import Array

QUANTITIES = ("q", "qd", "qdd")

ANGLES = {"rad": 1.0, "deg": math.pi / 180, "°": math.pi / 180, "rev": 2 * math.pi}
LENGTHS = {"m": 1.0, "cm": 0.01, "mm": 0.001, "in": INCH}
TIMES = {"s": 1.0, "ms": 0.001, "min": 60.0}
"""Units of angle, length and time, each in rad, m or s."""

SECONDS = {"q": ("",), "qd": ("/s",), "qdd": ("/s^2", "/s²", "/s2", "/s**2")}
"""The suffixes of an angle's or length's unit, by quantity."""

SEPARATORS = ("\t", ";", ",")
"""Between the words of a row; the first of these that the first row has."""

STANDARD_INPUT = "-"

_WITH_UNIT = re.compile(r"(?P<name>.*\S)\s*\[(?P<unit>[^\]]*)\]", re.DOTALL)
NO_COMMA = " (the decimal sign is a point, not a comma)"
_DECIMAL_COMMA = re.compile(r"[-+]?\d+,\d+([eE][-+]?\d+)?")


class TableError(ArmdynError, ValueError):
    """A table of states that cannot be read."""


class States(NamedTuple):
    """Times, s, where the table has them, and q, qd and qdd, each of shape (rows, n)."""

    t: Array | None
    q: Array
    qd: Array
    qdd: Array


class Column(NamedTuple):
    """One column that is used: its place, its name with the unit, and what one of its units is in SI."""

    place: int
    label: str
    factor: float


def read_states(path: Path, robot: Robot) -> States:
    """The states of a table; quantities that it does not name are zero.

    Raises:
        TableError: a file that is not a table, or a header that does not identify its columns.
        ShapeError: rows of different lengths, or an entry that is not a finite number, by line and column.
        UnknownName: a column of a joint that the robot does not have.
    """
    rows = _rows(path)
    file = "standard input" if str(path) == STANDARD_INPUT else str(path)
    line, first = rows[0]
    if _is_number(first[0]):
        columns = _unnamed(file, first, robot)
    else:
        columns, rows = _named(file, line, first, robot), rows[1:]
    values = {name: _numbers(file, rows, column, len(first)) for name, column in columns.items()}
    states = [
        np.stack([values.get(f"{quantity}_{joint}", np.zeros(len(rows))) for joint in robot.joint_names], axis=-1)
        for quantity in QUANTITIES
    ]
    return States(values.get("t"), *states)


def _rows(path: Path) -> list[tuple[int, list[str]]]:
    """The words of every non-empty line, with its number; a file that is not a table is refused by name."""
    try:
        text = sys.stdin.read() if str(path) == STANDARD_INPUT else path.read_text(encoding="utf-8-sig")
        text = text.removeprefix("\ufeff")
        reader = csv.reader(io.StringIO(text, newline=""), delimiter=_separator(text))
        rows = [(reader.line_num, row) for row in reader if any(word.strip() for word in row)]
    except FileNotFoundError:
        raise TableError(f"no file {str(path)!r}; expected a csv of states, or - for standard input") from None
    except OSError as error:
        raise TableError(f"{str(path)!r} cannot be read: {error.strerror or error}") from None
    except (UnicodeDecodeError, csv.Error) as error:
        raise TableError(f"{str(path)!r} is no csv in UTF-8: {error}") from None
    if not rows:
        raise TableError(f"{path} is empty; expected a row of states for each line")
    return rows


def _separator(text: str) -> str:
    first = next((line for line in text.splitlines() if line.strip()), "")
    outside_quotes = re.sub(r'"[^"]*"', "", first)
    return next((separator for separator in SEPARATORS if separator in outside_quotes), ",")


def _is_number(word: str) -> bool:
    try:
        float(word)
    except ValueError:
        return False
    return "_" not in word  # Python alone reads 1_000


def _unnamed(file: str, first: Sequence[str], robot: Robot) -> dict[str, Column]:
    """The columns of a table without a header: q, then qd, then qdd of all joints, as far as they go."""
    names = [f"{quantity}_{joint}" for quantity in QUANTITIES for joint in robot.joint_names]
    if len(first) not in (robot.dof, 2 * robot.dof, 3 * robot.dof):
        raise ShapeError(
            f"{file} has {len(first)} columns and no header; expected {robot.dof}, {2 * robot.dof} or {3 * robot.dof}: "
            f"q, then qd, then qdd of {', '.join(robot.joint_names)}"
        )
    return {name: Column(k, name, 1.0) for k, name in enumerate(names[: len(first)])}


def _named(file: str, line: int, header: Sequence[str], robot: Robot) -> dict[str, Column]:
    """The columns that a header names, by quantity and joint."""
    units = {
        f"{quantity}_{joint.name}": _units_of(quantity, joint.kind) for quantity in QUANTITIES for joint in robot.joints
    } | {"t": TIMES}
    found: list[tuple[str, Column]] = []
    others = []
    for place, word in enumerate(header):
        label = word.strip()
        with_unit = None if label in units else _WITH_UNIT.fullmatch(label)
        name = with_unit["name"] if with_unit else label
        if name in units:
            factor = _factor(f"{file}:{line}", label, with_unit["unit"], units[name]) if with_unit else 1.0
            found.append((name, Column(place, label, factor)))
        else:
            others.append(label)
    repeated = [name for name, times in Counter(name for name, _ in found).items() if times > 1]
    if repeated:
        shown = ", ".join(map(repr, repeated))
        raise TableError(f"{file}:{line} names {shown} more than once; expected each column once")
    columns = dict(found)
    _judge(file, line, columns, others, robot)
    return columns


def _units_of(quantity: str, kind: str) -> dict[str, float]:
    """The units a quantity of a joint may be in, and what each is in SI."""
    plain = ANGLES if kind == "revolute" else LENGTHS
    units = {f"{unit}{per}": factor for per in SECONDS[quantity] for unit, factor in plain.items()}
    return units | ({"rpm": 2 * math.pi / 60} if (quantity, kind) == ("qd", "revolute") else {})


def _factor(where: str, label: str, unit: str, known: Mapping[str, float]) -> float:
    written = unit.strip().replace(" / ", "/")
    if written not in known:
        raise TableError(f"{where} column {label!r}: unit {unit!r}; expected one of {', '.join(known)}")
    return known[written]


def _judge(file: str, line: int, columns: Mapping[str, Column], others: Sequence[str], robot: Robot) -> None:
    """Refuse a header that names no state, or a joint that does not exist in place of one that does; warn of others."""
    if not set(columns) - {"t"}:
        comma = any(_DECIMAL_COMMA.fullmatch(word) for word in others)
        raise TableError(
            f"{file}:{line} names no state{NO_COMMA if comma else ''}; expected columns such as "
            f"q_{robot.joint_names[0]}, of the joints {', '.join(robot.joint_names)}"
        )
    as_zero = []
    for quantity in QUANTITIES:
        names = [f"{quantity}_{joint}" for joint in robot.joint_names]
        absent = [name for name in names if name not in columns]
        unknown = [label for label in others if label.startswith(f"{quantity}_")]
        if absent and unknown:
            raise UnknownName.of("column", unknown[0], names, f"{file}:{line} for {robot.name!r}")
        as_zero += absent if len(absent) < len(names) else []
    if as_zero:
        warnings.warn(f"{file}: no column {', '.join(as_zero)}; taken as zero", stacklevel=2)
    if others:
        warnings.warn(f"{file}: columns not used: {', '.join(map(repr, others))}", stacklevel=2)


def _numbers(file: str, rows: Sequence[tuple[int, list[str]]], column: Column, width: int) -> Array:
    """One column, in SI."""
    values = np.empty(len(rows))
    for k, (line, row) in enumerate(rows):
        if len(row) != width:
            raise ShapeError(f"{file}:{line} has {len(row)} values; expected {width}, as the first row has")
        word = row[column.place].strip()
        value = float(word) if _is_number(word) else math.nan
        if not math.isfinite(value):
            hint = NO_COMMA if _DECIMAL_COMMA.fullmatch(word) else ""
            raise ShapeError(f"{file}:{line} column {column.label!r} holds {word!r}; expected a finite number{hint}")
        values[k] = value
    return values * column.factor
