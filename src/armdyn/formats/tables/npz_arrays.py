"""Arrays of an npz file, by name; nothing in it is unpickled."""

from __future__ import annotations

import zipfile
from pathlib import Path

import numpy as np

from armdyn.base.errors import ArmdynError
from armdyn.formats.tables.columns import table_of
from armdyn.formats.tables.table import Table, no_file


def read_npz(path: Path, error: type[ArmdynError]) -> Table:
    """The arrays of numbers in an npz file with as many rows as most of them have.

    Raises:
        error: a file that does not exist or is not an npz.
    """
    try:
        with path.open("rb") as stream, np.load(stream, allow_pickle=False) as file:
            arrays = {name: file[name] for name in file.files if file[name].dtype.kind in "fiub"}
    except FileNotFoundError:
        raise error(no_file(path)) from None
    except (OSError, ValueError, EOFError, zipfile.BadZipFile) as problem:
        raise error(f"{str(path)!r} is not an npz file of arrays of numbers: {problem}") from None
    return table_of(arrays, str(path))
