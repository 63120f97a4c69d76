"""What a doctor finds: a rule that a description breaks, the evidence in numbers, and repairs."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from armdyn.doctor.source import Edit, Node

Severity = Literal["error", "warning", "note"]

SEVERITIES: tuple[Severity, ...] = ("error", "warning", "note")
"""From the worst on: no arm is so; most probably a mistake; worth knowing."""


@dataclass(frozen=True)
class Repair:
    """A change of the text that explains a finding.

    Args:
        title: what it does, e.g. "divide ixx by 1000: g mm^2 were meant".
        edits: of the text.
        consequence: of it, e.g. the change of gravity's torque, N m; empty if it is not known.
        sure: from 0 to 1, how much of the evidence it explains.
        numbers: mass, kg, and centre of mass in the link, m, after it; None if it changes neither.
    """

    title: str
    edits: tuple[Edit, ...]
    consequence: str = ""
    sure: float = 1.0
    numbers: tuple[float, tuple[float, ...]] | None = None


@dataclass(frozen=True)
class Finding:
    """One fault of a description.

    Args:
        rule: its name, e.g. "inertia/triangle".
        severity: "error", "warning" or "note".
        element: kind and name of the part, e.g. "link 'wrist_2'".
        text: the fault, with its numbers.
        why: its consequence, one sentence.
        line: of the element, from 1.
        column: likewise.
        file: its name.
        link: the link that it concerns; empty if none.
        repairs: the best first.
    """

    rule: str
    severity: Severity
    element: str
    text: str
    why: str = ""
    line: int = 0
    column: int = 0
    file: str = ""
    link: str = ""
    repairs: tuple[Repair, ...] = field(default=())

    @classmethod
    def at(cls, node: Node, rule: str, severity: Severity, text: str, **more: object) -> Finding:
        """A finding at an element."""
        element = f"{node.tag} {node.name!r}" if node.name else f"<{node.tag}>"
        place = {"line": node.line, "column": node.column, "file": node.file}
        return cls(rule, severity, element, text, **{"why": "", **place, **more})  # type: ignore[arg-type]

    def __str__(self) -> str:
        where = f"{self.file}:{self.line}:{self.column}" if self.file else f"line {self.line}"
        return f"{where} {self.severity} {self.element}: {self.text} [{self.rule}]"
