"""A whole trajectory in NumPy's .npz: the arrays, and the words as JSON. Never a pickle."""

from __future__ import annotations

import io
import json
import zipfile
import zlib
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np

from armdyn.simulation.columns import UNITS
from armdyn.simulation.energy import EnergyAccount
from armdyn.simulation.errors import SettingError, TrajectoryFileError
from armdyn.simulation.grid import refuse_more_than_memory
from armdyn.simulation.trajectory import Statistics, Trajectory
from armdyn.spatial.rotations import Array

FORMAT = "armdyn trajectory 1"

DAMAGE = (EOFError, KeyError, TypeError, ValueError, MemoryError, OverflowError, zipfile.BadZipFile, zlib.error)
"""What reading a damaged or foreign file raises."""


def content(trajectory: Trajectory, path: Path) -> bytes:
    """The bytes of the file."""
    words = {
        "format": FORMAT,
        "robot": trajectory.robot,
        "joint_names": trajectory.joint_names,
        "joint_kinds": trajectory.joint_kinds,
        "statistics": asdict(trajectory.statistics),
        "notes": trajectory.notes,
    }
    arrays = {name: getattr(trajectory, name) for name in ("t", "q", "qd", "qdd", "tau")}
    arrays |= {name: getattr(trajectory.energy, name) for name in ("kinetic", "potential", "work")}
    if trajectory.f_tip is not None:
        arrays["f_tip"] = trajectory.f_tip
    buffer = io.BytesIO()
    np.savez_compressed(buffer, words=np.array(json.dumps(words)), **arrays)
    return buffer.getvalue()


def read(path: Path) -> Trajectory:
    """The trajectory in the file."""
    try:
        _refuse_a_bomb(path)
        with np.load(path, allow_pickle=False) as archive:
            arrays = {name: archive[name] for name in archive.files}
        words = json.loads(str(arrays.pop("words")))
        return _trajectory(words, arrays)
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


def _trajectory(words: Any, arrays: dict[str, Array]) -> Trajectory:
    if not isinstance(words, dict) or words.get("format") != FORMAT:
        raise ValueError(f"it does not say {FORMAT!r}")
    names, kinds = tuple(words["joint_names"]), tuple(words["joint_kinds"])
    if len(kinds) != len(names) or not set(kinds) <= set(UNITS) or not all(isinstance(n, str) for n in names):
        raise ValueError("joint names and kinds do not fit together")
    _check_shapes(arrays, len(names))
    return Trajectory(
        robot=str(words["robot"]),
        joint_names=names,
        joint_kinds=kinds,
        energy=EnergyAccount(arrays["kinetic"], arrays["potential"], arrays["work"]),
        statistics=Statistics(**words["statistics"]),
        notes=tuple(map(str, words["notes"])),
        t=arrays["t"],
        q=arrays["q"],
        qd=arrays["qd"],
        qdd=arrays["qdd"],
        tau=arrays["tau"],
        f_tip=arrays.get("f_tip"),
    )


def _check_shapes(arrays: dict[str, Array], dof: int) -> None:
    """Every array must be float64 and of the shape that q and the joints tell."""
    common = arrays["q"].shape[:-1]
    last = {"q": dof, "qd": dof, "qdd": dof, "tau": dof, "f_tip": 6}
    for name, array in arrays.items():
        expected = common[:1] if name == "t" else (*common, last[name]) if name in last else common
        if array.dtype != np.float64 or array.shape != expected or not array.size:
            raise ValueError(f"array {name!r} is {array.dtype} {array.shape}; expected float64 {expected}")
