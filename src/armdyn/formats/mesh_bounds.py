"""Bounds of the work on untrusted mesh files: sizes that a file states, and repetitions of a shape."""

from __future__ import annotations

import json
import re
import struct
from pathlib import Path
from typing import Any

FORMATS = (".stl", ".obj", ".dae", ".ply", ".off", ".glb", ".gltf")
"""Endings of the files that are opened; archives are not among them."""

LARGEST_BINARY, LARGEST_TEXT = 200_000_000, 100_000_000
"""Bytes of a file; larger ones are not opened."""

MOST_TRIANGLES = 1_000_000
"""Triangles of one mesh; a finer one is drawn as its box."""

MOST_OF_ALL = 4_000_000
"""Triangles of the shapes of one robot before they are thinned; later shapes are drawn as boxes."""

MOST_COPIES = 10_000
"""Places in which the scene of one file puts its shapes."""

MOST_NUMBERS = 30_000_000
"""Numbers in the arrays that a glTF file declares."""

MOST_PIXELS = 4096 * 4096
"""Pixels of a texture; larger ones are left out."""


class UnreadMesh(Exception):
    """The reason for which a mesh is not drawn, in a few words; the picture is drawn without it."""


def check_file(path: Path) -> None:
    """Raise if a file is of another format, is too large, or declares too much data.

    Raises:
        UnreadMesh: with the reason.
    """
    ending = path.suffix.lower()
    if ending not in FORMATS:
        raise UnreadMesh(f"of a type that is not read ({', '.join(FORMATS)} are)")
    largest = LARGEST_BINARY if ending in (".glb", ".ply", ".stl") and not _is_text(path) else LARGEST_TEXT
    if path.stat().st_size > largest:
        raise UnreadMesh(f"larger than {largest // 1_000_000} MB")
    if ending == ".dae":
        _check_collada(path.read_bytes())
    if ending in (".glb", ".gltf"):
        _check_gltf(path.read_bytes())


def _is_text(path: Path) -> bool:
    """True if the numbers of an STL or PLY file are text."""
    with path.open("rb") as file:
        head = file.read(1000)
    if path.suffix.lower() == ".ply":
        return b"format ascii" in head
    return (
        head.startswith(b"solid")
        and struct.unpack("<I", head[80:84].ljust(4, b"\0"))[0] * 50 + 84 != path.stat().st_size
    )


# COLLADA.

_ENTITIES = re.compile(rb"<\0?!\0?D\0?O\0?C\0?T\0?Y\0?P\0?E")
_NODES = re.compile(rb"<(/?)(?:\w+:)?(node|instance_node|instance_geometry|instance_controller)\b([^>]*?)(/?)>")
_ID, _URL = re.compile(rb"\bid\s*=\s*[\"']([^\"']*)"), re.compile(rb"\burl\s*=\s*[\"']#?([^\"']*)")


def _check_collada(content: bytes) -> None:
    """Refuse definitions of entities, and nodes that refer to each other many times."""
    if _ENTITIES.search(content):
        raise UnreadMesh("unreadable: it has a DOCTYPE")
    copies = _copies(content)
    if copies > MOST_COPIES:
        raise UnreadMesh(f"of more than {MOST_COPIES:,} copies of its shapes")


def _copies(content: bytes) -> float:
    """The number of shapes that the nodes of a document place, with those of the nodes that they name."""
    own: dict[bytes, int] = {}
    named: dict[bytes, list[bytes]] = {}
    outer: list[bytes] = []
    for place, match in enumerate(_NODES.finditer(content)):
        closes, tag, words, empty = match.groups()
        if tag == b"node":
            if closes:
                outer = outer[:-1]
                continue
            name = _ID.search(words)
            key = name[1] if name else b"node %d" % place
            if outer:
                named.setdefault(outer[-1], []).append(key)
            if not empty:
                outer.append(key)
        elif not closes and outer:
            url = _URL.search(words)
            if tag == b"instance_node" and url:
                named.setdefault(outer[-1], []).append(url[1])
            else:
                own[outer[-1]] = own.get(outer[-1], 0) + 1
    return _expanded(own, named)


def _expanded(own: dict[bytes, int], named: dict[bytes, list[bytes]]) -> float:
    """The shapes of all nodes, each counted with those below it; infinite if a node is below itself."""
    total: dict[bytes, float] = {}
    for start in {*own, *named}:
        stack = [(start, iter(named.get(start, ())))]
        on_the_way = {start}
        while stack:
            node, rest = stack[-1]
            below = next(rest, None)
            if below is None:
                stack.pop()
                on_the_way.discard(node)
                total[node] = own.get(node, 0) + sum(total.get(each, 0.0) for each in named.get(node, ()))
            elif below in on_the_way:
                return float("inf")
            elif below not in total:
                on_the_way.add(below)
                stack.append((below, iter(named.get(below, ()))))
    return max(total.values(), default=0.0)


# glTF.


def _check_gltf(content: bytes) -> None:
    """Refuse arrays and nodes of more numbers than a picture needs; an array may be stated without any bytes."""
    if content[:4] == b"glTF":
        size = struct.unpack("<I", content[12:16].ljust(4, b"\0"))[0]
        content = content[20 : 20 + size]
    try:
        text: Any = json.loads(content)
        numbers = sum(int(each["count"]) * 16 for each in text.get("accessors", ()))
        places = len(text.get("nodes", ()))
    except (ValueError, TypeError, KeyError, AttributeError, OverflowError, RecursionError):
        raise UnreadMesh("unreadable") from None
    if numbers > MOST_NUMBERS or places > MOST_COPIES:
        raise UnreadMesh(f"of more than {MOST_NUMBERS:,} numbers or {MOST_COPIES:,} nodes")
