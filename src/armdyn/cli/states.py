"""Options for states of an arm, one or a table of them, and for the file of results; equal in every verb."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated, TextIO

import numpy as np
import typer

from armdyn.base.errors import ShapeError
from armdyn.cli.outputs import refuse_unwritable
from armdyn.cli.tables import write_table
from armdyn.spatial.rotations import Array

Positions = Annotated[
    str | None,
    typer.Option("--q", help="Joint positions, rad or m, or such as 90deg, pi/2, 20mm; zero if left out."),
]
Velocities = Annotated[
    str | None, typer.Option("--qd", help="Joint velocities, rad/s or m/s, or such as 90deg/s, 30rpm, 20mm/s.")
]
Accelerations = Annotated[
    str | None, typer.Option("--qdd", help="Joint accelerations, rad/s² or m/s², or such as 90deg/s2.")
]
MotionFile = Annotated[
    Path | None, typer.Option("--motion", metavar="FILE", help="Read states from this csv, or from - (standard input).")
]
OutFile = Annotated[
    Path | None,
    typer.Option(
        "--out", "-o", metavar="FILE", help="Write to this csv instead of the screen, or to - (standard output)."
    ),
]


def target_of(out: Path | None) -> Path | TextIO | None:
    """The destination of results: a writable file, standard output, or None without --out."""
    if out is None or str(out) == "-":
        return None if out is None else sys.stdout
    refuse_unwritable("--out", out)
    return out


def refuse_both(motion: Path | None, q: str | None) -> None:
    """Raise if a table and a state are given."""
    if motion is not None and q is not None:
        raise ShapeError("states are given twice: by --motion and by --q; choose one")


def write_rows(target: Path | TextIO, t: Array | None, columns: list[str], values: Array) -> None:
    """Write a csv with a row for each state, after its time if it has one."""
    if t is None:
        write_table(target, columns, values)
    else:
        write_table(target, ["t", *columns], np.column_stack([t, values]))
