"""Mappings, lists, numbers and words, as YAML, JSON and TOML hold them: changed at random, and searched for numbers."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Iterator, Sequence
from copy import deepcopy
from random import Random
from typing import Any

from fuzz import numbers
from fuzz.ignored import Poke, other_numbers

ODD = (
    *(None, True, False, 0, 1, -1, 10**30, -1.5, 1e-300, 1e300, math.nan, math.inf, "", " ", "x", "nan", "1e3", "0x10"),
    *("1_0", "1,5", "100:1", "0100", "5 kg", "3 N m/A", "deg", "\u0663", [], {}, [[]], [None], [1, 2], [1, 2, 3]),
    *({"a": 1}, {"": 0}, "a" * 300, "${x}", "../../x", "[bold]x[/]", "2020-13-45", "null", "~", "12 rpm", "1 ohm^99"),
)
"""What a value may be replaced by."""

Place = tuple[str | int, ...]
Dump = Callable[[Any], bytes]

WITH_UNIT = re.compile(r"[-+]?\d+(\.\d+)?([eE][-+]?\d+)?(?= *[A-Za-z%])")


def changed(data: Any, rng: Random, words: Sequence[str]) -> None:
    """Change one thing: a value, a key, or where something stands; ``words`` are keys that the format has."""
    places = list(_places(data))
    if not places:
        return
    holder, key = rng.choice(places)
    old, pick = holder[key], rng.random()
    if pick < 0.4 and isinstance(old, int | float):
        holder[key] = rng.choice((-old, old * 10 ** rng.uniform(-12, 12), rng.uniform(-3, 3), 0, rng.choice(ODD)))
    elif pick < 0.5:
        del holder[key]
    elif pick < 0.58 and isinstance(holder, dict):
        holder[rng.choice((*words, str(key) + "s", str(key)[:-1]))] = holder.pop(key)
    elif pick < 0.66 and isinstance(holder, dict):
        holder[rng.choice(words)] = deepcopy(rng.choice((*ODD, old, numbers.plain(rng))))
    elif pick < 0.72 and isinstance(holder, list):
        holder.insert(key, deepcopy(old))
    elif pick < 0.8:
        other, where = rng.choice(places)
        holder[key] = deepcopy(other[where])
    elif pick < 0.85:
        holder[key] = rng.choice(([old], {rng.choice(words): old}))
    else:
        holder[key] = deepcopy(rng.choice(ODD))


def _places(value: Any) -> Iterator[tuple[Any, Any]]:
    """Every part of nested data, as what holds it and its place there."""
    for key in list(value) if isinstance(value, dict) else range(len(value)) if isinstance(value, list) else ():
        yield value, key
        yield from _places(value[key])


def numbers_in(value: Any, at: Place = ()) -> Iterator[Place]:
    """Where the numbers are, those with a unit too."""
    if isinstance(value, dict | list):
        for key in list(value) if isinstance(value, dict) else range(len(value)):
            yield from numbers_in(value[key], (*at, key))
    elif (isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)) or (
        isinstance(value, str) and WITH_UNIT.match(value)
    ):
        yield at


def poked(data: Any, dump: Dump, rng: Random, known: Sequence[str], skip: Callable[[Any, Place], bool]) -> Poke | None:
    """Data written anew, and with other numbers in one place that is not to be skipped."""
    places = [place for place in numbers_in(data) if not skip(data, place)]
    if not places:
        return None
    place = rng.choice(places)
    words = [str(key) for key in place if isinstance(key, str)]
    others = [dump(_with(data, place, new)) for new in _other_values(_at(data, place))]
    return Poke(dump(data), others, words, ".".join(word for word in words if word in known))


def _other_values(value: Any) -> list[Any]:
    if not isinstance(value, str):
        return list(other_numbers(value))
    found = WITH_UNIT.match(value)
    assert found is not None
    return [f"{new!r}{value[found.end() :]}" for new in other_numbers(float(found[0]))]


def _at(data: Any, place: Place) -> Any:
    for key in place:
        data = data[key]
    return data


def _with(data: Any, place: Place, value: Any) -> Any:
    copy = deepcopy(data)
    _at(copy, place[:-1])[place[-1]] = value
    return copy


def as_json(data: Any) -> bytes:
    """Nested data as JSON, with infinity and NaN as YAML spells them."""
    text = json.dumps(data, ensure_ascii=False)
    return re.sub(
        r"(?<![\w\"])(-?)(Infinity|NaN)\b", lambda m: m[1] + {"I": ".inf", "N": ".nan"}[m[2][0]], text
    ).encode()


def as_toml(data: dict[str, Any]) -> bytes:
    """A mapping as TOML, a line for each key, tables in one line."""
    return "\n".join(f"{json.dumps(key)} = {_toml(value)}" for key, value in data.items()).encode("utf-8", "replace")


def _toml(value: Any) -> str:
    if isinstance(value, dict):
        return "{" + ", ".join(f"{json.dumps(key)} = {_toml(inner)}" for key, inner in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(_toml, value)) + "]"
    if value is None:
        return '"none"'
    if isinstance(value, float):
        return repr(value)
    return json.dumps(value)
