"""NumPy's .npz files from anyone, as arrays by name: no pickle is opened, and all damage is one error."""

from __future__ import annotations

import io
import warnings
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from armdyn.base.errors import ArmdynError

LONGEST_REASON = 200
"""Characters of another library's words in a message."""


def read_arrays(path: Path, refuse: Callable[[float], None]) -> dict[str, NDArray[Any]]:
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


def reason_of(fault: Exception) -> str:
    """The text of an exception as part of a message: one line, cut if it is long, the kind if there is no text."""
    text = " ".join(str(fault).split()) or type(fault).__name__
    return text if len(text) <= LONGEST_REASON else f"{text[: LONGEST_REASON - 3]}..."
