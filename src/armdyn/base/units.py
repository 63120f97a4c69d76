"""Units: their sizes in SI and their powers of m, kg, s, A and K, from one table for files, logs and command lines."""

from __future__ import annotations

import math
import re
import unicodedata
from difflib import get_close_matches
from fractions import Fraction
from functools import cache
from typing import NamedTuple

from armdyn.base.errors import ModelError

BASE = ("m", "kg", "s", "A", "K")


class Unit(NamedTuple):
    """A unit: its size in SI, and its powers of m, kg, s, A and K."""

    size: Fraction
    powers: tuple[int, ...]

    def times(self, other: Unit, power: int = 1) -> Unit:
        """The product with a power of another."""
        powers = tuple(a + power * b for a, b in zip(self.powers, other.powers, strict=True))
        return Unit(self.size * other.size**power, powers)


NONE = Unit(Fraction(1), (0, 0, 0, 0, 0))
TURN = 2.0 * math.pi


METRIC = {
    "m": Unit(Fraction(1), (1, 0, 0, 0, 0)),
    "g": Unit(Fraction(1, 1000), (0, 1, 0, 0, 0)),
    "s": Unit(Fraction(1), (0, 0, 1, 0, 0)),
    "A": Unit(Fraction(1), (0, 0, 0, 1, 0)),
    "K": Unit(Fraction(1), (0, 0, 0, 0, 1)),
    "N": Unit(Fraction(1), (1, 1, -2, 0, 0)),
    "J": Unit(Fraction(1), (2, 1, -2, 0, 0)),
    "W": Unit(Fraction(1), (2, 1, -3, 0, 0)),
    "V": Unit(Fraction(1), (2, 1, -3, -1, 0)),
    "ohm": Unit(Fraction(1), (2, 1, -3, -2, 0)),
    "H": Unit(Fraction(1), (2, 1, -2, -2, 0)),
    "rpm": Unit(Fraction(TURN / 60.0), (0, 0, -1, 0, 0)),
    "rad": NONE,
}
"""Units that may have a prefix."""

OTHERS = {
    "deg": Unit(Fraction(math.pi / 180.0), NONE.powers),
    "rev": Unit(Fraction(TURN), NONE.powers),
    "min": Unit(Fraction(60), METRIC["s"].powers),
    "h": Unit(Fraction(3600), METRIC["s"].powers),
    "in": Unit(Fraction("0.0254"), METRIC["m"].powers),
    "ft": Unit(Fraction("0.3048"), METRIC["m"].powers),
    "lb": Unit(Fraction("0.45359237"), METRIC["g"].powers),
    "oz": Unit(Fraction("0.45359237") / 16, METRIC["g"].powers),
    "lbf": Unit(Fraction("4.4482216152605"), METRIC["N"].powers),
    "ozf": Unit(Fraction("4.4482216152605") / 16, METRIC["N"].powers),
    "kgf": Unit(Fraction("9.80665"), METRIC["N"].powers),
    "degC": METRIC["K"],
    "degF": Unit(Fraction(5, 9), METRIC["K"].powers),
    "%": Unit(Fraction(1, 100), NONE.powers),
}
"""Units without prefixes; degC and degF are differences of temperature here."""

PREFIXES = {
    "n": Fraction(1, 10**9),
    "u": Fraction(1, 10**6),
    "m": Fraction(1, 1000),
    "c": Fraction(1, 100),
    "k": Fraction(1000),
    "M": Fraction(10**6),
}

SPELLED = {
    "**": "^",
    "*": " ",
    "·": " ",
    "⋅": " ",
    "Ohm": "ohm",
    "RPM": "rpm",
    "lbs": "lb",
    "Nms": "N m s",
    "\N{GREEK CAPITAL LETTER OMEGA}": "ohm",
    "\N{GREEK SMALL LETTER MU}": "u",
    "°": "deg",
    "\N{MINUS SIGN}": "-",
}
"""Spellings of data sheets, and those of the tables here; superscripts and twin characters are made plain before."""

NO_UNITS = ("grad",)
"""Words of other units, which would be read as units run together: g rad."""

_FACTOR = re.compile(
    r"(?P<divided>/?)\s*(?:(?P<word>[A-Za-z%]+)\s*(?:\^?\s*(?P<power>-?\d{1,2}))?|1(?!\s*[\d^]))"
    r"|(?P<before>^|/)\s*\((?P<inside>[^()]+)\)"
)
"""A unit with its power, a 1, or a product in parentheses, first or after a "/"."""

_KILO_RPM = re.compile(r"([/(]\s*)1000\s*rpm")
_POUND = re.compile(r"(lb|oz)(?!f(?!t))")
_A_MINUTE = re.compile(r"(?<![A-Za-z])(?:(?:(?<!\d)1\s*)?/\s*min(?![A-Za-z^])|min\s*\^?\s*-\s*1(?!\d))")
_ANGLES = re.compile(r"rad|deg|rev|rpm")


def parse_product(text: str, intro: str = "", *, turns: bool = False, forces: bool = False) -> Unit:
    """A product of units: factors with powers; all after the first "/" divide, as data sheets write "rpm/mN m".

    Args:
        text: the units.
        intro: first words of messages.
        turns: read a bare "per minute" without an angle as turns per minute, as data sheets mean it.
        forces: read pounds and ounces as forces, as in "oz-in" of a torque, and not as masses, as in "oz-in²".

    >>> parse_product("g cm^2").size
    Fraction(1, 10000000)
    """
    plain = unicodedata.normalize("NFKC", text)
    for spelling, word in SPELLED.items():
        plain = plain.replace(spelling, word)
    plain = re.sub(r"(?<=[A-Za-z])-(?=[A-Za-z])", " ", plain)
    if turns and not _ANGLES.search(plain):
        plain = _A_MINUTE.sub("rpm", plain)
        if re.search(r"(?<![A-Za-z])min(?![A-Za-z])", plain):
            raise ModelError(f"{intro}{text!r} has minutes and no angle; expected such as 'rpm' or 'rad/min'")
    plain = _KILO_RPM.sub(r"\1krpm", plain)
    if forces:
        plain = _POUND.sub(r"\1f", plain)
    unit = _product(plain, intro)
    if unit is None:
        raise ModelError(f"{intro}{text!r} is not a unit; expected such as 'mN m/A', 'rpm/V', 'g cm^2' or 'K/W'")
    return unit


def _product(plain: str, intro: str) -> Unit | None:
    """The product of factors; None if other text is between them, or without factors."""
    unit, end, sign = NONE, 0, 1
    for factor in _FACTOR.finditer(plain):
        if plain[end : factor.start()].strip():
            break
        sign = -1 if factor["divided"] or factor["before"] else sign
        if factor["inside"]:
            inner = _product(factor["inside"], intro)
            if inner is None:
                return None
            unit = unit.times(inner, sign)
        elif factor["word"]:
            *run_together, last = _unit_of_name(factor["word"], intro)
            for other in run_together:
                unit = unit.times(other, sign)
            unit = unit.times(last, sign * int(factor["power"] or 1))
        end = factor.end()
    return None if plain[end:].strip() or not plain.strip() else unit


def _unit_of_name(word: str, intro: str) -> list[Unit]:
    """A unit by its name, perhaps with a prefix, or several run together as in "mNm" and "gcm"."""
    result = [] if word in NO_UNITS else _run_together(word)
    if not result:
        names = (*METRIC, *OTHERS)
        close = get_close_matches(word, names, n=1)
        meant = f" Did you mean {close[0]!r}?" if close else ""
        raise ModelError(
            f"{intro}unknown unit {word!r}.{meant} Known: {', '.join(names)}, with prefixes n, u, m, c, k, M."
        )
    return result


@cache
def _run_together(word: str) -> list[Unit]:
    """The units that a word consists of, tried with the longest first unit; empty without any."""
    for cut in range(len(word), 0, -1):
        first = _single(word[:cut])
        if first is not None and cut == len(word):
            return [first]
        if first is not None and (rest := _run_together(word[cut:])):
            return [first, *rest]
    return []


def _single(word: str) -> Unit | None:
    """One unit, perhaps with a prefix."""
    if word in METRIC or word in OTHERS:
        return METRIC.get(word) or OTHERS[word]
    if word[0] in PREFIXES and word[1:] in METRIC:
        return Unit(PREFIXES[word[0]], NONE.powers).times(METRIC[word[1:]])
    return None


def names_angle(text: str) -> bool:
    """True if a unit names an angle: rad, deg, rev or rpm, or turns per minute as data sheets write them."""
    plain = unicodedata.normalize("NFKC", text).replace("°", "deg").replace("\N{MINUS SIGN}", "-").lower()
    return bool(_ANGLES.search(plain) or _A_MINUTE.search(plain))


INCH = float(OTHERS["in"].size)
"""m, exactly."""

POUND_FORCE = float(OTHERS["lbf"].size)
"""N, exactly: the weight of 0.45359237 kg under standard gravity."""

STANDARD_FREE_FALL = float(OTHERS["kgf"].size)
"""m/s^2, the quotient of a weight and its mass."""


def sizes(*units: str) -> dict[str, float]:
    """The size of each unit in SI.

    >>> sizes("mm", "deg", "kN")
    {'mm': 0.001, 'deg': 0.017453292519943295, 'kN': 1000.0}
    """
    return {unit: float(parse_product(unit, forces=True).size) for unit in units}


def in_base(unit: Unit) -> str:
    """The powers of a unit in words: "kg m^2 s^-2"."""
    named = [f"{base}^{power}" if power != 1 else base for base, power in zip(BASE, unit.powers, strict=True) if power]
    return " ".join(named) or "a plain number"
