"""Findings as a SARIF 2.1.0 log, which GitHub and editors read.

https://docs.oasis-open.org/sarif/sarif/v2.1.0/sarif-v2.1.0.html
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from armdyn._version import __version__

if TYPE_CHECKING:
    from armdyn.doctor.finding import Finding, Repair
    from armdyn.doctor.findings import Findings
    from armdyn.doctor.source import SourceDocument

SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"


def log_of(files: Iterable[Findings], folders: Sequence[str] = ()) -> dict[str, object]:
    """One run with the findings of several files.

    Args:
        files: the findings.
        folders: of each file, as GitHub names it from the root of a repository; that of the log if none are given.
    """
    files = list(files)
    rules = sorted({one.rule for findings in files for one in findings})
    places = {rule: k for k, rule in enumerate(rules)}
    driver = {"name": "armdyn doctor", "version": __version__, "rules": [{"id": rule} for rule in rules]}
    results = []
    for findings, folder in zip(files, folders or [""] * len(files), strict=True):
        of_file = [_result(one, findings.source, places) for one in findings]
        for result in of_file:
            _put_in(folder, result)
        results += of_file
    return {"$schema": SCHEMA, "version": "2.1.0", "runs": [{"tool": {"driver": driver}, "results": results}]}


def _put_in(folder: str, result: dict[str, Any]) -> None:
    """Put a folder before the paths of a result and of its fixes."""
    changes = [change for fix in result.get("fixes", ()) for change in fix["artifactChanges"]]
    for holder in (*(location["physicalLocation"] for location in result["locations"]), *changes):
        place = holder["artifactLocation"]
        place["uri"] = quote((PurePosixPath(folder) / place["uri"]).as_posix())


def _result(one: Finding, source: SourceDocument, places: dict[str, int]) -> dict[str, object]:
    text = f"{one.element}: {one.text}" + (f". {one.why}" if one.why else "")
    region = {"startLine": max(one.line, 1), "startColumn": max(one.column, 1)}
    included = one.file if one.file in source.included else ""
    location = {"artifactLocation": {"uri": source.document(included).name}, "region": region}
    result: dict[str, object] = {
        "ruleId": one.rule,
        "ruleIndex": places[one.rule],
        "level": one.severity,
        "message": {"text": text},
        "locations": [{"physicalLocation": location}],
    }
    fixes = [_fix(repair, source) for repair in one.repairs if repair.edits]
    return {**result, "fixes": fixes} if fixes else result


def _fix(repair: Repair, source: SourceDocument) -> dict[str, object]:
    files = dict.fromkeys(edit.span.file for edit in repair.edits)
    changes = [_changes(repair, source.document(file)) for file in files]
    return {"description": {"text": repair.title}, "artifactChanges": changes}


def _changes(repair: Repair, source: SourceDocument) -> dict[str, object]:
    """The replacements of one document."""
    changes = [
        {
            "deletedRegion": {
                "startLine": source.line_of(edit.span.start),
                "startColumn": source.column_of(edit.span.start),
                "endLine": source.line_of(edit.span.end),
                "endColumn": source.column_of(edit.span.end),
            },
            "insertedContent": {"text": edit.text},
        }
        for edit in repair.edits
        if edit.span.file == source.file
    ]
    return {"artifactLocation": {"uri": source.name}, "replacements": changes}
