"""Meshes: files that are missing, separators of another system, scales that were forgotten."""

from __future__ import annotations

from collections.abc import Iterator

from armdyn.doctor.finding import Finding, Repair
from armdyn.doctor.source import Edit
from armdyn.doctor.subject import Subject


def separators(subject: Subject) -> Iterator[Finding]:
    r"""Paths with backslashes, which only Windows reads."""
    for node in subject.source.root.walk():
        path = node.attributes.get("filename", "")
        if node.tag == "mesh" and "\\" in path and "filename" in node.values:
            edits = (Edit(node.values["filename"], path.replace("\\", "/")),)
            repair = Repair("slashes in place of backslashes", edits)
            text = f"mesh {path!r} has backslashes"
            yield Finding.at(node, "mesh/separators", "warning", text, why="only Windows finds it", repairs=(repair,))


def missing(subject: Subject) -> Iterator[Finding]:
    """Files that are not there, of paths without a package."""
    for node in subject.source.root.walk():
        path = node.attributes.get("filename", "").replace("\\", "/")
        if node.tag != "mesh" or not path or "://" in path:
            continue
        if not (subject.folder / path).exists():
            text = f"mesh {path!r} is not in {subject.folder.name or '.'}/"
            yield Finding.at(node, "mesh/missing", "warning", text, why="nothing is drawn or touched there")
