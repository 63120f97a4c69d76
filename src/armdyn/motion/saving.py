"""Trajectories in files. A file that exists is replaced when the new one is complete; loading executes nothing."""

from __future__ import annotations

import os
from pathlib import Path
from types import ModuleType

from armdyn.base.writing import write_bytes
from armdyn.motion import csv_file, npz_file, parquet_file
from armdyn.motion.errors import TrajectoryFileError
from armdyn.motion.motion_data import Motion, MotionData

FORMATS = {".npz": npz_file, ".parquet": parquet_file, ".csv": csv_file}


def save(trajectory: MotionData, path: str | os.PathLike[str]) -> None:
    """Write to ``path``, in the format its ending names."""
    path = Path(path)
    content = _format_of(path).content(trajectory, path)
    write_bytes(path, content, error=TrajectoryFileError)


def load(path: str | os.PathLike[str], kind: type[Motion]) -> Motion:
    """Read a motion from a file that `save` wrote, as an object of the class ``kind``."""
    path = Path(path)
    read = _format_of(path).read
    try:
        return read(path, kind)  # type: ignore[no-any-return]
    except FileNotFoundError:
        raise TrajectoryFileError(f"no file {str(path)!r}; expected one that trajectory.save wrote") from None
    except OSError as error:
        raise TrajectoryFileError(f"{path} cannot be read: {error.strerror or error}") from error


def is_saved(path: str | os.PathLike[str]) -> bool:
    """True for the file of a trajectory that `save` wrote, damaged or not; False for another table, or for no file."""
    path = Path(path)
    if path.suffix.lower() not in FORMATS or not path.is_file():
        return False
    return bool(_format_of(path).is_saved(path))


def _format_of(path: Path) -> ModuleType:
    try:
        return FORMATS[path.suffix.lower()]
    except KeyError:
        message = f"{path}: the ending must be .npz or .parquet (everything), or .csv (the columns of one motion)"
        raise TrajectoryFileError(message) from None
