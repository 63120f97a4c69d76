"""The words of csv tables: rows of texts and numbers, the numbers among them, and parts of messages."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Sequence

from armdyn.base.errors import ArmdynError

SEPARATORS = ("\t", ";", ",")
"""Separators of the words of a row; the first of these in the first row is used."""

MOST_COLUMNS = 10_000
"""Largest number of columns of a table."""

_DECIMAL_COMMA = re.compile(r"[-+]?\d+,\d+([eE][-+]?\d+)?")


def csv_rows(text: str, name: str, expected: str, error: type[ArmdynError]) -> list[tuple[int, list[str]]]:
    """The number of each line of a csv that is not blank, and its words.

    Args:
        text: of the table.
        name: of the source, for messages.
        expected: the expected content, for messages.
        error: the class of errors.

    Raises:
        error: a text that is not csv, that is empty, or that has more columns than `MOST_COLUMNS`.
    """
    text = text.removeprefix("\ufeff")
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=_separator(text), strict=True)
    try:
        rows = [(reader.line_num, row) for row in reader if any(word.strip() for word in row)]
    except csv.Error as problem:
        raise error(f"{name!r} is not a csv: {problem}") from None
    if not rows:
        raise error(f"{name} is empty; expected {expected}")
    refuse_wide(len(rows[0][1]), name, error)
    return rows


def refuse_wide(columns: int, name: str, error: type[ArmdynError]) -> None:
    """Raise for a table with more than `MOST_COLUMNS` columns."""
    if columns > MOST_COLUMNS:
        raise error(f"{name} has {columns:,} columns; expected {MOST_COLUMNS:,} at most")


def unused(labels: Sequence[str]) -> str:
    """The sentence on columns that are not used, the first twelve by name.

    >>> unused(["x", "y"])
    "columns not used: 'x', 'y'"
    """
    more = f" and {len(labels) - 12:,} more" if len(labels) > 12 else ""
    return f"columns not used: {', '.join(map(repr, labels[:12]))}{more}"


def _separator(text: str) -> str:
    first = next((line for line in text.splitlines() if line.strip()), "")
    outside_quotes = re.sub(r'"[^"]*"', "", first)
    return next((separator for separator in SEPARATORS if separator in outside_quotes), ",")


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
