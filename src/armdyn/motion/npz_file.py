"""A whole trajectory in NumPy's .npz: the arrays, and the words as JSON. Never a pickle."""

from __future__ import annotations

import io
import zipfile
from functools import partial
from pathlib import Path

import numpy as np

from armdyn.formats.tables.npz import read_arrays
from armdyn.motion.columns import ENERGIES
from armdyn.motion.motion_data import Motion, MotionData
from armdyn.motion.words import OVER_TIME, checked_words, motion_of, refuse_larger, refusing_damage, words_of
from armdyn.spatial.rotations import Array


def content(trajectory: MotionData, path: Path) -> bytes:
    """The bytes of the file."""
    arrays = {name: getattr(trajectory, name) for name in OVER_TIME}
    arrays |= {name: getattr(trajectory.energy, name) for name in ENERGIES}
    if trajectory.f_tip is not None:
        arrays["f_tip"] = trajectory.f_tip
    arrays |= {f"signal_{k}": values for k, values in enumerate(trajectory.signals.values())}
    buffer = io.BytesIO()
    np.savez_compressed(buffer, words=np.array(words_of(trajectory)), **arrays)
    return buffer.getvalue()


def is_saved(path: Path) -> bool:
    """True for a file with the words of a trajectory."""
    try:
        with zipfile.ZipFile(path) as archive:
            return "words.npy" in archive.namelist()
    except (OSError, zipfile.BadZipFile, ValueError, NotImplementedError):
        return False


def read(path: Path, kind: type[Motion]) -> Motion:
    """The motion in the file, as an object of the class ``kind``."""
    with refusing_damage(path):
        arrays = read_arrays(path, partial(refuse_larger, path))
        words = checked_words(_text(arrays.pop("words")))
        signals = {name: arrays.pop(f"signal_{k}") for k, name in enumerate(words["signals"])}
        return motion_of(kind, words, arrays, signals)


def _text(words: Array) -> str:
    """The text of an array of one, in ASCII as JSON has it; NumPy makes broken strings of other code points."""
    if words.dtype.kind != "U" or words.size != 1 or (words.reshape(1).view(np.uint32) > 127).any():
        raise ValueError("its words are not a text in ASCII")
    return str(words)
