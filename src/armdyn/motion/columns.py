"""A trajectory as a table: one name for each column, one row for each time."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from armdyn.model.joint_units import UNITS
from armdyn.motion.motion_data import MotionData
from armdyn.motion.signal_columns import signal_columns
from armdyn.motion.signal_words import words_of
from armdyn.spatial.rotations import Array

WRENCH = ("mx", "my", "mz", "fx", "fy", "fz")

OF_JOINTS = ("q", "qd", "qdd", "tau")

ENERGIES = ("kinetic", "potential", "work")
DERIVED = ("total", "drift")
"""Energies derived from `ENERGIES`; columns of tables, not of files."""


def names_and_units(joints: Sequence[tuple[str, str]], *, with_f_tip: bool) -> Iterator[tuple[str, str]]:
    """Name and unit of each column without signals, for joints by name and kind."""
    yield "t", "s"
    for quantity in OF_JOINTS:
        for name, kind in joints:
            yield f"{quantity}_{name}", UNITS[kind][quantity]
    if with_f_tip:
        for part in WRENCH:
            yield f"f_tip_{part}", "N m" if part.startswith("m") else "N"
    for energy in ENERGIES:
        yield energy, "J"


def names_and_units_of(trajectory: MotionData) -> list[tuple[str, str]]:
    """Name and unit of each column of a trajectory."""
    joints = list(zip(trajectory.joint_names, trajectory.joint_kinds, strict=True))
    sizes = {name: values.shape[-1] for name, values in trajectory.signals.items()}
    return [
        *names_and_units(joints, with_f_tip=trajectory.f_tip is not None),
        *((name, label.unit) for name, label in signal_columns(sizes, trajectory.signal_labels)),
    ]


def quantities_of(trajectory: MotionData) -> dict[str, str]:
    """Words and symbol of the quantity of each column of a signal, by the name of the column."""
    sizes = {name: values.shape[-1] for name, values in trajectory.signals.items()}
    columns = iter(signal_columns(sizes, trajectory.signal_labels))
    return {next(columns)[0]: str(words_of(name)) for name, size in sizes.items() for _ in range(size)}


def primary_columns(trajectory: MotionData) -> list[Array]:
    """The columns that `names_and_units` names, each of shape (T, ...)."""
    wrench = [] if trajectory.f_tip is None else [trajectory.f_tip]
    arrays = [trajectory.q, trajectory.qd, trajectory.qdd, trajectory.tau, *wrench]
    energies = [getattr(trajectory.energy, name) for name in ENERGIES]
    per_joint = [array[..., k] for array in arrays for k in range(array.shape[-1])]
    signals = [values[..., k] for values in trajectory.signals.values() for k in range(values.shape[-1])]
    t = trajectory.t.reshape(-1, *(1 for _ in trajectory.batch))
    return [np.broadcast_to(t, (len(t), *trajectory.batch)), *per_joint, *energies, *signals]


def arrays_of(columns: Mapping[str, Array], joint_names: Sequence[str], shape: tuple[int, ...]) -> dict[str, Array]:
    """The arrays of a motion by name, of the columns of its table: the inverse of `primary_columns`.

    Args:
        columns: by name, each with one entry for each time and state.
        joint_names: in the order of q.
        shape: (T, ...), of the times and the batch.
    """
    arrays = {
        quantity: stacked(columns, [f"{quantity}_{name}" for name in joint_names], shape) for quantity in OF_JOINTS
    }
    arrays |= {name: columns[name].reshape(shape).copy() for name in ENERGIES}
    arrays["t"] = columns["t"].reshape(shape[0], -1)[:, 0].copy()
    if f"f_tip_{WRENCH[0]}" in columns:
        arrays["f_tip"] = stacked(columns, [f"f_tip_{part}" for part in WRENCH], shape)
    return arrays


def stacked(columns: Mapping[str, Array], names: Sequence[str], shape: tuple[int, ...]) -> Array:
    """Columns of one quantity as an array of shape (T, ..., k).

    Raises:
        KeyError: a column that there is not.
        ValueError: a column that is not float64.
    """
    parts = [columns[name] for name in names]
    if any(part.dtype != np.float64 for part in parts):
        raise ValueError("not all its columns are float64")
    return np.stack(parts, axis=-1).reshape(*shape, -1)


def table(trajectory: MotionData) -> dict[str, Array]:
    """All columns by name, flat, with the derived energies and the indices of a batch."""
    names = [name for name, _ in names_and_units_of(trajectory)]
    columns = dict(zip(names, primary_columns(trajectory), strict=True))
    columns |= {name: getattr(trajectory.energy, name) for name in DERIVED}
    columns |= batch_indices(trajectory)
    return {name: np.ravel(column) for name, column in columns.items()}


def batch_indices(trajectory: MotionData) -> dict[str, Array]:
    """The index of each state in each axis of the batch, by column, each of shape (T, ...)."""
    indices = np.indices((len(trajectory.t), *trajectory.batch))[1:]
    return {f"batch_{axis}": index for axis, index in enumerate(indices)}
