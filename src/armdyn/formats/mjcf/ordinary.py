"""The MJCF documents that MuJoCo's compiler can be trusted with in this process.

It is C++ without limits: a name that contains a format (``class="%s"``) or a blank required attribute ends or damages
the process, and a count of a billion keeps it busy for days. Documents made of ordinary elements are compiled here;
`armdyn.formats.mjcf.apart` compiles all others in a process of their own.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from pathlib import Path

from armdyn.base.errors import ArmdynError
from armdyn.formats.files import parse_leniently, read_file
from armdyn.formats.findings import DocumentFindings
from armdyn.formats.xml_tree import XmlElement

_WORDS = """
    mujoco mujocoinclude include compiler option flag default statistic custom numeric text
    visual global quality headlight map scale rgba lengthrange asset mesh texture material layer
    worldbody body frame inertial joint freejoint geom site camera light contact pair exclude
    equality connect weld tendon fixed spatial pulley
    actuator general motor position velocity intvelocity damper cylinder muscle adhesion sensor keyframe key
"""
TAGS = frozenset(_WORDS.split())
"""Elements whose cost in time and memory is that of their text; sensors are ordinary too."""

PIXELS = ("width", "height")
"""Attributes of which a texture has the product."""

MOST_PIXELS = 10_000
LARGEST = 1e6

MOST_INCLUDED = 100
"""The most files that an ordinary document includes."""


def is_ordinary(root: XmlElement, folder: Path) -> bool:
    """True if a document and all that it includes consist of ordinary elements and values."""
    documents = [root]
    for document in documents:  # grows during the loop
        for element, inside in _walk(document):
            if element.tag not in TAGS and inside != "sensor":
                return False
            if not all(_is_ordinary(key, value) for key, value in element.attributes.items()):
                return False
            if element.tag == "include":
                included = _included(element, folder)
                if included is None or len(documents) > MOST_INCLUDED:
                    return False
                documents.append(included)
    return True


def _walk(root: XmlElement) -> Iterator[tuple[XmlElement, str]]:
    """Every element, and the tag of the one that it is in."""
    waiting = [(root, "")]
    while waiting:
        element, inside = waiting.pop()
        yield element, inside
        waiting.extend((child, element.tag) for child in element.children)


def _included(element: XmlElement, folder: Path) -> XmlElement | None:
    """The document that an element includes; None if it cannot be read here."""
    path = folder / element.attributes.get("file", "")
    try:
        return parse_leniently(read_file(path), DocumentFindings(path.name, "warn"))
    except ArmdynError:
        return None


def _is_ordinary(key: str, value: str) -> bool:
    """True if an attribute holds words, or numbers of ordinary size."""
    if "%" in value or not value.strip():
        return False
    largest = MOST_PIXELS if key in PIXELS else LARGEST
    return all(abs(number) <= largest for number in _numbers(value))  # false for NaN


def _numbers(text: str) -> Iterator[float]:
    if text[0] not in " \t\r\n+-.0123456789nNiI":
        return
    for word in text.split():
        try:
            yield float(word)
        except ValueError:
            if word.lstrip("+-")[:2] in ("0x", "0X"):
                yield math.nan  # C reads a number that Python does not
