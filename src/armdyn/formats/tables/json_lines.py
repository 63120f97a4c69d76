"""JSON, one state per line, as a running robot sends it and ``armdyn view --listen`` reads it.

A line is ``{"t": 0.1, "q": [...], "qd": [...], "tau": [...]}``, or ROS's ``{"name": [...], "position": [...],
"velocity": [...], "effort": [...], "header": {"stamp": {...}}}``. Lines that are neither are left out, and named.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping
from typing import Any

import numpy as np

from armdyn.base.errors import ArmdynError
from armdyn.formats.tables.messages import Message, table_of_messages
from armdyn.formats.tables.table import Table, row_list
from armdyn.spatial.rotations import Array

QUANTITIES = ("q", "qd", "qdd", "tau", "current")


def is_json_lines(text: str) -> bool:
    """True if the first line that is not blank is a JSON object or array."""
    return text.lstrip("\ufeff \t\r\n")[:1] in ("{", "[")


def parse_json_lines(text: str, name: str, error: type[ArmdynError]) -> Table:
    """The table of the states in a text.

    Args:
        text: one state per line.
        name: of the source, for messages.
        error: the class of errors.

    Raises:
        error: no line with a state.
    """
    states: list[tuple[int, Mapping[str, Any]]] = []
    left_out: dict[str, list[int]] = {}
    for number, line in enumerate(text.removeprefix("\ufeff").splitlines(), 1):
        if not line.strip():
            continue
        try:
            data = json.loads(line)
        except (ValueError, RecursionError):
            left_out.setdefault("without JSON", []).append(number)
            continue
        data = {"q": data} if isinstance(data, list) else data
        if isinstance(data, Mapping) and (data.get("q") is not None or data.get("name") is not None):
            states.append((number, data))
        else:
            left_out.setdefault("without q and without names of joints", []).append(number)
    if not states:
        raise error(
            f'{name} has no line with a state; expected {{"t": 0.1, "q": [...]}} a line, a number for each joint, or '
            'ROS\'s {"name": [...], "position": [...]}'
        )
    by_name = [(number, data) for number, data in states if data.get("name") is not None]
    if len(by_name) > 0.5 * len(states):
        left_out |= {"without names of joints": [line for line, data in states if data.get("name") is None]}
        table = _by_names(by_name, name, left_out)
    else:
        left_out |= {"with names of joints": [line for line, _ in by_name]}
        table = _by_places([pair for pair in states if pair[1].get("name") is None], name, left_out)
    notes = [
        f"{len(lines)} line{'s' if len(lines) > 1 else ''} {why} left out: {row_list(np.array(lines), 'line')}"
        for why, lines in left_out.items()
        if lines
    ]
    return Table(table.source, table.columns, table.rows, "line", notes=tuple(notes))


def _by_places(states: list[tuple[int, Mapping[str, Any]]], name: str, left_out: dict[str, list[int]]) -> Table:
    """The table of states whose arrays are in the order of the robot's joints."""
    usual = Counter(_size(data["q"]) for _, data in states).most_common(1)[0][0]
    odd = [line for line, data in states if _size(data["q"]) != usual]
    left_out[f"whose q has another number of joints than {usual}"] = odd
    chosen = [(line, data) for line, data in states if _size(data["q"]) == usual]
    columns: dict[str, Array] = {}
    if any(data.get("t") is not None for _, data in chosen):
        columns["t"] = np.array([_number(data.get("t")) for _, data in chosen])
    for quantity in QUANTITIES:
        if any(data.get(quantity) is not None for _, data in chosen):
            columns[quantity] = np.array([_numbers(data.get(quantity), usual) for _, data in chosen])
    return Table(name, columns, np.array([line for line, _ in chosen]), "line")


def _by_names(states: list[tuple[int, Mapping[str, Any]]], name: str, left_out: dict[str, list[int]]) -> Table:
    """The table of ROS's joint states."""
    messages, lines, odd = [], [], []
    for line, data in states:
        names = data["name"]
        if not isinstance(names, list) or not all(isinstance(each, str) for each in names):
            odd.append(line)
            continue
        values = {
            field: tuple(_numbers(data.get(field), len(names)))
            for field in ("position", "velocity", "effort")
            if data.get(field)
        }
        messages.append(Message("", _stamp(data), tuple(names), values))
        lines.append(line)
    left_out["whose names are not texts"] = odd
    table = table_of_messages(messages, name)
    columns = dict(table.columns)
    stamped = [message.stamp != 0 for message in messages]
    if not any(stamped):
        t = [_number(data.get("t")) for line, data in states if line in set(lines)]
        columns.pop("t [ns]")
        columns = ({} if np.isnan(t).all() else {"t": np.array(t)}) | columns
    return Table(name, columns, np.array(lines), "line")


def _size(values: object) -> int:
    return len(values) if isinstance(values, list) else 0


def _numbers(values: Any, size: int) -> list[float]:
    """Numbers of a list; NaN for what is not a number, and for all if the list has another length."""
    return [_number(value) for value in values] if _size(values) == size else [np.nan] * size


def _number(value: Any) -> float:
    return float(value) if isinstance(value, int | float) and not isinstance(value, bool) else np.nan


def _stamp(data: Mapping[str, object]) -> int:
    """The stamp of a header, ns; 0 without one."""
    header = data.get("header")
    stamp = header.get("stamp") if isinstance(header, Mapping) else None
    if not isinstance(stamp, Mapping):
        return 0
    names = (("sec", "secs"), ("nanosec", "nsecs"))
    parts = [_number(stamp.get(first, stamp.get(second, 0))) for first, second in names]
    return 0 if not np.isfinite(parts).all() else int(parts[0]) * 10**9 + int(parts[1])
