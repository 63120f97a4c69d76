"""One row of the tables in docs/descriptions.md: words of a description, an example, what armdyn does with it."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

PAGE = Path(__file__).parents[2] / "docs" / "descriptions.md"

Outcome = Literal["counted", "Unsupported", "note", "no bearing"]
"""Used in the equations or kept as data; refused; listed in ``robot.notes``; of no bearing on anything."""


@dataclass(frozen=True)
class Row:
    """The words as the table on the page has them, what armdyn does, and an example of them.

    ``parts`` fill the places of a template of a small arm. ``says`` is a part of the message or note. ``options`` are
    those of the reader.
    """

    words: str
    outcome: Outcome
    parts: Mapping[str, str] = field(default_factory=dict)
    says: str = ""
    check: str = "dynamics"
    options: Mapping[str, object] = field(default_factory=dict)

    @property
    def label(self) -> str:
        """Its name among the tests."""
        return re.sub(r"[^\w]+", "_", self.words).strip("_")[:60]


def rows_of_page(heading: str) -> list[tuple[str, str]]:
    """The first two cells of each row of the table below a heading of the page."""
    text = PAGE.read_text(encoding="utf-8").split(f"\n## {heading}\n", 1)[1]
    table = re.split(r"\n## ", text, maxsplit=1)[0]
    cells = [line.strip("| ").split(" | ") for line in table.splitlines() if line.startswith("| ")]
    return [(words.strip(), outcome.strip()) for words, outcome, *_ in cells[1:]]


def rows_of_tests(rows: Sequence[Row]) -> list[tuple[str, str]]:
    """Words and outcome of each row, each pair once."""
    return [*dict.fromkeys((row.words, row.outcome) for row in rows)]
