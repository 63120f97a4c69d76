# ruff: noqa: E501 - tables of texts
"""Arguments as trees of Python values that can be written down as source, changed anywhere, and read again."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from random import Random
from typing import Any

ODD = (
    *("None", "True", "False", "0", "1", "-1", "5", "10**400", "-10**400", "0.0", "-0.0", "nan", "inf", "-inf", "1e308", "-1e308"),
    *("1e-320", "1e16", "1e51", "1e101", "1e200", "1j", "'x'", "''", "' '", "b'x'", "'R'", "'P'", "'a' * 400", "'\\x00'", "'\\ud800'"),
    *("[]", "()", "{}", "set()", "[[]]", "[None]", "[1, 2]", "[1, [2, 3]]", "[[1, 2], [3]]", "{'a': 1}", "{1: 2}", "{'x'}", "[1.0] * 6"),
    *("object()", "float", "len", "...", "lambda *_: 1.0", "range(3)", "iter([1, 2, 3])", "(x for x in (1, 2))", "Exception('x')"),
    *("np.array(3)", "np.array([])", "np.zeros(3)", "np.zeros((2, 2))", "np.eye(3)", "np.eye(4)", "np.eye(6)", "np.float32(0.5)"),
    *("np.array('x')", "np.array([1, 'a'], object)", "np.array([1 + 2j])", "np.ma.array([1.0, 2, 3], mask=[1, 0, 0])"),
    *("np.datetime64('2020')", "np.array([True, False])", "np.longdouble(1)", "np.zeros((0, 3))", "np.full((3, 3), 1e200)", "np.int8(1)"),
    *("Decimal('0.5')", "Fraction(1, 3)", "memoryview(b'abc')", "memoryview(np.zeros(3))", "bytearray(b'x')", "armdyn.Inertia()"),
    *("armdyn.Limits()", "armdyn.Limits(2.0, 1.0)", "armdyn.Limits('a', None)", "armdyn.Part('x', 'base')", "armdyn.DHRow(0, 0, 0, 0)"),
    *("armdyn", "armdyn.Robot", "armdyn.Units()", "str", "type", "NotImplemented", "np.nan * np.ones(3)", "[np.inf, 0, 0]"),
)  # fmt: skip
"""What an argument, or a part of one, may be replaced by."""


@dataclass
class Call:
    """A call of a name, or the name alone where it has neither kind of argument."""

    name: str
    arguments: list[Any] = field(default_factory=list)
    named: dict[str, Any] = field(default_factory=dict)


@dataclass
class Source:
    """A value by its source."""

    text: str


def source(value: Any) -> str:
    """A value as Python source."""
    if isinstance(value, Source):
        return value.text
    if isinstance(value, Call):
        named = (f"{name}={source(given)}" for name, given in value.named.items())
        return f"{value.name}({', '.join([*map(source, value.arguments), *named])})"
    if isinstance(value, dict):
        return "{" + ", ".join(f"{key!r}: {source(given)}" for key, given in value.items()) + "}"
    if isinstance(value, tuple):
        return "(" + "".join(f"{source(item)}, " for item in value) + ")"
    if isinstance(value, list):
        return "[" + ", ".join(map(source, value)) + "]"
    return repr(value)


def changed(value: Any, rng: Random) -> Any:
    """The value with one part replaced, left out, doubled or changed a little."""
    places = list(_places(value))
    if not places:
        return Source(rng.choice(ODD))
    holder, key = rng.choice(places)
    old = holder[key]
    pick = rng.random()
    if pick < 0.12:
        del holder[key]
    elif pick < 0.2 and isinstance(holder, list):
        holder.insert(key, old)
    elif pick < 0.55 and isinstance(old, float):
        holder[key] = _changed_number(old, rng)
    else:
        holder[key] = Source(rng.choice(ODD))
    return value


def _changed_number(old: float, rng: Random) -> float:
    return rng.choice(
        (
            old * 10 ** rng.uniform(-9, 9),
            -old,
            old + rng.choice((1e-16, 1e-12, 1e-9, 1e-6)),
            rng.uniform(-3, 3),
            old + 1e-3,
        )
    )


def _places(value: Any) -> Iterator[tuple[Any, Any]]:
    """Every part of a value, as what holds it and its place there."""
    if isinstance(value, Call):
        yield from _places(value.arguments)
        yield from _places(value.named)
    elif isinstance(value, list | dict):
        for key in range(len(value)) if isinstance(value, list) else list(value):
            yield value, key
            yield from _places(value[key])
