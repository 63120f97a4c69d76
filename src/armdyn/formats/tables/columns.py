"""Columns of numbers from the values that libraries return: integers, decimals, nulls, masks, lists, time stamps."""

from __future__ import annotations

from collections.abc import Mapping, Sized
from typing import Any

import numpy as np

from armdyn.formats.tables.table import Table
from armdyn.spatial.rotations import Array

EPOCH_UNIT = "ns"
"""Time stamps of data frames are counted in this unit from 1970."""


def as_numbers(values: Any) -> Array | None:
    """Values as floats, shape (rows,) or (rows, k), NaN for null and masked ones; None for texts and other objects.

    >>> as_numbers([[1, 2], [3, 4]]).shape, as_numbers(["a", "b"]) is None
    ((2, 2), True)
    """
    if isinstance(values, np.ma.MaskedArray):
        values = np.where(np.ma.getmaskarray(values), np.nan, values.data)
    array = np.asarray(values)
    if array.dtype.kind == "M":
        array = array.astype(f"datetime64[{EPOCH_UNIT}]").astype(np.int64)
    elif array.dtype.kind == "m":
        array = array.astype("timedelta64[ns]").astype(np.float64) * 1e-9
    elif array.dtype.kind == "O":
        array = _of_objects(array)
    if array is None or array.dtype.kind not in "fiub" or not 1 <= array.ndim <= 2:
        return None
    return np.asarray(array) if array.dtype == np.int64 else np.asarray(array, dtype=np.float64)


def _of_objects(array: Array) -> Any:
    """Objects as numbers: None, decimals, and lists of one length."""
    if any(isinstance(value, str | bytes | Mapping) for value in array.ravel().tolist()):
        return None
    rows: list[Any] = [np.nan if value is None else value for value in array.tolist()]
    try:
        width = max((len(row) for row in rows if isinstance(row, Sized)), default=0)
        if width:
            whole = [row if isinstance(row, Sized) and len(row) == width else [np.nan] * width for row in rows]
            return np.array(whole, dtype=np.float64)
        return np.array(rows, dtype=np.float64)
    except (TypeError, ValueError):
        return None


def table_of(
    columns: Mapping[str, Any], source: str, *, entry_names: Mapping[str, tuple[str, ...]] | None = None
) -> Table:
    """The table of those columns that hold numbers, one entry for each row."""
    numbers = {str(label): as_numbers(values) for label, values in columns.items()}
    columns_of_numbers = {label: values for label, values in numbers.items() if values is not None}
    rows = max((len(values) for values in columns_of_numbers.values()), default=0)
    whole = {label: values for label, values in columns_of_numbers.items() if len(values) == rows}
    others = {label: len(values) for label, values in columns_of_numbers.items() if label not in whole}
    return Table(source, whole, np.arange(rows), entry_names=entry_names or {}, lengths=others)
