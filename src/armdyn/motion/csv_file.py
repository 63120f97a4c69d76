"""One motion as comma-separated values: a header with names and units, and numbers that come back exactly."""

from __future__ import annotations

import csv
import re
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

from armdyn.base.tabular import csv_text
from armdyn.formats.tables.csv_file import parse_labelled
from armdyn.formats.tables.text import text_of
from armdyn.formats.tables.words import comma_hint
from armdyn.model.joint_units import UNITS
from armdyn.motion.columns import arrays_of, names_and_units, primary_columns
from armdyn.motion.errors import TrajectoryFileError
from armdyn.motion.labels import Labels
from armdyn.motion.motion_data import Motion, MotionData, Statistics
from armdyn.motion.signal_columns import SIGNAL, csv_header, of_header
from armdyn.motion.words import motion_of, no_words

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
    joints = list(zip(trajectory.joint_names, trajectory.joint_kinds, strict=True))
    sizes = {name: values.shape[-1] for name, values in trajectory.signals.items()}
    header = _header(joints, sizes, trajectory.signal_labels, with_f_tip=trajectory.f_tip is not None)
    return csv_text(header, np.column_stack(primary_columns(trajectory)), line_end="\r\n").encode()


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
    path.open("rb").close()  # raises the errors of the system
    table = parse_labelled(*text_of(path, TrajectoryFileError), TrajectoryFileError)
    joints, with_f_tip, sizes, labels = _check_header(path, table.labels)
    table.refuse_odd_rows(TrajectoryFileError)
    if not len(table):
        raise TrajectoryFileError(f"{path} has a header and no row below it")
    if table.unread is not None and table.word is not None:
        line, label = table.unread
        word = table.word(line, label)
        raise TrajectoryFileError(f"{path}:{line} column {label!r} holds {word!r}; expected a number{comma_hint(word)}")
    names = [name for name, _ in names_and_units(joints, with_f_tip=with_f_tip)]
    values = list(table.columns.values())
    of_signals = iter(values[len(names) :])
    signals = {name: np.stack([next(of_signals) for _ in range(size)], axis=-1) for name, size in sizes.items()}
    words = no_words(path.stem, joints, Statistics(f"read from {path.name}", 0, 0, 0.0)) | {
        "signals": list(sizes),
        "signal_labels": labels,
    }
    columns = dict(zip(names, values, strict=False))
    arrays = arrays_of(columns, words["joint_names"], (len(table),))
    return motion_of(kind, words, arrays, signals)


def _header(
    joints: Sequence[tuple[str, str]], signals: Mapping[str, int], labels: Labels, *, with_f_tip: bool
) -> list[str]:
    """The header: joints by name and kind, signals by name and size, with units in brackets."""
    own = [f"{name} [{unit}]" if unit else name for name, unit in names_and_units(joints, with_f_tip=with_f_tip)]
    return own + csv_header(signals, labels, [name for name, _ in joints])


def _check_header(path: Path, header: Sequence[str]) -> tuple[list[tuple[str, str]], bool, dict[str, int], Labels]:
    """The joints, the presence of a wrench, sizes and labels of signals; an error of a header that is not `_header`."""
    matches = [_POSITION.fullmatch(column) for column in header]
    joints = [(match["joint"], _KIND_OF[match["unit"]]) for match in matches if match]
    with_f_tip = any(column.startswith("f_tip_mx [") for column in header)
    signals, labels = of_header([c for c in header if c.startswith(SIGNAL)], [name for name, _ in joints])
    expected = _header(joints, signals, labels, with_f_tip=with_f_tip)
    if not joints or list(header) != expected:
        there, expected_names = set(header), set(expected)
        missing = [column for column in expected if column not in there]
        foreign = [column for column in header if column not in expected_names]
        problems = [f"missing {missing[:12]}"] * bool(missing) + [f"unknown {foreign[:12]}"] * bool(foreign)
        if not joints:
            problems.append("no joint position such as 'q_shoulder [rad]'")
        raise TrajectoryFileError(f"{path}: wrong columns: {'; '.join(problems) or 'in another order'}")
    return joints, with_f_tip, signals, labels
