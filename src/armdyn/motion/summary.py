"""A motion as a table: first, last and extreme positions, largest speeds and forces of the joints."""

from __future__ import annotations

from typing import Any

import numpy as np

from armdyn.base.tabular import TextTable, figure
from armdyn.motion.motion_data import MotionData
from armdyn.motion.signal_words import words_of
from armdyn.spatial.rotations import Array

DIGITS = 4
UNITS = {"revolute": "rad", "prismatic": "m"}


def summary(trajectory: MotionData) -> TextTable:
    """The table of a motion: one row per joint, over all motions of a batch, then energy, drift and notes."""
    start = "at start" if not trajectory.batch else "at start, least"
    end = "at end" if not trajectory.batch else "at end, most"
    headings = ("joint", "unit", start, end, "lowest", "highest", "max. speed", "max. force")
    rows = [
        (name, UNITS[kind], *_numbers(trajectory, k))
        for k, (name, kind) in enumerate(zip(trajectory.joint_names, trajectory.joint_kinds, strict=True))
    ]
    return TextTable(headings, rows, "llrrrrrr", repr(trajectory), _below(trajectory))


def _numbers(trajectory: MotionData, k: int) -> tuple[str, ...]:
    q, qd, tau = (getattr(trajectory, name)[..., k] for name in ("q", "qd", "tau"))
    cells = (_least(q[0]), _most(q[-1]), _least(q), _most(q), _most(np.abs(qd)), _most(np.abs(tau)))
    return tuple(figure(value, digits=DIGITS) for value in cells)


def _least(values: Array) -> float:
    return float(np.min(values, where=np.isfinite(values), initial=np.inf))


def _most(values: Array) -> float:
    return float(np.max(values, where=np.isfinite(values), initial=-np.inf))


def _below(trajectory: MotionData) -> tuple[str, ...]:
    energy: Any = trajectory.energy
    totals, drift = energy.total, np.abs(energy.drift)
    if trajectory.batch:
        total = f"from {_energy(_least(totals[0]))} to {_energy(_most(totals[0]))} at start, "
        total += f"from {_energy(_least(totals[-1]))} to {_energy(_most(totals[-1]))} at end"
    else:
        total = f"{_energy(totals[0])} at start, {_energy(totals[-1])} at end"
    work = "" if trajectory.batch else f", work of joints, friction and tip {_energy(energy.work[-1] - energy.work[0])}"
    lines = [f"energy {total}{work}; largest drift of its account {figure(_most(drift), size=0.0, digits=2)} J"]
    if trajectory.signals:
        lines.append(f"signals: {'; '.join(_signal(trajectory, name) for name in trajectory.signals)}")
    return (*lines, *(f"note: {note}" for note in trajectory.notes))


def _signal(trajectory: MotionData, name: str) -> str:
    """Name, quantity and units of a signal: "current (motor current I, A)"."""
    units = dict.fromkeys(label.unit for label in trajectory.signal_labels.get(name, ()) if label.unit)
    words = str(words_of(name))
    descriptions = ([words] if words != name else []) + ([" or ".join(units)] if units else [])
    return f"{name} ({', '.join(descriptions)})" if descriptions else name


def _energy(value: Any) -> str:
    return f"{figure(float(value), digits=DIGITS)} J"
