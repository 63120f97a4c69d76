"""Units of the columns of a log: those that a label states, those that a caller states, and SI otherwise."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from armdyn.base.errors import ModelError, UnknownName
from armdyn.base.quantities import unit_size
from armdyn.logs.errors import LogError
from armdyn.model.joint_units import UNITS

if TYPE_CHECKING:
    from armdyn.functions.robot_like import RobotLike

OTHERS = {"t": "s", "current": "A"}
"""The units of quantities that are not of a kind of joint."""


class ColumnUnit(NamedTuple):
    """The unit of a column.

    Args:
        si: the unit of SI of its quantity.
        usual: the size in SI of the unit of a column that states none.
    """

    si: str
    usual: float = 1.0

    def size(self, unit: str | None, place: str) -> float:
        """The size in SI of the unit that a column states, or of the usual one without any.

        Args:
            unit: the unit as it is written; None without one.
            place: the source and the column, for messages.

        Raises:
            LogError: an unknown unit, or one of another quantity.
        """
        return self.usual if unit is None else unit_size(place, unit, self.si, error=LogError)


def unit_of_column(quantity: str, kind: str) -> ColumnUnit:
    """The unit of a column of a quantity of a revolute or prismatic joint, SI by default."""
    return ColumnUnit(OTHERS.get(quantity) or UNITS[kind]["q" if quantity == "q_ref" else quantity])


def unit_of_joint(quantity: str, units: Mapping[str, str | Sequence[str]], joint: int, robot: RobotLike) -> str | None:
    """The unit that ``units=`` states for a quantity of a joint; None if it states none.

    Goals q_ref have the units of q unless their own are stated. A unit for all joints is one of angles; joints that
    slide then keep metres unless the unit is a length.

    Raises:
        LogError: another number of units than joints.
    """
    unit = units.get(quantity, units.get("q") if quantity == "q_ref" else None)
    if unit is None:
        return None
    if not isinstance(unit, str):
        if len(unit) != robot.dof:
            raise LogError(f"units={{{quantity!r}: ...}} has {len(unit)} units; expected one, or {robot.dof}")
        return str(unit[joint])
    kinds = [kind for kind in UNITS if _fits(unit, unit_of_column(quantity, kind).si)]
    return unit if not kinds or robot.joints[joint].kind in kinds else None


def _fits(text: str, unit: str) -> bool:
    try:
        unit_size("", text, unit)
    except ModelError:
        return False
    return True


def check_units(units: Mapping[str, str | Sequence[str]], quantities: Sequence[str]) -> None:
    """Raise for a unit of something that is not a quantity of a log.

    Raises:
        UnknownName: such a name.
    """
    for name in units:
        if name not in quantities:
            raise UnknownName.of("quantity", name, quantities, "units=")
