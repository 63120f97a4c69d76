"""A whole trajectory in NumPy's .npz: the arrays, and the words as JSON. Never a pickle."""

from __future__ import annotations

import io
import zipfile
from pathlib import Path

import numpy as np

from armdyn.simulation.errors import SettingError, TrajectoryFileError
from armdyn.simulation.files.columns import ENERGIES
from armdyn.simulation.files.words import DAMAGE, OVER_TIME, checked_words, trajectory_of, words_of
from armdyn.simulation.integration.grid import refuse_more_than_memory
from armdyn.simulation.results.trajectory import Trajectory


def content(trajectory: Trajectory, path: Path) -> bytes:
    """The bytes of the file."""
    arrays = {name: getattr(trajectory, name) for name in OVER_TIME}
    arrays |= {name: getattr(trajectory.energy, name) for name in ENERGIES}
    if trajectory.f_tip is not None:
        arrays["f_tip"] = trajectory.f_tip
    arrays |= {f"signal_{k}": values for k, values in enumerate(trajectory.signals.values())}
    buffer = io.BytesIO()
    np.savez_compressed(buffer, words=np.array(words_of(trajectory)), **arrays)
    return buffer.getvalue()


def read(path: Path) -> Trajectory:
    """The trajectory in the file."""
    try:
        _refuse_a_bomb(path)
        with np.load(path, allow_pickle=False) as archive:
            arrays = {name: archive[name] for name in archive.files}
        words = checked_words(str(arrays.pop("words")))
        signals = {name: arrays.pop(f"signal_{k}") for k, name in enumerate(words["signals"])}
        return trajectory_of(words, arrays, signals)
    except OSError:
        raise
    except SettingError as error:
        raise TrajectoryFileError(f"{path}: {error}") from None
    except DAMAGE as error:
        raise TrajectoryFileError(f"{path} is damaged, or no trajectory that armdyn wrote: {error}") from error


def _refuse_a_bomb(path: Path) -> None:
    """A few bytes can unpack to many: add up what the archive says before unpacking it."""
    with zipfile.ZipFile(path) as archive:
        refuse_more_than_memory(float(sum(entry.file_size for entry in archive.infolist())))
