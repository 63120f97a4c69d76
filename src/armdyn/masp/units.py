"""The units of an input file and of its results."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import NamedTuple

from armdyn.base.checks import is_one_of
from armdyn.base.errors import ModelError, excerpt
from armdyn.base.units import sizes
from armdyn.formats.units import Units
from armdyn.model.messages import did_you_mean
from armdyn.trajectory.checks import NotFollowed

UNITS: Mapping[str, Mapping[str, float]] = {
    "length": sizes("m", "cm", "mm", "in", "ft"),
    "force": sizes("N", "kN", "lbf", "kgf"),
    "angle": sizes("rad", "deg"),
}
"""The size of each unit in m, N or rad. Time is always in seconds."""

ELSEWHERE: Mapping[str, str] = {
    **{unit: quantity for quantity, units in UNITS.items() for unit in units},
    **dict.fromkeys(("kg", "g", "lb", "lbm", "slug"), "mass"),
    **dict.fromkeys(("s", "ms", "min"), "time"),
}
"""The quantity of each unit, for messages."""

PER = {"q": "", "qd": "/s", "qdd": "/s²"}


class PaperUnit(NamedTuple):
    """A unit's name, and its size in SI."""

    name: str
    si: float


@dataclass(frozen=True)
class InputUnits:
    """Length, force and angle; all other units follow, with seconds.

    Masses are in force s²/length, as in tables in pounds and inches: kg if the others are m and N.

    Args:
        length: "m", "cm", "mm", "in" or "ft".
        force: "N", "kN", "lbf" or "kgf".
        angle: "rad" or "deg".

    Raises:
        ModelError: a unit of another quantity.

    >>> armdyn.masp.InputUnits("in", "lbf", "deg").of("revolute", "tau").name
    'lbf in'
    """

    length: str = "m"
    force: str = "N"
    angle: str = "rad"

    def __post_init__(self) -> None:
        if problems := [p for name in UNITS for p in unit_problems(name, getattr(self, name), name)]:
            raise ModelError(problems)

    @property
    def described(self) -> Units:
        """The units in the form that the readers of descriptions accept."""
        return Units.gravitational(length=UNITS["length"][self.length], force=UNITS["force"][self.force])

    def of(self, kind: str, quantity: str) -> PaperUnit:
        """The unit of "q", "qd", "qdd" or "tau" of a joint that is "revolute" or "prismatic"."""
        if quantity == "tau":
            return self.moment if kind == "revolute" else self.of_force
        return self.rate("angle" if kind == "revolute" else "length", quantity)

    def rate(self, quantity: str, order: str) -> PaperUnit:
        """The unit of an "angle" or a "length" ("q"), of its rate ("qd") or of that one's ("qdd")."""
        name = getattr(self, quantity)
        return PaperUnit(f"{name}{PER[order]}", UNITS[quantity][name])

    @property
    def of_length(self) -> PaperUnit:
        """The unit of lengths."""
        return self.rate("length", "q")

    @property
    def of_force(self) -> PaperUnit:
        """The unit of forces."""
        return PaperUnit(self.force, UNITS["force"][self.force])

    @property
    def moment(self) -> PaperUnit:
        """The unit of moments and torques, and of work."""
        return PaperUnit(f"{self.force} {self.length}", self.of_force.si * self.of_length.si)

    @property
    def power(self) -> PaperUnit:
        """The unit of power."""
        return PaperUnit("W", 1.0) if self.moment.name == "N m" else PaperUnit(f"{self.moment.name}/s", self.moment.si)

    @property
    def mass(self) -> str:
        """The name of the unit of masses."""
        return "kg" if self.moment.name == "N m" else f"{self.force} s²/{self.length}"

    @property
    def inertia(self) -> str:
        """The name of the unit of moments of inertia."""
        return "kg m²" if self.moment.name == "N m" else f"{self.force} {self.length} s²"


@contextmanager
def said_in(units: InputUnits | None) -> Iterator[None]:
    """Context in which errors of a path that cannot be followed are in these units; in SI if None."""
    try:
        yield
    except NotFollowed as error:
        if units is None:
            raise
        raise error.in_units(units.of) from None


def unit_problems(quantity: str, unit: object, where: str) -> Iterator[str]:
    """Error messages for a text that is not a unit of a quantity."""
    units = UNITS[quantity]
    if is_one_of(unit, units):
        return
    word = unit if isinstance(unit, str) else ""
    text = f", a unit of {ELSEWHERE[word]}" if word in ELSEWHERE else ""
    meant = "" if text else did_you_mean(word, units)
    yield f"{where} is {excerpt(unit)}{text}; expected a unit of {quantity}: {', '.join(units)}.{meant}"
