"""Meshes: files that are missing, separators of another system, scales that were forgotten."""

from __future__ import annotations

import posixpath
from collections.abc import Iterator

import numpy as np

from armdyn.doctor.finding import Finding, Repair
from armdyn.doctor.source import Edit
from armdyn.doctor.subject import PURPOSES, Subject

SMALLER = 0.5
"""Diagonal of the collision shapes over that of the visual ones, below which they do not hold the link."""


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


def outside(subject: Subject) -> Iterator[Finding]:
    """Paths that lead out of their package by "..", which no program follows alike."""
    for node in subject.source.root.walk():
        scheme, separator, rest = node.attributes.get("filename", "").partition("://")
        if node.tag != "mesh" or not separator or scheme not in ("package", "model"):
            continue
        if posixpath.normpath(rest.partition("/")[2].lstrip("/")).startswith(".."):
            text = f"mesh {node.attributes['filename']!r} leads out of its package"
            yield Finding.at(node, "mesh/outside", "warning", text, why="it is found in a source folder alone")


def colliders(subject: Subject) -> Iterator[Finding]:
    """Collision shapes that are much smaller than the visual ones, all of them primitives."""
    for body in subject.bodies.values():
        spans = []
        for purpose in PURPOSES:
            points = [hull.points for hull in body.hulls if hull.purpose == purpose]
            complete = len(points) == len(body.node.all(purpose)) > 0
            spans.append(np.ptp(np.vstack(points), axis=0) if complete else None)
        visual, collision = spans
        if visual is None or collision is None:
            continue
        if float(np.linalg.norm(collision)) < SMALLER * float(np.linalg.norm(visual)):
            sizes = [" x ".join(f"{x:.3g}" for x in span) for span in (collision, visual)]
            text = f"collision shapes of {sizes[0]} m for visual ones of {sizes[1]} m"
            yield Finding.at(
                body.node, "shape/collision", "note", text, why="parts pass through others", link=body.name
            )
