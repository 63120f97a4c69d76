"""The words of a trajectory in a file, as JSON, and the trajectory of words and numbers."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, astuple
from pathlib import Path
from typing import Any

import numpy as np

from armdyn.base.errors import ArmdynError, MissingLibrary, excerpt, reason_of
from armdyn.base.memory import refuse_more_than_memory
from armdyn.model.joint_units import UNITS
from armdyn.model.limits import Limits
from armdyn.motion.columns import ENERGIES, OF_JOINTS
from armdyn.motion.energy import EnergyAccount
from armdyn.motion.errors import TrajectoryFileError
from armdyn.motion.labels import checked_labels
from armdyn.motion.motion_data import Motion, MotionData, Occurrence, Statistics
from armdyn.spatial.rotations import Array

FORMAT = "armdyn trajectory 1"

_DAMAGE: tuple[type[Exception], ...] = (
    KeyError,
    TypeError,
    ValueError,
    MemoryError,
    OverflowError,
    RecursionError,
    AttributeError,
    ArmdynError,
)
"""Exceptions of reading the words and numbers of another file as a trajectory."""

UNBOUNDED = astuple(Limits())
"""Bounds of a joint without limits."""

OVER_TIME = ("t", *OF_JOINTS)


def words_of(trajectory: MotionData) -> str:
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
            "limits": [[_bound(value) for value in astuple(one)] for one in trajectory.limits],
            "events": [
                [one.t, one.name, one.kind, one.q.tolist(), one.qd.tolist(), one.energy, one.index]
                for one in trajectory.events
            ],
        }
    )


def no_words(robot: str, joints: Sequence[tuple[str, str]], statistics: Statistics) -> dict[str, Any]:
    """The words of a motion without signals, limits and events, of joints by name and kind."""
    names, kinds = ([joint[k] for joint in joints] for k in range(2))
    lists: dict[str, Any] = {"notes": [], "signals": [], "signal_labels": {}, "limits": [], "events": []}
    return {"robot": robot, "joint_names": names, "joint_kinds": kinds, "statistics": asdict(statistics), **lists}


@contextmanager
def refusing_damage(path: Path) -> Iterator[None]:
    """Turn exceptions of reading a damaged or foreign file into a `TrajectoryFileError`."""
    try:
        yield
    except (TrajectoryFileError, MissingLibrary):
        raise
    except _DAMAGE as error:
        raise TrajectoryFileError(
            f"{path} is damaged, or no trajectory that armdyn wrote: {reason_of(error)}"
        ) from error


def refuse_larger(path: Path, size: float) -> None:
    """Raise for a file with more numbers than fit into the memory, ``size`` in bytes."""
    remedy = "Read it on a larger computer, or save fewer states"
    refuse_more_than_memory(size, str(path), remedy, error=TrajectoryFileError)


def checked_words(text: str) -> dict[str, Any]:
    """The mapping that `words_of` wrote, read; a ValueError, KeyError, TypeError or RecursionError of anything else."""
    read: Any = json.loads(text)
    if not isinstance(read, dict) or read.get("format") != FORMAT:
        raise ValueError(f"it does not contain {FORMAT!r}")
    words: dict[str, Any] = {"signals": [], "signal_labels": {}, "events": [], "limits": [], **read}
    for name, (holds, expected) in _EXPECTED.items():
        if not holds(words[name]):
            raise ValueError(f"{name} is {excerpt(words[name])}; expected {expected}")
    if len(words["joint_kinds"]) != len(words["joint_names"]):
        raise ValueError("joint names and kinds do not fit together")
    if len(words["limits"]) not in (0, len(words["joint_names"])):
        raise ValueError("joint names and limits do not fit together")
    if len(set(words["signals"])) != len(words["signals"]):
        raise ValueError("a signal is named twice")
    return words


def _is_text(value: object) -> bool:
    return isinstance(value, str)


def _is_count(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _is_list(value: object, of: Callable[[Any], bool]) -> bool:
    return isinstance(value, list) and all(map(of, value))


def _are_statistics(value: object) -> bool:
    checks = {"method": _is_text, "steps": _is_count, "evaluations": _is_count, "wall_time": _is_number}
    return (
        isinstance(value, dict) and {*value} == {*checks} and all(holds(value[name]) for name, holds in checks.items())
    )


def _are_labels(value: object) -> bool:
    return isinstance(value, dict) and all(_is_list(labels, _is_label) for labels in value.values())


def _is_label(value: Any) -> bool:
    return _is_list(value, _is_text) and len(value) == 2


def _are_bounds(value: Any) -> bool:
    return _is_list(value, lambda bound: bound is None or _is_number(bound)) and len(value) == len(UNBOUNDED)


def _is_event(value: object) -> bool:
    if not isinstance(value, list) or len(value) != 7:
        return False
    t, name, kind, q, qd, energy, index = value
    states = _is_list(q, _is_number) and _is_list(qd, _is_number)
    return (
        all(map(_is_number, (t, energy))) and all(map(_is_text, (name, kind))) and states and _is_list(index, _is_count)
    )


_EXPECTED: dict[str, tuple[Callable[[Any], bool], str]] = {
    "robot": (_is_text, "a text"),
    "joint_names": (lambda value: _is_list(value, _is_text), "a list of texts"),
    "joint_kinds": (lambda value: _is_list(value, lambda kind: _is_text(kind) and kind in UNITS), "kinds of joints"),
    "statistics": (_are_statistics, "method, steps, evaluations and wall_time"),
    "notes": (lambda value: _is_list(value, _is_text), "a list of texts"),
    "signals": (lambda value: _is_list(value, _is_text), "a list of texts"),
    "signal_labels": (_are_labels, "a name and a unit for each value of signals"),
    "limits": (lambda value: _is_list(value, _are_bounds), "lower, upper, velocity and effort of each joint, or null"),
    "events": (lambda value: _is_list(value, _is_event), "t, name, kind, q, qd, energy and index of each event"),
}
"""The words of a trajectory, and the form of each."""


def motion_of(
    kind: type[Motion], words: Mapping[str, Any], arrays: Mapping[str, Array], signals: Mapping[str, Array]
) -> Motion:
    """The motion of checked words and arrays by name, f_tip among them if there is a wrench."""
    _check_shapes(arrays, signals, len(words["joint_names"]))
    over_time: dict[str, Any] = {name: arrays[name] for name in OVER_TIME}
    return kind(
        robot=words["robot"],
        joint_names=tuple(words["joint_names"]),
        joint_kinds=tuple(words["joint_kinds"]),
        energy=EnergyAccount(*(arrays[name] for name in ENERGIES)),
        statistics=Statistics(**words["statistics"]),
        notes=tuple(words["notes"]),
        f_tip=arrays.get("f_tip"),
        signals=signals,
        signal_labels={name: checked_labels(name, labels, signals) for name, labels in words["signal_labels"].items()},
        limits=tuple(_limits(one) for one in words["limits"]),
        events=tuple(_occurrence(len(words["joint_names"]), *one) for one in words["events"]),
        **over_time,
    )


def _bound(value: float) -> float | None:
    """A bound for JSON, which has no infinity: null."""
    return float(value) if math.isfinite(value) else None


def _limits(bounds: list[float | None]) -> Limits:
    return Limits(*(free if bound is None else float(bound) for bound, free in zip(bounds, UNBOUNDED, strict=True)))


def _occurrence(dof: int, t: Any, name: Any, kind: Any, q: Any, qd: Any, energy: Any, index: Any) -> Occurrence:
    """An event of a file, for an arm with ``dof`` joints."""
    if not len(q) == len(qd) == dof:
        raise ValueError(
            f"event {excerpt(name)} has {len(q)} positions and {len(qd)} velocities; expected {dof} of each"
        )
    state = (np.array(q, dtype=np.float64), np.array(qd, dtype=np.float64))
    return Occurrence(float(t), name, kind, *state, float(energy), tuple(index))


def _check_shapes(arrays: Mapping[str, Array], signals: Mapping[str, Array], dof: int) -> None:
    """Require that every array is float64 and has the shape that follows from q and the number of joints."""
    common = arrays["q"].shape[:-1]
    last = {"q": dof, "qd": dof, "qdd": dof, "tau": dof, "f_tip": 6}
    for name, array in arrays.items():
        expected = common[:1] if name == "t" else (*common, last[name]) if name in last else common
        _check(f"array {name!r}", array, expected)
    for name, array in signals.items():
        _check(f"signal {name!r}", array, (*common, array.shape[-1] if array.ndim else 1))


def _check(subject: str, array: Array, expected: tuple[int, ...]) -> None:
    if array.dtype != np.float64 or array.shape != expected or not array.size:
        raise ValueError(f"{subject} is {array.dtype} {array.shape}; expected float64 {expected}")
