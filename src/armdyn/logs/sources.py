"""Sources of logs, each as a table: files by their ending, standard input, data frames, lines, motions."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np

from armdyn.base.errors import excerpt
from armdyn.formats.tables.bags import is_bag, read_bag
from armdyn.formats.tables.data_frame import is_table_like, read_frame
from armdyn.formats.tables.npz import read_npz
from armdyn.formats.tables.parquet import read_parquet
from armdyn.formats.tables.table import Table
from armdyn.formats.tables.text import parse_text, read_text
from armdyn.logs.errors import LogError

Source = Any
"""A path, "-" for standard input, a data frame, a mapping of arrays, lines of text, a motion, or a `Log`."""


def table_of(source: Source, topic: str | None = None) -> Table:
    """The table of a source.

    Args:
        source: a path, data frame, mapping, lines or motion.
        topic: of the messages of a bag.

    Raises:
        LogError: a source that is not there, damaged, or of another kind.
        UnknownName: a topic that a bag does not have.
        MissingLibrary: a library for Parquet or bags that is not installed.
    """
    if isinstance(source, str | os.PathLike):
        path = Path(source)
        if topic is not None and not is_bag(path):
            raise LogError(f"topic={topic!r} is given, and {str(path)!r} is not a bag; leave it out")
        if is_bag(path):
            return read_bag(path, LogError, topic)
        readers = {".npz": read_npz, ".parquet": read_parquet, ".pq": read_parquet}
        return readers.get(path.suffix.lower(), read_text)(path, LogError)
    if is_table_like(source):
        return read_frame(source)
    if all(hasattr(source, quantity) for quantity in ("t", "q", "qd", "tau")):
        return _of_motion(source)
    if isinstance(source, Iterable):
        lines = [line.decode() if isinstance(line, bytes) else line for line in source]
        if all(isinstance(line, str) for line in lines):
            return parse_text("\n".join(line.rstrip("\n") for line in lines), "lines", LogError)
    raise LogError(
        f"source is {excerpt(source)}; expected a path, a data frame, a mapping of arrays, lines of text or a "
        "Trajectory"
    )


def _of_motion(motion: Any) -> Table:
    """The table of a trajectory; of its q, qd, qdd and tau."""
    if motion.q.ndim != 2:
        raise LogError(f"the motion is a batch of shape {motion.q.shape[1:-1]}; expected one: trajectory.pick(0)")
    columns = {"t": motion.t} | {quantity: getattr(motion, quantity) for quantity in ("q", "qd", "qdd", "tau")}
    return Table(str(getattr(motion, "robot", "motion")), columns, np.arange(len(motion.t)))
