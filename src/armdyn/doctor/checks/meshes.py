"""Meshes: files that are missing, separators of another system, or of another case."""

from __future__ import annotations

import posixpath
from collections.abc import Iterator
from dataclasses import replace

from armdyn.doctor.finding import Finding, Repair
from armdyn.doctor.source import Edit, Node
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
    """Files that are not there: of paths without a package, and of packages in which other meshes are found."""
    nodes = [node for node in subject.source.root.walk() if node.tag == "mesh" and node.attributes.get("filename")]
    exists: dict[str, bool] = {}
    for path in {node.attributes["filename"] for node in nodes}:
        exists[path] = subject.meshes.file(path) is not None
    packages = {_package(path) for path, there in exists.items() if there}
    for node in nodes:
        path = node.attributes["filename"]
        if exists[path] or ("://" in path and _package(path) not in packages):
            continue
        place = "any package" if ":///" in path else f"package {_package(path)}" if "://" in path else None
        place = place or f"{subject.folder.name or '.'}/"
        finding = Finding.at(
            node, "mesh/missing", "warning", f"mesh {path!r} is not in {place}", why="nothing is drawn or touched there"
        )
        yield replace(finding, repairs=tuple(_found_elsewhere(subject, node, path)))


def _package(path: str) -> str:
    """The package of package://NAME/FILE; a scheme of other paths, which is in no package."""
    scheme, separator, rest = path.partition("://")
    return rest.lstrip("/").partition("/")[0] if separator and scheme in ("package", "model") else scheme


def _found_elsewhere(subject: Subject, node: Node, path: str) -> Iterator[Repair]:
    """A path of a file that is there: without a slash too many, or with another case of the file's ending."""
    start, ending = posixpath.splitext(path)
    candidates = {
        path.replace(":///", "://"): "one slash less",
        f"{start}{ending.lower()}": "the case of the file's ending",
        f"{start}{ending.upper()}": "the case of the file's ending",
    }
    for other, title in candidates.items():
        if other != path and subject.meshes.file(other) is not None and "filename" in node.values:
            yield Repair(title, (Edit(node.values["filename"], other),), f"{path} to {other}")
            return


def outside(subject: Subject) -> Iterator[Finding]:
    """Paths that lead out of their package by "..", which no program follows alike."""
    for node in subject.source.root.walk():
        scheme, separator, rest = node.attributes.get("filename", "").partition("://")
        if node.tag != "mesh" or not separator or scheme not in ("package", "model"):
            continue
        if posixpath.normpath(rest.partition("/")[2].lstrip("/")).startswith(".."):
            text = f"mesh {node.attributes['filename']!r} leads out of its package"
            yield Finding.at(node, "mesh/outside", "warning", text, why="it is found in a source folder alone")
