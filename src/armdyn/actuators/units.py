"""Numbers with their units, as data sheets print them: "33.5 mN m/A", "285 rpm/V", "92.5 g cm^2"."""

from __future__ import annotations

import re
from fractions import Fraction

from armdyn.base.checks import number
from armdyn.base.errors import ModelError, shown
from armdyn.base.units import METRIC, NONE, in_base, parsed

PER_KELVIN = NONE.times(METRIC["K"], -1)

MOST_DIGITS = 400
"""The largest number of digits of a number: as many as a float can have before its point, and more."""

_NUMBER = re.compile(r"\s*([-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d{1,3})?)\s*(.*?)\s*")


def quantity(name: str, given: object, unit: str) -> float:
    """A number with its unit, in the unit of SI that is expected; a bare number already is in that unit.

    Args:
        name: the quantity's name, for messages.
        given: "33.5 mN m/A", or 0.0335.
        unit: "N m/A"; "degC" of a temperature, for which "K" counts from absolute zero.

    Raises:
        ModelError: a value that is not a number, has an unknown unit, or one of another quantity.

    >>> quantity("torque_constant", "33.5 mN m/A", "N m/A")
    0.0335
    """
    if not isinstance(given, str):
        return number(name, given, expected=f"a number, in {unit}, or a text such as '1.5 {unit}'")
    match = _NUMBER.fullmatch(given)
    if match is not None and re.match(r",\d", match[2]):
        raise ModelError(
            f"{name} is {shown(given)}, with a comma; expected a point before decimals, such as '1.5 {unit}', and "
            "nothing between thousands"
        )
    if match is None or len(match[1]) > MOST_DIGITS:
        raise ModelError(f"{name} is {shown(given)}; expected a number and its unit, such as '1.5 {unit}'")
    value, text = Fraction(match[1]), match[2]
    if not text:
        raise ModelError(f"{name} is {shown(given)}, without a unit; expected one such as '{match[1]} {unit}'")
    try:
        if unit == "degC":
            return _temperature(name, float(value), text)
        said, turns, expected = f"{name} is {shown(given)}: ", "rad" in unit, parsed(unit)
        if "%" in text and expected.powers != PER_KELVIN.powers:
            raise ModelError(f"{said}'%' is read of what changes with temperature alone; expected a unit like {unit}")
        own = parsed(text, said, turns=turns)
        for meant in (own, parsed(text, said, turns=turns, forces=True)):
            if meant.powers == expected.powers:
                return float(value * meant.size / expected.size)
    except OverflowError:
        raise ModelError(f"{name} is {shown(given)}; expected a number that a float holds") from None
    raise ModelError(
        f"{name} is {shown(given)}, in {in_base(own)}; expected a unit like {unit}, which is {in_base(expected)}"
    )


def _temperature(name: str, value: float, text: str) -> float:
    """A temperature in degC."""
    plain = text.replace("°", "deg").replace(" ", "").removeprefix("deg")
    if plain not in ("C", "K", "F"):
        raise ModelError(f"{name} is in {text!r}; expected a temperature in degC, K or degF")
    from scipy.constants import convert_temperature  # noqa: PLC0415 - it takes 0.2 s to import

    return float(convert_temperature(value, plain, "C"))
