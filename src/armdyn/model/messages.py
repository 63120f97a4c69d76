"""Names and lists in messages, and suggestions for misspelt names."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence

from armdyn.base.errors import LONGEST_SHOWN, nearest

LONGEST_COMPARED = 100
"""The most letters of a name that a misspelt one is compared with."""

MAX_COMPARED = 6_000_000
"""The most pairs of letters that the suggestions of one report compare; each takes up to 0.1 us."""

OVERHEAD = 10
"""The constant cost of a comparison, as this many more letters of both names."""


def listing(names: Sequence[str], most: int) -> str:
    """The first names, and how many more there are.

    >>> listing(["a", "b", "c", "d"], 2)
    'a, b and 2 more'
    """
    more = len(names) - most
    return ", ".join(names[:most]) + (f" and {more} more" if more > 0 else "")


def first_of(messages: Sequence[str], most: int) -> list[str]:
    """The first messages, and a line with the number of the others."""
    more = len(messages) - most
    return [*messages[:most], *([f"... and {more} more like these."] if more > 0 else [])]


def did_you_mean(word: str, choices: Iterable[str]) -> str:
    """The end of a sentence that suggests the known word nearest to a misspelt one; empty if none is near."""
    close = nearest(word[:LONGEST_SHOWN].strip(), choices)
    return "" if close is None else f" Did you mean {close!r}?"


def quote(text: str) -> str:
    """A name or another text of a description for a message, the end of a very long one left out.

    >>> quote("elbow"), quote("x" * 20_000) == repr("x" * 57 + "...")
    ("'elbow'", True)
    """
    return repr(shorten(text))


def shorten(text: str) -> str:
    """The text, or the start of a very long one."""
    return text if len(text) <= LONGEST_SHOWN else text[: LONGEST_SHOWN - 3] + "..."


class Suggestions:
    """Suggestions for the misspelt names of one report, within `MAX_COMPARED`, because files are untrusted.

    A comparison takes time in proportion to the product of the lengths of the two names.

    >>> meant = Suggestions(["shoulder", "elbow"])
    >>> meant("elbwo"), meant("wrist")
    ('elbow', None)
    """

    def __init__(self, choices: Collection[str]) -> None:
        self.names = [name for name in choices if len(name) <= LONGEST_COMPARED]
        self.cost = sum(len(name) + OVERHEAD for name in self.names)
        self.budget = MAX_COMPARED

    def __call__(self, name: str) -> str | None:
        """The known name nearest to a misspelt one; None if none is near, or the comparison takes too long."""
        from difflib import get_close_matches  # noqa: PLC0415 - slow to import

        cost = (len(name) + OVERHEAD) * self.cost
        if len(name) > LONGEST_COMPARED or cost > self.budget:
            return None
        self.budget -= cost
        return next(iter(get_close_matches(name, self.names, n=1)), None)

    def hint(self, name: str, otherwise: str = "") -> str:
        """The suggestion as the end of a sentence; ``otherwise`` if there is none."""
        close = self(name)
        return otherwise if close is None else f" Did you mean {quote(close)}?"
