"""A whole trajectory as a Parquet table: one row per time and state of the batch, the texts in its metadata."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import Any

from armdyn.formats.tables.parquet import parquet_bytes, parquet_columns, parquet_metadata
from armdyn.motion.columns import (
    arrays_of,
    batch_indices,
    names_and_units_of,
    primary_columns,
    quantities_of,
    stacked,
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
    named, quantities = names_and_units_of(trajectory), quantities_of(trajectory)
    columns = {name: column.ravel() for (name, _), column in zip(named, primary_columns(trajectory), strict=True)}
    columns |= {name: index.ravel() for name, index in batch_indices(trajectory).items()}
    about = {
        name: ({"unit": unit} if unit else {}) | ({"quantity": quantities[name]} if name in quantities else {})
        for name, unit in named
    }
    words = {WORDS: words_of(trajectory).encode(), SHAPE: json.dumps(trajectory.q.shape[:-1]).encode()}
    return parquet_bytes(columns, about, words)


def is_saved(path: Path) -> bool:
    """True for a file whose metadata have the words of a trajectory."""
    return WORDS in (parquet_metadata(path) or {})


def read(path: Path, kind: type[Motion]) -> Motion:
    """The motion in the file, as an object of the class ``kind``."""
    with refusing_damage(path):
        table = parquet_columns(path, types=("double", "int64"), refuse=partial(refuse_larger, path))
        metadata = dict(table.schema.metadata or {})
        words, shape = checked_words(metadata[WORDS].decode()), tuple(json.loads(metadata[SHAPE]))
        columns = {name: table.column(name).to_numpy() for name in table.column_names}
        arrays = arrays_of(columns, words["joint_names"], shape)
        own = _columns_of_signals(words, columns)
        return motion_of(kind, words, arrays, {name: stacked(columns, names, shape) for name, names in own.items()})


def _columns_of_signals(words: Mapping[str, Any], columns: Mapping[str, Array]) -> dict[str, list[str]]:
    """The columns of each signal, in order: those named after labels, or numbered ones."""
    numbered = {name: list(_numbered(name, columns)) for name in words["signals"]}
    labels = {name: tuple(Label(*map(str, one)) for one in own) for name, own in words["signal_labels"].items()}
    sizes = {name: len(labels.get(name, ())) or len(own) for name, own in numbered.items()}
    names = iter(column for column, _ in signal_columns(sizes, labels))
    named = {name: [next(names) for _ in range(size)] for name, size in sizes.items()}
    return {name: own if {*own} <= {*columns} else numbered[name] for name, own in named.items()}


def _numbered(signal: str, columns: Mapping[str, Array]) -> Iterator[str]:
    k = 0
    while (name := f"{SIGNAL}{signal}_{k}") in columns:
        yield name
        k += 1
