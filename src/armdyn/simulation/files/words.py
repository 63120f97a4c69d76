"""The words of a trajectory in a file, as JSON, and the trajectory of words and numbers."""

from __future__ import annotations

import json
import zipfile
import zlib
from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

import numpy as np

from armdyn.simulation.files.columns import ENERGIES
from armdyn.simulation.files.labels import UNITS, checked_labels
from armdyn.simulation.results.energy import EnergyAccount
from armdyn.simulation.results.motion_data import Occurrence, Statistics
from armdyn.simulation.results.trajectory import Trajectory
from armdyn.spatial.rotations import Array

FORMAT = "armdyn trajectory 1"

DAMAGE = (EOFError, KeyError, TypeError, ValueError, MemoryError, OverflowError, zipfile.BadZipFile, zlib.error)
"""Exceptions that reading a damaged or foreign file raises."""

OVER_TIME = ("t", "q", "qd", "qdd", "tau")


def words_of(trajectory: Trajectory) -> str:
    """Names, kinds, statistics, notes and names of signals."""
    return json.dumps(
        {
            "format": FORMAT,
            "robot": trajectory.robot,
            "joint_names": trajectory.joint_names,
            "joint_kinds": trajectory.joint_kinds,
            "statistics": asdict(trajectory.statistics),
            "notes": trajectory.notes,
            "signals": list(trajectory.signals),
            "signal_labels": dict(trajectory.signal_labels),
            "events": [
                [one.t, one.name, one.kind, one.q.tolist(), one.qd.tolist(), one.energy, one.index]
                for one in trajectory.events
            ],
        }
    )


def checked_words(text: str) -> dict[str, Any]:
    """The mapping that `words_of` wrote, read; a ValueError, KeyError or TypeError of anything else."""
    words: Any = json.loads(text)
    if not isinstance(words, dict) or words.get("format") != FORMAT:
        raise ValueError(f"it does not say {FORMAT!r}")
    names, kinds = words["joint_names"], words["joint_kinds"]
    if len(kinds) != len(names) or not set(kinds) <= set(UNITS) or not all(isinstance(n, str) for n in names):
        raise ValueError("joint names and kinds do not fit together")
    signals = words.get("signals", [])
    if not isinstance(signals, list) or not all(isinstance(name, str) for name in signals):
        raise ValueError("the names of signals are no texts")
    if len(set(signals)) != len(signals):
        raise ValueError("a signal is named twice")
    return {**words, "signals": signals}


def trajectory_of(words: Mapping[str, Any], arrays: Mapping[str, Array], signals: Mapping[str, Array]) -> Trajectory:
    """The trajectory of checked words and arrays by name, f_tip among them where there is a wrench."""
    _check_shapes(arrays, signals, len(words["joint_names"]))
    over_time: dict[str, Any] = {name: arrays[name] for name in OVER_TIME}
    return Trajectory(
        robot=str(words["robot"]),
        joint_names=tuple(words["joint_names"]),
        joint_kinds=tuple(words["joint_kinds"]),
        energy=EnergyAccount(*(arrays[name] for name in ENERGIES)),
        statistics=Statistics(**words["statistics"]),
        notes=tuple(map(str, words["notes"])),
        f_tip=arrays.get("f_tip"),
        signals=signals,
        signal_labels={
            name: checked_labels(name, given, signals) for name, given in words.get("signal_labels", {}).items()
        },
        events=tuple(_occurrence(*words_of_one) for words_of_one in words.get("events", [])),
        **over_time,
    )


def _occurrence(t: Any, name: Any, kind: Any, q: Any, qd: Any, energy: Any, index: Any) -> Occurrence:
    """An event of a file."""
    state = (np.array(q, dtype=np.float64), np.array(qd, dtype=np.float64))
    return Occurrence(float(t), str(name), str(kind), *state, float(energy), tuple(map(int, index)))


def _check_shapes(arrays: Mapping[str, Array], signals: Mapping[str, Array], dof: int) -> None:
    """Every array must be float64 and of the shape that q and the joints tell."""
    common = arrays["q"].shape[:-1]
    last = {"q": dof, "qd": dof, "qdd": dof, "tau": dof, "f_tip": 6}
    for name, array in arrays.items():
        expected = common[:1] if name == "t" else (*common, last[name]) if name in last else common
        _check(f"array {name!r}", array, expected)
    for name, array in signals.items():
        _check(f"signal {name!r}", array, (*common, array.shape[-1] if array.ndim else 1))


def _check(what: str, array: Array, expected: tuple[int, ...]) -> None:
    if array.dtype != np.float64 or array.shape != expected or not array.size:
        raise ValueError(f"{what} is {array.dtype} {array.shape}; expected float64 {expected}")
