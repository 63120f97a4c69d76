"""Numbers of the chosen columns of a table, in SI."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from armdyn.base.checks import number
from armdyn.formats.tables.table import Table
from armdyn.logs.errors import LogError
from armdyn.logs.layouts import Place
from armdyn.logs.units import ColumnUnit, unit_of_column, unit_of_joint
from armdyn.spatial.rotations import Array

if TYPE_CHECKING:
    from armdyn.functions.robot_like import RobotLike

Units = Mapping[str, str | Sequence[str]]

UnitsOf = Callable[[str, str], ColumnUnit]
"""The unit of a column of a quantity of a revolute or prismatic joint."""


def check_clock(table: Table, *, timed: bool, rate: float | None) -> None:
    """Raise unless either the table has times or a rate is given.

    Raises:
        LogError: neither times nor a rate, or both.
    """
    if rate is not None:
        number("rate", rate, above=0.0, unit="Hz", error=LogError)
    if not timed and rate is None:
        raise LogError(
            f"{table.where} has no column t, so that its rows have no times; give it one, such as 't [s]', or the "
            "number of rows per second: --rate HZ, rate= in Python"
        )
    if timed and rate is not None:
        raise LogError(f"{table.where} has a column t, and rate={rate:g} Hz is given too; leave the rate out")


def factor_of_time(table: Table, place: Place, units: Units) -> float | None:
    """One unit of the column of times, s; None if neither its label nor ``units`` states it."""
    stated = units.get("t") or place.unit
    where = f"{table.where} column {place.label!r}"
    return None if stated is None else unit_of_column("t", "revolute").size(str(stated), where)


def values_of(
    table: Table,
    quantity: str,
    chosen: Sequence[Place | None],
    robot: RobotLike,
    units: Units,
    units_of: UnitsOf = unit_of_column,
) -> Array:
    """A quantity of all joints in SI, shape (rows, n); zero for a joint without a column.

    Raises:
        LogError: units that do not fit, a column of lists in the place of one of numbers.
    """
    values = np.zeros((len(table), robot.dof))
    for k, place in enumerate(chosen):
        if place is None:
            continue
        column = table.columns[place.label]
        if place.entry is None and column.ndim != 1:
            raise LogError(
                f"{table.source} column {place.label!r} has {column.shape[1]} numbers a row; expected one, of joint "
                f"{robot.joint_names[k]}"
            )
        unit = unit_of_joint(quantity, units, k, robot)
        unit = place.unit if unit is None else unit
        where = f"{table.where} column {place.label!r}"
        factor = units_of(quantity, robot.joints[k].kind).size(unit, where)
        values[:, k] = column if place.entry is None else column[:, place.entry]
        if factor != 1.0:
            with np.errstate(over="ignore"):
                values[:, k] *= factor
    return values
