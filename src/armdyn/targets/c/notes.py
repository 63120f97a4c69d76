"""`Notes`: the comments on a program, written by a layer with the meaning of its arrays."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

WIDTH = 100


@dataclass(frozen=True)
class Notes:
    """Sentences for comments.

    Args:
        summary: the quantity that the function computes, with its unit.
        arrays: the meaning of each input and result, with its unit, by name.
    """

    summary: str = ""
    arrays: Mapping[str, str] = field(default_factory=dict)


def comment(lines: Iterable[str]) -> str:
    """A comment of C; comment delimiters in the text are broken up, and characters outside ASCII are escaped."""
    broken_up = (line.replace("*/", "* /").replace("/*", "/ *") for line in lines)
    plain = [line.encode("ascii", "backslashreplace").decode() for line in broken_up]
    wrapped = [part for line in plain for part in (_wrapped(line) or [""])]
    if len(wrapped) == 1:
        return f"/* {wrapped[0]} */"
    return "\n".join(f"{' *' if k else '/*'} {line}".rstrip() for k, line in enumerate(wrapped)) + " */"


def line_comment(text: str) -> str:
    """A comment of one line, in the syntax of C++.

    >>> line_comment("arm of " + chr(10) + "two links " + chr(92))
    '// arm of two links'
    """
    plain = " ".join(text.split()).encode("ascii", "backslashreplace").decode()
    return f"// {plain}".rstrip("\\ ")  # a line with this end continues in the next one


def _wrapped(line: str) -> list[str]:
    """Lines of some hundred characters; continuation lines are indented to the last run of blanks in the first."""
    indent = " " * (line.rfind("  ") + 2 if "  " in line[:30] else 0)
    return textwrap.wrap(line, WIDTH, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False)
