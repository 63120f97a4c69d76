"""States, motions and torques in tables, each row of which counts: a column for each joint and quantity."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from armdyn.base.errors import UnknownName
from armdyn.logs.errors import LogError
from armdyn.logs.rates import at_rest, spline_through
from armdyn.logs.rows import STATE, Rows, check_times, read_rows, warn_of_unused
from armdyn.logs.sources import Source
from armdyn.logs.units import unit_of_column
from armdyn.logs.values import UnitsOf
from armdyn.robot import Robot
from armdyn.spatial.rotations import Array


class ReferenceMotion(NamedTuple):
    """Times, s, and q, qd and qdd, each of shape (rows, n)."""

    t: Array
    q: Array
    qd: Array
    qdd: Array


class StateTable(NamedTuple):
    """Times, s, or None if the table has none, and q, qd and qdd, each of shape (rows, n)."""

    t: Array | None
    q: Array
    qd: Array
    qdd: Array


def read_states(source: Source, robot: Robot, **options: Any) -> StateTable:
    """The states of a table; quantities that it does not name are zero.

    Args:
        source: as of `armdyn.logs.read`; "-" for standard input.
        robot: whose joints the columns name.
        options: of `armdyn.logs.read`: columns, units, rate.

    Raises:
        LogError: a source that is not a table, a header that does not identify its columns, rows of different lengths,
            or an entry that is not a finite number, by line and column.
        LogError: a table without a header whose columns are not those of q, then qd, then qdd.
        UnknownName: a column of a joint that the robot does not have.
    """
    rows = read_rows(source, robot, partial=True, timed=False, **options)
    warn_of_unused(rows)
    zero = np.zeros((len(rows.table), robot.dof))
    return StateTable(rows.t, *(rows.values.get(quantity, zero) for quantity in STATE))


def read_torques(source: Source, robot: Robot, *, units_of: UnitsOf = unit_of_column) -> tuple[Array, Array]:
    """Times, s, shape (rows,), and joint forces, N m or N, shape (rows, n), of a table; other columns are not used.

    Args:
        source: as of `armdyn.logs.read`, with times and joint forces.
        robot: whose joints these are.
        units_of: those in which a quantity may be, by its name and the kind of joint.

    Raises:
        LogError: no file, no table, a column that is missing, times that do not rise, an entry that is not a finite
            number.
        UnknownName: a column of a joint that the robot does not have.
    """
    rows = read_rows(source, robot, ("tau",), units_of=units_of)
    for label in rows.unused:
        if label.startswith("tau_"):
            joint = label.removeprefix("tau_").partition("[")[0].strip()
            where = f"{robot.name!r}, {rows.table.where} column {label!r}"
            raise UnknownName.of("joint", joint, robot.joint_names, where)
    return check_times(rows), rows.values["tau"]


def read_reference(source: Source, robot: Robot, **options: Any) -> ReferenceMotion:
    """States over time to be followed, from a table with times and positions of each joint.

    If there are no columns of qd, or of qdd, they are derivatives of the quintic spline through q. Other columns are
    not used.

    Args:
        source: as of `armdyn.logs.read`.
        robot: whose joints these are.
        options: of `armdyn.logs.read`: columns, units, rate.

    Raises:
        LogError: no table, columns of q, qd or qdd for some joints only, times that do not rise, less than two rows.
        UnknownName: a column of a joint that the robot does not have.
    """
    return _motion(read_rows(source, robot, **options))


def read_cycle(source: Source, robot: Robot, **options: Any) -> ReferenceMotion:
    """The motion of a task, as `read_reference` returns it; a time may appear twice if q, qd and qdd are all given.

    Warns of columns that are not used.
    """
    rows = read_rows(source, robot, **options)
    motion = _motion(rows, may_jump=True)
    warn_of_unused(rows)
    return motion


def _motion(rows: Rows, *, may_jump: bool = False) -> ReferenceMotion:
    """Times, positions, and their rates of the table or of the spline through the positions."""
    values = rows.values
    if len(rows.table) < 2:
        raise LogError(f"{rows.table.source} has {len(rows.table)} rows of numbers; a motion needs two at least")
    if len(values) == len(STATE):
        return ReferenceMotion(check_times(rows, may_stand_twice=may_jump), *(values[name] for name in STATE))
    t = check_times(rows)
    spline = spline_through(t, values["q"])
    moves = ~at_rest(values["q"], np.abs(spline(t, nu=1)))
    rates = (values[name] if name in values else moves * spline(t, nu=order) for order, name in enumerate(STATE))
    return ReferenceMotion(t, *rates)
