"""Smaller inputs with the same finding: elements, attributes and stretches of bytes are left out while it stays."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from copy import deepcopy
from xml.etree.ElementTree import Element, ParseError, fromstring, tostring

SECONDS = 20.0
"""How long one input is worked at."""


def minimise(data: bytes, same: Callable[[bytes], bool], seconds: float = SECONDS) -> bytes:
    """The smallest input found of which ``same`` holds, as it does of ``data``."""
    deadline = time.monotonic() + seconds
    changed = True
    while changed and time.monotonic() < deadline:
        changed = False
        for smaller in _smaller(data):
            if time.monotonic() > deadline:
                return data
            if same(smaller):
                data, changed = smaller, True
                break
    return data


def _smaller(data: bytes) -> Iterator[bytes]:
    """Inputs that are a step smaller, the largest steps first."""
    try:
        root = fromstring(data.lstrip())
    except (ParseError, ValueError):
        yield from _stretches(data)
        return
    for step in _steps(root):
        text = tostring(step)
        if len(text) < len(data):
            yield text
    if len(data) < 4000:
        yield from _stretches(data)


def _steps(root: Element) -> Iterator[Element]:
    elements = list(root.iter())
    sizes = {k: sum(1 for _ in element.iter()) for k, element in enumerate(elements)}
    for k in sorted(range(1, len(elements)), key=lambda k: -sizes[k]):
        smaller = deepcopy(root)
        target = list(smaller.iter())[k]
        parent = next(e for e in smaller.iter() if target in list(e))
        parent.remove(target)
        yield smaller
    for k, element in enumerate(elements):
        for key in element.attrib:
            smaller = deepcopy(root)
            del list(smaller.iter())[k].attrib[key]
            yield smaller


def _stretches(data: bytes) -> Iterator[bytes]:
    size = len(data) // 2
    while size >= 1:
        for start in range(0, len(data), size):
            yield data[:start] + data[start + size :]
        size //= 4 if size > 8 else 2
