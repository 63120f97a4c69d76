"""One argument is documented by one sentence: no two sentences about it that differ only in small words."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator
from functools import cache

from oracles.docstrings import SOURCE, docstrings

_ARGUMENT = re.compile(r"^    (\*{0,2}\w+): (.*)")
_SECTION = re.compile(r"\n(?:\s*\n)?(?=\S)")
_SMALL = re.compile(
    r"\b(the|a|an|its|their|of|as|in|for|that|which|is|are|to|by|one|each|every|per)\b|[^\w*/^()\[\]<>=+-]"
)
_SAME = {
    "if not given": "default",
    "if none": "default",
    "where not given": "default",
    "by default": "default",
    "if left out": "default",
    "...": "batch",
}
"""Words of one meaning, and the word that stands for all of them here."""


def arguments(docstring: str) -> Iterator[tuple[str, str]]:
    """The arguments of a docstring's section "Args", and their sentences in one line."""
    _, found, section = docstring.partition("\nArgs:\n")
    name, lines = "", list[str]()
    for line in (*_SECTION.split(section, maxsplit=1)[0].splitlines(), "    end: "):
        if start := _ARGUMENT.match(line):
            if found and name:
                yield name, " ".join(lines)
            name, lines = start[1], [start[2]]
        else:
            lines.append(line.strip())


@cache
def sentences() -> dict[str, dict[str, list[str]]]:
    """The places of each sentence, by argument."""
    result: dict[str, dict[str, list[str]]] = defaultdict(lambda: defaultdict(list))
    for path, documented, text in docstrings():
        for name, sentence in arguments(text) if documented else ():
            result[name][sentence].append(f"{path.relative_to(SOURCE)}: {documented}")
    return result


def essence(sentence: str) -> str:
    """A sentence without its small words, punctuation and capital letters."""
    text = re.sub(r"\s+", " ", sentence.lower().rstrip("."))
    for words, word in _SAME.items():
        text = text.replace(words, word)
    return " ".join(sorted(_SMALL.sub(" ", text).split()))


def variants() -> list[str]:
    """One line for each sentence that another one about an argument of its name differs from in small words."""
    result = []
    for name, places in sentences().items():
        alike: dict[str, list[str]] = defaultdict(list)
        for sentence in places:
            alike[essence(sentence)].append(sentence)
        for group in alike.values():
            if len(group) > 1:
                result += [f"{name}: {sentence!r} in {places[sentence][0]}" for sentence in group]
    return result


def test_an_argument_has_one_sentence() -> None:
    found = sentences()
    assert len(found["q"]["joint positions, rad or m, shape (..., n)."]) > 50
    assert not variants(), "\n".join(variants())


def test_arguments_of_a_docstring() -> None:
    docstring = "A quantity.\n\nArgs:\n    q: joint positions,\n        rad.\n    t: time, s.\n\nRaises:\n    A: b.\n"
    assert list(arguments(docstring)) == [("q", "joint positions, rad."), ("t", "time, s.")]
    assert not list(arguments("A quantity.\n\n    q: no section.\n"))


def test_sentences_that_differ_in_small_words() -> None:
    assert essence("The threads for a batch; one per core if None.") == essence(
        "threads, a batch: one per core by default."
    )
    assert essence("joint positions, rad, shape (n,).") != essence("joint positions, rad, shape (T, n).")
