"""A log of joint states: a csv of positions over time, and what else of the motion was recorded."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from armdyn.checks import number
from armdyn.errors import ArmdynError, ShapeError
from armdyn.formats.csv_table import Column, CsvTable, TableError, unused
from armdyn.robot import Robot
from armdyn.simulation.files.joint_tables import check_times, found_columns, names_of, refuse_foreign, spline_through
from armdyn.spatial.rotations import Array

QUANTITIES = ("q", "qd", "qdd", "tau")


@dataclass(frozen=True, eq=False)
class Log:
    """A recording of the joints of a robot.

    Args:
        name: of the file, without its ending.
        t: times, s, rising, shape (T,).
        q: joint positions, rad or m, shape (T, n).
        qd: joint velocities, rad/s or m/s, shape (T, n); None where they were not recorded.
        qdd: joint accelerations, rad/s^2 or m/s^2, shape (T, n); None where they were not recorded.
        tau: joint forces, N m or N, shape (T, n); None where they were not recorded.
        notes: rows that were left out and columns that are not used, one sentence each.
    """

    name: str
    t: Array
    q: Array
    qd: Array | None = None
    qdd: Array | None = None
    tau: Array | None = None
    notes: tuple[str, ...] = ()


def read_log_file(
    path: Path, robot: Robot, *, rate: float | None = None, fewest: int = 1, error: type[ArmdynError] = TableError
) -> Log:
    """The states in a csv: a column t, q_JOINT for each joint, and qd_, qdd_ and tau_ where they were recorded.

    Units stand in the header, such as "q_elbow [deg]". A table without a header has q, then qd, then qdd of all joints
    as far as they go, with t in front or not. Rows with NaN or infinity are left out, which a note says.

    Args:
        path: of the file, or "-" for standard input.
        robot: whose joints the columns name.
        rate: rows a second, Hz, of a log without times.
        fewest: rows that it must have.
        error: the class of errors.

    Raises:
        error: no table; no times and no rate, or both; times that do not rise; columns that are missing for some
            joints; too few rows.
        UnknownName: a column of a joint that the robot does not have, in the place of one that is missing.
        ShapeError: a table without a header whose columns are not those of q, qd and qdd.
    """
    table = CsvTable.read(path, "a csv of joint states over time: t, q_JOINT, ..., and a row for each", error=error)
    notes: list[str] = []
    columns: Mapping[str, Column]
    if table.has_header:
        columns, others = columns_of(table, robot)
        if others:
            notes.append(unused(others))
    else:
        columns = {name: Column(k, name) for k, name in enumerate(unnamed(len(table.first), robot, table.file))}
    _check_clock(table, timed="t" in columns, rate=rate)
    values = table.numbers(list(columns.values()), finite=False)
    finite = np.isfinite(values).all(axis=1)
    lines = [line for line, _ in table.rows]
    if not finite.all():
        lost = np.flatnonzero(~finite)
        notes.append(f"{len(lost)} rows with NaN or infinity left out: the first in line {lines[int(lost[0])]}")
    if finite.sum() < fewest:
        without = f", without {(~finite).sum()} that are not finite" if not finite.all() else ""
        raise error(f"{table.file} has {finite.sum()} rows of numbers{without}; a motion needs {fewest} at least")
    kept = dict(zip(columns, values[finite].T, strict=True))
    if "t" in kept:
        check_times(table, kept["t"], [lines[int(k)] for k in np.flatnonzero(finite)])
    t = kept["t"] if "t" in kept else np.flatnonzero(finite) / float(rate or 1.0)
    arrays = {
        quantity: np.stack([kept[name] for name in names_of(quantity, robot)], axis=-1)
        for quantity in QUANTITIES
        if names_of(quantity, robot)[0] in kept
    }
    return Log(Path(table.file).stem, t, arrays.pop("q"), **arrays, notes=tuple(notes))


def _check_clock(table: CsvTable, *, timed: bool, rate: float | None) -> None:
    """Raise unless either the table says when its rows were recorded, or the rate does."""
    if rate is not None:
        number("rate", rate, above=0.0, unit="Hz", error=table.error)
    if not timed and rate is None:
        raise table.error(
            f"{table.where} has no column t, so that it does not say when; give it one, such as 't [s]', or say how "
            "many rows there are in a second: --rate HZ, rate= in Python"
        )
    if timed and rate is not None:
        raise table.error(f"{table.where} has a column t, and rate={rate:g} Hz is given too; leave the rate out")


def known_columns(robot: Robot) -> dict[str, tuple[str, int]]:
    """The names of the columns of a robot's states: the quantity of each, and the place of its joint in q.

    >>> known_columns(armdyn.load("rp"))["qd_joint_2"]
    ('qd', 1)
    """
    return {name: (quantity, k) for quantity in QUANTITIES for k, name in enumerate(names_of(quantity, robot))}


def columns_of(table: CsvTable, robot: Robot) -> tuple[dict[str, Column], list[str]]:
    """The columns that a header names of a robot's states, and t, by name; the labels of others.

    Raises:
        TableError: no position of some joint, a quantity of some joints only; of the table's own class.
        UnknownName: a column of a joint that the robot does not have, in the place of one that is missing.
    """
    found, others = found_columns(table, robot, QUANTITIES)
    wanted = [what for what in QUANTITIES if what == "q" or set(names_of(what, robot)) & set(found)]
    refuse_foreign(table, found, others, robot, wanted)
    for what in wanted:
        table.required(found, names_of(what, robot))
    return found, others


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
    names = [name for quantity in QUANTITIES[:3] for name in names_of(quantity, robot)]
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


def rates_of(t: Array, q: Array, qd: Array | None, qdd: Array | None) -> tuple[Array, Array, list[str]]:
    """Velocities and accelerations, with those made up that were not recorded, and notes of them.

    They are derivatives of the quintic spline through the positions, or of that through recorded velocities: what a
    smooth motion has, up to its first and last row, where differences are off by their step. It does not smooth: the
    noise of positions comes into accelerations by about its size over the square of the time between rows.

    Args:
        t: times, s, rising, shape (T,).
        q: joint positions, rad or m, shape (T, n).
        qd: joint velocities, rad/s or m/s, shape (T, n); None where they are not known.
        qdd: joint accelerations, rad/s^2 or m/s^2, shape (T, n); None where they are not known.
    """
    if len(t) < 2:
        return np.zeros_like(q) if qd is None else qd, np.zeros_like(q) if qdd is None else qdd, []
    if qd is not None and qdd is not None:
        return qd, qdd, []
    said = "quintic spline through the recorded"
    if qd is not None:
        return qd, spline_through(t, qd)(t, nu=1), [f"qdd: derivative of the {said} velocities"]
    spline = spline_through(t, q)
    if qdd is not None:
        return spline(t, nu=1), qdd, [f"qd: derivative of the {said} positions"]
    return spline(t, nu=1), spline(t, nu=2), [f"qd and qdd: derivatives of the {said} positions"]
