"""Another motion, or a log, drawn over a motion: joints are matched, times are common, gaps are preserved."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from armdyn.base.errors import DTypeError, ShapeError, excerpt
from armdyn.logs.log import Log
from armdyn.motion.motion_data import MotionData
from armdyn.motion.resampling import resampled
from armdyn.plots.extremes import with_breaks
from armdyn.spatial.rotations import Array

if TYPE_CHECKING:
    from collections.abc import Mapping

OF_JOINTS = ("q", "qd", "qdd", "tau")


class JointRows(NamedTuple):
    """Quantities of joints over time, without energies or events, of an analysis.

    Args:
        robot: name of the robot.
        joint_names: names of its joints.
        joint_kinds: "revolute" or "prismatic" of each.
        t: times, s, shape (T,).
        arrays: quantities by name, each of shape (T, n).
    """

    robot: str
    joint_names: tuple[str, ...]
    joint_kinds: tuple[str, ...]
    t: Array
    arrays: Mapping[str, Array]


@dataclass(frozen=True, eq=False)
class Overlay:
    """A motion or a log that is drawn in the background of another one, joint by joint.

    Args:
        name: name of the robot, or of the log.
        t: times, s, shape (T,).
        arrays: its quantities by name, each of shape (T, n), in the order of the joints of the motion in front; NaN for
            joints that it does not have.
        pieces: slices of its rows without gaps.
        motion: the trajectory; None for a log.
        columns: index of its joint for each joint of the motion in front; -1 if there is none.
        notes: sentences on the matching of joints and times.
    """

    name: str
    t: Array
    arrays: Mapping[str, Array]
    pieces: list[slice]
    motion: MotionData | None
    columns: tuple[int, ...]
    notes: tuple[str, ...] = field(default=())

    def line(self, name: str) -> tuple[Array, Array] | None:
        """Times and values of a quantity with breaks at gaps; None if it is unknown."""
        if name not in self.arrays:
            return None
        return with_breaks(self.t, self.arrays[name], self.pieces)

    def at(self, t: Array, name: str) -> Array | None:
        """The values of a quantity at other times, NaN outside of its times and in its gaps; None if it is unknown.

        Trajectories are interpolated as by `armdyn.Trajectory.resample`, logs linearly.

        Args:
            t: increasing times, s, shape (T,).
            name: name of the quantity.
        """
        if name not in self.arrays:
            return None
        values = self.arrays[name]
        result = np.full((len(t), values.shape[1]), np.nan)
        if self.motion is not None and name in OF_JOINTS:
            within = (t >= self.t[0]) & (t <= self.t[-1])
            if within.any():
                there = getattr(resampled(self.motion, t[within], None), name)
                result[within] = _columns(there, self.columns)
            return result
        for piece in self.pieces:
            own = self.t[piece]
            within = (t >= own[0]) & (t <= own[-1])
            for k in range(values.shape[1]):
                result[within, k] = np.interp(t[within], own, values[piece, k])
        return result


def overlay_of(motion: MotionData | JointRows, other: object) -> Overlay:
    """The other motion or log, with its joints matched to those of a motion.

    Joints are matched by their names; if no name is common, by their order.

    Raises:
        DTypeError: an object that is neither a trajectory nor a log.
        ShapeError: a batch of motions.
    """
    if isinstance(other, Log):
        names, kinds, label = other.joint_names, None, f"log {other.name}"
        arrays = {name: getattr(other, name) for name in other.quantities}
        pieces, whole = other.pieces(), None
    elif isinstance(other, MotionData):
        if other.batch:
            first = ", ".join("0" for _ in other.batch)
            raise ShapeError(f"over is a batch of shape {other.batch}; choose one motion: over=other.pick({first})")
        names, kinds, label = other.joint_names, other.joint_kinds, other.robot
        per_joint = {name: values for name, values in other.signals.items() if values.shape == other.q.shape}
        arrays = {**per_joint, **{name: getattr(other, name) for name in OF_JOINTS}}
        pieces, whole = [slice(0, len(other.t))], other
    elif isinstance(other, JointRows):
        names, kinds, label, arrays = other.joint_names, other.joint_kinds, other.robot, dict(other.arrays)
        pieces, whole = [slice(0, len(other.t))], None
    else:
        raise DTypeError(f"over is {excerpt(other)}; expected an armdyn.Trajectory or an armdyn.logs.Log")
    if label == motion.robot:
        label = f"{label}, other motion"
    columns, notes = _matched(motion, label, names, kinds)
    notes += _times(motion.t, other.t, label, pieces)
    ordered = {name: _columns(values, columns) for name, values in arrays.items()}
    return Overlay(label, other.t, ordered, pieces, whole, columns, tuple(notes))


def _matched(
    motion: MotionData | JointRows, label: str, names: Sequence[str], kinds: Sequence[str] | None
) -> tuple[tuple[int, ...], list[str]]:
    """For each joint of the motion the column of the other one, or -1; sentences on unmatched joints."""
    own = motion.joint_names
    if not {*own} & {*names}:
        columns = tuple(k if k < len(names) else -1 for k in range(len(own)))
        notes = [f"{label}: no joint has the name of one of {motion.robot}; joints matched by order"]
    else:
        columns = tuple(names.index(name) if name in names else -1 for name in own)
        missing = [name for name in own if name not in names]
        notes = [f"{label} does not have {', '.join(missing)}"] if missing else []
    if kinds is not None:
        fits = [j < 0 or kinds[j] == kind for j, kind in zip(columns, motion.joint_kinds, strict=True)]
        if not all(fits):
            notes.append(f"{label}: joints of another kind left out")
        columns = tuple(j if fit else -1 for j, fit in zip(columns, fits, strict=True))
    return columns, notes


def _times(t: Array, other: Array, label: str, pieces: list[slice]) -> list[str]:
    """A sentence on times and rates, if they differ, and on gaps."""
    notes = []
    if len(t) != len(other) or not np.array_equal(t, other):
        notes.append(f"{label}: {len(other):,} rows from {other[0]:.4g} to {other[-1]:.4g} s, aligned by time")
    if len(pieces) > 1:
        count = len(pieces) - 1
        notes.append(f"{count} gap{'s' * (count > 1)} in {label}")
    return notes


def _columns(values: Array, columns: Sequence[int]) -> Array:
    result = np.full((len(values), len(columns)), np.nan)
    for k, j in enumerate(columns):
        if j >= 0:
            result[:, k] = values[:, j]
    return result
