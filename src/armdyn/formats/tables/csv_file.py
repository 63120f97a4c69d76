"""Numbers in text: any separator, with or without a header; a row of another length is left out and named.

Most files are regular: every line has the same number of words, all of them numbers. NumPy reads such a text at once, a
long one polars if it is installed, six times as fast. The words of any other text are read one by one, and words that
are not numbers become NaN.
"""

from __future__ import annotations

import csv
import io
import sys
from importlib.util import find_spec
from typing import NamedTuple

import numpy as np

from armdyn.base.errors import ArmdynError
from armdyn.base.threads import undivided
from armdyn.formats.tables.table import Table
from armdyn.formats.tables.words import is_number, refuse_wide
from armdyn.spatial.rotations import Array

SEPARATORS = ("\t", ";", ",", "|")
"""Separators in the search of the first row: the first that the next row has as often, or else the first of all.
Spaces separate the words of a text without any of them."""

COMMENT = "#"

ErrorClass = type[ArmdynError]

LONG = 10_000_000
"""Characters of a text that polars reads in less time than NumPy, the time of its import included."""


class CsvDialect(NamedTuple):
    """The separator of the words (None for runs of spaces) and the decimal sign of the numbers."""

    separator: str | None
    decimal: str = "."


class CsvRows(NamedTuple):
    """The rows of a text.

    Args:
        values: one row of numbers for each line; NaN for a word that is not a number.
        lines: the number of each line.
        odd: the lines with another number of words, and that number.
        unread: the line and the label of the first word that is not a number.
    """

    values: Array
    lines: Array
    odd: tuple[tuple[int, int], ...] = ()
    unread: tuple[int, str] | None = None


def parse_csv(text: str, name: str, error: ErrorClass) -> Table:
    """The table in a text.

    Raises:
        error: an empty text, more columns than `MOST_COLUMNS`, quotes without an end.
    """
    try:
        return _parse(_with_line_feeds(text), name, error)
    except csv.Error as problem:
        raise error(f"{name!r} is not a csv: {problem}") from None


def parse_labelled(text: str, name: str, error: ErrorClass) -> Table:
    """The table in a text with commas and a header, whose labels may have commas, quotes and line ends in quotes.

    Raises:
        error: an empty text, more columns than `MOST_COLUMNS`, quotes without an end.
    """
    lines = io.StringIO(text.removeprefix("\ufeff"), newline="")
    reader = csv.reader(lines, strict=True)
    try:
        labels = next((row for row in reader if row), [])
    except csv.Error as problem:
        raise error(f"{name!r} is not a csv: {problem}") from None
    if not labels:
        raise error(f"{name} is empty; expected a header and a row for each time")
    refuse_wide(len(labels), name, error)
    body = _with_line_feeds(lines.read())
    return _table(name, labels, body, CsvDialect(","), reader.line_num + 1, reader.line_num)


def _with_line_feeds(text: str) -> str:
    """The text without the mark of its encoding, its lines ended by line feeds alone."""
    text = text.removeprefix("\ufeff")
    return text.replace("\r\n", "\n").replace("\r", "\n") if "\r" in text else text


def _parse(text: str, name: str, error: ErrorClass) -> Table:
    first_line, before, start = _first_line(text)
    if not first_line.strip():
        raise error(f"{name} is empty; expected joint states: a row for each time")
    dialect = _dialect(first_line, text[start : start + SAMPLE])
    header = _header(first_line, dialect)
    begin = start if header is not None else before
    body = text[begin:].lstrip("\n")
    line = text[: len(text) - len(body)].count("\n") + 1
    labels = header if header is not None else [str(k) for k in range(len(_split(first_line, dialect)))]
    refuse_wide(len(labels), name, error)
    where = text[: max(0, start - 1)].count("\n") + 1 if header is not None else 0
    return _table(name, labels, body, dialect, line, where)


def _table(name: str, labels: list[str], body: str, dialect: CsvDialect, line: int, header: int) -> Table:
    """The table of a text that begins at a line, and of labels at another; 0 if they are not in a line."""
    keys = _unlike(labels) if len(set(labels)) < len(labels) else labels
    values = _regular(body, len(labels), dialect)
    rows = (
        _irregular(body, keys, dialect, line)
        if values is None
        else CsvRows(values, np.arange(line, line + len(values)))
    )

    def word(row: int, label: str) -> str:
        """The word of a line in a column."""
        words = _split(body.split("\n", row - line + 1)[row - line], dialect)
        return words[keys.index(label)]

    columns = dict(zip(keys, rows.values.T, strict=True))
    return Table(
        name, columns, rows.lines, "line", bool(header), header=header, odd=rows.odd, unread=rows.unread, word=word
    )


def _unlike(labels: list[str]) -> list[str]:
    """Labels, of which those that an earlier column has get their place in brackets, so that all differ."""
    seen: set[str] = set()
    result = []
    for place, label in enumerate(labels):
        unlike = label if label not in seen else f"{label} [column {place}]"
        seen |= {label, unlike}
        result.append(unlike)
    return result


def _first_line(text: str) -> tuple[str, int, int]:
    """The first line that is neither blank nor a comment, its place, and that of the text after it.

    A header may follow the sign of a comment: it is the last such line before the first row, if it has as many words.
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
        return "", start, start
    before = start - len(line)
    numbers = all(is_number(word) for word in bare.replace(",", " ").replace(";", " ").split())
    if numbers and comment is not None and _count(comment) == _count(bare):
        return comment, before, before
    return line.rstrip("\n"), before, start


def _count(line: str) -> int:
    return len(_split(line, _dialect(line, "")))


SAMPLE = 2000
"""Characters below the first row that decide on the decimal sign."""


def _dialect(first: str, rest: str) -> CsvDialect:
    """The separator that the first row has, and a decimal comma if semicolons or tabs separate words such as 1,5."""
    outside_quotes = "".join(first.split('"')[::2])
    for separator in (";", "\t"):
        if separator in outside_quotes and _has_decimal_commas([first, *rest.split("\n")[:-1]], separator):
            return CsvDialect(separator, ",")
    separators = [each for each in SEPARATORS if each in outside_quotes]
    below = next((line for line in rest.split("\n") if line.strip()), first)
    alike = [each for each in separators if below.count(each) == outside_quotes.count(each)]
    return CsvDialect(next(iter(alike or separators), None))


def _has_decimal_commas(lines: list[str], separator: str) -> bool:
    """True if lines, with as many separators each, have numbers such as 1,5 and none such as 1.5."""
    lines = [line for line in lines if line.strip()]
    if len({line.count(separator) for line in lines}) > 1:
        return False
    words = [word.strip() for line in lines for word in line.split(separator)]
    commas = any(word.count(",") == 1 and is_number(word.replace(",", ".")) for word in words)
    return commas and not any("." in word and is_number(word) for word in words)


def _split(line: str, dialect: CsvDialect) -> list[str]:
    """The words of a line."""
    if dialect.separator is None:
        return line.split()
    if '"' not in line:
        return [word.strip() for word in line.split(dialect.separator)]
    return [word.strip() for word in next(csv.reader([line], delimiter=dialect.separator), [])]


def _number(word: str, dialect: CsvDialect) -> float:
    """The number that a word is; NaN for any other word."""
    word = _plain(word, dialect)
    return float(word) if is_number(word) else np.nan


def _plain(word: str, dialect: CsvDialect) -> str:
    """A word with a point as its decimal sign."""
    return word.replace(",", ".") if dialect.decimal == "," else word


def _header(first: str, dialect: CsvDialect) -> list[str] | None:
    """The labels of the first row; None if it is a row of numbers."""
    words = _split(first, dialect)
    if words and words[-1] == "":  # rows that end in a separator
        words = words[:-1]
    named = [word for word in words if word and np.isnan(_number(word, dialect)) and word.lower() not in MISSING]
    return words if named else None


MISSING = ("nan", "null", "none", "na", "n/a")
"""Words that mark a missing entry."""


def _regular(body: str, width: int, dialect: CsvDialect) -> Array | None:
    """The values of a text in which every line has ``width`` numbers; None for any other text."""
    if '"' in body or COMMENT in body or "\n\n" in body or not body or not body.isascii():
        return None
    if dialect.decimal == ",":
        body = body.replace(",", ".")
    values = None
    if dialect.separator is not None and _is_long(body):
        values = _by_polars(body, width, dialect.separator)
    values = _by_numpy(body, dialect.separator) if values is None else values
    return values if values is not None and values.shape == (body.rstrip("\n").count("\n") + 1, width) else None


def _is_long(body: str) -> bool:
    """True if polars is installed, and takes less time than NumPy."""
    return ("polars" in sys.modules or len(body) > LONG) and find_spec("polars") is not None


def _by_numpy(body: str, separator: str | None) -> Array | None:
    """The numbers of a text; None if a word is missing or not a number, or if lines have different lengths."""
    try:
        return np.loadtxt(io.StringIO(body), delimiter=separator, comments=None, ndmin=2)
    except ValueError:
        return None


def _by_polars(body: str, width: int, separator: str) -> Array | None:
    """The numbers of a text, six times as fast as `_by_numpy`; None also for some texts that it reads."""
    with undivided():
        import polars  # noqa: PLC0415 - slow to import

    schema = dict.fromkeys(map(str, range(width)), polars.Float64)
    try:
        frame = polars.read_csv(body.encode(), has_header=False, separator=separator, schema=schema, quote_char=None)
    except polars.exceptions.PolarsError:
        return None
    return None if any(frame.null_count().row(0)) else np.ascontiguousarray(frame.to_numpy())


def _irregular(body: str, labels: list[str], dialect: CsvDialect, line: int) -> CsvRows:
    """The rows of a text whose words are read one by one."""
    width = len(labels)
    split = [
        (number, _split(text, dialect))
        for number, text in enumerate(body.split("\n"), line)
        if text.strip() and not text.strip().startswith((COMMENT, "%"))
    ]
    if all(len(words) == width + 1 and words[-1] == "" for _, words in split):  # rows that end in a separator
        split = [(number, words[:-1]) for number, words in split]
    whole = [words for _, words in split if len(words) == width]
    rows = [[_number(word, dialect) for word in words] for words in whole]
    lines = [number for number, words in split if len(words) == width]
    others = [(number, len(words)) for number, words in split if len(words) != width]
    values = np.array(rows, dtype=np.float64).reshape(len(rows), width)
    unread = next(
        (
            (lines[row], labels[column])
            for row, column in np.argwhere(np.isnan(values))
            if not is_number(_plain(whole[row][column], dialect))
        ),
        None,
    )
    return CsvRows(values, np.array(lines, dtype=np.int64), tuple(others), unread)
