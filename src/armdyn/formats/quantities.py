"""Numbers of the command line: ``1.5``, ``pi/2``, ``90deg``, ``-20 mm``."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping

from armdyn.formats.csv_table import ANGLES, LENGTHS, units_of

Units = Mapping[str, float]
"""The size of each unit in SI, the SI unit first."""

NO_UNITS: Units = {}

_NUMBER = r"(?:(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?)"
_PI = r"(?:pi|π)"
_FACTOR = rf"(?:{_NUMBER}\s*\*?\s*{_PI}|{_NUMBER}|{_PI})"
_QUANTITY = re.compile(rf"([-+]?)({_FACTOR})((?:\s*[*/]\s*{_FACTOR})*)\s*((?:[^\W\d_]|°).*)?")
_STEP = re.compile(rf"([*/])\s*({_FACTOR})")
_JOINED = re.compile(r"(?<=[\w.])\s+(?!(?:pi|π|nan|inf|infinity)\b)(?=[^\W\d]|°)|\s*([*/])\s*", re.IGNORECASE)


class UnknownUnit(ValueError):
    """A number with a unit that the quantity does not have."""


def joint_units(kind: str, quantity: str = "q") -> Units:
    """The units of q, qd, qdd or tau of a revolute or prismatic joint.

    >>> joint_units("prismatic")["mm"], joint_units("revolute", "qd")["rpm"]
    (0.001, 0.10471975511965977)
    """
    return {unit.replace(" ", ""): factor for unit, factor in units_of(quantity, kind).known.items()}


ANGLE_OR_LENGTH: Units = {**ANGLES, **LENGTHS}


def read_quantity(text: str, units: Units = NO_UNITS) -> float:
    """A number in SI: a product or quotient of numbers and pi, with or without a unit after it.

    Args:
        text: e.g. "0.5", "-3*pi/4", "2pi/3", "90deg", "20 mm".
        units: those it may have; a number without a unit is in SI.

    Raises:
        UnknownUnit: it has another unit.
        ValueError: it is not a number.

    >>> read_quantity("90deg", joint_units("revolute")), read_quantity("-pi/4"), read_quantity("20mm", LENGTHS)
    (1.5707963267948966, -0.7853981633974483, 0.02)
    """
    text = text.strip()
    try:
        return float(text)
    except ValueError:
        match = _QUANTITY.fullmatch(text)
    if match is None:
        raise ValueError(f"{text!r} is no number")
    sign, first, steps, unit = match.groups()
    value = _factor(first)
    for operator, factor in _STEP.findall(steps):
        value = value * _factor(factor) if operator == "*" else _ratio(value, _factor(factor))
    return (-value if sign == "-" else value) * _size(unit, units)


def _factor(text: str) -> float:
    """A number, pi, or a number times pi."""
    bare = re.sub(rf"\s*\*?\s*{_PI}$", "", text)
    times = 1.0 if bare == text else math.pi
    return float(bare or 1.0) * times


def _ratio(above: float, below: float) -> float:
    return above / below if below else math.copysign(math.inf, above)


def _size(unit: str | None, units: Units) -> float:
    """The size of a unit in SI."""
    if unit is None:
        return 1.0
    name = unit.replace(" ", "")
    if name not in units:
        raise UnknownUnit(unit)
    return units[name]


def split_quantities(text: str) -> list[str]:
    """The numbers of a list, between commas or blanks; a blank before a unit does not end a number.

    >>> split_quantities("90 deg, pi / 2 0.5"), split_quantities("1 2,3")
    (['90deg', 'pi/2', '0.5'], ['1', '2', '3'])
    """
    return _JOINED.sub(lambda found: found[1] or "", text).replace(",", " ").split()
