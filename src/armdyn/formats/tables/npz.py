"""NumPy's .npz files from anyone, as arrays by name: no pickle is opened, and all damage is one error."""

from __future__ import annotations

import io
import warnings
import zipfile
from collections.abc import Callable
from pathlib import Path

import numpy as np

from armdyn.base.errors import ArmdynError, reason_of
from armdyn.base.memory import refuse_more_than_memory
from armdyn.base.scalars import Array
from armdyn.formats.tables.columns import table_of
from armdyn.formats.tables.table import Table, no_file


def read_npz(path: Path, error: type[ArmdynError]) -> Table:
    """The arrays of numbers in an npz file with as many rows as most of them have.

    Raises:
        error: a file that does not exist, is not an npz, or has more numbers than fit into the memory.
    """

    def refuse(size: float) -> None:
        refuse_more_than_memory(size, str(path), "Cut it into parts", error=error)

    try:
        arrays = read_arrays(path, refuse)
    except FileNotFoundError:
        raise error(no_file(path)) from None
    except (OSError, DamagedFile) as problem:
        raise error(f"{str(path)!r} is not an npz file of arrays of numbers: {problem}") from None
    return table_of({name: values for name, values in arrays.items() if values.dtype.kind in "fiub"}, str(path))


def read_arrays(path: Path, refuse: Callable[[float], None]) -> dict[str, Array]:
    """The arrays of an .npz file by name.

    Args:
        path: of the file.
        refuse: called with the bytes that all arrays take in memory, before they are unpacked; it raises if that is
            too much.

    Raises:
        DamagedFile: anything that zipfile or NumPy cannot read. They raise two dozen kinds of exception for it.
        OSError: a file that the system cannot read.
    """
    content = io.BytesIO(path.read_bytes())
    try:
        with zipfile.ZipFile(content) as archive:
            size = float(sum(entry.file_size for entry in archive.infolist()))
        refuse(size)
        with warnings.catch_warnings():
            warnings.simplefilter("error")  # of literals in a damaged header
            with np.load(content, allow_pickle=False) as arrays:
                return {name: np.asarray(arrays[name]) for name in arrays.files}
    except ArmdynError:
        raise
    except Exception as fault:
        raise DamagedFile(reason_of(fault)) from fault


class DamagedFile(ArmdynError, ValueError):
    """A file whose bytes are not of the format that its name states."""
