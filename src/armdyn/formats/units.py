"""Units a description may be written in; after `formats/` all quantities are in metres, kilograms and seconds."""

from __future__ import annotations

from dataclasses import dataclass

from armdyn.base.checks import number
from armdyn.base.fields import set_fields
from armdyn.base.units import INCH, POUND_FORCE


@dataclass(frozen=True)
class Units:
    """A consistent set of units: force is mass times length over seconds squared.

    Args:
        length: one unit of length, m.
        mass: one unit of mass, kg.

    >>> round(Units.gravitational(length=0.0254, force=4.4482216152605).inertia, 9)  # of one lbf in s^2, kg m^2
    0.112984829
    """

    length: float = 1.0
    mass: float = 1.0

    def __post_init__(self) -> None:
        for name in ("length", "mass"):
            set_fields(self, **{name: _above_zero(getattr(self, name), name, "m or kg")})

    @classmethod
    def gravitational(cls, *, length: float, force: float) -> Units:
        """Units based on force, e.g. pounds and inches: mass is force over length times seconds squared.

        Args:
            length: one unit of length, m.
            force: one unit of force, N.
        """
        length, force = _above_zero(length, "length", "m"), _above_zero(force, "force", "N")
        return cls(length, force / length)

    @classmethod
    def pounds_and_inches(cls) -> Units:
        """Inches, pounds of force, seconds; so mass in lbf s^2/in and inertia in lbf in s^2.

        >>> round(Units.pounds_and_inches().force, 6)
        4.448222
        """
        return cls.gravitational(length=INCH, force=POUND_FORCE)

    @property
    def force(self) -> float:
        """One unit of force, N."""
        return self.mass * self.length

    @property
    def inertia(self) -> float:
        """One unit of rotational inertia, kg m^2."""
        return self.mass * self.length * self.length


def _above_zero(value: float, name: str, unit: str) -> float:
    """One unit as a float."""
    return number(f"Units: {name}", value, above=0.0, expected=f"what one unit is in {unit}, above 0")
