"""A trajectory as a table: one name for each column, one row for each time."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from armdyn.simulation.trajectory import Trajectory
from armdyn.spatial.rotations import Array

WRENCH = ("mx", "my", "mz", "fx", "fy", "fz")

UNITS = {
    "revolute": {"q": "rad", "qd": "rad/s", "qdd": "rad/s^2", "tau": "N m"},
    "prismatic": {"q": "m", "qd": "m/s", "qdd": "m/s^2", "tau": "N"},
}
"""Of the quantities of a joint."""

ENERGIES = ("kinetic", "potential", "work")


def names_and_units(joints: Sequence[tuple[str, str]], *, with_f_tip: bool) -> Iterator[tuple[str, str]]:
    """Name and unit of each column, for joints given by name and kind."""
    yield "t", "s"
    for quantity in ("q", "qd", "qdd", "tau"):
        for name, kind in joints:
            yield f"{quantity}_{name}", UNITS[kind][quantity]
    if with_f_tip:
        for part in WRENCH:
            yield f"f_tip_{part}", "N m" if part.startswith("m") else "N"
    for energy in ENERGIES:
        yield energy, "J"


def primary_columns(trajectory: Trajectory) -> list[Array]:
    """What `names_and_units` names, each of shape (T, ...)."""
    wrench = [] if trajectory.f_tip is None else [trajectory.f_tip]
    arrays = [trajectory.q, trajectory.qd, trajectory.qdd, trajectory.tau, *wrench]
    energies = [getattr(trajectory.energy, name) for name in ENERGIES]
    per_joint = [array[..., k] for array in arrays for k in range(array.shape[-1])]
    t = trajectory.t.reshape(-1, *(1 for _ in trajectory.batch))
    return [np.broadcast_to(t, (len(t), *trajectory.batch)), *per_joint, *energies]


def table(trajectory: Trajectory) -> dict[str, Array]:
    """All columns by name, flat, with the derived energies and the indices of a batch."""
    joints = list(zip(trajectory.joint_names, trajectory.joint_kinds, strict=True))
    names = [name for name, _ in names_and_units(joints, with_f_tip=trajectory.f_tip is not None)]
    columns = dict(zip(names, primary_columns(trajectory), strict=True))
    columns |= {"total": trajectory.energy.total, "drift": trajectory.energy.drift}
    indices = np.indices((len(trajectory.t), *trajectory.batch))[1:]
    columns |= {f"batch_{axis}": index for axis, index in enumerate(indices)}
    return {name: np.ravel(column) for name, column in columns.items()}
