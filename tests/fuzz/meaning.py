"""What was made of a file, as a text: two texts are equal where all numbers and words are, to the last digit."""

from __future__ import annotations

import dataclasses
import warnings
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

import armdyn

OF_THE_TEXT = ("notes", "where", "geometry")
"""Fields that say where something stands in a file, or what is said about it."""


def meaning(value: Any) -> str:  # noqa: PLR0911
    """The text of a value: all that it holds, but for where in a file it stood."""
    if isinstance(value, armdyn.Robot):
        return meaning(value.model)
    if isinstance(value, np.ndarray):
        return f"{value.shape}{value.tolist()!r}"
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{key!r}: {meaning(inner)}" for key, inner in value.items()) + "}"
    if isinstance(value, str | bytes | float | int):
        return repr(value)
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        fields = [f.name for f in dataclasses.fields(value) if f.name not in OF_THE_TEXT]
        return f"{type(value).__name__}({', '.join(f'{name}={meaning(getattr(value, name))}' for name in fields)})"
    if isinstance(value, list | tuple):
        return "[" + ", ".join(map(meaning, value)) + "]"
    if callable(value):
        return getattr(value, "__qualname__", type(value).__name__)
    return repr(value)


@dataclasses.dataclass(frozen=True)
class Reading:
    """What was made of a file, and what was said about it."""

    meaning: str
    said: str


def reading_of(read: Callable[[], tuple[Any, tuple[str, ...]]]) -> Reading:
    """The reading by a function that gives a value and its notes; warnings of ours are said, others are errors."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("error")
        warnings.simplefilter("always", UserWarning)
        value, notes = read()
        text = meaning(value)
    return Reading(text, "\n".join([*notes, *(str(w.message) for w in caught)]))
