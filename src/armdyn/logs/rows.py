"""`read_rows`: tables of which every row counts, such as states to be computed and motions to be followed.

The columns are chosen as `armdyn.logs.read` chooses them. A recording may have damaged rows, which it leaves out; here
each row has a result, so that a damaged row is an error.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from armdyn.formats.tables.table import Table
from armdyn.formats.tables.words import comma_hint, is_number, unused
from armdyn.logs.errors import LogError
from armdyn.logs.layouts import Place, plain_labels
from armdyn.logs.selection import NAMES, ColumnNames, chosen_columns, columns_by_count, refuse_parts, refuse_twice
from armdyn.logs.sources import Source, table_of
from armdyn.logs.stamps import unit_since_1970
from armdyn.logs.units import check_units, unit_of_column
from armdyn.logs.values import Units, UnitsOf, check_clock, factor_of_time, values_of
from armdyn.spatial.rotations import Array

if TYPE_CHECKING:
    from armdyn.functions.robot_like import RobotLike

STATE = ("q", "qd", "qdd")


class Rows(NamedTuple):
    """Rows of a table.

    Args:
        table: the columns as they stand.
        t: times, s, shape (rows,); None if the table has none.
        values: by quantity, in SI, each of shape (rows, n).
        unused: labels of columns that are not used.
    """

    table: Table
    t: Array | None
    values: dict[str, Array]
    unused: tuple[str, ...]


def read_rows(
    source: Source,
    robot: RobotLike,
    quantities: Sequence[str] = STATE,
    *,
    partial: bool = False,
    timed: bool = True,
    columns: ColumnNames | None = None,
    units: Units | None = None,
    rate: float | None = None,
    units_of: UnitsOf = unit_of_column,
) -> Rows:
    """The rows of a table with some quantities of all joints, in SI.

    Args:
        source: as of `armdyn.logs.read`.
        robot: whose joints these are.
        quantities: names of the used quantities; the first is required, the others may be missing.
        partial: True if any column may be missing, but not all: it is zero, and a warning names it.
        timed: True if times must be there, or a rate.
        columns: as of `armdyn.logs.read`.
        units: as of `armdyn.logs.read`.
        rate: rows per second, Hz, of a table without times.
        units_of: the units of columns by quantity and kind of joint.

    Raises:
        LogError: no table, columns that are missing or stand twice, a table without a header whose columns are not
            those of q, qd and qdd, a row of another length, an entry that is not a finite number.
        UnknownName: a column of a joint that the robot does not have.
    """
    check_units(units or {}, NAMES)
    table = table_of(source)
    places = _places(table, robot, quantities, columns, partial=partial)
    used = {name: chosen for name, chosen in places.items() if name == "t" or name in quantities}
    if timed:
        check_clock(table, timed="t" in used, rate=rate)
    values = {
        name: values_of(table, name, chosen, robot, units or {}, units_of)
        for name, chosen in used.items()
        if name != "t"
    }
    if "t" in used and used["t"][0] is not None:
        factor_of_time(table, used["t"][0], units or {})
    _check_length(table)
    for name, chosen in used.items():
        for k, place in enumerate(chosen):
            if place is not None:
                column = place.label if table.has_labels or name == "t" else f"{name}_{robot.joint_names[k]}"
                _check_finite(table, place, column)
    for name, array in values.items():
        _check_si(table, array, used[name])
    t = _times(table, used, units or {}, rate)
    if partial:
        _warn_of_zeros(table, used, robot)
    labels = {place.label for chosen in used.values() for place in chosen if place is not None}
    others = tuple(label for label in table.labels if label not in labels) if table.has_labels else ()
    return Rows(table, t, values, others)


def _warn_of_zeros(table: Table, places: Mapping[str, Sequence[Place | None]], robot: RobotLike) -> None:
    """Warn of joints without a column."""
    missing = [
        f"{quantity}_{joint}"
        for quantity, chosen in places.items()
        if quantity != "t"
        for joint, place in zip(robot.joint_names, chosen, strict=True)
        if place is None
    ]
    if missing:
        warnings.warn(f"{table.source}: no column {', '.join(missing)}; taken as zero", stacklevel=4)


def _check_length(table: Table) -> None:
    """Raise for a row of another length than the first, and for a table without rows."""
    table.refuse_odd_rows(LogError)
    if not len(table):
        raise LogError(f"{table.source} has a header and no rows below it; expected a row for each state")


def _places(
    table: Table, robot: RobotLike, quantities: Sequence[str], columns: ColumnNames | None, *, partial: bool
) -> dict[str, Sequence[Place | None]]:
    """The column of each joint and quantity, None for a joint without one."""
    if not table.has_labels and columns is None:
        if quantities[0] != "q":
            names = ", ".join(f"{quantities[0]}_{joint}" for joint in robot.joint_names)
            raise LogError(f"{table.source} has no header{comma_hint(*table.labels)}; expected t, {names}")
        return dict(columns_by_count(table, robot, of_states=partial))
    if partial and columns is None:
        own = _own(table, robot, quantities)
        if own is not None:
            return own
    chosen, guesses = chosen_columns(table, robot, columns, quantities[0])
    for guess in guesses:
        warnings.warn(f"{table.source}: {guess}", stacklevel=4)
    return dict(chosen)


def _own(table: Table, robot: RobotLike, quantities: Sequence[str]) -> dict[str, Sequence[Place | None]] | None:
    """The columns of armdyn's own labels, some of which may be missing; None if none of them is there."""
    labels = plain_labels(table)
    places_of = {
        quantity: [labels.get(f"{quantity}_{joint}") for joint in robot.joint_names] for quantity in quantities
    }
    named = {quantity: places for quantity, places in places_of.items() if any(places)}
    refuse_parts(table, robot, quantities, partial=True) if named else None
    if not named:
        return None
    time = next((labels[name] for name in ("t", "time") if name in labels), None)
    refuse_twice(table, {place.label for places in (*named.values(), [time]) for place in places if place})
    return {**named, **({} if time is None else {"t": [time]})}


def _check_finite(table: Table, place: Place, column_name: str) -> None:
    """Raise for an entry of a column that is not a finite number."""
    column = table.columns[place.label]
    values = column if place.entry is None else column[:, place.entry]
    bad = np.flatnonzero(~np.isfinite(values))
    if bad.size:
        k = int(bad[0])
        entry = table.entry(k, place.label)
        hint = comma_hint(entry.strip("'")) if not is_number(entry.strip("'")) else ""
        raise LogError(f"{table.place(k)} column {column_name!r} holds {entry}; expected a finite number{hint}")


def _check_si(table: Table, values: Array, chosen: Sequence[Place | None]) -> None:
    """Raise for a value that only its unit makes infinite."""
    beyond = np.argwhere(~np.isfinite(values))
    if beyond.size:
        k, j = beyond[0]
        label = chosen[j].label if chosen[j] is not None else ""
        entry = table.entry(int(k), label).strip("'")
        raise LogError(
            f"{table.place(int(k))} column {label!r} holds {entry}; expected a number that is finite in SI too"
        )


def _times(table: Table, places: dict[str, Sequence[Place | None]], units: Units, rate: float | None) -> Array | None:
    """Times, s: as they stand, or from the first row on if they count from 1970."""
    if "t" not in places:
        return None if rate is None else np.arange(len(table)) / rate
    (place,) = (place for place in places["t"] if place is not None)
    stamps = table.columns[place.label]
    factor = factor_of_time(table, place, units)
    typical = float(np.median(np.abs(stamps.astype(np.float64))))
    guess = unit_since_1970(typical) if factor is None else None
    if guess is None:
        with np.errstate(over="ignore"):
            t: Array = stamps.astype(np.float64) * (1.0 if factor is None else factor)
        _check_si(table, t[:, None], [place])
        return t
    warnings.warn(
        f"{table.source}: stamps of {typical:.4g} are taken for {guess[0]} since 1970, and count from the first row",
        stacklevel=4,
    )
    return np.asarray((stamps - stamps[0]).astype(np.float64) * guess[1])


def check_times(rows: Rows, *, may_stand_twice: bool = False) -> Array:
    """The times of rows, s, shape (rows,).

    Args:
        rows: of a table; one without times counts its rows.
        may_stand_twice: True if two rows may have one time.

    Raises:
        LogError: times that do not rise.
    """
    t = np.arange(len(rows.table), dtype=float) if rows.t is None else rows.t
    falls = np.flatnonzero(~((np.diff(t) >= 0.0) if may_stand_twice else (np.diff(t) > 0.0)))
    if falls.size:
        k = int(falls[0]) + 1
        raise LogError(
            f"{rows.table.place(k)} t is {t[k]:.12g} s, after {t[k - 1]:.12g} s; expected rows each with a time after "
            "that of the row before"
        )
    return t


def warn_of_unused(rows: Rows) -> None:
    """Warn of columns that are not used."""
    if rows.unused:
        warnings.warn(f"{rows.table.source}: {unused(rows.unused)}", stacklevel=3)
