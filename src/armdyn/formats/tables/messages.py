"""Messages with names of joints, e.g. ROS's JointState, as a table with one column per joint and quantity."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from armdyn.formats.tables.table import Table
from armdyn.spatial.rotations import Array

FIELDS = {"q": "position", "qd": "velocity", "tau": "effort"}
"""The quantities of armdyn, and the fields of a JointState that hold them."""


class Message(NamedTuple):
    """A message with joints: its topic, the stamp in ns, names, and the values by field."""

    topic: str
    stamp: int
    names: tuple[str, ...]
    values: Mapping[str, tuple[float, ...]]


def table_of_messages(messages: Sequence[Message], source: str) -> Table:
    """The table of messages: a column of stamps, and one for each joint and quantity; NaN if a message lacks it."""
    joints = list(dict.fromkeys(name for message in messages for name in message.names))
    columns: dict[str, Array] = {"t [ns]": np.array([message.stamp for message in messages], dtype=np.int64)}
    for quantity, field in FIELDS.items():
        values = np.full((len(messages), len(joints)), np.nan)
        place = {name: k for k, name in enumerate(joints)}
        for row, message in enumerate(messages):
            numbers = message.values.get(field, ())
            if len(numbers) == len(message.names):
                values[row, [place[name] for name in message.names]] = numbers
        if not np.isnan(values).all():
            columns |= {f"{quantity}_{name}": values[:, k] for k, name in enumerate(joints)}
    return Table(source, columns, np.arange(len(messages)), "message")
