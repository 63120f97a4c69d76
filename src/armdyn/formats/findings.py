"""The findings of a reader in a document: problems, which refuse it, faults, which can be accepted, and notes.

A fault is an error in something that no equation contains: a limit, an element that occurs twice, an instruction left
over. With ``problems="warn"`` it is accepted, with a warning and a note that name its substitute; else it is a problem
like the others. Errors in masses, axes and poses are always problems.
"""

from __future__ import annotations

import math
from collections.abc import Container, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import TypeVar

from armdyn.base.advice import option
from armdyn.base.errors import ModelError, warn_of_description
from armdyn.formats.xml_tree import XmlElement
from armdyn.model.messages import did_you_mean, listing, quote
from armdyn.model.selection import Policy
from armdyn.model.validation import MAX_PROBLEMS

Default = TypeVar("Default", tuple[float, ...], None)

SHOWN_MEMBERS = 3

FIRST_TAKEN = ("inertial", "axis", "limit")
"""The elements that real files repeat, and of which every other reader uses the first."""

MAX_WORDS = 20
"""The most words of a vector that are read; no vector of a description has as many."""


@dataclass
class DocumentFindings:
    """The problems, accepted faults and notes of one document of a folder, in the order they were found."""

    document: str
    policy: Policy = "refuse"
    folder: str = ""
    has_quaternions: bool = True
    problems: list[str] = field(default_factory=list)
    accepted: list[str] = field(default_factory=list)
    _notes: dict[str, list[str]] = field(default_factory=dict)
    _warned: set[str] = field(default_factory=set)

    def where(self, element: XmlElement) -> str:
        """File and line of an element, as every message has it."""
        return f"{self.document}:{element.line}"

    def problem(self, element: XmlElement, text: str) -> None:
        """Record a problem with an element."""
        self.add(f"{self.where(element)} {text}")

    def add(self, problem: str) -> None:
        """Record a problem; when there are very many, stop reading and raise them."""
        self.problems.append(problem)
        if len(self.problems) >= MAX_PROBLEMS:
            raise ModelError([*self.problems, f"... and perhaps more: reading stopped after {MAX_PROBLEMS} problems."])

    def fault(self, line: int, text: str, taken: str) -> None:
        """Record an error in data that no equation contains, and its substitute, ``taken`` if accepted."""
        if self.policy == "warn":
            self.accepted.append(f"{self.document}:{line} {text}; {taken}")
        else:
            advice = f". Mend it; or read the file with {option('problems', 'warn')}, and {taken}."
            self.add(f"{self.document}:{line} {text}{advice}")

    def warn(self) -> None:
        """Warn, once, of every accepted fault and every note that is a warning too."""
        if lines := [*_first(self.accepted), *self._note_lines(self._warned)]:
            warn_of_description("\n".join(lines))

    def note(self, text: str, member: str, *, warn: bool = False) -> None:
        """Record ``text`` for the member ``member``, with or without a warning; one note lists all such members."""
        self._notes.setdefault(text, []).append(member)
        if warn:
            self._warned.add(text)

    @property
    def notes(self) -> list[str]:
        """One line for each accepted fault and for each kind of note, with the first members it holds for."""
        return [*_first(self.accepted), *self._note_lines(self._notes)]

    def _note_lines(self, kinds: Container[str]) -> Iterator[str]:
        for text, members in self._notes.items():
            if text in kinds:
                yield f"{text}: {listing(list(dict.fromkeys(members)), SHOWN_MEMBERS)}"


def _first(faults: Sequence[str]) -> list[str]:
    more = len(faults) - MAX_PROBLEMS
    return [*faults[:MAX_PROBLEMS], *([f"... and {more} more faults that were accepted"] if more > 0 else [])]


@dataclass
class ElementReader:
    """Reads the attributes and children of one named element, e.g. a link, and records their problems.

    The default replaces an attribute that cannot be read, so that reading goes on to the next problem.
    """

    findings: DocumentFindings
    element: XmlElement
    label: str

    @property
    def name(self) -> str:
        """The name of the element; empty if it has none."""
        return self.element.attributes.get("name", "")

    @property
    def where(self) -> str:
        """File and line of the element."""
        return self.findings.where(self.element)

    def problem(self, at: XmlElement, text: str) -> None:
        """Record a problem of this element."""
        self.findings.problem(at, f"{self.label}: {text}")

    def fault(self, at: XmlElement, text: str, taken: str) -> None:
        """Record a fault of this element, and its substitute if accepted."""
        self.findings.fault(at.line, f"{self.label}: {text}", taken)

    def note(self, text: str, *, warn: bool = False) -> None:
        """Record a note on this element."""
        self.findings.note(text, self.label, warn=warn)

    def child(self, parent: XmlElement, tag: str, expected: str) -> XmlElement | None:
        """The child of that tag, which is required."""
        result = self.only(parent, tag)
        if result is None:
            self.problem(parent, f"<{parent.tag}> has no <{tag}>; expected {expected}.")
        return result

    def only(self, parent: XmlElement, tag: str) -> XmlElement | None:
        """The child of that tag, which is optional; the first one if several are accepted."""
        result = parent.all(tag)
        if len(result) > 1:
            text = f"<{tag}> is given twice (first at line {result[0].line})"
            if tag in FIRST_TAKEN:
                self.fault(result[1], f"{text}, expected it once", "the first one is taken")
            else:
                self.problem(result[1], f"{text}; expected it once.")
        return result[0] if result else None

    def type(self, choices: Iterable[str], fault: str) -> str:
        """The attribute ``type``, which must be one of the known ones; ``fault`` describes any other."""
        result, tag, choices = self.element.attributes.get("type", ""), self.element.tag, [*choices]
        if result not in choices:
            wrong = f"type {result[:60]!r} {fault}" if result else f"<{tag}> has no type"
            expected = f"expected one of {', '.join(choices)}.{did_you_mean(result.lower(), choices)}"
            self.problem(self.element, f"{wrong}; {expected}")
        return result

    def word(self, element: XmlElement, attribute: str) -> str:
        """A required attribute; empty if it is missing."""
        result = element.attributes.get(attribute, "")
        if not result:
            self.problem(element, f'<{element.tag}> has no {attribute}; expected <{element.tag} {attribute}="...">.')
        return result

    def number(
        self, element: XmlElement, attribute: str, default: float | None = None, *, finite: bool = True
    ) -> float:
        """An attribute that is one number; required without a default."""
        text = element.attributes.get(attribute)
        if text is None:
            if default is None:
                self.problem(element, f"<{element.tag}> has no {attribute}; expected a number.")
            return default or 0.0
        value = read_number(text)
        if math.isnan(value) or (finite and math.isinf(value)):
            self.problem(element, f"{_no_number(element, attribute, text)}.")
            return default or 0.0
        return value

    def limit(self, element: XmlElement, attribute: str, default: float, unlimited: float) -> float:
        """An attribute that is one number, or infinite; ``unlimited``, and a fault, if it cannot be read."""
        text = element.attributes.get(attribute)
        value = default if text is None else read_number(text)
        if text is not None and (math.isnan(value) or value == -unlimited):
            self.fault(element, _no_number(element, attribute, text), "it is taken as unlimited")
            return unlimited
        return value

    def vector(
        self, element: XmlElement, attribute: str, default: Default, size: int = 3
    ) -> tuple[float, ...] | Default:
        """An attribute that is ``size`` finite numbers, or the default; required if that is None."""
        text = element.attributes.get(attribute)
        if text is None and default is not None:
            return default
        words = (text or "").split(None, MAX_WORDS)
        values = [read_number(word) for word in words[:MAX_WORDS]]
        if len(values) == size and all(map(math.isfinite, values)):
            return tuple(values)
        expected = f"expected {size} numbers such as {' '.join(['0', '0', '0.1', '1'][:size])}"
        if text is None:
            self.problem(element, f"<{element.tag}> has no {attribute}; {expected}.")
        else:
            fault = _fault(words, values)
            self.problem(element, f"<{element.tag}> {attribute} is {quote(text)}; {expected}, {fault}.")
        return default


def _no_number(element: XmlElement, attribute: str, text: str) -> str:
    return f"<{element.tag}> {attribute} is {quote(text)}; expected a number{_hint(text)}"


def _fault(words: Sequence[str], values: Sequence[float]) -> str:
    """The fault in the words of a vector: one is not a finite number, or they are too few or too many."""
    for word, value in zip(words, values, strict=False):
        if not math.isfinite(value):
            return f"{quote(word)} is no finite number{_hint(word)}"
    return f"these are {'more than ' if len(words) > MAX_WORDS else ''}{len(values)}"


def read_number(text: str) -> float:
    """The number in a text, or NaN. Python alone would also accept 1_000, and digits of any script."""
    try:
        value = float(text)
    except ValueError:
        return math.nan
    return math.nan if "_" in text or not text.isascii() else value


def _hint(text: str) -> str:
    return " (the decimal sign is a point, not a comma)" if "," in text else ""
