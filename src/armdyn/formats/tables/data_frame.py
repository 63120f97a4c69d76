"""Columns of a data frame: pandas, polars, pyarrow, or any mapping of arrays."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from armdyn.formats.tables.columns import table_of
from armdyn.formats.tables.table import Table


def is_table_like(source: object) -> bool:
    """True for a mapping of arrays and for data frames, which have columns by name."""
    return isinstance(source, Mapping) or hasattr(source, "columns") or hasattr(source, "column_names")


def read_frame(source: Any) -> Table:
    """The columns of numbers of a data frame or mapping; an index of times is the column "t".

    >>> read_frame({"t": [0.0, 0.1], "q_joint_1": [1, 2], "note": ["a", "b"]}).labels
    ('t', 'q_joint_1')
    """
    if isinstance(source, Mapping):
        return table_of(source, "arrays")
    if hasattr(source, "column_names"):  # pyarrow
        return table_of({name: source.column(name).to_numpy() for name in source.column_names}, "table")
    columns = {name: _values(source[name]) for name in source.columns}
    index = getattr(source, "index", None)  # pandas
    kind = getattr(getattr(index, "dtype", None), "kind", "")
    if kind in "Mmf" and kind and not {"t", "time", "timestamp"} & set(map(str, columns)):
        columns = {"t": np.asarray(index), **columns}
    return table_of(columns, "data frame")


def _values(column: object) -> Any:
    """The values of a column of pandas or polars; missing ones as NaN in both."""
    if hasattr(column, "to_numpy"):
        return column.to_numpy()
    return np.asarray(column)
