"""Catalogues of motors and gears: CSV tables with units, checked row by row."""

from __future__ import annotations

import math
import os
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from importlib.resources import files
from pathlib import Path
from types import MappingProxyType
from typing import Any, TypeVar

from armdyn.actuators.data_sheet import ENTRIES
from armdyn.actuators.motor import Motor
from armdyn.base.advice import instead
from armdyn.base.errors import ArmdynError, DTypeError, ModelError, UnknownName, Unsupported, excerpt
from armdyn.base.fields import set_fields
from armdyn.base.quantities import quantity
from armdyn.formats.tables.text import text_of
from armdyn.formats.tables.words import csv_rows, is_number
from armdyn.sizing.gear_entry import CatalogueGear

ABOUT = ("name", "maker", "source", "note")
"""Text columns; a name is required, the source is stored."""

NOT_JUDGED = ("cogging_torque", "current_rate")
"""Entries of data sheets without a criterion in sizing."""

OF_MOTORS = {name: unit for name, unit in ENTRIES.items() if name not in NOT_JUDGED} | {"connection": ""}
OF_GEARS = {
    "ratio": "",
    "mass": "kg",
    "inertia": "kg m^2",
    "efficiency": "",
    "back_efficiency": "",
    "rated_torque": "N m",
    "peak_torque": "N m",
    "momentary_torque": "N m",
    "maximum_input_speed": "rad/s",
    "average_input_speed": "rad/s",
}

_RATIO = re.compile(r"[-+]?(\d{1,18}/\d{1,18}|(\d{1,18}\.?\d{0,18}|\.\d{1,18})([eE][-+]?\d{1,3})?)", re.ASCII)
"""Fractions and numbers of few digits: an exact fraction of 1e999999999 would take forever."""

Entry = TypeVar("Entry", Motor, CatalogueGear)
PathLike = str | os.PathLike[str]


class CatalogueError(ModelError):
    """An empty catalogue, or one with impossible entries."""


@dataclass(frozen=True)
class Catalogue:
    """Motors and gears by name; every motor is combined with every gear.

    Args:
        motors: motors by name, with torque constant, resistance and mass.
        gears: gears by name.
        sources: source of the numbers of an entry, by name.

    Raises:
        CatalogueError: no motors or no gears, or a motor without mass.
        Unsupported: motors with cogging or a limit of the current's rate, for which sizing has no criterion.

    >>> catalogue = armdyn.sizing.Catalogue.bundled()
    >>> len(catalogue.motors), len(catalogue.gears)
    (20, 10)
    >>> round(catalogue.motors["maxon RE 40 148867"].torque_constant, 6)
    0.0302
    """

    motors: Mapping[str, Motor]
    gears: Mapping[str, CatalogueGear]
    sources: Mapping[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for kind_of_part, kind in (("motors", Motor), ("gears", CatalogueGear)):
            value = getattr(self, kind_of_part)
            if not isinstance(value, Mapping):
                raise DTypeError(
                    f"{kind_of_part} of Catalogue are {excerpt(value)}; expected a mapping from names to {kind_of_part}"
                )
            if not value:
                raise CatalogueError(f"the catalogue has no {kind_of_part}; expected one at least")
            for name, entry in value.items():
                if not isinstance(entry, kind):
                    raise DTypeError(f"{kind_of_part}[{name!r}] is {excerpt(entry)}; expected a {kind.__name__}")
            set_fields(self, **{kind_of_part: MappingProxyType(dict(value))})
        problems = [problem for name, motor in self.motors.items() for problem in _lacks(name, motor)]
        if problems:
            raise CatalogueError(problems)
        for name, motor in self.motors.items():
            if motor.cogging is not None or math.isfinite(motor.limits.current_rate):
                raise Unsupported(f"motor {name!r} has cogging or a limit of the current's rate; sizing judges neither")

    @classmethod
    def read(cls, motors: PathLike | None = None, gears: PathLike | None = None) -> Catalogue:
        """Motors and gears of CSV files; the bundled ones if a file is not given.

        The first row contains the names of the columns: ``name``, the entries of
        `armdyn.actuators.Motor.from_data_sheet` or the arguments of `CatalogueGear`, each with its unit in brackets,
        e.g. ``torque_constant [mNm/A]``, and ``maker``, ``source``, ``note``. An empty cell is a missing value. A ratio
        may be a fraction, 204687/2057.

        Raises:
            CatalogueError: an empty file, or all invalid rows, with their lines: wrong units, contradictory data
                sheets, efficiencies above one.
            UnknownName: a column that no motor or gear has.
        """
        bundled = files("armdyn.sizing")
        of_motors = _read(Path(str(bundled / "motors.csv")) if motors is None else Path(motors), OF_MOTORS, _motor)
        of_gears = _read(Path(str(bundled / "gears.csv")) if gears is None else Path(gears), OF_GEARS, _gear)
        sources = {name: source for part in (of_gears, of_motors) for name, (_, source) in part.items()}
        for name in of_motors.keys() & of_gears.keys():
            sources[name] = f"motor: {of_motors[name][1]}; gear: {of_gears[name][1]}"
        return cls(
            {name: motor for name, (motor, _) in of_motors.items()},
            {name: gear for name, (gear, _) in of_gears.items()},
            sources,
        )

    @classmethod
    def bundled(cls) -> Catalogue:
        """Motors and gears copied from data sheets, which are listed in ``sources``."""
        return cls.read()


def _lacks(name: str, motor: Motor) -> Iterator[str]:
    """Messages on numbers of a motor that sizing requires and the catalogue lacks."""
    for needed in ("torque_constant", "resistance"):
        if getattr(motor, needed) is None:
            yield f"motor {name!r} has no {needed}; sizing needs it"
    if motor.mass == 0.0:
        yield f"motor {name!r} has no mass; sizing needs it, in kg"


def _read(
    path: Path, units: Mapping[str, str], entry_of: Callable[[dict[str, str]], Entry]
) -> dict[str, tuple[Entry, str]]:
    """The entries of a CSV file by name, each with its source."""
    expected = "a row of column names, and a row for each motor or gear"
    text, name = text_of(path, CatalogueError, expected)
    rows = csv_rows(text, name, expected, CatalogueError)
    if len(rows) < 2:
        raise CatalogueError(f"{path} has no entries; expected {expected}")
    columns = _columns(path, rows[0][1], units)
    entries: dict[str, tuple[Entry, str]] = {}
    names: set[str] = set()
    problems = []
    for line, row in rows[1:]:
        try:
            cells = _cells(row, columns, units)
            name = cells.pop("name", "")
            if not name or name in names:
                raise CatalogueError(f"the name is {name!r}; expected one that no other row has")
            names.add(name)
            source = cells.pop("source", "")
            values = {column: text for column, text in cells.items() if column not in ABOUT}
            entries[name] = (entry_of(values), source)
        except ArmdynError as error:
            faults = error.problems if isinstance(error, ModelError) else [str(error)]
            problems += [f"{path}:{line} {row[0]!r}: {fault}" for fault in faults]
    if problems:
        raise CatalogueError(problems)
    return entries


def _columns(path: Path, header: list[str], units: Mapping[str, str]) -> list[tuple[str, str]]:
    """Name and unit of each column."""
    columns = []
    for heading in header:
        name, _, unit = heading.strip().removesuffix("]").partition("[")
        name = name.strip()
        if name not in units and name not in ABOUT:
            raise UnknownName.of("column", name, [*ABOUT, *units], str(path))
        columns.append((name, unit.strip()))
    names = [name for name, _ in columns]
    if "name" not in names or len(set(names)) < len(names):
        raise CatalogueError(f"{path} has the columns {', '.join(names)}; expected a column 'name', and each one once")
    return columns


def _cells(row: list[str], columns: list[tuple[str, str]], units: Mapping[str, str]) -> dict[str, str]:
    """The non-empty cells of a row, each followed by its unit if it has one."""
    if len(row) != len(columns):
        raise CatalogueError(f"{len(row)} cells; expected {len(columns)}, as the first row has")
    filled = [(name, cell.strip(), unit) for (name, unit), cell in zip(columns, row, strict=True) if cell.strip()]
    bare = [name for name, cell, unit in filled if not unit and units.get(name) and is_number(cell)]
    if bare:
        expected = ", ".join(f"{name} [{units[name]}]" for name in bare)
        raise CatalogueError(f"{', '.join(bare)} without a unit; expected one in the heading, in SI {expected}")
    return {name: f"{cell} {unit}" if unit and name not in ABOUT else cell for name, cell, unit in filled}


def _motor(cells: dict[str, str]) -> Motor:
    """A motor from the cells of its data sheet."""
    entries: Any = {name: _plain(text) for name, text in cells.items()}
    with instead(check="a row with these cells empty"):
        return Motor.from_data_sheet(**entries)


def _gear(cells: dict[str, str]) -> CatalogueGear:
    values: Any = {}
    for name, text in cells.items():
        if name == "ratio":
            values[name] = _ratio(text)
        elif "efficiency" in name:
            share = _plain(text.removesuffix("%").strip())
            values[name] = share / 100.0 if text.endswith("%") and isinstance(share, float) else share
        else:
            values[name] = quantity(name, _plain(text), OF_GEARS[name], needs_unit=True)
    for name in ("ratio", "mass"):
        if name not in values:
            raise CatalogueError(f"no {name}; expected one")
    return CatalogueGear(**values)


def _plain(text: str) -> float | str:
    """The number in a cell without a unit; otherwise the unchanged text."""
    return float(text) if is_number(text) else text


def _ratio(text: str) -> float:
    plain = re.sub(r"\s*/\s*", "/", text.strip())
    plain = re.sub(r"(?<=\d)(\s*:\s*1)?(\s+1)?$", "", plain)  # without the unit 1, and 100 for 100:1
    try:
        if not _RATIO.fullmatch(plain):
            raise ValueError
        return float(Fraction(plain))
    except (ValueError, ZeroDivisionError, OverflowError):
        raise CatalogueError(
            f"ratio is {text!r}; expected a number such as 99.5, or a fraction such as 204687/2057"
        ) from None
