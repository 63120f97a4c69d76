"""One motion as comma-separated values: a header with names and units, and numbers that come back exactly."""

from __future__ import annotations

import csv
import io
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

from armdyn.formats.csv_table import Column, CsvTable
from armdyn.simulation.errors import TrajectoryFileError
from armdyn.simulation.files.columns import SIGNAL, names_and_units, names_and_units_of, primary_columns
from armdyn.simulation.files.labels import UNITS
from armdyn.simulation.results.energy import EnergyAccount
from armdyn.simulation.results.motion_data import Statistics
from armdyn.simulation.results.trajectory import Trajectory
from armdyn.spatial.rotations import Array

_POSITION = re.compile(r"q_(?P<joint>.+) \[(?P<unit>rad|m)\]", re.DOTALL)
_KIND_OF = {units["q"]: kind for kind, units in UNITS.items()}


def content(trajectory: Trajectory, path: Path) -> bytes:
    """The bytes of the file."""
    if trajectory.batch:
        first = ", ".join("0" for _ in trajectory.batch)
        raise TrajectoryFileError(
            f"{path}: a csv file holds one motion, and this is a batch {trajectory.batch}. Save it as .npz, or "
            f"one motion of it: trajectory.pick({first}).save(...)"
        )
    buffer = io.StringIO(newline="")
    writer = csv.writer(buffer)
    writer.writerow(_header(names_and_units_of(trajectory)))
    writer.writerows(np.column_stack(primary_columns(trajectory)).tolist())  # repr(float): the shortest that comes back
    return buffer.getvalue().encode()


def read(path: Path) -> Trajectory:
    """The trajectory in the file; the robot is named after the file."""
    expected = "the columns that Trajectory.save writes"
    table = CsvTable.of(path.read_bytes(), str(path), expected, separators=",", error=TrajectoryFileError)
    joints, with_f_tip, signals = _check_header(path, table.first)
    if not table.rows:
        raise TrajectoryFileError(f"{path} has a header and no row below it")
    values = table.numbers([Column(k, label) for k, label in enumerate(table.first)], finite=False)
    return _trajectory(path, joints, values, signals, with_f_tip=with_f_tip)


def _header(columns: Sequence[tuple[str, str]]) -> list[str]:
    return [f"{name} [{unit}]" if unit else name for name, unit in columns]


def _check_header(path: Path, header: list[str]) -> tuple[list[tuple[str, str]], bool, dict[str, int]]:
    """The joints, whether there is a wrench, and the sizes of signals, where `content` writes such a header."""
    found = [_POSITION.fullmatch(column) for column in header]
    joints = [(match["joint"], _KIND_OF[match["unit"]]) for match in found if match]
    with_f_tip = any(column.startswith("f_tip_mx [") for column in header)
    of_signals = [column.removeprefix(SIGNAL).rpartition("_")[0] for column in header if column.startswith(SIGNAL)]
    signals = dict(Counter(of_signals))
    expected = _header(list(names_and_units(joints, with_f_tip=with_f_tip, signals=signals)))
    if not joints or header != expected:
        there, wanted = set(header), set(expected)
        missing = [column for column in expected if column not in there]
        foreign = [column for column in header if column not in wanted]
        problems = [f"missing {missing[:12]}"] * bool(missing) + [f"unknown {foreign[:12]}"] * bool(foreign)
        if not joints:
            problems.append("no joint position such as 'q_shoulder [rad]'")
        raise TrajectoryFileError(f"{path}: wrong columns: {'; '.join(problems) or 'in another order'}")
    return joints, with_f_tip, signals


def _trajectory(
    path: Path, joints: list[tuple[str, str]], values: Array, signals: Mapping[str, int], *, with_f_tip: bool
) -> Trajectory:
    n = len(joints)
    sizes = [1, n, n, n, n] + [6] * with_f_tip + [1, 1, 1] + list(signals.values())
    parts = np.split(values, np.cumsum(sizes)[:-1], axis=1)
    (t, q, qd, qdd, tau, *wrench, kinetic, potential, work), further = parts[: 8 + with_f_tip], parts[8 + with_f_tip :]
    return Trajectory(
        robot=path.stem,
        joint_names=tuple(name for name, _ in joints),
        joint_kinds=tuple(kind for _, kind in joints),
        t=t[:, 0].copy(),
        q=q.copy(),
        qd=qd.copy(),
        qdd=qdd.copy(),
        tau=tau.copy(),
        f_tip=wrench[0].copy() if wrench else None,
        energy=EnergyAccount(kinetic[:, 0].copy(), potential[:, 0].copy(), work[:, 0].copy()),
        statistics=Statistics(f"read from {path.name}", 0, 0, 0.0),
        signals={name: part.copy() for name, part in zip(signals, further, strict=True)},
    )
