"""The columns of rows that come one at a time, by their first row or by their number."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from armdyn.formats.tables.table import Table
from armdyn.logs.layouts import Place
from armdyn.logs.selection import chosen_columns
from armdyn.logs.units import unit_of_column

if TYPE_CHECKING:
    from armdyn.functions.robot_like import RobotLike

USED = ("t", "q", "qd", "qdd", "tau")


class HeadingColumn(NamedTuple):
    """A column: its place, its name, the quantity, the place of the joint in q, and one of its units in SI."""

    place: int
    name: str
    quantity: str
    joint: int
    factor: float


class Heading(NamedTuple):
    """The columns of a state, and the number of values in a row."""

    columns: tuple[HeadingColumn, ...]
    width: int

    @property
    def quantities(self) -> tuple[str, ...]:
        """The names of the quantities, t among them."""
        return tuple(dict.fromkeys(column.quantity for column in self.columns))


def heading_of(labels: Sequence[str] | int, robot: RobotLike, source: str) -> Heading:
    """The columns of rows that have these labels, or no labels and so many values.

    Args:
        labels: of the first row, as of `armdyn.logs.read`; or the number of values.
        robot: whose joints these are.
        source: of the rows, for messages.

    Raises:
        LogError: columns that are missing or stand twice, units that do not fit, another number of values.
        UnknownName: a column of a joint that the robot does not have.

    >>> [column.name for column in heading_of(5, armdyn.load("rp"), "a line").columns]
    ['t', 'q_joint_1', 'q_joint_2', 'qd_joint_1', 'qd_joint_2']
    """
    named = not isinstance(labels, int)
    keys = [f"{k}" for k in range(labels)] if isinstance(labels, int) else list(labels)
    unlike = [key if key not in keys[:k] else f"{key} [column {k}]" for k, key in enumerate(keys)]
    table = Table(source, dict.fromkeys(unlike, np.empty(0)), np.arange(0), has_labels=named)
    chosen, _ = chosen_columns(table, robot, None)
    columns = [
        HeadingColumn(
            unlike.index(place.label),
            quantity if quantity == "t" else f"{quantity}_{robot.joint_names[k]}",
            quantity,
            k,
            _factor(place, quantity, robot.joints[k].kind, source),
        )
        for quantity in USED
        for k, place in enumerate(chosen.get(quantity, ()))
    ]
    return Heading(tuple(columns), len(keys))


def _factor(place: Place, quantity: str, kind: str, source: str) -> float:
    where = f"{source} column {place.label!r}"
    return unit_of_column(quantity, kind).size(place.unit, where)
