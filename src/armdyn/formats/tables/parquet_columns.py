"""Columns of a Parquet file, including lists, e.g. LeRobot's ``observation.state``."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from armdyn.base.errors import ArmdynError
from armdyn.base.extras import extra
from armdyn.formats.tables.columns import table_of
from armdyn.formats.tables.table import Table, no_file
from armdyn.spatial.rotations import Array

LEROBOT_INFO = ("meta/info.json", "../meta/info.json", "../../meta/info.json", "../../../meta/info.json")
"""Places of a LeRobot data set's description, from the folder of a file with its episodes."""


def read_parquet(path: Path, error: type[ArmdynError]) -> Table:
    """The columns of numbers of a Parquet file.

    Raises:
        error: a file that does not exist or is not Parquet.
        MissingLibrary: pyarrow is not installed.
    """
    pq = extra("pyarrow.parquet", "reading a Parquet file", name="parquet", library="pyarrow")
    try:
        table = pq.read_table(path)
    except FileNotFoundError:
        raise error(no_file(path)) from None
    except (OSError, ValueError) as problem:  # pyarrow's errors are both
        raise error(f"{str(path)!r} is not a Parquet file: {problem}") from None
    columns = {name: _values(table.column(name)) for name in table.column_names}
    return table_of(columns, str(path), entry_names=_entry_names(path))


def _values(column: Any) -> Any:
    """The values of a column; lists of one length as the rows of an array."""
    kind = str(column.type)
    if "list" not in kind:
        return column.to_numpy()
    flat = column.combine_chunks()
    fixed = not hasattr(flat, "offsets")
    lengths = np.full(len(flat), column.type.list_size) if fixed else np.diff(np.asarray(flat.offsets))
    if not len(lengths) or (lengths != lengths[0]).any() or column.null_count:
        return np.array(column.to_pylist(), dtype=object)
    values: Array = np.asarray(flat.flatten().to_numpy(zero_copy_only=False)).reshape(len(column), -1)
    return values


def _entry_names(path: Path) -> dict[str, tuple[str, ...]]:
    """The names of the entries of list columns, by a LeRobot data set's description."""
    for place in LEROBOT_INFO:
        info = path.parent / place
        try:
            features = json.loads(info.read_text(encoding="utf-8"))["features"]
        except (OSError, ValueError, KeyError, TypeError):
            continue
        if isinstance(features, Mapping):
            return {name: names for name, feature in features.items() if (names := _flat_names(feature))}
    return {}


def _flat_names(feature: Any) -> tuple[str, ...]:
    """The names of a feature: a list of texts, or the first list of them in a mapping."""
    names = feature.get("names") if isinstance(feature, Mapping) else None
    if isinstance(names, Mapping):
        names = next((value for value in names.values() if isinstance(value, list)), None)
    return tuple(names) if isinstance(names, list) and all(isinstance(name, str) for name in names) else ()
