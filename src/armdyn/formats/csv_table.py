"""Tables of numbers as text: columns with names with or without unit, separated by commas, semicolons or tabs."""

from __future__ import annotations

import csv
import io
import math
import re
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import numpy as np

from armdyn.base.errors import ArmdynError
from armdyn.spatial.rotations import Array

SEPARATORS = ("\t", ";", ",")
"""Separators of the words of a row; the first of these in the first row is used."""

STANDARD_INPUT = "-"

MOST_BYTES, MOST_COLUMNS = 1 << 30, 10_000
"""Largest size of a table, bytes and columns; a longer motion fits into .npz or Parquet."""

_DECIMAL_COMMA = re.compile(r"[-+]?\d+,\d+([eE][-+]?\d+)?")


class TableError(ArmdynError, ValueError):
    """A table that cannot be read: not csv, columns that its header does not identify, a value that is not a number."""


class Column(NamedTuple):
    """One column that is used: its place and its label."""

    place: int
    label: str


@dataclass(frozen=True)
class CsvTable:
    """The words of a table.

    Args:
        file: the name, for messages.
        lines: the number of each line that is not blank, and its words; one at least.
        error: the class of the errors of `numbers`.
    """

    file: str
    lines: Sequence[tuple[int, list[str]]]
    error: type[ArmdynError] = TableError

    @classmethod
    def read(cls, path: Path, expected: str, *, error: type[ArmdynError] = TableError) -> CsvTable:
        """The words of a file in UTF-8, or of standard input for the path "-".

        Args:
            path: of the file.
            expected: the expected content, for messages.
            error: the class of errors.

        Raises:
            error: a file that cannot be read, is not csv, or is empty.
        """
        of_input = str(path) == STANDARD_INPUT
        try:
            content = sys.stdin.read(MOST_BYTES + 1) if of_input else _first_bytes(path)
        except FileNotFoundError:
            raise error(f"no file {str(path)!r}; expected {expected}") from None
        except OSError as problem:
            raise error(f"{str(path)!r} cannot be read: {problem.strerror or problem}") from None
        name = "standard input" if of_input else str(path)
        if len(content) > MOST_BYTES:
            raise error(f"{name} has more than {MOST_BYTES:,} bytes; thin it, or cut it into parts")
        return cls.of(content, name, expected, error=error)

    @classmethod
    def of(
        cls,
        content: bytes | str,
        file: str,
        expected: str,
        *,
        separators: Sequence[str] = SEPARATORS,
        error: type[ArmdynError] = TableError,
    ) -> CsvTable:
        """The words of a text.

        Args:
            content: the text, or its bytes in UTF-8.
            file: the name, for messages.
            expected: the expected content, for messages.
            separators: those among which the first row decides.
            error: the class of errors.

        Raises:
            error: a file that is not csv, or is empty.
        """
        try:
            text = (content.decode() if isinstance(content, bytes) else content).removeprefix("\ufeff")
            reader = csv.reader(io.StringIO(text, newline=""), delimiter=_separator(text, separators), strict=True)
            lines = [(reader.line_num, row) for row in reader if any(word.strip() for word in row)]
        except (UnicodeDecodeError, csv.Error) as problem:
            raise error(f"{file!r} is not a csv file in UTF-8: {problem}") from None
        if not lines:
            raise error(f"{file} is empty; expected {expected}")
        if len(lines[0][1]) > MOST_COLUMNS:
            raise error(f"{file} has {len(lines[0][1]):,} columns; expected {MOST_COLUMNS:,} at most")
        return cls(file, lines, error)

    @property
    def first(self) -> list[str]:
        """The words of the first row."""
        return self.lines[0][1]

    @property
    def has_header(self) -> bool:
        """True if the first row names the columns."""
        return not is_number(self.first[0])

    @property
    def rows(self) -> Sequence[tuple[int, list[str]]]:
        """The rows of numbers, each with the number of its line."""
        return self.lines[1:] if self.has_header else self.lines

    def numbers(self, columns: Sequence[Column], *, finite: bool = True) -> Array:
        """The numbers of some columns, shape (rows, columns).

        Args:
            columns: the columns.
            finite: True refuses NaN and infinity.

        Raises:
            error: a row that is shorter or longer than the first, or a value that is not a number, by line and column.
        """
        width = len(self.first)
        values = np.empty((len(self.rows), len(columns)))
        for k, (line, row) in enumerate(self.rows):
            if len(row) != width:
                raise self.error(f"{self.file}:{line} has {len(row)} values; expected {width}, as the first row has")
            values[k] = [self._number(line, row[column.place].strip(), column, finite) for column in columns]
        return values

    def _number(self, line: int, word: str, column: Column, finite: bool) -> float:
        if is_number(word) and (not finite or math.isfinite(float(word))):
            return float(word)
        number = f"a {'finite ' if finite else ''}number{comma_hint(word)}"
        raise self.error(f"{self.file}:{line} column {column.label!r} holds {word!r}; expected {number}")


def unused(labels: Sequence[str]) -> str:
    """The sentence on columns that are not used, the first twelve by name.

    >>> unused(["x", "y"])
    "columns not used: 'x', 'y'"
    """
    more = f" and {len(labels) - 12:,} more" if len(labels) > 12 else ""
    return f"columns not used: {', '.join(map(repr, labels[:12]))}{more}"


def _first_bytes(path: Path) -> bytes:
    """The bytes of a file, one more than a table may have at most."""
    with path.open("rb") as file:
        return file.read(MOST_BYTES + 1)


def _separator(text: str, separators: Sequence[str]) -> str:
    first = next((line for line in text.splitlines() if line.strip()), "")
    outside_quotes = re.sub(r'"[^"]*"', "", first)
    return next((separator for separator in separators if separator in outside_quotes), ",")


def is_number(word: str) -> bool:
    """True if a word of a table is a number, NaN and infinity included."""
    try:
        float(word)
    except ValueError:
        return False
    return "_" not in word and word.strip().isascii()  # Python alone reads 1_000, and digits of other scripts


def comma_hint(*words: str) -> str:
    """The end of a message if one of these words is a number with a decimal comma."""
    comma = any(_DECIMAL_COMMA.fullmatch(word.strip()) for word in words)
    return " (the decimal sign is a point, not a comma)" if comma else ""
