"""What a reader finds in a document: problems, which refuse it, faults that can be accepted, and notes on the rest.

A fault is wrong, but no equation contains it: a limit, an element that is given twice, an instruction left over. With
``problems="warn"`` it is accepted, with a warning and a note that say what was taken in its place; else it is a problem
like the others. What masses, axes and poses are made of is never a fault.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field

from armdyn.advice import option
from armdyn.errors import ModelError, warn_of_description
from armdyn.formats.xml_tree import Element
from armdyn.model.selection import Policy
from armdyn.model.validation import quoted

MAX_PROBLEMS = 100
SHOWN_MEMBERS = 3

FIRST_TAKEN = ("inertial", "axis", "limit")
"""The elements of which real files have a second one, and every other reader takes the first."""

MAX_WORDS = 20
"""How many numbers of a vector are looked at; no vector of a description has as many."""


@dataclass
class Findings:
    """The problems, accepted faults and notes of one document of a folder, in the order they were found."""

    document: str
    policy: Policy = "refuse"
    folder: str = ""
    has_quaternions: bool = True
    problems: list[str] = field(default_factory=list)
    accepted: list[str] = field(default_factory=list)
    _notes: dict[str, list[str]] = field(default_factory=dict)
    _loud: set[str] = field(default_factory=set)

    def where(self, element: Element) -> str:
        """File and line of an element, as every message has it."""
        return f"{self.document}:{element.line}"

    def problem(self, element: Element, text: str) -> None:
        """Take down a problem with an element."""
        self.add(f"{self.where(element)} {text}")

    def add(self, problem: str) -> None:
        """Take down a problem; when there are very many, stop reading and raise them."""
        self.problems.append(problem)
        if len(self.problems) >= MAX_PROBLEMS:
            raise ModelError([*self.problems, f"... and perhaps more: reading stopped after {MAX_PROBLEMS} problems."])

    def fault(self, line: int, text: str, taken: str) -> None:
        """Take down what is wrong and in no equation, and what is ``taken`` in its place where that is accepted."""
        if self.policy == "warn":
            self.accepted.append(f"{self.document}:{line} {text}; {taken}")
        else:
            advice = f". Mend it; or read the file with {option('problems', 'warn')}, and {taken}."
            self.add(f"{self.document}:{line} {text}{advice}")

    def warn(self) -> None:
        """Warn, once, of every fault that was accepted and every note that is to be heard."""
        said = [
            *_shortened(self.accepted),
            *(_line(what, self._notes[what]) for what in self._notes if what in self._loud),
        ]
        if said:
            warn_of_description("\n".join(said))

    def note(self, what: str, whose: str, *, aloud: bool = False) -> None:
        """Take down that ``what`` holds for ``whose``; notes that differ only in whose become one.

        A note that is ``aloud`` is a warning too.
        """
        self._notes.setdefault(what, []).append(whose)
        if aloud:
            self._loud.add(what)

    @property
    def notes(self) -> list[str]:
        """One line for each fault that was accepted; for each kind of note, with the first of those it holds for."""
        return [*_shortened(self.accepted), *(_line(what, members) for what, members in self._notes.items())]


def _shortened(faults: Sequence[str]) -> list[str]:
    more = len(faults) - MAX_PROBLEMS
    return [*faults[:MAX_PROBLEMS], *([f"... and {more} more faults that were accepted"] if more > 0 else [])]


def _line(what: str, members: Sequence[str]) -> str:
    return f"{what}: {_listing(members)}"


def _listing(members: Sequence[str]) -> str:
    different = list(dict.fromkeys(members))
    more = len(different) - SHOWN_MEMBERS
    return ", ".join(different[:SHOWN_MEMBERS]) + (f" and {more} more" if more > 0 else "")


@dataclass
class Part:
    """One named thing of a document, say a link: reads its numbers and says what is wrong with them.

    A number that cannot be read is taken down as a problem, and its default stands in for it, so that reading
    goes on to the next problem.
    """

    findings: Findings
    element: Element
    label: str

    @property
    def name(self) -> str:
        """The name of the part; empty where it has none."""
        return self.element.attributes.get("name", "")

    @property
    def where(self) -> str:
        """File and line of the part."""
        return self.findings.where(self.element)

    def problem(self, at: Element, text: str) -> None:
        """Take down a problem of this part."""
        self.findings.problem(at, f"{self.label}: {text}")

    def fault(self, at: Element, text: str, taken: str) -> None:
        """Take down a fault of this part that no equation contains, and what is taken where it is accepted."""
        self.findings.fault(at.line, f"{self.label}: {text}", taken)

    def note(self, what: str, *, aloud: bool = False) -> None:
        """Take down a note on this part."""
        self.findings.note(what, self.label, aloud=aloud)

    def only(self, parent: Element, tag: str) -> Element | None:
        """The child of that tag, which may be there once or not at all; the first where several are accepted."""
        found = parent.all(tag)
        if len(found) > 1:
            text = f"<{tag}> is given twice (first at line {found[0].line})"
            if tag in FIRST_TAKEN:
                self.fault(found[1], f"{text}, expected it once", "the first one is taken")
            else:
                self.problem(found[1], f"{text}; expected it once.")
        return found[0] if found else None

    def word(self, element: Element, attribute: str) -> str:
        """An attribute that must be there; empty where it is not."""
        found = element.attributes.get(attribute, "")
        if not found:
            self.problem(element, f'<{element.tag}> has no {attribute}; expected <{element.tag} {attribute}="...">.')
        return found

    def number(self, element: Element, attribute: str, default: float | None = None, *, finite: bool = True) -> float:
        """An attribute that is one number; required where it has no default."""
        text = element.attributes.get(attribute)
        if text is None:
            if default is None:
                self.problem(element, f"<{element.tag}> has no {attribute}; expected a number.")
            return default or 0.0
        value = _number(text)
        if math.isnan(value) or (finite and math.isinf(value)):
            self.problem(element, f"{_no_number(element, attribute, text)}.")
            return default or 0.0
        return value

    def limit(self, element: Element, attribute: str, default: float, unlimited: float) -> float:
        """An attribute that is one number, or infinite; what cannot be read is a fault and taken as ``unlimited``."""
        text = element.attributes.get(attribute)
        value = default if text is None else _number(text)
        if text is not None and (math.isnan(value) or value == -unlimited):
            self.fault(element, _no_number(element, attribute, text), "it is taken as unlimited")
            return unlimited
        return value

    def vector(
        self, element: Element, attribute: str, default: tuple[float, ...] | None, size: int = 3
    ) -> tuple[float, ...]:
        """An attribute that is ``size`` finite numbers; required where it has no default."""
        text = element.attributes.get(attribute)
        if text is None and default is not None:
            return default
        words = (text or "").split(None, MAX_WORDS)
        values = [_number(word) for word in words[:MAX_WORDS]]
        if len(values) == size and all(map(math.isfinite, values)):
            return tuple(values)
        expected = f"expected {size} numbers such as {' '.join(['0', '0', '0.1', '1'][:size])}"
        if text is None:
            self.problem(element, f"<{element.tag}> has no {attribute}; {expected}.")
        else:
            fault = _fault(words, values)
            self.problem(element, f"<{element.tag}> {attribute} is {quoted(text)}; {expected}, {fault}.")
        return default or (0.0,) * size


def _no_number(element: Element, attribute: str, text: str) -> str:
    return f"<{element.tag}> {attribute} is {quoted(text)}; expected a number{_hint(text)}"


def _fault(words: Sequence[str], values: Sequence[float]) -> str:
    """What is wrong with the words of a vector: one is no finite number, or they are too few or too many."""
    for word, value in zip(words, values, strict=False):
        if not math.isfinite(value):
            return f"{quoted(word)} is no finite number{_hint(word)}"
    return f"these are {'more than ' if len(words) > MAX_WORDS else ''}{len(values)}"


def _number(text: str) -> float:
    """The number a text says, or NaN. Python alone would also take 1_000, and digits of any script."""
    try:
        value = float(text)
    except ValueError:
        return math.nan
    return math.nan if "_" in text or not text.isascii() else value


def _hint(text: str) -> str:
    return " (the decimal sign is a point, not a comma)" if "," in text else ""
