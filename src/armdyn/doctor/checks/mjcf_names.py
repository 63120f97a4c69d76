"""Names in MJCF files: repeated, unknown, of files that are not there."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from difflib import get_close_matches

from armdyn.doctor.finding import Finding, Repair
from armdyn.doctor.source import Edit, Node
from armdyn.doctor.subject import Subject

REFERENCES = {
    "actuator": {"joint": "joint", "jointinparent": "joint", "tendon": "tendon", "site": "site", "body": "body"},
    "equality": {"joint1": "joint", "joint2": "joint", "body1": "body", "body2": "body"},
    "tendon": {"joint": "joint", "site": "site", "geom": "geom"},
    "contact": {"body1": "body", "body2": "body", "geom1": "geom", "geom2": "geom"},
    "sensor": {"joint": "joint", "site": "site", "actuator": "actuator", "tendon": "tendon"},
}
"""By section: the attributes that name an element, and its kind."""

SECTIONS = {"actuator": "actuator", "tendon": "tendon", "equality": "equality", "sensor": "sensor"}
"""Sections whose children have names of one kind."""

KINDS = {"body": "body", "joint": "joint", "freejoint": "joint", "site": "site", "geom": "geom"}


def repeated(subject: Subject) -> Iterator[Finding]:
    """Two elements of one kind and one name."""
    seen: dict[tuple[str, str], Node] = {}
    for kind, node in _names(subject):
        first = seen.setdefault((kind, node.name), node)
        if first is not node:
            text = f"a second {kind} {node.name!r}, the first at line {first.line}"
            yield Finding.at(node, "names/repeated", "error", text, why="MuJoCo refuses the file")


def unknown(subject: Subject) -> Iterator[Finding]:
    """References to elements and default classes that do not exist."""
    names: dict[str, set[str]] = {}
    for kind, node in _names(subject):
        names.setdefault(kind, set()).add(node.name)
    names.setdefault("body", set()).add("world")
    if any(node.tag in ("attach", "replicate") for node in subject.source.root.walk()):
        return  # names of other models, and names with numbers
    for section, attributes in REFERENCES.items():
        for part in subject.source.root.all(section):
            for node in part.walk():
                for attribute, kind in attributes.items():
                    name = node.attributes.get(attribute)
                    if name and node is not part and name not in names.get(kind, ()):
                        yield _unknown(node, attribute, kind, name, names.get(kind, set()))
    if subject.settings is not None:
        yield from _unknown_classes(subject.source.root, {name for name in subject.settings.classes if name})


def _unknown_classes(root: Node, classes: set[str]) -> Iterator[Finding]:
    """Default classes that do not exist, each once, with the number of its elements."""
    using: dict[str, list[tuple[Node, str]]] = {}
    for node in root.walk():
        for attribute in ("class", "childclass"):
            name = node.attributes.get(attribute)
            if name and node.tag != "default" and name not in classes:
                using.setdefault(name, []).append((node, attribute))
    for name, places in using.items():
        finding = _unknown(*places[0], "default class", name, classes)
        more = "" if len(places) == 1 else f", which {len(places)} elements have"
        repairs = tuple(
            Repair(one.title, tuple(Edit(node.values[attribute], one.edits[0].text) for node, attribute in places))
            for one in finding.repairs
        )
        yield replace(finding, text=finding.text + more, repairs=repairs)


def _unknown(node: Node, attribute: str, kind: str, name: str, names: set[str]) -> Finding:
    near = get_close_matches(name, names, 1)
    repairs: tuple[Repair, ...] = ()
    if near and attribute in node.values:
        repairs = (Repair(f"{near[0]!r} was meant", (Edit(node.values[attribute], near[0]),), sure=0.7),)
    text = f"{attribute}: no {kind} {name!r}"
    return Finding.at(node, "names/unknown", "error", text, why="MuJoCo refuses the file", repairs=repairs)


def includes(subject: Subject) -> Iterator[Finding]:
    """Files of <include> that cannot be read."""
    for node, reason in subject.unread:
        yield Finding.at(node, "read/include", "error", reason, why="the parts in it are missing")


def meshes(subject: Subject) -> Iterator[Finding]:
    r"""Files of meshes that are not there, and paths with backslashes."""
    for node, path in subject.mesh_elements():
        file = node.attributes.get("file", "")
        if "\\" in file:
            repair = Repair("slashes in place of backslashes", (Edit(node.values["file"], file.replace("\\", "/")),))
            text = f"mesh {file!r} has backslashes"
            yield Finding.at(node, "mesh/separators", "warning", text, why="only Windows finds it", repairs=(repair,))
        if subject.meshes.file(path) is None:
            folder = (subject.folder / path).parent.name or "."
            text = f"mesh {file!r} is not in {folder}/"
            yield Finding.at(node, "mesh/missing", "warning", text, why="MuJoCo refuses the file")


def _names(subject: Subject) -> Iterator[tuple[str, Node]]:
    for world in subject.source.root.all("worldbody"):
        for node in world.walk():
            if node.name and node.tag in KINDS:
                yield KINDS[node.tag], node
    for section, kind in SECTIONS.items():
        for part in subject.source.root.all(section):
            for node in part.children:
                if node.name:
                    yield kind, node
