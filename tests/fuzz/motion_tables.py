"""Tables of motions, damaged: states, torques, references and saved motions; pandas reads the same numbers."""

from __future__ import annotations

import io
import math
import re
from functools import cached_property
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pandas as pd

import armdyn
from armdyn.formats.tables.words import csv_rows
from armdyn.logs.joint_tables import read_reference, read_states, read_torques
from fuzz import cells
from fuzz.cases import Finding, Stage, Verdict, file_in_memory, refused
from fuzz.ignored import judged_by_poke
from fuzz.meaning import Reading, reading_of

JOINTS = ("turn", "slide")
UNITS = {
    **{"q_turn": {"rad": 1.0, "deg": math.pi / 180, "rev": 2 * math.pi}, "q_slide": {"m": 1.0, "mm": 1e-3, "cm": 1e-2}},
    **{"qd_turn": {"rad/s": 1.0, "deg/s": math.pi / 180, "rpm": math.pi / 30}, "qd_slide": {"m/s": 1.0, "mm/s": 1e-3}},
    **{"qdd_turn": {"rad/s^2": 1.0, "deg/s²": math.pi / 180}, "qdd_slide": {"m/s^2": 1.0, "mm/s2": 1e-3}},
    **{
        "tau_turn": {"N m": 1.0, "N mm": 1e-3, "kN m": 1e3},
        "tau_slide": {"N": 1.0, "kN": 1e3},
        "t": {"s": 1.0, "ms": 1e-3, "min": 60.0},
    },
}
SAVED = (
    *(
        "t [s]",
        "q_turn [rad]",
        "q_slide [m]",
        "qd_turn [rad/s]",
        "qd_slide [m/s]",
        "qdd_turn [rad/s^2]",
        "qdd_slide [m/s^2]",
    ),
    *("tau_turn [N m]", "tau_slide [N]", "kinetic_energy [J]", "potential_energy [J]", "work [J]"),
)
HEADINGS = (
    *(f"{name} [{unit}]" for name, units in UNITS.items() for unit in (*units, "lb")), *UNITS, *SAVED,
    *("q", "q_elbow", "q_turn[deg]", "T", "time", "tau_elbow", "f_tip_mx [N m]", "signal_x_0", "Q_TURN", ""),
)  # fmt: skip

READERS = {"states": read_states, "torques": read_torques, "reference": read_reference, "saved": None}
WANTED = {
    "states": ("q", "qd", "qdd"),
    "torques": ("tau",),
    "reference": ("q", "qd", "qdd"),
}


class MotionTables:
    """Damaged tables; the first line says of what they are."""

    name, suffix = "motion_tables", ".csv"

    @cached_property
    def path(self) -> Path:
        """The table."""
        return file_in_memory("motion.csv")

    @cached_property
    def robot(self) -> armdyn.Robot:
        """A joint that turns and one that slides."""
        body = armdyn.Inertia(1.0, [0.1, 0.0, 0.0], 0.01 * np.eye(3))
        return armdyn.Robot.from_links(
            [
                armdyn.Part("a", "base", joint="turn", axis=(0, 0, 1), inertia=body),
                armdyn.Part("b", "a", "prismatic", joint="slide", axis=(1, 0, 0), inertia=body),
            ]
        )

    def make(self, rng: Random) -> bytes:
        """A table with up to two changes, and now and then damaged bytes."""
        what = rng.choice(sorted(READERS))
        table = _table(what, rng)
        for _ in range(rng.choice((0, 1, 1, 1, 2))):
            if table[0]:
                cells.changed(table, rng, HEADINGS)
        return what.encode() + b"\n" + cells.text_of(table, rng, (",", ",", ",", ";", "\t"))

    def judge(self, data: bytes, stage: Stage) -> Verdict:
        """Read; as pandas reads it; with another number."""
        rng = Random(data)  # noqa: S311
        what, _, data = data.decode("latin-1").partition("\n")
        content = data.encode("latin-1")
        if what not in READERS:
            return Verdict("no input")
        stage("armdyn")
        try:
            first, value = self._read(what, content)
        except armdyn.ArmdynError as error:
            return refused(error)
        table = [row for _, row in csv_rows(content.decode(), "x", "x", armdyn.ArmdynError)]
        has_header = what != "saved" and not cells.NUMBER.match(table[0][0].strip())
        if has_header and (apart := _apart(what, content, value)):
            return Verdict("compared", Finding("difference", f"{what}: not as pandas reads it", apart))
        poke = cells.poked(table, rng, lambda heading: not _is_of(what, heading))
        return judged_by_poke(first, poke, lambda other: self._read(what, other)[0])

    def _read(self, what: str, content: bytes) -> tuple[Reading, Any]:
        self.path.write_bytes(content)
        kept: list[Any] = []

        def read() -> tuple[Any, tuple[str, ...]]:
            reader = READERS[what]
            kept.append(armdyn.Trajectory.load(self.path) if reader is None else reader(self.path, self.robot))
            value = kept[-1]
            return ([value.t, value.q, value.qd, value.qdd, value.tau, value.energy] if reader is None else value), ()

        return reading_of(read), kept[-1]


def _table(what: str, rng: Random) -> cells.Table:
    """A table that can be read."""
    if what == "saved":
        columns = list(SAVED)
    else:
        names = [
            f"{quantity}_{joint}"
            for quantity in WANTED[what]
            for joint in JOINTS
            if what != "reference" or quantity == "q" or rng.random() < 0.5
        ]
        if what == "states":
            names = [name for name in names if rng.random() < 0.8] or names
        names = ["t", *names] if what != "states" or rng.random() < 0.5 else names
        columns = [name if rng.random() < 0.5 else f"{name} [{rng.choice(sorted(UNITS[name]))}]" for name in names]
        rng.shuffle(columns)
    rows = rng.choice((1, 2, 2, 3, 7))
    number = lambda k, name: repr(0.1 * k + (0.0 if name.startswith("t ") or name == "t" else rng.uniform(-3, 3)))  # noqa: E731
    return [columns, *([number(k, name) for name in columns] for k in range(rows))]


def _is_of(what: str, heading: str) -> bool:
    """Whether a column is one that the reader of this kind has a use for; of others the documentation says so."""
    name = heading.partition("[")[0].strip()
    if what == "saved":
        return True
    return name == "t" or name.partition("_")[0] in WANTED[what]


def _apart(what: str, content: bytes, value: Any) -> str:
    """Where the numbers are not those of pandas' reader, times their unit; empty where they are."""
    text = content.decode("utf-8-sig")
    first = next(line for line in text.splitlines() if line.strip())
    following = next((line for line in text.partition(first)[2].splitlines() if line.strip()), first)
    there = [s for s in "\t;," if s in re.sub(r'"[^"]*"', "", first)]
    alike = [s for s in there if following.count(s) == re.sub(r'"[^"]*"', "", first).count(s)]
    separator = next(iter(alike or there), ",")
    frame = pd.read_csv(
        io.StringIO(text),
        sep=separator,
        dtype=str,
        header=0,
        keep_default_na=False,
        index_col=False,
        skipinitialspace=True,
    )
    found = {"t": value[0]} if what != "states" or value[0] is not None else {}
    for k, quantity in enumerate(WANTED[what], start=1):
        found |= {f"{quantity}_{joint}": value[k][:, j] for j, joint in enumerate(JOINTS)}
    for heading in frame.columns:
        name, _, unit = str(heading).strip().removesuffix("]").partition("[")
        name, unit = name.strip(), unit.strip().replace(" / ", "/").replace("/s**2", "/s^2")
        if name not in found:
            continue
        known = UNITS[name]
        scale = known.get(unit, 1.0) if unit else 1.0
        if unit and unit not in known:
            continue  # units that this table does not have
        words = [str(word).strip() for word in frame[heading]]
        kept = [word for word in words if word]
        if any(not cells.NUMBER.fullmatch(word) for word in kept):
            return f"{heading}: {words} is read as {found[name]}"
        if len(kept) != len(found[name]) or not np.allclose(
            [float(x) * scale for x in kept], found[name], rtol=1e-14, atol=0
        ):
            return f"{heading}: {words} is read as {found[name]}"
    return ""
