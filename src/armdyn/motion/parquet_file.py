"""A whole trajectory as a Parquet table: one row per time and state of the batch, the texts in its metadata."""

from __future__ import annotations

import io
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from armdyn.base.errors import MissingLibrary
from armdyn.motion.columns import (
    ENERGIES,
    WRENCH,
    batch_indices,
    names_and_units_of,
    primary_columns,
    quantities_of,
)
from armdyn.motion.labels import Label
from armdyn.motion.motion_data import Motion, MotionData
from armdyn.motion.signal_columns import SIGNAL, signal_columns
from armdyn.motion.words import checked_words, motion_of, refuse_larger, refusing_damage, words_of
from armdyn.spatial.rotations import Array

WORDS, SHAPE = b"armdyn.words", b"armdyn.shape"
"""Keys of the metadata: the data without a column in the table, and (T, ...), the times and the batch, as JSON."""


def content(trajectory: MotionData, path: Path) -> bytes:
    """The bytes of the file."""
    pa, pq = pyarrow()
    columns = [column.ravel() for column in primary_columns(trajectory)]
    indices = batch_indices(trajectory)
    quantities = quantities_of(trajectory)
    fields = [
        pa.field(name, pa.float64(), metadata=_about(unit, quantities.get(name)))
        for name, unit in names_and_units_of(trajectory)
    ]
    fields += [pa.field(name, pa.int64()) for name in indices]
    words = {WORDS: words_of(trajectory).encode(), SHAPE: json.dumps(trajectory.q.shape[:-1]).encode()}
    arrays = [pa.array(column) for column in (*columns, *(index.ravel() for index in indices.values()))]
    buffer = io.BytesIO()
    pq.write_table(pa.Table.from_arrays(arrays, schema=pa.schema(fields, metadata=words)), buffer)
    return buffer.getvalue()


def _about(unit: str, quantity: str | None) -> dict[str, str] | None:
    """The metadata of a column."""
    return ({"unit": unit} if unit else {}) | ({"quantity": quantity} if quantity else {}) or None


def is_saved(path: Path) -> bool:
    """True for a file whose metadata have the words of a trajectory."""
    pa, pq = pyarrow()
    try:
        return WORDS in (pq.read_schema(path).metadata or {})
    except (OSError, ValueError, pa.ArrowException):
        return False


def read(path: Path, kind: type[Motion]) -> Motion:
    """The motion in the file, as an object of the class ``kind``."""
    pa, pq = pyarrow()
    source = io.BytesIO(path.read_bytes())
    with refusing_damage(path, OSError, pa.ArrowException):
        file = pq.ParquetFile(source)
        types = {str(field.type) for field in file.schema_arrow}
        if not types <= {"double", "int64"}:  # texts and lists may unpack to any size
            raise ValueError(f"columns of {', '.join(sorted(types))[:100]}, and not of numbers alone")
        refuse_larger(path, 8.0 * file.metadata.num_rows * file.metadata.num_columns)
        table = file.read()
        return _motion(kind, table, dict(table.schema.metadata or {}))


def _motion(kind: type[Motion], table: Any, metadata: dict[bytes, bytes]) -> Motion:
    words, shape = checked_words(metadata[WORDS].decode()), tuple(json.loads(metadata[SHAPE]))
    columns = {name: table.column(name).to_numpy() for name in table.column_names}

    def stacked(names: Iterator[str]) -> Array:
        parts = [columns[name] for name in names]
        if any(part.dtype != np.float64 for part in parts):
            raise ValueError("not all its columns are float64")
        return np.stack(parts, axis=-1).reshape(*shape, -1)

    arrays = {
        quantity: stacked(f"{quantity}_{name}" for name in words["joint_names"])
        for quantity in ("q", "qd", "qdd", "tau")
    }
    arrays |= {name: columns[name].reshape(shape).copy() for name in ENERGIES}
    arrays["t"] = columns["t"].reshape(shape[0], -1)[:, 0].copy()
    if f"f_tip_{WRENCH[0]}" in columns:
        arrays["f_tip"] = stacked(f"f_tip_{part}" for part in WRENCH)
    signals = {name: stacked(iter(own)) for name, own in _columns_of_signals(words, columns).items()}
    return motion_of(kind, words, arrays, signals)


def _columns_of_signals(words: dict[str, Any], columns: dict[str, Array]) -> dict[str, list[str]]:
    """The columns of each signal, in order: those named after labels, or numbered ones."""
    numbered = {name: list(_numbered(name, columns)) for name in words["signals"]}
    labels = {name: tuple(Label(*map(str, one)) for one in own) for name, own in words["signal_labels"].items()}
    sizes = {name: len(labels.get(name, ())) or len(own) for name, own in numbered.items()}
    names = iter(column for column, _ in signal_columns(sizes, labels))
    named = {name: [next(names) for _ in range(size)] for name, size in sizes.items()}
    return {name: own if {*own} <= {*columns} else numbered[name] for name, own in named.items()}


def _numbered(signal: str, columns: dict[str, Array]) -> Iterator[str]:
    k = 0
    while (name := f"{SIGNAL}{signal}_{k}") in columns:
        yield name
        k += 1


def pyarrow() -> tuple[Any, Any]:
    """The library pyarrow and its module for Parquet; raises `MissingLibrary` if it is not installed."""
    try:
        import pyarrow as pa  # noqa: PLC0415 - an extra
        import pyarrow.parquet as pq  # noqa: PLC0415
    except ImportError:
        raise MissingLibrary(
            "Parquet files need pyarrow, which is not installed: pip install pyarrow. A file that ends in .npz holds "
            "everything too"
        ) from None
    return pa, pq
