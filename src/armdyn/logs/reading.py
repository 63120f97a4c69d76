"""`read`: a log of joint states from any table, joined by the names of joints, in the robot's order and in SI."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from armdyn.base.fields import set_fields
from armdyn.formats.tables.table import Table, row_list
from armdyn.logs.channels import channel_findings, check_units_of_motion, damaged_rows, spikes
from armdyn.logs.drive_gains import with_gains
from armdyn.logs.drives import Drives
from armdyn.logs.errors import LogError
from armdyn.logs.log import Finding, Log
from armdyn.logs.selection import NAMES, Chosen, ColumnNames, chosen_columns
from armdyn.logs.sources import Source, table_of
from armdyn.logs.stamps import findings_of_intervals, findings_of_stamps, rising_rows, seconds
from armdyn.logs.units import check_units
from armdyn.logs.values import Units, check_clock, factor_of_time, values_of
from armdyn.spatial.rotations import Array

if TYPE_CHECKING:
    from armdyn.functions.robot_like import RobotLike


def read(
    source: Source,
    robot: RobotLike,
    *,
    columns: ColumnNames | None = None,
    units: Mapping[str, str | Sequence[str]] | None = None,
    gains: ArrayLike | None = None,
    drives: ArrayLike | None = None,
    zeros: ArrayLike | None = None,
    rate: float | None = None,
    topic: str | None = None,
    name: str | None = None,
    fewest: int = 1,
) -> Log:
    """A log of joint states (t, q, qd, qdd, tau, current, q_ref) of a robot, in SI, shape (T, n) each.

    Columns are joined by the names of joints, and ordered as the robot's. Without ``columns`` the labels decide: those
    of armdyn (t, q_JOINT, qd_JOINT, qdd_JOINT, tau_JOINT, with units such as "q_elbow [deg]"), of UR's RTDE, libfranka,
    ROS's JointState and LeRobot; a table without a header has q, then qd, then qdd, with the time in front or not. The
    log states its guesses.

    Rows of another length, with NaN, infinity or numbers above 1e6, single rows of positions far from both neighbours,
    and rows outside the longest rising sequence of stamps are left out, and named by `Log.findings`. Gaps, jitter,
    constant and saturated channels are named there, too.

    Args:
        source: the path of a csv (any separator), Parquet, npz, MCAP or ROS bag; "-" for standard input; a data frame
            of pandas or polars; a mapping of arrays such as {"t": t, "q": q}; lines of text; a `armdyn.Trajectory`.
        robot: whose joints these are.
        columns: the columns of t, q, qd, qdd, tau, current and q_ref (goals of position servos): a label with {i} (a
            number from 0 or 1) or {joint}, a list of labels, one label of a column of lists, a number, or a slice of
            numbers.
        units: units by quantity, such as {"q": "deg", "t": "ms"}; one, or one for each joint.
        gains: joint force per current, N m/A or N/A, one, or one for each joint: tau = gains * current. With ``drives``
            torque of the motor per current, N m/A.
        drives: of logs of motors: gear ratios, shape (n,), or the matrix A of turns of the motor of a row per turn of
            the joint of a column, shape (n, n), such as in coupled wrists: theta = A (q - zeros), tau = A^T tau_m.
        zeros: positions of the joints at which the positions in the log are zero, rad or m, shape (n,).
        rate: rows per second, Hz, of a log without times.
        topic: of the messages of a bag.
        name: of the log, for messages; that of the file if None.
        fewest: rows that it must have.

    Raises:
        LogError: no such file, no table, no times and no rate or both, columns that are missing, degrees that are read
            as radians, columns of joints in another order.
        UnknownName: a column, joint, quantity or topic that does not exist.
        MissingLibrary: a library for Parquet or bags that is not installed.

    >>> log = armdyn.logs.read({"timestamp": [10.0, 10.1], "actual_q_0": [0, 90], "actual_q_1": [0.1, 0.2]},
    ...                        armdyn.load("rp"), units={"q": ["deg", "m"]})
    >>> log.q[1].round(4), log.t, log.start
    (array([1.5708, 0.2   ]), array([0. , 0.1]), 10.0)
    """
    if isinstance(source, Log):
        source.require_joints_of(robot)
        if drives is not None or zeros is not None:
            raise LogError(f"log {source.name!r} is read already; drives= and zeros= belong to the call that reads it")
        return source if gains is None else with_gains(source, robot, gains)
    check_units(units or {}, NAMES)
    table = table_of(source, topic)
    if shorter := next((label for label in NAMES if label in table.lengths), None):
        raise LogError(f"{table.source}: {shorter} has {table.lengths[shorter]} rows; expected {len(table)}, as others")
    places, guesses = chosen_columns(table, robot, columns)
    if not len(table) and not table.odd:
        below = "has a header and no rows below it" if table.header else "has no rows"
        raise LogError(f"{table.source} {below}; expected a row for each time")
    if "q" not in places:
        raise LogError(f"{table.source}: columns= names no positions; expected {{'q': ...}} among them")
    side = Drives.of(drives, zeros, robot)
    log = _log(table, places, robot, units or {}, rate, fewest, name or _name(table.source), guesses, side)
    return log if gains is None else with_gains(log, robot, gains)


def _log(
    table: Table,
    places: Chosen,
    robot: RobotLike,
    units: Units,
    rate: float | None,
    fewest: int,
    name: str,
    guesses: list[str],
    drives: Drives | None,
) -> Log:
    """The log of chosen columns, with damaged rows left out."""
    arrays = {
        quantity: values_of(table, quantity, places[quantity], robot, units) for quantity in places if quantity != "t"
    }
    if drives is not None:
        arrays = {quantity: drives.on_joints(quantity, values) for quantity, values in arrays.items()}
    used = {place.label for chosen in places.values() for place in chosen}
    findings = [Finding("unreadable rows", note, used=False) for note in table.notes]
    findings += _odd_rows(table)
    if others := [label for label in table.labels if label not in used and table.has_labels]:
        findings.append(Finding("other columns", f"columns not used: {', '.join(map(repr, others))}", used=False))
    t, start, guess = _times(table, places, units, rate)
    if guess is not None:
        guesses = [*guesses, guess]
    bad = damaged_rows(arrays, t)
    if bad.any():
        findings.append(_damage(arrays, bad, table))
    keep = np.flatnonzero(~bad)
    rising = rising_rows(t[keep])
    findings += findings_of_stamps(t[keep], rising, table.rows[keep], table.row_word)
    keep = keep[rising]
    jumps = spikes(arrays["q"][keep], t[keep])
    if jumps.any():
        where = row_list(table.rows[keep][jumps], table.row_word)
        rows_said = "1 single row" if jumps.sum() == 1 else f"{jumps.sum()} single rows"
        text = f"{rows_said} of positions far from both neighbours left out: {where}"
        findings.append(Finding("spike", text, used=False))
        keep = keep[~jumps]
    if len(keep) < fewest:
        raise LogError(
            f"{table.source} has {len(keep)} rows of numbers{_without(len(t) - len(keep))}; a motion needs {fewest} at "
            "least"
        )
    rows = table.rows[keep]
    findings += findings_of_intervals(t[keep], rows, table.row_word)
    values_of_rows = {quantity: np.ascontiguousarray(values[keep]) for quantity, values in arrays.items()}
    origin = float(t[keep[0]]) if len(keep) else 0.0
    log = Log(name, tuple(robot.joint_names), t[keep] - origin, **values_of_rows, start=start + origin)  # type: ignore[arg-type]
    findings += channel_findings(log, rows, table.row_word)
    stated = "q" in units or all(place.unit is not None for place in places["q"])
    if not stated:
        findings += check_units_of_motion(log, robot)
    set_fields(log, findings=tuple(findings), drives=None if drives is None else drives.matrix, guesses=tuple(guesses))
    return log


def _odd_rows(table: Table) -> list[Finding]:
    """The finding of rows with another number of columns."""
    if not table.odd:
        return []
    lengths = sorted({length for _, length in table.odd})
    where = row_list(np.array([line for line, _ in table.odd]), table.row_word)
    of = f"{lengths[0]}" if len(lengths) == 1 else f"{lengths[0]} to {lengths[-1]}"
    count = "1 row" if len(table.odd) == 1 else f"{len(table.odd)} rows"
    text = f"{count} of {of} columns instead of {len(table.labels)} left out: {where}"
    return [Finding("row length", text, used=False)]


def _without(count: int) -> str:
    return f", without {count} that were left out" if count else ""


def _damage(arrays: Mapping[str, Array], bad: Array, table: Table) -> Finding:
    """The finding of rows with numbers that are not finite or not plausible."""
    infinite = np.zeros(len(bad), dtype=bool)
    for values in arrays.values():
        infinite |= ~np.isfinite(values).all(axis=1)
    content = "NaN or infinity" if (infinite | ~bad).all() else "numbers above 1e6, NaN or infinity"
    where = row_list(table.rows[bad], table.row_word)
    rows = "1 row" if bad.sum() == 1 else f"{bad.sum()} rows"
    return Finding("damaged rows", f"{rows} with {content} left out: {where}", used=False)


def _times(table: Table, places: Chosen, units: Units, rate: float | None) -> tuple[Array, float, str | None]:
    """Times, s; the first stamp, s; and the unit that was guessed.

    Raises:
        LogError: neither times nor a rate, or both.
    """
    check_clock(table, timed="t" in places, rate=rate)
    if rate is not None:
        return np.arange(len(table)) / rate, 0.0, None
    place = places["t"][0]
    return seconds(table.columns[place.label], factor_of_time(table, place, units))


def _name(source: str) -> str:
    return Path(source).stem if source not in ("-", "") else source
