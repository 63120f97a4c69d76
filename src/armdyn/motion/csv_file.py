"""One motion as comma-separated values: a header with names and units, and numbers that come back exactly."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

from armdyn.formats.csv_table import Column, CsvTable
from armdyn.model.joint_units import UNITS
from armdyn.motion.columns import names_and_units, primary_columns
from armdyn.motion.energy import EnergyAccount
from armdyn.motion.errors import TrajectoryFileError
from armdyn.motion.labels import Labels
from armdyn.motion.motion_data import Motion, MotionData, Statistics
from armdyn.motion.signal_columns import SIGNAL, csv_header, of_header
from armdyn.spatial.rotations import Array

LONGEST_HEADER = 1_000_000
"""Characters of the first line."""

_POSITION = re.compile(r"q_(?P<joint>.+) \[(?P<unit>rad|m)\]", re.DOTALL)
_KIND_OF = {units["q"]: kind for kind, units in UNITS.items()}


def content(trajectory: MotionData, path: Path) -> bytes:
    """The bytes of the file."""
    if trajectory.batch:
        first = ", ".join("0" for _ in trajectory.batch)
        raise TrajectoryFileError(
            f"{path}: a csv file holds one motion, and this is a batch {trajectory.batch}. Save it as .npz, or "
            f"one motion of it: trajectory.pick({first}).save(...)"
        )
    buffer = io.StringIO(newline="")
    writer = csv.writer(buffer)
    joints = list(zip(trajectory.joint_names, trajectory.joint_kinds, strict=True))
    sizes = {name: values.shape[-1] for name, values in trajectory.signals.items()}
    writer.writerow(_header(joints, sizes, trajectory.signal_labels, with_f_tip=trajectory.f_tip is not None))
    writer.writerows(np.column_stack(primary_columns(trajectory)).tolist())  # repr(float): the shortest that comes back
    return buffer.getvalue().encode()


def is_saved(path: Path) -> bool:
    """True for a file with the columns that `content` writes."""
    try:
        with path.open(encoding="utf-8", newline="") as file:
            header = next(csv.reader([file.readline(LONGEST_HEADER)], strict=True), [])
        _check_header(path, header)
    except (OSError, UnicodeDecodeError, csv.Error, TrajectoryFileError):
        return False
    return True


def read(path: Path, kind: type[Motion]) -> Motion:
    """The motion in the file, as an object of the class ``kind``; the robot is named after the file."""
    expected = "the columns that Trajectory.save writes"
    table = CsvTable.of(path.read_bytes(), str(path), expected, separators=",", error=TrajectoryFileError)
    joints, with_f_tip, signals, labels = _check_header(path, table.first)
    if not table.rows:
        raise TrajectoryFileError(f"{path} has a header and no row below it")
    values = table.numbers([Column(k, label) for k, label in enumerate(table.first)], finite=False)
    return _motion(kind, path, joints, values, signals, labels, with_f_tip=with_f_tip)


def _header(
    joints: Sequence[tuple[str, str]], signals: Mapping[str, int], labels: Labels, *, with_f_tip: bool
) -> list[str]:
    """The header: joints by name and kind, signals by name and size, with units in brackets."""
    own = [f"{name} [{unit}]" if unit else name for name, unit in names_and_units(joints, with_f_tip=with_f_tip)]
    return own + csv_header(signals, labels, [name for name, _ in joints])


def _check_header(path: Path, header: list[str]) -> tuple[list[tuple[str, str]], bool, dict[str, int], Labels]:
    """The joints, the presence of a wrench, sizes and labels of signals; an error of a header that is not `_header`."""
    found = [_POSITION.fullmatch(column) for column in header]
    joints = [(match["joint"], _KIND_OF[match["unit"]]) for match in found if match]
    with_f_tip = any(column.startswith("f_tip_mx [") for column in header)
    signals, labels = of_header([c for c in header if c.startswith(SIGNAL)], [name for name, _ in joints])
    expected = _header(joints, signals, labels, with_f_tip=with_f_tip)
    if not joints or header != expected:
        there, wanted = set(header), set(expected)
        missing = [column for column in expected if column not in there]
        foreign = [column for column in header if column not in wanted]
        problems = [f"missing {missing[:12]}"] * bool(missing) + [f"unknown {foreign[:12]}"] * bool(foreign)
        if not joints:
            problems.append("no joint position such as 'q_shoulder [rad]'")
        raise TrajectoryFileError(f"{path}: wrong columns: {'; '.join(problems) or 'in another order'}")
    return joints, with_f_tip, signals, labels


def _motion(
    kind: type[Motion],
    path: Path,
    joints: list[tuple[str, str]],
    values: Array,
    signals: Mapping[str, int],
    labels: Labels,
    *,
    with_f_tip: bool,
) -> Motion:
    n = len(joints)
    sizes = [1, n, n, n, n] + [6] * with_f_tip + [1, 1, 1] + list(signals.values())
    parts = np.split(values, np.cumsum(sizes)[:-1], axis=1)
    (t, q, qd, qdd, tau, *wrench, kinetic, potential, work), further = parts[: 8 + with_f_tip], parts[8 + with_f_tip :]
    return kind(
        robot=path.stem,
        joint_names=tuple(name for name, _ in joints),
        joint_kinds=tuple(of_joint for _, of_joint in joints),
        t=t[:, 0].copy(),
        q=q.copy(),
        qd=qd.copy(),
        qdd=qdd.copy(),
        tau=tau.copy(),
        f_tip=wrench[0].copy() if wrench else None,
        energy=EnergyAccount(kinetic[:, 0].copy(), potential[:, 0].copy(), work[:, 0].copy()),
        statistics=Statistics(f"read from {path.name}", 0, 0, 0.0),
        signals={name: part.copy() for name, part in zip(signals, further, strict=True)},
        signal_labels=labels,
    )
