"""Output files: one that cannot be written is refused before the work begins, and no file that is read is lost."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from armdyn.base.errors import ArmdynError
from armdyn.base.writing import write_folder

Overwrite = Annotated[bool, typer.Option("--overwrite", help="Replace files that are there with other contents.")]
"""The option of verbs that write files whose names they choose themselves."""


class OutputError(ArmdynError, ValueError):
    """A file that cannot be written: another ending than the format's, or a folder that cannot take it."""


def refuse_unwritable(option: str, path: Path, *, endings: Sequence[str] = ()) -> None:
    """Raise the error that writing would raise later. Creates nothing; a missing folder is writable if its parent is.

    Args:
        option: whose value the path is.
        path: the file to be written.
        endings: of the known formats, with their dots; empty for any ending.

    Raises:
        OutputError: an ending that names no format, a folder, or a folder in which no file can be made.
    """
    if endings and path.suffix.lower() not in endings:
        raise OutputError(
            f"{option} {str(path)!r}: expected a file name that ends in {', '.join(sorted(set(endings)))}"
        )
    if path.is_dir():
        raise OutputError(f"{option} {str(path)!r} is a folder; expected the name of a file")
    if path.exists() and not os.access(path, os.W_OK):
        raise OutputError(f"{option} {str(path)!r} is read-only; choose another file")
    if path.is_file() or not path.exists():  # else a device or a pipe, which no folder has to take
        _refuse_folder(option, path)


def _refuse_folder(option: str, path: Path) -> None:
    """Raise if no file can be made in the nearest existing folder."""
    folder = path.parent
    while not folder.exists():
        folder = folder.parent
    try:
        import tempfile  # noqa: PLC0415 - slow to import

        with tempfile.TemporaryFile(dir=folder):
            pass
    except OSError as error:
        reason = "it is no folder" if not folder.is_dir() else error.strerror or error
        raise OutputError(f"{option} {str(path)!r}: no file can be written in {str(folder)!r}: {reason}") from None


OUTPUTS = (
    "out",
    "csv",
    "npz",
    "parquet",
    "plot",
    "animate",
    "screenshot",
    "save",
    "latex",
    "python",
    "report",
    "ros",
    "fitted_actuators",
)
"""The parameters of verbs that name files to be written."""


def refuse_lost(outputs: Mapping[str, Path], inputs: Iterable[str | Path | None]) -> None:
    """Raise if a file is to be written over one that is read.

    Args:
        outputs: files to be written, by what names them, such as "--csv".
        inputs: what is read, by its path; others than files do not count.

    Raises:
        OutputError: one that is read too.
    """
    read = [Path(path) for path in inputs if path is not None and str(path)]
    for option, path in outputs.items():
        if path.is_file() and any(_is_file(other) and path.samefile(other) for other in read):
            raise OutputError(
                f"{option} {str(path)!r} is a file that is read here, which would be lost; choose another name"
            )


def refuse_lost_of(options: Mapping[str, Any], *inputs: str | Path | None) -> None:
    """Raise if one of the options that name outputs names a file that another option, or an input, names.

    Args:
        options: a verb's options, by the names of its parameters.
        inputs: further files that are read.
    """
    paths = {name: value for name, value in options.items() if isinstance(value, Path)}
    outputs = {f"--{name.replace('_', '-')}": path for name, path in paths.items() if name in OUTPUTS}
    refuse_lost(outputs, [*inputs, *(path for name, path in paths.items() if name not in OUTPUTS)])


def _is_file(path: Path) -> bool:
    try:
        return path.is_file()
    except (OSError, ValueError):  # text that is not a path
        return False


def write_into(option: str, folder: Path, write: Callable[[Path], Iterable[Path]], *, overwrite: bool) -> list[Path]:
    """Let a function write its files into a folder that may have others, whole or not at all.

    A folder that is there is welcome, and so are files in it that would be written as they are. A file of the same name
    with other contents may be the user's own work, e.g. a CMakeLists.txt: nothing is written then.

    Args:
        option: whose value the folder is.
        folder: made if it does not exist.
        write: writes files into the folder it is given, and gives their paths.
        overwrite: whether files with other contents are replaced.

    Raises:
        OutputError: a folder that cannot be written; files with other contents, unless they are to be replaced.
    """
    if folder.exists() and not folder.is_dir():
        raise OutputError(f"{option} {str(folder)!r} is a file; expected the name of a folder")
    refuse_unwritable(option, folder / "file")
    import tempfile  # noqa: PLC0415 - slow to import

    with tempfile.TemporaryDirectory() as temporary:
        pairs = [(path, folder / path.relative_to(temporary)) for path in write(Path(temporary))]
        for _, target in pairs:
            refuse_unwritable(option, target)
        others = [str(target) for path, target in pairs if not overwrite and _is_other(path, target)]
        if others:
            raise OutputError(
                f"{option}: there already, with other contents: {', '.join(others)}; choose another place, or replace "
                "with --overwrite"
            )
        return write_folder(folder, {str(target.relative_to(folder)): path.read_bytes() for path, target in pairs})


def _is_other(path: Path, target: Path) -> bool:
    """True if the target exists with other contents."""
    return target.exists() and target.read_bytes() != path.read_bytes()
