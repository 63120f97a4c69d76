"""Units of the columns of a log: those that a label states, those that a caller states, and SI otherwise."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from armdyn.base.errors import UnknownName
from armdyn.base.units import sizes
from armdyn.formats.csv_table import TIMES, ColumnUnits, units_of
from armdyn.logs.errors import LogError

if TYPE_CHECKING:
    from armdyn.functions.robot_like import RobotLike

CURRENTS = sizes("A", "mA")
STAMPS = TIMES | sizes("us", "µs") | {"ns": 1e-9}

KINDS_OF_JOINT = ("revolute", "prismatic")


def columns_in(quantity: str, kind: str) -> ColumnUnits:
    """The units that a column of a quantity may be in, for a revolute or prismatic joint."""
    if quantity == "t":
        return ColumnUnits(STAMPS)
    if quantity == "current":
        return ColumnUnits(CURRENTS)
    return units_of("q" if quantity == "q_ref" else quantity, kind)


def factor_in(units: ColumnUnits, unit: str, place: str) -> float:
    """One unit in SI.

    Args:
        units: those that are known.
        unit: one of them, as it is written.
        place: the source and the column, for messages.

    Raises:
        LogError: a unit of another quantity.
    """
    written = unit.strip().replace(" / ", "/")
    if written not in units.known:
        raise LogError(f"{place}{units.expected(unit)}")
    return units.known[written]


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
    kinds = [kind for kind in KINDS_OF_JOINT if unit.strip() in columns_in(quantity, kind).known]
    return unit if not kinds or robot.joints[joint].kind in kinds else None


def check_units(units: Mapping[str, str | Sequence[str]], quantities: Sequence[str]) -> None:
    """Raise for a unit of something that is not a quantity of a log.

    Raises:
        UnknownName: such a name.
    """
    for name in units:
        if name not in quantities:
            raise UnknownName.of("quantity", name, quantities, "units=")
