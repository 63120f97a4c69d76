"""Numbers with units, read in one way for command lines, scenarios, files of actuators, catalogues and logs.

The grammar, also in docs/numbers.md:

    quantity = number [unit]
    number   = ["+" | "-"] factor { ("*" | "/") factor }
    factor   = decimal | decimal ["*"] "pi" | "pi"
    unit     = unit with power { [" " | "*" | "-"] unit with power } [ "/" all that follow divide ]

A number without a unit is in SI. A unit must have the dimension of the expected one, and an angle must be named.
"""

from __future__ import annotations

import math
import re
import unicodedata
from fractions import Fraction

from armdyn.base.checks import Error, number
from armdyn.base.errors import ModelError, excerpt
from armdyn.base.units import METRIC, NONE, Unit, in_base, names_angle, parse_product

PER_KELVIN = NONE.times(METRIC["K"], -1)

MOST_DIGITS = 400
"""The largest number of digits of a number: as many as a float can have before its point, and more."""

ANGLES = ("rad", "rad/s", "rad/s^2")
"""Quantities whose unit must name an angle: 5 1/s is not 5 rad/s, for it could be turns per second."""

EXAMPLES = {"rad": "90 deg", "rad/s": "30 rpm", "rad/s^2": "10 deg/s^2", "m": "20 mm", "m/s": "20 mm/s", "s": "20 ms"}
"""Examples for messages, by the expected unit; of others a number in SI."""

_DECIMAL = r"(?:(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][-+]?\d{1,3}(?!\d))?)"
_PI = r"(?:pi|π)"
_FACTOR = rf"(?:{_DECIMAL}\s*\*?\s*{_PI}|{_DECIMAL}|{_PI})(?![\d.])"
_NUMBER = re.compile(rf"\s*([-+]?)\s*({_FACTOR})((?:\s*[*/]\s*{_FACTOR})*)\s*(.*?)\s*", re.ASCII | re.DOTALL)
_STEP = re.compile(rf"([*/])\s*({_FACTOR})", re.ASCII)
_NOT_FINITE = re.compile(r"\s*[-+]?(inf|infinity|nan)\s*", re.IGNORECASE)
_NO_UNIT = re.compile(r"[-+*.,_!?^=<>\[\]{}]|/\s*$|/\s*/")
"""First characters that no unit begins with."""

_JOINED = re.compile(r"(?<=[\w.])\s+(?!(?:pi|π|nan|inf|infinity)\b)(?=[^\W\d]|°|%)|\s*([*/])\s*", re.IGNORECASE)


def quantity(name: str, argument: object, unit: str, *, needs_unit: bool = False, error: Error = ModelError) -> float:
    """A number in the unit of SI that is expected, from a number or from a text with or without a unit.

    Args:
        name: the quantity's name, for messages.
        argument: "33.5 mN m/A", "90deg", "pi/2", or 0.0335; a bare number already is in SI.
        unit: "N m/A"; "" of a number without a unit; "degC" of a temperature, for which "K" counts from absolute zero.
        needs_unit: True for texts of data sheets, which must have a unit.
        error: makes the error of a message.

    Raises:
        ModelError: a value that is not a number, has an unknown unit, or one of another quantity.

    >>> quantity("torque_constant", "33.5 mN m/A", "N m/A"), quantity("q0", "-pi/4", "rad"), quantity("q0", 0.5, "rad")
    (0.0335, -0.7853981633974483, 0.5)
    """
    if not isinstance(argument, str):
        text = f"a number, in {unit}, or a text such as '{example(unit)}'" if unit else ""
        return number(name, argument, expected=text, error=error)
    if _NOT_FINITE.fullmatch(argument) and not needs_unit:
        return float(argument)
    subject = f"{name} is {excerpt(argument)}"
    match = _NUMBER.fullmatch(argument)
    if match is not None and re.match(r",\d", match[4]):
        raise error(
            f"{subject}, with a comma; expected a point before decimals, such as '1.5 {unit}', and nothing between "
            "thousands"
        )
    if match is None or _NO_UNIT.match(match[4]) or len(match[2]) > MOST_DIGITS:
        needed = f"a number and its unit, such as '1.5 {unit}'" if needs_unit else expected(unit)
        raise error(f"{subject}; expected {needed}")
    if needs_unit and not match[4]:
        raise error(f"{subject}, without a unit; expected one such as '{argument.strip()} {unit}'")
    try:
        value = _value(*match.groups()[:3])
        if not match[4]:
            return float(value)
        if unit == "degC":
            return _temperature(name, float(value), match[4], error)
        size = _size(subject, match[4], unit, error)
        return float(value * size) if isinstance(value, Fraction) else value * float(size)
    except OverflowError:
        raise error(f"{subject}; expected a number that a float holds") from None


def unit_size(name: str, text: str, unit: str, *, error: Error = ModelError) -> float:
    """The size of a unit in the expected unit of SI, for the numbers of a column.

    Args:
        name: the column, for messages.
        text: the unit, such as "deg".
        unit: the expected one, such as "rad".
        error: makes the error of a message.

    Raises:
        ModelError: an unknown unit, or one of another quantity.

    >>> unit_size("column q", "mm", "m")
    0.001
    """
    return float(_size(f"{name}: unit {excerpt(text)}", text, unit, error))


def expected(unit: str) -> str:
    """The end of a message on a text that is not a number with this unit.

    >>> expected("rad"), expected("")
    ("a number in rad, or one with a unit, such as '90 deg'", 'a number')
    """
    return f"a number in {unit}, or one with a unit, such as '{example(unit)}'" if unit else "a number"


def example(unit: str) -> str:
    """A number with a unit, by the expected unit."""
    return EXAMPLES.get(unit, f"1.5 {unit}".strip())


def split_quantities(text: str) -> list[str]:
    """The numbers of a list, between commas or blanks; a blank before a unit does not end a number.

    >>> split_quantities("90 deg, pi / 2 0.5"), split_quantities("1 2,3"), split_quantities("2 lbf in, 1 N m")
    (['90 deg', 'pi/2', '0.5'], ['1', '2', '3'], ['2 lbf in', '1 N m'])
    """
    joined = _JOINED.sub(lambda found: found[1] or "\0", text)
    return [word.replace("\0", " ") for word in joined.replace(",", " ").split()]


def _value(sign: str, first: str, steps: str) -> Fraction | float:
    """The product of the factors: exact without pi, so that decimal numbers are rounded once."""
    value = _factor(first)
    for operator, text in _STEP.findall(steps):
        factor = _factor(text)
        if operator == "*":
            value = value * factor
        elif factor:
            value = value / factor
        else:
            value = math.copysign(math.inf, value) if value else math.nan
    return -value if sign == "-" else value


def _factor(text: str) -> Fraction | float:
    """A number, pi, or a number times pi."""
    bare = re.sub(rf"\s*\*?\s*{_PI}$", "", text)
    return Fraction(text) if bare == text else float(bare or 1.0) * math.pi


def _size(subject: str, text: str, unit: str, error: Error) -> Fraction:
    """The size of a unit in the expected one."""
    if not unit:
        raise error(f"{subject}, with a unit; expected a number without one")
    needed = parse_product(unit)
    if "%" in text and needed.powers != PER_KELVIN.powers:
        raise error(f"{subject}: '%' is read of what changes with temperature alone; expected a unit like {unit}")
    own = _parse(subject, text, unit, error)
    for meant in (own, _parse(subject, text, unit, error, forces=True)):
        if meant.powers == needed.powers and (unit not in ANGLES or names_angle(text)):
            return meant.size / needed.size
    meaning = "" if in_base(needed) in (unit, in_base(NONE)) else f", which is {in_base(needed)}"
    of_angle = own.powers == NONE.powers and names_angle(text)
    raise error(f"{subject}, {'an angle' if of_angle else f'in {in_base(own)}'}; expected a unit like {unit}{meaning}")


def _parse(subject: str, text: str, unit: str, error: Error, *, forces: bool = False) -> Unit:
    try:
        return parse_product(text, f"{subject}: ", turns="rad" in unit, forces=forces)
    except ModelError as problem:
        raise error(str(problem)) from None


def _temperature(name: str, value: float, text: str, error: Error) -> float:
    """A temperature in degC."""
    plain = unicodedata.normalize("NFKC", text).replace("°", "deg").replace(" ", "").removeprefix("deg")
    if plain not in ("C", "K", "F"):
        raise error(f"{name} is in {text!r}; expected a temperature in degC, K or degF")
    from scipy.constants import convert_temperature  # noqa: PLC0415 - it takes 0.2 s to import

    return float(convert_temperature(value, plain, "C"))
