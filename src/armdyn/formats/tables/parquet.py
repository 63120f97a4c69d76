"""Parquet files: columns of numbers, with lists, e.g. LeRobot's ``observation.state``, read and written."""

from __future__ import annotations

import io
import json
from collections.abc import Callable, Collection, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from armdyn.base.errors import ArmdynError, reason_of
from armdyn.base.extras import extra
from armdyn.base.memory import refuse_more_than_memory
from armdyn.formats.tables.columns import table_of
from armdyn.formats.tables.table import Table, no_file
from armdyn.spatial.rotations import Array

LEROBOT_INFO = ("meta/info.json", "../meta/info.json", "../../meta/info.json", "../../../meta/info.json")
"""Places of a LeRobot data set's description, from the folder of a file with its episodes."""


class DamagedParquet(ArmdynError, ValueError):
    """A file that is not Parquet, or whose columns cannot be read."""


def pyarrow() -> tuple[Any, Any]:
    """The library pyarrow and its module for Parquet.

    Raises:
        MissingLibrary: it is not installed.
    """
    feature = "a Parquet file"
    return extra("pyarrow", feature, name="parquet"), extra(
        "pyarrow.parquet", feature, name="parquet", library="pyarrow"
    )


def parquet_bytes(
    columns: Mapping[str, Any], about: Mapping[str, Mapping[Any, str]], metadata: Mapping[bytes, bytes]
) -> bytes:
    """The bytes of a Parquet file.

    Args:
        columns: arrays of pyarrow or NumPy, one entry for each row, by label.
        about: the metadata of columns by label.
        metadata: of the file.
    """
    pa, pq = pyarrow()
    arrays = [pa.array(values) if isinstance(values, np.ndarray) else values for values in columns.values()]
    fields = [
        pa.field(name, array.type, metadata=about.get(name) or None)
        for name, array in zip(columns, arrays, strict=True)
    ]
    buffer = io.BytesIO()
    pq.write_table(pa.Table.from_arrays(arrays, schema=pa.schema(fields, metadata=dict(metadata))), buffer)
    return buffer.getvalue()


def parquet_metadata(path: Path) -> Mapping[bytes, bytes] | None:
    """The metadata of a Parquet file; None if it cannot be read."""
    pa, pq = pyarrow()
    try:
        return dict(pq.read_schema(path).metadata or {})
    except (OSError, ValueError, pa.ArrowException):
        return None


def parquet_columns(
    path: Path,
    *,
    names: Sequence[str] | None = None,
    types: Collection[str] = (),
    refuse: Callable[[float], None] = lambda size: None,
) -> Any:
    """The columns of a Parquet file, a table of pyarrow.

    Args:
        path: of the file.
        names: of the columns; all if None.
        types: of pyarrow that columns may have; any if empty. Texts and lists may unpack to any size.
        refuse: called with the bytes of all numbers in memory before they are unpacked; it raises if that is too much.

    Raises:
        OSError: a file that the system cannot read.
        DamagedParquet: a file that is not Parquet, columns that it does not have, or of other types.
    """
    pa, pq = pyarrow()
    if not path.is_dir():
        path.open("rb").close()  # raises the errors of the system
    try:
        if path.is_dir():  # a data set in parts
            return pq.read_table(path, columns=names)
        with pq.ParquetFile(path) as file:
            has = {str(field.type) for field in file.schema_arrow}
            if types and not has <= set(types):
                raise DamagedParquet(f"columns of {', '.join(sorted(has))[:100]}, and not of numbers alone")
            refuse(8.0 * file.metadata.num_rows * file.metadata.num_columns)
            return file.read(columns=names)
    except ArmdynError:
        raise
    except (OSError, ValueError, KeyError, pa.ArrowException) as problem:
        raise DamagedParquet(reason_of(problem)) from None


def read_parquet(path: Path, error: type[ArmdynError]) -> Table:
    """The columns of numbers of a Parquet file.

    Raises:
        error: a file that does not exist, is not Parquet, or has more numbers than fit into the memory.
        MissingLibrary: pyarrow is not installed.
    """

    def refuse(size: float) -> None:
        refuse_more_than_memory(size, str(path), "Cut it into parts", error=error)

    try:
        read = parquet_columns(path, refuse=refuse)
    except FileNotFoundError:
        raise error(no_file(path)) from None
    except (OSError, DamagedParquet) as problem:
        raise error(f"{str(path)!r} is not a Parquet file: {problem}") from None
    columns = {name: _values(read.column(name)) for name in read.column_names}
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


def _flat_names(feature: object) -> tuple[str, ...]:
    """The names of a feature: a list of texts, or the first list of them in a mapping."""
    names = feature.get("names") if isinstance(feature, Mapping) else None
    if isinstance(names, Mapping):
        names = next((value for value in names.values() if isinstance(value, list)), None)
    return tuple(names) if isinstance(names, list) and all(isinstance(name, str) for name in names) else ()
