"""A table of numbers: columns by label, and the place of each row in its source."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from armdyn.base.errors import ArmdynError
from armdyn.spatial.rotations import Array

JOINT_TABLE = "a table with columns such as t, q_JOINT, tau_JOINT"


def no_file(name: object, expected: str = JOINT_TABLE) -> str:
    """The message for a table whose file does not exist."""
    return f"no file {str(name)!r}; expected {expected}"


@dataclass(frozen=True, eq=False)
class Table:
    """Columns of numbers with one entry for each row.

    Args:
        source: the file or object, for messages.
        columns: the values by label, each of shape (rows,), or (rows, k) for a column of lists; NaN marks a missing
            entry. The labels of a csv without a header are "0", "1", ...
        rows: the number of each row in its source, shape (rows,): lines of a file counted from 1, else rows from 0.
        row_word: "line" or "row", for messages.
        has_labels: False for a table whose columns have places only.
        entry_names: the names of the entries of list columns, by label, if the source states them.
        notes: rows that were left out, one sentence each.
        header: the line of the labels; 0 if they are not in a line.
        odd: the rows of another length, which ``columns`` lacks: the line and the number of words of each.
        lengths: the rows of the columns of another length, by label, which ``columns`` lacks.
        unread: the line and the label of the first word of a text that is not a number; None if all are numbers.
        word: the text of a row's entry by the number of the row and the label; None if the source is not a text.
    """

    source: str
    columns: Mapping[str, Array]
    rows: Array
    row_word: str = "row"
    has_labels: bool = True
    entry_names: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    header: int = 0
    odd: tuple[tuple[int, int], ...] = ()
    lengths: Mapping[str, int] = field(default_factory=dict)
    unread: tuple[int, str] | None = None
    word: Callable[[int, str], str] | None = None

    @property
    def where(self) -> str:
        """The source and the line of the labels, for messages."""
        return f"{self.source}:{self.header}" if self.header else self.source

    def place(self, k: int) -> str:
        """The source and the place of the k-th row in it, for messages."""
        row = int(self.rows[k])
        return f"{self.source}:{row}" if self.row_word == "line" else f"{self.source} {self.row_word} {row}"

    def entry(self, k: int, label: str) -> str:
        """The entry of the k-th row in a column as written in the source, for messages."""
        return repr(self.word(int(self.rows[k]), label) if self.word else self.columns[label][k])

    def refuse_odd_rows(self, error: type[ArmdynError]) -> None:
        """Raise for the first row of another length than the labels."""
        if self.odd:
            line, count = self.odd[0]
            raise error(f"{self.source}:{line} has {count} values; expected {len(self.columns)}, as the first row has")

    @property
    def labels(self) -> tuple[str, ...]:
        """The labels of the columns, in order."""
        return tuple(self.columns)

    def __len__(self) -> int:
        return len(self.rows)


def row_list(rows: Array, word: str) -> str:
    """The numbers of some rows in words, the first few of many.

    >>> row_list(np.array([3, 4, 5, 9]), "line")
    'lines 3 to 5, 9'
    """
    runs: list[tuple[int, int]] = []
    for row in rows.tolist():
        if runs and row == runs[-1][1] + 1:
            runs[-1] = (runs[-1][0], row)
        else:
            runs.append((row, row))
    texts = [f"{first}" if first == last else f"{first} to {last}" for first, last in runs[:MOST_RUNS]]
    more = f" and {len(runs) - MOST_RUNS} more places" if len(runs) > MOST_RUNS else ""
    return f"{word}{'s' if len(rows) > 1 else ''} {', '.join(texts)}{more}"


MOST_RUNS = 4
"""Places of rows that a message lists."""
