"""The columns of each quantity: those that a caller names, or those of a known layout."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from armdyn.base.advice import either, for_each
from armdyn.base.errors import UnknownName, excerpt
from armdyn.formats.tables.table import Table
from armdyn.formats.tables.words import comma_hint
from armdyn.logs.errors import LogError
from armdyn.logs.layouts import Guess, Place, expanded, guessed, places_by_name, plain_labels
from armdyn.logs.log import QUANTITIES

if TYPE_CHECKING:
    from armdyn.functions.robot_like import RobotLike

NAMES = ("t", *QUANTITIES)

Chosen = dict[str, list[Place]]
"""The places of the columns by quantity, those of t as one of them."""

ColumnNames = Mapping[str, Any]


def chosen_columns(
    table: Table, robot: RobotLike, columns: ColumnNames | None, needed: str = "q"
) -> tuple[Chosen, list[str]]:
    """The columns of each quantity, and sentences on those that were guessed.

    Args:
        table: of the source.
        robot: whose joints these are.
        columns: those that the caller names.
        needed: the quantity without which a table is not recognised.

    Raises:
        LogError: columns that are missing or stand twice, or a table in which the needed quantity is not recognised.
        UnknownName: a quantity, column or joint that does not exist.
    """
    for name in columns or {}:
        if name not in NAMES:
            raise UnknownName.of("quantity", name, NAMES, "columns=")
    named = {name: _chosen_places(table, robot, name, choice) for name, choice in (columns or {}).items()}
    if not table.has_labels:
        return (named, []) if named else (columns_by_count(table, robot), [])
    guess = guessed(table, robot.joint_names, needed) if needed not in named else None
    if guess is None and needed not in named:
        raise unrecognised(table, robot, needed)
    if guess is None:
        labels = plain_labels(table)
        if "t" not in named:
            time = next((labels[name] for name in ("t", "time", "timestamp") if name in labels), None)
            named |= {} if time is None else {"t": [time]}
        return named, []
    if guess.layout == "armdyn":
        refuse_parts(table, robot, QUANTITIES)
    places = {**guess.places, **named}
    if "t" not in places and guess.time is not None:
        places["t"] = [guess.time]
    refuse_twice(table, {place.label for name in places if name not in named for place in places[name]})
    return places, _guesses(guess, named)


def refuse_twice(table: Table, labels: Collection[str]) -> None:
    """Raise for a column that was chosen by a label which another column has, too.

    Raises:
        LogError: such a column.
    """
    for name, places in places_by_name(table).items():
        if len(places) > 1 and any(place.label in labels for place in places):
            raise LogError(f"{table.where} names {name!r} more than once; expected each column once, or columns=")


def _chosen_places(table: Table, robot: RobotLike, quantity: str, choice: Any) -> list[Place]:
    """The places that a caller's choice means."""
    count = 1 if quantity == "t" else robot.dof
    joints = ("t",) if quantity == "t" else robot.joint_names
    labels = plain_labels(table)
    if isinstance(choice, str):
        places = [labels[choice]] if quantity == "t" and choice in labels else expanded(choice, labels, table, joints)
        if places is None and choice in table.columns:
            places = expanded(choice, {choice: Place(choice)}, table, joints)
        if places is None:
            raise UnknownName.of("column", choice, table.labels, f"{table.source} for {quantity!r}")
        return places
    single = isinstance(choice, int | np.integer) and not isinstance(choice, bool)
    listed: Sequence[object] = (
        [choice] if single else range(len(table.labels))[choice] if isinstance(choice, slice) else list(choice)
    )
    if len(listed) == 1 and count > 1:
        return _vector(table, quantity, listed[0], count)
    if len(listed) != count:
        raise LogError(
            f"columns={{{quantity!r}: {excerpt(choice)}}} names {len(listed)} columns; expected {count}"
            + (f", one for each joint: {', '.join(robot.joint_names)}" if quantity != "t" else "")
        )
    return [_place(table, labels, quantity, each) for each in listed]


def _vector(table: Table, quantity: str, each: object, count: int) -> list[Place]:
    """The entries of one column of lists."""
    place = _place(table, plain_labels(table), quantity, each)
    values = table.columns[place.label]
    if values.ndim != 2 or values.shape[1] != count:
        width = 1 if values.ndim == 1 else values.shape[1]
        raise LogError(f"column {place.label!r} of {table.source} has {width} numbers a row; expected {count}")
    return [Place(place.label, k, place.unit) for k in range(count)]


def _place(table: Table, labels: Mapping[str, Place], quantity: str, each: Any) -> Place:
    if isinstance(each, str):
        if each in labels:
            return labels[each]
        if each in table.columns:
            return Place(each)
        raise UnknownName.of("column", each, table.labels, f"{table.source} for {quantity!r}")
    width = len(table.labels)
    if isinstance(each, bool) or not isinstance(each, int | np.integer) or not -width <= each < width:
        raise LogError(
            f"columns={{{quantity!r}: ...}} names column {excerpt(each)} of {table.source}, which has {width}; "
            f"expected a number from 0 to {width - 1}, or a label"
        )
    return plain_labels(table)[table.labels[each]] if not table.has_labels else Place(table.labels[int(each)])


def columns_by_count(table: Table, robot: RobotLike, *, of_states: bool = False) -> Chosen:
    """The columns of a table without a header: q, then qd, then qdd of all joints, with the time in front or not.

    Args:
        table: of the source.
        robot: whose joints these are.
        of_states: True for a table that can be read in both ways to have no times; it is an error otherwise.

    Raises:
        LogError: another number of columns, or one that can be read with and without a time.
    """
    n, count = robot.dof, len(table.labels)
    sizes = (n, 2 * n, 3 * n)
    plain, timed = count in sizes, count - 1 in sizes
    if plain and timed and not of_states:
        raise LogError(
            f"{table.source} has {count} columns and no header, with a time in front or without; expected a header "
            f"that names them, such as t,q_{robot.joint_names[0]}, or columns="
        )
    if not plain and not timed:
        numbers = either(f"columns={{'t': 0, 'q': slice(1, {n + 1})}}", f"--columns t=0 --columns q=1:{n + 1}")
        raise LogError(
            f"{table.source} has {count} columns and no header{comma_hint(*table.labels)}; expected {n}, {2 * n} or "
            f"{3 * n}: q, then qd, then qdd of {', '.join(robot.joint_names)}, or one more with the time in front. For "
            f"others name the columns by number: {numbers}"
        )
    first = 0 if plain else 1
    blocks = zip(("q", "qd", "qdd"), range(first, count, n), strict=False)
    columns = {quantity: [Place(str(place)) for place in range(start, start + n)] for quantity, start in blocks}
    return {"t": [Place("0")], **columns} if first else columns


def refuse_parts(table: Table, robot: RobotLike, quantities: Sequence[str], *, partial: bool = False) -> None:
    """Raise for a quantity that armdyn's own labels name for some joints only.

    Args:
        table: of the source.
        robot: whose joints these are.
        quantities: names of the used quantities.
        partial: True if columns may be missing; only those of joints that do not exist are refused.

    Raises:
        UnknownName: a column of a joint that the robot does not have, in the place of one that is missing.
        LogError: columns that are missing.
    """
    labels = plain_labels(table)
    for quantity in quantities:
        names = [f"{quantity}_{joint}" for joint in robot.joint_names]
        missing = [name for name in names if name not in labels]
        others = [name for name in labels if name.startswith(f"{quantity}_") and name not in names]
        if missing and others and (partial or len(missing) < len(names)):
            raise UnknownName.of("column", others[0], names, f"{table.where} for {robot.name!r}")
        if not missing or len(missing) == len(names) or partial:
            continue
        raise _without(table, missing, names)


def _without(table: Table, missing: Sequence[str], names: Sequence[str]) -> LogError:
    hint = comma_hint(*table.labels)
    return LogError(f"{table.where} has no column {', '.join(missing)}{hint}; expected {', '.join(names)}")


def unrecognised(table: Table, robot: RobotLike, needed: str) -> Exception:
    """The error of a table in which no layout names the needed quantity of each joint."""
    labels = plain_labels(table)
    names = [f"{needed}_{joint}" for joint in robot.joint_names]
    missing = [name for name in names if name not in labels]
    others = [name for name in labels if name.startswith(f"{needed}_") and name not in names]
    if others:
        return UnknownName.of("column", others[0], names, f"{table.where} for {robot.name!r}")
    if len(missing) < len(names):
        return _without(table, missing, names)
    values = table.columns.get(needed)
    if values is not None and values.shape[1:] != (robot.dof,):
        return LogError(
            f"{table.where}: {needed} has shape {values.shape}; expected (rows, {robot.dof}), for {robot.dof} joints "
            f"of {robot.name!r} ({', '.join(robot.joint_names)})"
        )
    return LogError(
        f"{table.where} has no column {_first(names, 3)} and none of the labels of UR's RTDE, libfranka, ROS "
        f"JointState or LeRobot for the {robot.dof} joints of {robot.name!r} ({', '.join(robot.joint_names)}); it has "
        f"{_first(list(map(repr, table.labels)), 8) or 'none'}{comma_hint(*table.labels)}. Name them: "
        f"{for_each('columns', t='...', **{needed: repr('LABEL_{i}')})}"
    )


def _first(words: Sequence[str], count: int) -> str:
    """The first words, and dots if there are more."""
    return ", ".join(words[:count]) + (", ..." if len(words) > count else "")


def _guesses(guess: Guess, named: Mapping[str, object]) -> list[str]:
    """Notes on the columns that a layout other than armdyn's own determines, one sentence each."""
    guessed_places = {quantity: places for quantity, places in guess.places.items() if quantity not in named}
    places_by_quantity = {
        quantity: places for quantity, places in guessed_places.items() if places[0].label != quantity
    }
    if guess.layout == "armdyn" or not places_by_quantity:
        return []
    parts = [
        f"{quantity} from {places[0].label!r}"
        + (f" to {places[-1].label!r}" if places[-1].label != places[0].label else "")
        for quantity, places in places_by_quantity.items()
    ]
    return [f"columns taken for those of {guess.layout}: {', '.join(parts)}; otherwise columns="]
