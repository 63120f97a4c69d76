# ruff: noqa: E501 - tables of texts
"""Numbers as texts: ordinary ones, and those that readers stumble over."""

from __future__ import annotations

import math
from random import Random

ODD = (
    *("0", "-0", "1", "-1", "+1", "1.", ".5", "1e0", "00012", "0x10", "0x1p3", "1_0", "1e", "--1", "1,5", "1.5.2", "\u0663"),
    *("nan", "NaN", "-nan", "inf", "-inf", "Infinity", "INF", "1e309", "-1e309", "true", "", " ", "a", "1 2", "1;2"),
    *("5e-324", "1e-320", "1e-308", "1e-200", "1e-154", "1e-100", "1e-50", "1e-30", "1e-20", "1e-17", "1e-15", "1e-12"),
    *("1e-10", "1e-9", "1e-8", "1e-7", "1e-6", "1e-5", "1e-3", "1e3", "1e6", "1e9", "1e12", "1e14", "1e15", "1e16"),
    *("1e22", "1e30", "1e49", "1e51", "1e99", "1e101", "1e153", "1e155", "1e200", "1e300", "1e308", "-1e308"),
    *("1.7976931348623157e308", "-1.7976931348623157e+308", "3.141592653589793", "-3.14159", "1.5707963267948966"),
    *("1.5708", "1.57079632679", "-1.57", "6.283185307179586", "0.7853981633974483", "4.71238898", "90", "180", "1e1000"),
    *("1" * 400, "0." + "3" * 400, "9007199254740993", "0.1", "1e-9999", "1E5", "1d5", "1f", "1L", "\t1\n", "\u22121"),
)  # fmt: skip
"""What a number may be replaced by."""


def plain(rng: Random) -> float:
    """A number such as descriptions have."""
    pick = rng.random()
    if pick < 0.3:
        return float(rng.choice((0.0, 0.0, 1.0, -1.0, 0.5, 0.1)))
    return round(rng.uniform(-1.0, 1.0), rng.choice((1, 2, 3, 6, 17)))


def angle(rng: Random) -> float:
    """An angle, often a right one, or nearly."""
    if rng.random() < 0.5:
        right = rng.randrange(-2, 3) * math.pi / 2
        return rng.choice((right, right, float(f"{right:.5g}"), right + rng.choice((1e-16, 1e-12, 1e-9, 1e-6))))
    return rng.uniform(-3.2, 3.2)


def shown(values: list[float]) -> str:
    """Numbers for an attribute."""
    return " ".join(map(repr, values))


def looks_numeric(text: str) -> bool:
    """Whether a text begins like numbers."""
    return text[:1] in "+-.0123456789" and text != ""


def changed(text: str, rng: Random) -> str:
    """Numbers of which one is changed, left out or doubled."""
    words = text.split()
    if not words:
        return rng.choice(ODD)
    k = rng.randrange(len(words))
    pick = rng.random()
    if pick < 0.06:
        del words[k]
    elif pick < 0.12:
        words.insert(k, rng.choice((words[k], *ODD)))
    elif pick < 0.15:
        words = words * rng.choice((2, 10))
    else:
        words[k] = _changed_word(words[k], rng)
    return rng.choice((" ", " ", " ", " ", "  ", "\t", "\n")).join(words)


def _changed_word(word: str, rng: Random) -> str:
    pick = rng.random()
    if pick < 0.33:
        return rng.choice(ODD)
    try:
        value = float(word)
    except ValueError:
        return rng.choice(ODD)
    if pick < 0.6:
        return repr(value * 10.0 ** rng.uniform(-12.0, 12.0))
    if pick < 0.7:
        return repr(-value)
    if pick < 0.85:
        return repr(value * (1.0 + rng.choice((1e-15, 1e-12, 1e-9, 1e-6, 1e-3, 0.3)) * rng.uniform(-1.0, 1.0)))
    return repr(rng.uniform(-3.0, 3.0))
