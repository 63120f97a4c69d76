"""A log of joint states, a csv with times and units in its header, as a recording."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import numpy as np

from armdyn.errors import ArmdynError, ShapeError, UnknownName
from armdyn.formats.csv_table import OF_TIME, Column, CsvTable, units_of
from armdyn.robot import Robot
from armdyn.spatial.rotations import Array
from armdyn.viewer.errors import LogError
from armdyn.viewer.recording import Recording

QUANTITIES = ("q", "qd", "qdd", "tau")


def known_columns(robot: Robot) -> dict[str, tuple[str, int]]:
    """The names of the columns of a robot's states: the quantity of each, and the place of its joint in q.

    >>> known_columns(armdyn.load("rp"))["qd_joint_2"]
    ('qd', 1)
    """
    return {
        f"{quantity}_{joint}": (quantity, k) for quantity in QUANTITIES for k, joint in enumerate(robot.joint_names)
    }


def columns_of(table: CsvTable, robot: Robot) -> dict[str, Column]:
    """The columns that a header names of a robot's states, and t, by name; others are not used.

    Raises:
        LogError: no position of some joint, a quantity of some joints only; or the table's own class of errors.
        UnknownName: a column of a joint that the robot does not have, in the place of one that is missing.
    """
    units = {name: units_of(quantity, robot.joints[k].kind) for name, (quantity, k) in known_columns(robot).items()}
    found, others = table.columns(units | {"t": OF_TIME})
    for quantity in QUANTITIES:
        names = [f"{quantity}_{joint}" for joint in robot.joint_names]
        missing = [name for name in names if name not in found]
        foreign = [label for label in others if label.startswith(f"{quantity}_")]
        if missing and foreign:
            raise UnknownName.of("column", foreign[0], names, f"{table.where} for {robot.name!r}")
        if missing and (quantity == "q" or len(missing) < len(names)):
            raise table.error(
                f"{table.where} has no column {', '.join(missing)}; expected one for each joint of {robot.name!r}"
            )
    return found


def unnamed(count: int, robot: Robot, what: str, error: type[ArmdynError] = ShapeError) -> tuple[str, ...]:
    """The names of columns without a header: q, qd and qdd of all joints as far as they go, with t in front or not.

    >>> unnamed(5, armdyn.load("rp"), "a line")
    ('t', 'q_joint_1', 'q_joint_2', 'qd_joint_1', 'qd_joint_2')

    Args:
        count: of the columns.
        robot: whose joints they are of.
        what: has them, for messages.
        error: the class of errors.

    Raises:
        error: another number of columns, or one that can be read with and without a time.
    """
    n = robot.dof
    names = [f"{quantity}_{joint}" for quantity in QUANTITIES[:3] for joint in robot.joint_names]
    plain, timed = count in (n, 2 * n, 3 * n), count - 1 in (n, 2 * n, 3 * n)
    joints = ", ".join(robot.joint_names)
    if plain and timed:
        raise error(
            f"{what} has {count} numbers, with a time in front or without; expected a header that names them, such as "
            f"t,q_{robot.joint_names[0]}"
        )
    if not plain and not timed:
        raise error(
            f"{what} has {count} numbers; expected {n}, {2 * n} or {3 * n}: q, then qd, then qdd of {joints}, or one "
            "more with the time in front"
        )
    return ("t", *names[: count - 1]) if timed else tuple(names[:count])


def read_log(path: Path, robot: Robot, *, rate: float | None = None) -> Recording:
    """The motion in a csv: a column t, q_JOINT for each joint, and qd_, qdd_ and tau_ where they are known.

    Units stand in the header, such as "q_elbow [deg]". Rows with NaN or infinity are left out, which a note says.

    Args:
        path: of the file, or "-" for standard input.
        robot: whose joints the columns name.
        rate: rows a second, Hz, of a log without times.

    Raises:
        LogError: no table, no times and no rate, times that do not rise, columns that are missing.
        UnknownName: a column of a joint that the robot does not have.
        ShapeError: a table without a header whose columns are not those of q, qd and qdd.
    """
    table = CsvTable.read(path, "a csv of states over time, a row for each", error=LogError)
    columns: Mapping[str, Column]
    if table.has_header:
        columns = columns_of(table, robot)
    else:
        columns = {name: Column(k, name) for k, name in enumerate(unnamed(len(table.first), robot, table.file))}
    if not table.rows:
        raise LogError(f"{table.file} has a header and no rows")
    if "t" not in columns and rate is None:
        raise LogError(f"{table.file} has no column t; say how many rows a second it has: rate=, --rate")
    values = table.numbers(list(columns.values()), finite=False)
    by_name = dict(zip(columns, values.T, strict=True))
    t = by_name["t"] if "t" in by_name else np.arange(len(values)) / float(rate or 1.0)
    return _recording(table, robot, t, by_name)


def _recording(table: CsvTable, robot: Robot, t: Array, by_name: Mapping[str, Array]) -> Recording:
    parts = {
        quantity: np.stack([by_name[f"{quantity}_{joint}"] for joint in robot.joint_names], axis=-1)
        for quantity in QUANTITIES
        if f"{quantity}_{robot.joint_names[0]}" in by_name
    }
    finite = np.isfinite(np.column_stack([t, *parts.values()])).all(axis=1)
    if not finite.any():
        raise LogError(f"{table.file} has no row of finite numbers")
    notes = []
    if not finite.all():
        lines = [table.rows[int(k)][0] for k in np.flatnonzero(~finite)]
        notes.append(f"{len(lines)} rows with NaN or infinity left out: the first in line {lines[0]}")
    kept = t[finite]
    falls = np.flatnonzero(~(np.diff(kept) > 0.0))
    if falls.size:
        k = int(falls[0])
        line = table.rows[int(np.flatnonzero(finite)[k + 1])][0]
        raise LogError(
            f"{table.file}:{line} t is {kept[k + 1]:.12g} s, behind {kept[k]:.12g} s; expected rows each with a time "
            "after that of the row before"
        )
    arrays = {quantity: values[finite] for quantity, values in parts.items()}
    return Recording(kept, arrays.pop("q"), **arrays, name=Path(table.file).stem, notes=tuple(notes))
