"""An MJCF document with the documents that it includes in the places of their <include>."""

from __future__ import annotations

from pathlib import Path

from armdyn.base.errors import ArmdynError
from armdyn.doctor.source import Node, SourceDocument
from armdyn.formats.files import read_file
from armdyn.formats.xml_tree import parse

MOST_FILES = 200
"""A document includes no more files; the rest is left out."""


def with_includes(source: SourceDocument, folder: Path) -> list[tuple[Node, str]]:
    """Replace each <include> by the elements of its file; return those that cannot be read, with the reason.

    MuJoCo looks a file up in the folder of the main document, and reads none twice.
    """
    missing: list[tuple[Node, str]] = []
    _expand(source.root, source, folder, missing)
    return missing


def _expand(node: Node, source: SourceDocument, folder: Path, missing: list[tuple[Node, str]]) -> None:
    children: list[Node] = []
    for child in node.children:
        if child.tag != "include":
            _expand(child, source, folder, missing)
            children.append(child)
            continue
        name = child.attributes.get("file", "")
        fault = _fault(name, source)
        if not fault:
            try:
                data = read_file(folder / name)
                parse(data, name)
                included = SourceDocument.parse(name, data, name)
            except (ArmdynError, OSError) as error:
                fault = str(error)
        if fault:
            missing.append((child, fault))
            continue
        source.included[name] = included
        _expand(included.root, source, folder, missing)
        for part in included.root.children:
            part.parent = node
            children.append(part)
    node.children = children


def _fault(name: str, source: SourceDocument) -> str:
    if not name:
        return "<include> names no file"
    if name in source.included:
        return f"{name!r} is included twice"
    return f"more than {MOST_FILES} files are included" if len(source.included) >= MOST_FILES else ""
