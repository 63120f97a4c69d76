"""Numbers of elements and attributes, changed to see whether a reader of XML passes over them."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from copy import deepcopy
from random import Random
from xml.etree.ElementTree import Element, ParseError, fromstring, tostring

from fuzz.cells import NUMBER
from fuzz.ignored import Poke, other_numbers

PREFIX, PLAIN = b"drake:", b"drake_"
"""A prefix that files use without declaring it, which Python's parser refuses, and what stands for it."""

COMMON = ("robot", "joint", "link", "mujoco")
"""Tags that notes on other things name too."""


def poked_xml(data: bytes, rng: Random, within: Collection[str], keys: Collection[str] = ()) -> Poke | None:
    """A document written anew, and with other numbers in one place, in elements of these tags."""
    try:
        root = fromstring(data.replace(PREFIX, PLAIN))
    except (ParseError, ValueError):
        return None
    places = [(path, key) for path, key in _places(root, (), within) if not keys or key in keys]
    if not places:
        return None
    path, key = rng.choice(places)
    chain = [root]
    for k in path:
        chain.append(chain[-1][k])
    text = chain[-1].text if key is None else chain[-1].attrib[key]
    words = (text or "").split()
    k = rng.randrange(len(words))
    others = [_with(root, path, key, [*words[:k], repr(n), *words[k + 1 :]]) for n in other_numbers(float(words[k]))]
    tags = [str(e.tag).replace("drake_", "drake:") for e in chain]
    named = [f"<{tag}" for tag in tags if tag not in COMMON] + [key or "reduction"] + tags[-1:]
    named += ["constants of the second motor"] if tags[-1] == "dcmotor" else []
    named += ["gear 0", "gear -0"] if float(chain[-1].get("gear", "1").split()[0] or 0) == 0.0 else []
    named += ["transmission"] if "transmission" in tags else []
    return Poke(_bytes(root), others, named, " ".join([*tags[1:], key or ""]))


def _places(
    element: Element, path: tuple[int, ...], within: Collection[str]
) -> Iterator[tuple[tuple[int, ...], str | None]]:
    """Attributes and texts that are numbers."""
    inside = element.tag in within
    if inside:
        yield from ((path, key) for key, value in element.attrib.items() if _are_numbers(value))
        if str(element.tag).endswith("eduction") and _are_numbers(element.text or ""):
            yield path, None
    for k, child in enumerate(element):
        yield from _places(child, (*path, k), {*within, str(child.tag)} if inside else within)


def _are_numbers(text: str) -> bool:
    words = text.split()
    return bool(words) and all(NUMBER.fullmatch(word) for word in words)


def _with(root: Element, path: tuple[int, ...], key: str | None, words: list[str]) -> bytes:
    copy = deepcopy(root)
    element = copy
    for k in path:
        element = element[k]
    if key is None:
        element.text = " ".join(words)
    else:
        element.set(key, " ".join(words))
    return _bytes(copy)


def _bytes(root: Element) -> bytes:
    return tostring(root).replace(PLAIN, PREFIX)
