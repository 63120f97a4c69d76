"""Tables in texts: csv, or JSON with one state per line."""

from __future__ import annotations

import sys
from pathlib import Path

from armdyn.base.errors import ArmdynError
from armdyn.formats.tables.csv_file import parse_csv
from armdyn.formats.tables.json_lines import is_json_lines, parse_json_lines
from armdyn.formats.tables.table import JOINT_TABLE, Table, no_file

ErrorClass = type[ArmdynError]

STANDARD_INPUT = "-"

MOST_BYTES = 1 << 32
"""The size of the largest text; a longer log fits into Parquet."""


def read_text(path: Path, error: ErrorClass) -> Table:
    """The table in a file in UTF-8, csv or JSON lines, or on standard input for the path "-".

    Raises:
        error: a file that does not exist, cannot be read, is empty, or is not a text.
    """
    return parse_text(*text_of(path, error), error)


def text_of(path: Path, error: ErrorClass, expected: str = JOINT_TABLE) -> tuple[str, str]:
    """The text of a file in UTF-8, or of standard input for the path "-", and its name for messages.

    Args:
        path: of the file.
        error: the class of errors.
        expected: the expected content, for messages.

    Raises:
        error: a file that does not exist, cannot be read, is too large, or is not a text.
    """
    of_input = str(path) == STANDARD_INPUT
    name = "standard input" if of_input else str(path)
    try:
        content = sys.stdin.read(MOST_BYTES + 1) if of_input else _first_bytes(path)
        if len(content) > MOST_BYTES:
            raise error(f"{name} has more than {MOST_BYTES:,} bytes; thin it, cut it into parts, or take Parquet")
        return content.decode() if isinstance(content, bytes) else content, name
    except FileNotFoundError:
        raise error(no_file(name, expected)) from None
    except UnicodeDecodeError as problem:
        raise error(f"{name!r} is not a csv file in UTF-8: {problem}") from None
    except OSError as problem:
        raise error(f"{name!r} cannot be read: {problem.strerror or problem}") from None


def parse_text(text: str, name: str, error: ErrorClass) -> Table:
    """The table in a text, csv or one JSON object per line.

    Raises:
        error: a text without a row.
    """
    return (parse_json_lines if is_json_lines(text) else parse_csv)(text, name, error)


def _first_bytes(path: Path) -> bytes:
    with path.open("rb") as file:
        return file.read(MOST_BYTES + 1)
