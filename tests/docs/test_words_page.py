"""docs/words.md lists the words of scenarios, ``--set`` and options; this module writes its tables.

python tests/docs/test_words_page.py
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from armdyn.cli.word_options import flag, unit_text
from armdyn.studies.table import BOTH, WORDS

PAGE = Path(__file__).parents[2] / "docs" / "words.md"

FIRST = "## The table\n"
"""The heading from which on the page is written here."""

COLUMNS = ("word", "option", "only for", "Python", "unit", "default", "meaning", "example")


def row(*cells: str) -> str:
    """A row of a table."""
    texts = (cell.replace("|", r"\|").replace("<", "&lt;") for cell in cells)
    return f"| {' | '.join(texts)} |"


def code(text: str) -> str:
    """A text as code; nothing if it is empty."""
    return f"`{text}`" if text else ""


def rows() -> Iterator[str]:
    """A row for each word and part."""
    for name, word in WORDS.items():
        verb = "" if word.verbs == BOTH else word.verbs[0]
        option = flag(name) if word.option else ""
        texts = (code(name), code(option), code(verb), code(word.python), unit_text(word.unit))
        yield row(*texts, "", word.help, code(word.example))
        for part in word.parts.values():
            path = f"{name}.NAME.{part.name}" if word.is_named else f"{name}.{part.name}"
            yield row(code(path), "", "", "", unit_text(part.unit), code(part.default), part.help, "")


def page() -> str:
    """The page as it has to be."""
    text = PAGE.read_text(encoding="utf-8").partition(FIRST)[0]
    kinds = [row(code(f"{name}.NAME"), ", ".join(map(code, word.kinds))) for name, word in WORDS.items() if word.kinds]
    heads = [row(*COLUMNS), "|---" * len(COLUMNS) + "|"]
    return "\n".join([text + FIRST, *heads, *rows(), "", "## Kinds", "", row("word", "kinds"), "|---|---|", *kinds, ""])


def test_the_page_is_up_to_date() -> None:
    assert PAGE.read_text(encoding="utf-8") == page(), "write it again: python tests/docs/test_words_page.py"


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
