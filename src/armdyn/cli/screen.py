"""The console: prints names as they are, without reading markup, emoji or terminal commands in them."""

from __future__ import annotations

from typing import Any

from rich.console import Console
from rich.text import Text


class Screen(Console):
    """A console that prints every string letter by letter; what is styled is a `Text`."""

    def render_str(self, text: str, **options: Any) -> Text:
        """The text to print for a string, in cells of tables too."""
        return super().render_str(visible(text), **{**options, "markup": False, "emoji": False})


def screen(*, stderr: bool = False) -> Screen:
    """Standard output, or standard error."""
    return Screen(stderr=stderr, markup=False, emoji=False, highlight=not stderr)


def visible(text: str) -> str:
    r"""The text with control characters written out, which could move the cursor or recolour the window.

    >>> visible("shoulder \x1b[31m")
    'shoulder \\x1b[31m'
    """
    return "".join(c if c.isprintable() or c == "\n" else ascii(c)[1:-1] for c in text)


def labelled(label: str, style: str, text: str) -> Text:
    """A line that begins with a word in a style, such as "note:"."""
    return Text.assemble((label, style), " ", visible(text))
