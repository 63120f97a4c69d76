"""`MotionData`: the arrays of a motion over time; `Trajectory` adds the methods that compute from them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields, replace
from types import MappingProxyType
from typing import Any, Self, TypeVar

import numpy as np

from armdyn.model.limits import Limits
from armdyn.motion.dense import Dense
from armdyn.motion.energy import EnergyAccount
from armdyn.motion.labels import Labels
from armdyn.spatial.rotations import Array


@dataclass(frozen=True)
class Statistics:
    """The cost of a simulation: steps, evaluations, wall time.

    Args:
        method: the method and its settings, as text.
        steps: number of steps, summed over the states of the batch if each has its own.
        evaluations: number of evaluations of the equations of motion, summed likewise.
        wall_time: s.
    """

    method: str
    steps: int
    evaluations: int
    wall_time: float


@dataclass(frozen=True, eq=False)
class Occurrence:
    """An event that happened.

    Args:
        t: time of the event, s.
        name: of the event, stop, contact or joint; "JOINT rotor" for the rotor of a flexible joint.
        kind: "crossing" of a requested event; "impact", "rest" and "release" at a stop or contact;
            "stick", "slip" and "reversal" (without sticking) of a joint with dry friction; "engaged" and
            "released" of its brake; "contact" and "release" of rotor and link across the gap of a joint with backlash.
        q: joint positions then, rad or m, shape (n,).
        qd: joint velocities, rad/s or m/s, shape (n,); at an impact those after it.
        energy: kinetic energy dissipated by the impact, J.
        index: of the state in its batch.
    """

    t: float
    name: str
    kind: str
    q: Array
    qd: Array
    energy: float = 0.0
    index: tuple[int, ...] = ()


DEFERRED = "_deferred"
"""The attribute with the functions that compute fields when they are read."""

Deferred = Mapping[tuple[str, ...], Callable[["MotionData"], Mapping[str, Any]]]
"""Functions of a motion by the names of the fields that they return."""


def _read_only(values: Mapping[str, Any]) -> dict[str, object]:
    """The values of fields, their arrays and mappings not writeable."""
    result = dict(values)
    for name in ("signals", "signal_labels"):
        if name in result:
            result[name] = MappingProxyType(dict(result[name]))
    arrays = [*result.values(), *result.get("signals", {}).values()]
    if "energy" in result:
        arrays += [getattr(result["energy"], each.name) for each in fields(EnergyAccount)]
    for value in arrays:
        if isinstance(value, np.ndarray):
            value.flags.writeable = False
    return result


@dataclass(frozen=True, eq=False)
class MotionData:
    """The fields of a `Trajectory`, which describes them: functions read them that become its methods."""

    robot: str
    joint_names: tuple[str, ...]
    joint_kinds: tuple[str, ...]
    t: Array
    q: Array
    qd: Array
    qdd: Array
    tau: Array
    f_tip: Array | None
    energy: EnergyAccount
    statistics: Statistics
    notes: tuple[str, ...] = field(default_factory=tuple)
    signals: Mapping[str, Array] = field(default_factory=dict)
    dense: Mapping[tuple[int, ...], Dense] | None = None
    events: tuple[Occurrence, ...] = ()
    signal_labels: Labels = field(default_factory=dict)
    limits: tuple[Limits, ...] = ()

    def __post_init__(self) -> None:
        vars(self).update(_read_only(vars(self)))

    @classmethod
    def with_deferred(cls, deferred: Deferred, **fields: Any) -> Self:
        """A motion with fields that are computed when they are first read.

        Args:
            deferred: functions by the names of the fields that each computes; a function returns the values by name.
            fields: the other fields.
        """
        motion = object.__new__(cls)
        vars(motion).update(_read_only(fields), **{DEFERRED: deferred})
        return motion

    def __getattr__(self, name: str) -> Any:
        deferred: Deferred = vars(self).get(DEFERRED, {})
        compute = next((function for names, function in deferred.items() if name in names), None)
        if compute is None:
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
        for each, value in _read_only(compute(self)).items():
            vars(self).setdefault(each, value)  # as another thread may have computed them
        return vars(self)[name]

    def __getstate__(self) -> dict[str, Any]:
        state = {each.name: getattr(self, each.name) for each in fields(self)}
        return {**state, "signals": dict(self.signals), "signal_labels": dict(self.signal_labels)}

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state)
        self.__post_init__()

    @property
    def batch(self) -> tuple[int, ...]:
        """The shape of the batch; () for one motion."""
        return self.q.shape[1:-1]

    def changed(self, change: Callable[[Array], Array], **arrays: Array) -> Self:
        """A copy with ``change`` applied to every array over time, except those given by name."""
        energy = EnergyAccount(*(change(getattr(self.energy, each.name)) for each in fields(EnergyAccount)))
        signals = {name: change(values) for name, values in self.signals.items()}
        f_tip = None if self.f_tip is None else change(self.f_tip)
        rest = {name: change(getattr(self, name)) for name in ("q", "qd", "qdd", "tau") if name not in arrays}
        changes: dict[str, Any] = {**rest, **arrays, "f_tip": f_tip, "energy": energy, "signals": signals}
        return replace(self, **changes)


Motion = TypeVar("Motion", bound=MotionData)
"""A class of motions: readers of files make objects of it."""
