"""Numbers in text: any separator, with or without a header; a row of another length is left out and named.

Most files are regular: every line has the same number of words, all of them numbers. NumPy reads such a text at once.
The words of any other text are read one by one, and what is not a number becomes NaN.
"""

from __future__ import annotations

import csv
import io
import sys
from collections import Counter
from pathlib import Path
from typing import NamedTuple

import numpy as np

from armdyn.errors import ArmdynError
from armdyn.formats.csv_table import STANDARD_INPUT, is_number
from armdyn.formats.tables.table import Table, row_list
from armdyn.spatial.rotations import Array

SEPARATORS = (",", ";", "\t", "|")
"""Separators that the first row is searched for; spaces separate the words of a text without any of them."""

COMMENT = "#"

ErrorClass = type[ArmdynError]


class Dialect(NamedTuple):
    """The separator of the words (None for runs of spaces) and the decimal sign of the numbers."""

    separator: str | None
    decimal: str = "."


def read_csv(path: Path, error: ErrorClass) -> Table:
    """The table in a file in UTF-8, or on standard input for the path "-".

    Raises:
        error: a file that does not exist, cannot be read, is empty, or is not a text.
    """
    of_input = str(path) == STANDARD_INPUT
    name = "standard input" if of_input else str(path)
    try:
        content = sys.stdin.read() if of_input else path.read_bytes()
        text = content.decode() if isinstance(content, bytes) else content
    except FileNotFoundError:
        raise error(f"no file {name!r}; expected a log of joint states") from None
    except UnicodeDecodeError as problem:
        raise error(f"{name!r} is not a csv in UTF-8: {problem}") from None
    except OSError as problem:
        raise error(f"{name!r} cannot be read: {problem.strerror or problem}") from None
    return parse_csv(text, name, error)


def parse_csv(text: str, name: str, error: ErrorClass) -> Table:
    """The table in a text.

    Raises:
        error: an empty text, a header with a label twice, or no row of the first row's length.
    """
    text = text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")
    first_line, start = _first_line(text)
    if not first_line.strip():
        raise error(f"{name} is empty; expected a log of joint states: a row for each time")
    dialect = _dialect(first_line, text[start:])
    header = _header(first_line, dialect)
    body = text[start:] if header is not None else text
    line = text[:start].count("\n") + 1 if header is not None else 1
    labels = header if header is not None else [str(k) for k in range(len(_split(first_line, dialect)))]
    twice = [label for label, times in Counter(labels).items() if times > 1]
    if twice:
        raise error(f"{name} names {', '.join(map(repr, twice))} more than once; expected each column once")
    read = _regular(body, len(labels), dialect)
    values, lines, notes = (read, np.arange(line, line + len(read)), []) if read is not None else _irregular(
        body, len(labels), dialect, line, name
    )  # fmt: skip
    if not len(values):
        below = "has a header and no rows below it" if header is not None else "has no rows"
        raise error(f"{name} {below}; expected a row of {len(labels)} numbers for each time")
    columns = dict(zip(labels, values.T, strict=True))
    return Table(name, columns, lines, "line", header is not None, notes=tuple(notes))


def _first_line(text: str) -> tuple[str, int]:
    """The first line that is neither blank nor a comment, and the place of the text after it.

    A header may stand behind the sign of a comment: it is the last such line before the first row.
    """
    start, comment = 0, None
    for line in io.StringIO(text):
        start += len(line)
        bare = line.strip()
        if bare.startswith((COMMENT, "%")):
            comment = bare.lstrip(COMMENT + "% ")
        elif bare:
            break
    else:
        return "", start
    numbers = all(is_number(word) for word in bare.replace(",", " ").replace(";", " ").split())
    if numbers and comment is not None and len(_split(comment, _dialect(comment, ""))) > 1:
        return comment, start - len(line)
    return line.rstrip("\n"), start


def _dialect(first: str, rest: str) -> Dialect:
    """The separator that the first row has, and a decimal comma if semicolons or tabs separate words such as 1,5."""
    outside_quotes = "".join(first.split('"')[::2])
    separator = next((each for each in SEPARATORS if each in outside_quotes), None)
    if separator in (";", "\t"):
        sample = f"{first}\n{rest[:2000]}".replace(separator, " ").split()
        commas = [word for word in sample if word.count(",") == 1 and is_number(word.replace(",", "."))]
        if commas and not any("." in word and is_number(word) for word in sample):
            return Dialect(separator, ",")
        if separator == "\t" or outside_quotes.count(";") >= outside_quotes.count(","):
            return Dialect(separator)
    if separator == "," and outside_quotes.count(";") > outside_quotes.count(","):
        return Dialect(";", ",")
    return Dialect(separator)


def _split(line: str, dialect: Dialect) -> list[str]:
    """The words of a line."""
    if dialect.separator is None:
        return line.split()
    if '"' not in line:
        return [word.strip() for word in line.split(dialect.separator)]
    return [word.strip() for word in next(csv.reader([line], delimiter=dialect.separator), [])]


def _number(word: str, dialect: Dialect) -> float:
    """The number that a word is; NaN for any other word."""
    word = word.replace(",", ".") if dialect.decimal == "," else word
    return float(word) if is_number(word) else np.nan


def _header(first: str, dialect: Dialect) -> list[str] | None:
    """The labels of the first row; None if it is a row of numbers."""
    words = _split(first, dialect)
    if words and words[-1] == "":  # rows that end in a separator
        words = words[:-1]
    named = [word for word in words if word and np.isnan(_number(word, dialect)) and word.lower() not in MISSING]
    return words if named else None


MISSING = ("nan", "null", "none", "na", "n/a")
"""Words that stand for an entry which is missing."""


def _regular(body: str, width: int, dialect: Dialect) -> Array | None:
    """The values of a text in which every line has ``width`` numbers; None for any other text."""
    separator = dialect.separator
    if separator is None or dialect.decimal != "." or '"' in body or COMMENT in body:
        return None
    body = body.strip("\n")
    rows = body.count("\n") + 1
    if not body or body.count(separator) != rows * (width - 1) or "\n\n" in body:
        return None
    flat = body.replace("\n", separator)
    try:
        values = np.fromstring(flat, dtype=np.float64, sep=separator)
    except (ValueError, DeprecationWarning):
        return None
    if len(values) != rows * width:
        return None
    # equal counts in all may hide a long and a short line: the separators of each line are counted too
    raw = np.frombuffer(body.encode(), dtype=np.uint8)
    marks = raw[(raw == ord(separator)) | (raw == ord("\n"))]
    ends = np.flatnonzero(marks == ord("\n"))
    if not np.array_equal(ends, np.arange(width - 1, len(marks), width)):
        return None
    return np.asarray(values.reshape(rows, width))


def _irregular(body: str, width: int, dialect: Dialect, line: int, name: str) -> tuple[Array, Array, list[str]]:
    """The values, the numbers of their lines, and notes of the rows that were left out."""
    rows: list[list[float]] = []
    lines: list[int] = []
    others: list[tuple[int, int]] = []
    for number, text in enumerate(body.split("\n"), line):
        bare = text.strip()
        if not bare or bare.startswith((COMMENT, "%")):
            continue
        words = _split(text, dialect)
        if len(words) == width + 1 and words[-1] == "":
            words = words[:-1]
        if len(words) == width:
            rows.append([_number(word, dialect) for word in words])
            lines.append(number)
        else:
            others.append((number, len(words)))
    notes = []
    if others:
        lengths = sorted({length for _, length in others})
        where = row_list(np.array([number for number, _ in others]), "line")
        of = f"{lengths[0]}" if len(lengths) == 1 else f"{lengths[0]} to {lengths[-1]}"
        count = "1 row" if len(others) == 1 else f"{len(others)} rows"
        notes.append(f"{count} of {of} columns instead of {width} left out: {where}")
    return np.array(rows, dtype=np.float64).reshape(len(rows), width), np.array(lines, dtype=np.int64), notes
