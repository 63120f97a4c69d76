"""Quantities of joints in a csv: a column for each joint and quantity, such as "q_shoulder [deg]" and "tau_elbow"."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

from armdyn.errors import ArmdynError, ShapeError, UnknownName
from armdyn.formats.csv_table import OF_TIME, Column, ColumnUnits, CsvTable, TableError, comma_hint, units_of, unused
from armdyn.robot import Robot
from armdyn.spatial.rotations import Array

STATE = ("q", "qd", "qdd")


class Motion(NamedTuple):
    """Times, s, and q, qd and qdd, each of shape (rows, n)."""

    t: Array
    q: Array
    qd: Array
    qdd: Array


class States(NamedTuple):
    """Times, s, where the table has them, and q, qd and qdd, each of shape (rows, n)."""

    t: Array | None
    q: Array
    qd: Array
    qdd: Array


def read_states(path: Path, robot: Robot) -> States:
    """The states of a table; quantities that it does not name are zero.

    Args:
        path: of the csv, or "-" for standard input.
        robot: whose joints the columns name.

    Raises:
        TableError: a file that is not a table, a header that does not identify its columns, rows of different lengths,
            or an entry that is not a finite number, by line and column.
        ShapeError: a table without a header whose columns are not those of q, then qd, then qdd.
        UnknownName: a column of a joint that the robot does not have.
    """
    table = CsvTable.read(path, "a csv of states, a row for each, or - for standard input")
    columns = _named(table, robot) if table.has_header else _unnamed(table, robot)
    return _states(table, columns, robot)


def read_torques(
    path: Path,
    robot: Robot,
    *,
    units: Callable[[str, str], ColumnUnits] = units_of,
    error: type[ArmdynError] = TableError,
) -> tuple[Array, Array]:
    """Times, s, shape (rows,), and joint forces, N m or N, shape (rows, n), of a csv; other columns are not used.

    Args:
        path: of a csv with a column t, and a column tau_JOINT for each joint.
        robot: whose joints these are.
        units: those in which a quantity may be, by its name and the kind of joint.
        error: the class of errors.

    Raises:
        error: no file, no table, a column that is missing, times that do not rise, what is no finite number.
        UnknownName: a column of a joint that the robot does not have.
    """
    table = CsvTable.read(path, f"a header t, tau_JOINT, ..., the joints {_joints(robot)}, and rows", error=error)
    known = {f"tau_{joint.name}": units("tau", joint.kind) for joint in robot.joints}
    found, others = table.columns(known | {"t": OF_TIME})
    foreign = [label for label in others if label.startswith("tau_")]
    if foreign:
        joint = foreign[0].removeprefix("tau_").partition("[")[0].strip()
        raise UnknownName.of("joint", joint, robot.joint_names, f"{robot.name!r}, {table.where} column {foreign[0]!r}")
    t, *tau = table.numbers(table.required(found, ["t", *known])).T
    if not len(t):
        raise error(f"{table.file} has a header and no rows")
    check_times(table, t)
    return t, np.stack(tau, axis=-1)


def read_reference(path: Path, robot: Robot) -> Motion:
    """States over time to be followed, from a csv with a column t and a column q_JOINT for each joint.

    Where there are no columns of qd, or of qdd, they are derivatives of the quintic spline through q. Other columns are
    not used.

    Raises:
        TableError: no table, columns of q, qd or qdd for some joints only, times that do not rise, less than two rows.
        UnknownName: a column of a joint that the robot does not have.
    """
    return _motion(_table_of_motion(path, robot), robot)


def read_cycle(path: Path, robot: Robot) -> Motion:
    """The motion of a task, as `read_reference` has it; but a time may stand twice where q, qd and qdd are all given.

    Warns of columns that are not used.
    """
    table = _table_of_motion(path, robot)
    motion = _motion(table, robot, may_jump=True)
    _warn_of_others(table, found_columns(table, robot)[1])
    return motion


def _table_of_motion(path: Path, robot: Robot) -> CsvTable:
    return CsvTable.read(path, f"a header t, q_JOINT, ..., the joints {_joints(robot)}, and rows")


def _motion(table: CsvTable, robot: Robot, *, may_jump: bool = False) -> Motion:
    """Times, positions, and their rates of the table or of the spline through the positions."""
    columns, others = found_columns(table, robot)
    refuse_foreign(table, columns, others, robot)
    wanted = [quantity for quantity in STATE if quantity == "q" or set(names_of(quantity, robot)) & set(columns)]
    names = ["t", *(name for quantity in wanted for name in names_of(quantity, robot))]
    values = table.numbers(table.required(columns, names))
    if len(values) < 2:
        raise TableError(f"{table.file} has {len(values)} rows of numbers; a motion needs two at least")
    t = values[:, 0]
    found = dict(zip(wanted, np.split(values[:, 1:], len(wanted), axis=1), strict=True))
    if len(wanted) == len(STATE):
        check_times(table, t, may_stand_twice=may_jump)
        return Motion(t, *(found[name] for name in STATE))
    check_times(table, t)
    spline = spline_through(t, found["q"])
    moves = ~_rests(found["q"], np.abs(spline(t, nu=1)))
    rates = (found[name] if name in found else moves * spline(t, nu=order) for order, name in enumerate(STATE))
    return Motion(t, *rates)


ALIKE = 5
"""Rows in a row, at the least, in which a joint that stands still does not move."""

IN_STEPS = 0.1
"""Of the usual way from row to row: where the least is more, positions are rounded to few digits."""

SWINGS = 1e-6
"""Of the largest velocity: what a spline swings by where a joint stands still, away from where it stops."""


def _in_steps(moved: Array) -> bool:
    """Whether the least way from row to row, but for none, is a good part of the usual one."""
    moved = moved[moved > 0.0]
    return len(moved) > 0 and bool(moved.min() > IN_STEPS * np.median(moved))


def _rests(q: Array, speeds: Array) -> Array:
    """Where a joint stands still: inside of `ALIKE` rows or more with the same position, shape (rows, n).

    There the spline swings by little, and friction would follow the sign of that. Positions with few digits are alike
    in some rows, too: they go in steps of which none is much smaller than others, and stand still nowhere for sure.
    """
    still = np.diff(q, axis=0) == 0.0
    rests = np.zeros(q.shape, dtype=bool)
    for k, column in enumerate(still.T):
        if _in_steps(np.abs(np.diff(q[:, k]))):
            continue
        changes = np.diff(np.concatenate([[0], column.astype(int), [0]]))
        for first, last in zip(np.flatnonzero(changes == 1), np.flatnonzero(changes == -1), strict=True):
            if last - first + 1 >= ALIKE:  # rows first to last are alike
                rests[first : last + 1, k] = True
    slow: Array = speeds <= SWINGS * speeds.max(axis=0)
    return rests & slow


def spline_through(t: Array, values: Array) -> Callable[..., Array]:
    """The quintic spline through values over time, shape (rows, n); of fewer than six rows one of a lower degree.

    Its derivatives are ``spline(t, nu=1)`` and ``spline(t, nu=2)``.
    """
    from scipy.interpolate import make_interp_spline  # noqa: PLC0415 - slow to import

    spline: Callable[..., Array] = make_interp_spline(t, values, k=min(5, len(t) - 1))
    return spline


def check_times(
    table: CsvTable, t: Array, lines: Sequence[int] | None = None, *, may_stand_twice: bool = False
) -> None:
    """Raise where times, s, do not rise; ``lines`` says in which lines they stand where rows were left out."""
    falls = np.flatnonzero(~((np.diff(t) >= 0.0) if may_stand_twice else (np.diff(t) > 0.0)))
    if falls.size:
        k = int(falls[0]) + 1
        line = table.rows[k][0] if lines is None else lines[k]
        raise table.error(
            f"{table.file}:{line} t is {t[k]:.12g} s, behind {t[k - 1]:.12g} s; expected rows each with a "
            "time after that of the row before"
        )


def _states(table: CsvTable, columns: Mapping[str, Column], robot: Robot) -> States:
    values = dict(zip(columns, table.numbers(list(columns.values())).T, strict=True))
    zero = np.zeros(len(table.rows))
    states = [np.stack([values.get(name, zero) for name in names_of(quantity, robot)], axis=-1) for quantity in STATE]
    return States(values.get("t"), *states)


def names_of(quantity: str, robot: Robot) -> list[str]:
    """The columns of a quantity, one for each joint."""
    return [f"{quantity}_{joint}" for joint in robot.joint_names]


def _joints(robot: Robot) -> str:
    return ", ".join(robot.joint_names)


def _unnamed(table: CsvTable, robot: Robot) -> dict[str, Column]:
    """The columns of a table without a header: q, then qd, then qdd of all joints, as far as they go."""
    names = [name for quantity in STATE for name in names_of(quantity, robot)]
    size, n = len(table.first), robot.dof
    if size not in (n, 2 * n, 3 * n):
        raise ShapeError(
            f"{table.file} has {size} columns and no header; expected {n}, {2 * n} or {3 * n}: q, then qd, then qdd of "
            f"{_joints(robot)}"
        )
    return {name: Column(k, name) for k, name in enumerate(names[:size])}


def _named(table: CsvTable, robot: Robot) -> dict[str, Column]:
    """The columns that a header names, by quantity and joint; a warning names what is missing or not used."""
    columns, others = found_columns(table, robot)
    if not set(columns) - {"t"}:
        raise table.error(
            f"{table.where} names no state{comma_hint(*others)}; expected columns such as q_{robot.joint_names[0]}, of "
            f"the joints {_joints(robot)}"
        )
    refuse_foreign(table, columns, others, robot)
    named = [names_of(quantity, robot) for quantity in STATE]
    as_zero = [name for names in named if set(names) & set(columns) for name in names if name not in columns]
    if as_zero:
        warnings.warn(f"{table.file}: no column {', '.join(as_zero)}; taken as zero", stacklevel=2)
    _warn_of_others(table, others)
    return columns


def _warn_of_others(table: CsvTable, others: Sequence[str]) -> None:
    if others:
        warnings.warn(f"{table.file}: {unused(others)}", stacklevel=3)


def found_columns(
    table: CsvTable, robot: Robot, quantities: Sequence[str] = STATE
) -> tuple[dict[str, Column], list[str]]:
    """The columns of these quantities and of times by name, and the labels of the others."""
    known = {
        f"{quantity}_{joint.name}": units_of(quantity, joint.kind) for quantity in quantities for joint in robot.joints
    }
    return table.columns(known | {"t": OF_TIME})


def refuse_foreign(
    table: CsvTable,
    columns: Mapping[str, Column],
    others: Sequence[str],
    robot: Robot,
    quantities: Sequence[str] = STATE,
) -> None:
    """Raise for a column of a joint that does not exist, in the place of one that does."""
    for quantity in quantities:
        names = names_of(quantity, robot)
        absent = [name for name in names if name not in columns]
        unknown = [label for label in others if label.startswith(f"{quantity}_")]
        if absent and unknown:
            raise UnknownName.of("column", unknown[0], names, f"{table.where} for {robot.name!r}")
