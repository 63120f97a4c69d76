"""A docstring in Google's style as Markdown: sections as fields, examples as code, bare backticks as links."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterable, Iterator
from itertools import groupby

SECTIONS = {"Args": "param", "Raises": "raises", "Attributes": "var", "Returns": "returns", "Yields": "yields"}
NAME = re.compile(r"(?<![`\w}])`([^`\n]+)`(?!`)")
HEADING = re.compile(rf"^({'|'.join(SECTIONS)}):$")
ITEM = re.compile(r"^\*{0,2}([\w., *]+?): (.*)$", re.DOTALL)

Link = Callable[[str], str]
"""Markdown for a name in backticks."""


def as_markdown(text: str, link: Link, exception: Link) -> list[str]:
    """The lines of a docstring as Markdown.

    Args:
        text: the docstring.
        link: what becomes of a name in backticks.
        exception: the full name of an exception that "Raises" names.
    """
    lines: list[str] = []
    for heading, block in _sections(inspect.cleandoc(text).splitlines()):
        if heading is None:
            lines += _prose(block, link)
        else:
            lines += [*_fields(SECTIONS[heading], block, link, exception), ""]
    return lines


def _sections(lines: list[str]) -> Iterator[tuple[str | None, list[str]]]:
    """Runs of lines, each with the heading it stands under; a section ends where its indentation does."""
    heading: str | None = None
    block: list[str] = []
    for line in lines:
        found = HEADING.match(line)
        if found or (heading and line.strip() and not line.startswith(" ")):
            yield heading, block
            heading, block = (found[1], []) if found else (None, [line])
        else:
            block.append(line)
    yield heading, block


def _fields(kind: str, block: list[str], link: Link, exception: Link) -> Iterator[str]:
    for item in _items(inspect.cleandoc("\n".join(["", *block])).splitlines()):
        found = ITEM.match(item)
        if found is None or kind in ("returns", "yields"):
            yield f":{kind}: {_linked(item, link)}"
            continue
        for name in found[1].split(", "):
            what = f"~{exception(name)}" if kind == "raises" else name
            yield f":{kind} {what}: {_linked(found[2], link)}"


def _items(lines: Iterable[str]) -> Iterator[str]:
    """Each item in one line; lines that are indented belong to the one before."""
    item: list[str] = []
    for line in lines:
        if item and line.strip() and not line.startswith(" "):
            yield " ".join(item)
            item = []
        if line.strip():
            item.append(line.strip())
    if item:
        yield " ".join(item)


def _prose(lines: list[str], link: Link) -> list[str]:
    """Paragraphs, with examples in fences; equations stay as they are indented."""
    out: list[str] = []
    for blank, group in groupby(lines, key=lambda line: not line.strip()):
        paragraph = list(group)
        if blank:
            out.append("")
        elif paragraph[0].startswith(">>>"):
            out += ["```pycon", *paragraph, "```"]
        elif any(line.lstrip().startswith(">>>") for line in paragraph):
            start = next(k for k, line in enumerate(paragraph) if line.lstrip().startswith(">>>"))
            out += [*(_linked(line, link) for line in paragraph[:start]), ""]
            out += ["```pycon", *inspect.cleandoc("\n".join(["", *paragraph[start:]])).splitlines(), "```"]
        elif paragraph[0].startswith("    "):
            out += paragraph
        else:
            out += _linked("\n".join(paragraph), link).splitlines()
    return out


def _linked(text: str, link: Link) -> str:
    """Names in single backticks as links, and asterisks that mark no emphasis as they are."""
    pieces = re.split(r"(``.*?``)", text, flags=re.DOTALL)
    return "".join(
        piece if piece.startswith("``") else NAME.sub(lambda found: link(found[1]), _plain(piece)) for piece in pieces
    )


def _plain(text: str) -> str:
    return re.sub(r"(?<![\\*`\w])(\*{1,2})(?=\w)", lambda found: found[1].replace("*", r"\*"), text).replace("<", r"\<")
