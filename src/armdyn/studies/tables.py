"""Arrays of some runs as a Parquet table: one row per run, one column of lists per array."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from armdyn.formats.tables.parquet import parquet_bytes, pyarrow
from armdyn.spatial.rotations import Array

STUDY, SHAPE = b"armdyn.study", b"armdyn.shape"
"""Keys of metadata: the study's digest, of the table; the shape of one run's value as JSON, of a column."""


def content(arrays: Mapping[str, Array], digest: str) -> bytes:
    """The bytes of a Parquet file."""
    about = {name: {SHAPE: json.dumps(value.shape[1:])} for name, value in arrays.items()}
    return parquet_bytes({name: _column(value) for name, value in arrays.items()}, about, {STUDY: digest.encode()})


def _column(value: Array) -> Any:
    pa, _ = pyarrow()
    if value.ndim == 1:
        return pa.array(np.ascontiguousarray(value))
    return pa.FixedSizeListArray.from_arrays(pa.array(value.ravel()), math.prod(value.shape[1:]))


def arrays_of(table: Any) -> dict[str, Array]:
    """The arrays of a table by name, each of shape (runs, *shape)."""
    return {field.name: _array(table.column(field.name), field) for field in table.schema}


def _array(column: Any, field: Any) -> Array:
    shape = tuple(json.loads(field.metadata[SHAPE]))
    chunks = [chunk.flatten() if shape else chunk for chunk in column.chunks]
    flat = np.concatenate([chunk.to_numpy(zero_copy_only=False) for chunk in chunks]) if chunks else np.empty(0)
    return flat.reshape(len(column), *shape)
