"""Output files: a file that cannot be written is refused before the work begins."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Sequence
from pathlib import Path

from armdyn.errors import ArmdynError


class OutputError(ArmdynError, ValueError):
    """A file that cannot be written: another ending than the format's, or a folder that cannot take it."""


def refuse_unwritable(option: str, path: Path, *, endings: Sequence[str] = ()) -> None:
    """Raise the error that writing would raise later. Creates nothing; a missing folder is writable if its parent is.

    Args:
        option: whose value the path is.
        path: the file to be written.
        endings: of the known formats, with their dots; empty for any ending.

    Raises:
        OutputError: an ending that names no format, a folder, or a place where no file can be made.
    """
    if endings and path.suffix.lower() not in endings:
        raise OutputError(f"{option} {str(path)!r}: expected a file name that ends in {', '.join(sorted(endings))}")
    if path.is_dir():
        raise OutputError(f"{option} {str(path)!r} is a folder; expected the name of a file")
    if path.exists() and not os.access(path, os.W_OK):
        raise OutputError(f"{option} {str(path)!r} is read-only; choose another file")
    if path.is_file() or not path.exists():  # else a device or a pipe, which no folder has to take
        _refuse_folder(option, path)


def _refuse_folder(option: str, path: Path) -> None:
    """Raise where no file can be made in the nearest existing folder."""
    folder = path.parent
    while not folder.exists():
        folder = folder.parent
    try:
        with tempfile.TemporaryFile(dir=folder):
            pass
    except OSError as error:
        reason = "it is no folder" if not folder.is_dir() else error.strerror or error
        raise OutputError(f"{option} {str(path)!r}: no file can be written in {str(folder)!r}: {reason}") from None
