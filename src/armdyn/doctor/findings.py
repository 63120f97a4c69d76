"""All findings of a file: as a table, for programs, as a mended text."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from armdyn.base.errors import UnknownName
from armdyn.base.imported import exported
from armdyn.base.tabular import Tabulated, TextTable
from armdyn.doctor.finding import SEVERITIES, Finding, Severity
from armdyn.doctor.source import Edit, SourceDocument
from armdyn.doctor.subject import Subject

if TYPE_CHECKING:
    from pandas import DataFrame

MOST_OF_A_RULE = 20
"""So many findings of one rule are shown; of more there is a count."""


@dataclass(frozen=True)
class Findings(Tabulated, Sequence[Finding]):
    """What is wrong with a description, the worst first.

    Args:
        source: the text.
        entries: the findings.
        robot: the robot's name; empty if the file could not be read.
        unopened: a sentence on meshes that were not opened; empty if all were, or none is wanted.
        subject: links and joints of the description, for pictures.
    """

    source: SourceDocument
    entries: tuple[Finding, ...]
    robot: str = ""
    unopened: str = ""
    subject: Subject | None = field(default=None, repr=False, compare=False)

    page = exported("armdyn.page", "doctor_page")

    def __len__(self) -> int:
        return len(self.entries)

    def __getitem__(self, index: Any) -> Any:
        return self.entries[index]

    def __iter__(self) -> Iterator[Finding]:
        return iter(self.entries)

    def __bool__(self) -> bool:
        return bool(self.entries)

    def count(self, severity: object) -> int:
        """The number of findings of a severity, "error", "warning" or "note"."""
        return sum(one.severity == severity for one in self.entries)

    def at_least(self, severity: Severity) -> list[Finding]:
        """The findings of a severity and worse."""
        if severity not in SEVERITIES:
            raise UnknownName.of("severity", severity, SEVERITIES, "armdyn.doctor")
        worse = SEVERITIES[: SEVERITIES.index(severity) + 1]
        return [one for one in self.entries if one.severity in worse]

    @property
    def edits(self) -> list[Edit]:
        """The first repair of every error and warning, without those that change a text that another one changes."""
        chosen: list[Edit] = []
        for one in self.at_least("warning"):
            edits = one.repairs[0].edits if one.repairs else ()
            if not any(_overlap(edit, other) for edit in edits for other in chosen):
                chosen += edits
        return chosen

    def fixed(self) -> bytes:
        """The text with the first repair of every error and warning made; all else stays as it is."""
        return self.source.patched(self.edits)

    def fixed_files(self) -> dict[str, bytes]:
        """The mended texts of included files that repairs change, by their names relative to the main file's folder."""
        changed = {edit.span.file for edit in self.edits} - {""}
        return {name: self.source.included[name].patched(self.edits) for name in sorted(changed)}

    def summary(self) -> str:
        """One line: the number of each severity."""
        counts = self.counts()
        more = f" ({self.unopened})" if self.unopened else ""
        return f"{self.source.name}: {counts or 'nothing found'}{more}"

    def counts(self) -> str:
        """The number of findings of each severity, in words; empty if there is none."""
        return ", ".join(
            f"{self.count(one)} {one}{'s' if self.count(one) != 1 else ''}" for one in SEVERITIES if self.count(one)
        )

    def table(self) -> TextTable:
        """The table that ``print`` shows: a row for each finding, of each rule no more than `MOST_OF_A_RULE`."""
        headings = ("line", "severity", "element", "finding", "repair")
        rows = [
            (f"{one.line}:{one.column}", one.severity, one.element, f"{one.text} [{one.rule}]", _mended(one))
            for one in self._selection()
        ]
        return TextTable(headings, rows, "rllll", below=(self.summary(),), widths=(0, 0, 32, 68, 44))

    def _selection(self) -> Iterator[Finding]:
        """The findings, of each rule no more than `MOST_OF_A_RULE`."""
        seen: Counter[str] = Counter()
        for one in self.entries:
            seen[one.rule] += 1
            if seen[one.rule] <= MOST_OF_A_RULE:
                yield one
        for rule, number in seen.items():
            if number > MOST_OF_A_RULE:
                first = next(one for one in self.entries if one.rule == rule)
                yield Finding(rule, first.severity, "...", f"{number - MOST_OF_A_RULE} more of {rule}")

    def to_dataframe(self) -> DataFrame:
        """The findings as a ``pandas.DataFrame``, one row each; it needs the library pandas.

        Raises:
            MissingLibrary: if pandas is not installed.
        """
        return self._all().to_dataframe()

    def to_latex(self) -> str:
        """The findings as a LaTeX ``tabular`` that needs no package."""
        return self._all().to_latex()

    def _all(self) -> TextTable:
        """All findings as a table of texts and line numbers."""
        headings = ("line", "severity", "element", "finding", "rule", "repair")
        rows = [(one.line, one.severity, one.element, one.text, one.rule, _mended(one)) for one in self.entries]
        return TextTable.of(headings, rows, below=(self.summary(),))

    def to_dict(self) -> dict[str, object]:
        """The findings as plain data."""
        return {
            "file": self.source.name,
            "robot": self.robot,
            "findings": [
                {
                    **{name: getattr(one, name) for name in ("rule", "severity", "line", "column", "element", "link")},
                    "text": one.text,
                    "why": one.why,
                    "repairs": [
                        {"title": repair.title, "consequence": repair.consequence, "sure": round(repair.sure, 3)}
                        for repair in one.repairs
                    ],
                }
                for one in self.entries
            ],
        }

    def to_sarif(self) -> dict[str, object]:
        """The findings as a SARIF 2.1.0 log, with their repairs as fixes."""
        from armdyn.doctor.sarif import log_of  # noqa: PLC0415 - for few

        return log_of([self])


def _mended(one: Finding) -> str:
    """The first repair of a finding and its consequence; empty without one."""
    return f"{one.repairs[0].title}: {one.repairs[0].consequence}".removesuffix(": ") if one.repairs else ""


def _overlap(a: Edit, b: Edit) -> bool:
    return a.span.file == b.span.file and a.span.start < b.span.end and b.span.start < a.span.end
