"""Keys of the axes and point of a frame's twist: `expressed_in=`, in any case of letters, and Pinocchio's keys.

| here | axes | v is the velocity of | Pinocchio |
|---|---|---|---|
| "body" | of the frame | the frame's origin | LOCAL |
| "space" | of the base | the point that is at the base's origin | WORLD |
| "world" | of the base | the frame's origin | LOCAL_WORLD_ALIGNED |
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from armdyn.base.advice import option
from armdyn.base.errors import UnknownName

EXPRESSED_IN = ("body", "space", "world")

PINOCCHIO: Mapping[str, str] = {"local": "body", "local_world_aligned": "world"}
"""Pinocchio's keys; its third one, WORLD, is left out: it means "space" here, and "world" has another meaning."""

PINOCCHIO_OF_LINKS: Mapping[str, str] = {"local": "link", "local_world_aligned": "base"}
"""Pinocchio's keys if the frame is a link's own and the options are "link" and "base"."""


def way_of_twist(word: str) -> str:
    """One of "body", "space" and "world" for a key in the spelling of the caller or of Pinocchio.

    Raises:
        UnknownName: no such word; or WORLD in Pinocchio's spelling, for which the message explains the choice.

    >>> from armdyn.algorithms.expressed_in import way_of_twist
    >>> way_of_twist("LOCAL_WORLD_ALIGNED"), way_of_twist("Space"), way_of_twist("world")
    ('world', 'space', 'world')
    """
    if isinstance(word, str) and word != "world" and word.lower() == "world":
        raise UnknownName(
            f"{option('expressed_in', word)} is ambiguous: Pinocchio's WORLD (axes and origin of the base) is 'space' "
            "here, and 'world' (axes of the base, origin of the frame) is Pinocchio's LOCAL_WORLD_ALIGNED; choose one "
            "of them"
        )
    return way(word, EXPRESSED_IN, PINOCCHIO)


def way(word: str, ways: Sequence[str], synonyms: Mapping[str, str]) -> str:
    """The one of ``ways`` that a key means, in any case of letters."""
    result = word.lower() if isinstance(word, str) else word
    result = synonyms.get(result, result) if isinstance(result, str) else result
    if result not in ways:
        raise UnknownName.of("way", word, ways, option("expressed_in"))
    return result
