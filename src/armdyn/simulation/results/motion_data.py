"""`MotionData`: the arrays of a motion over time; `Trajectory` adds the methods that compute from them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields, replace
from types import MappingProxyType
from typing import Any, Self, TypeVar

import numpy as np

from armdyn.model.limits import Limits
from armdyn.simulation.files.labels import Labels
from armdyn.simulation.results.dense import Dense
from armdyn.simulation.results.energy import EnergyAccount
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
    notes: tuple[str, ...] = ()
    signals: Mapping[str, Array] = field(default_factory=dict)
    dense: Mapping[tuple[int, ...], Dense] | None = None
    events: tuple[Occurrence, ...] = ()
    signal_labels: Labels = field(default_factory=dict)
    limits: tuple[Limits, ...] = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "signals", MappingProxyType(dict(self.signals)))
        object.__setattr__(self, "signal_labels", MappingProxyType(dict(self.signal_labels)))
        values = [getattr(holder, each.name) for holder in (self, self.energy) for each in fields(holder)]
        for value in (*values, *self.signals.values()):
            if isinstance(value, np.ndarray):
                value.flags.writeable = False

    def __getstate__(self) -> dict[str, Any]:
        return {**vars(self), "signals": dict(self.signals), "signal_labels": dict(self.signal_labels)}

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
