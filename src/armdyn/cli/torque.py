"""``armdyn torque``: inverse dynamics of one state, or of a table of them."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated, TextIO

import numpy as np
import typer

from armdyn.cli.arguments import read_joint_vector, read_vector
from armdyn.cli.outputs import refuse_unwritable
from armdyn.cli.screen import screen
from armdyn.cli.tables import figure, new_table, show, show_notes, write_table
from armdyn.errors import ShapeError
from armdyn.robot import Robot
from armdyn.simulation.joint_tables import read_states
from armdyn.spatial.rotations import Array


def torque(
    arm: Robot,
    q: Annotated[str | None, typer.Option("--q", help="Joint positions, rad or m, separated by commas.")] = None,
    qd: Annotated[str | None, typer.Option("--qd", help="Joint velocities, rad/s or m/s.")] = None,
    qdd: Annotated[str | None, typer.Option("--qdd", help="Joint accelerations, rad/s² or m/s².")] = None,
    f_tip: Annotated[
        str | None, typer.Option("--f-tip", help="Wrench the tip applies, mx,my,mz,fx,fy,fz in the tip frame.")
    ] = None,
    csv: Annotated[
        Path | None, typer.Option("--csv", help="Read states from this table, or from - (standard input).")
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option("--out", help="Write joint forces to this csv instead of the screen, or to - (standard output)."),
    ] = None,
) -> None:
    """Joint forces that a motion asks for, N m or N.

    What is not given is zero. A csv has a header that names its columns q_JOINT, qd_JOINT, qdd_JOINT, in any order, in
    SI units or with another behind the name, such as "q_JOINT [deg]"; a column t is kept, others are ignored with a
    warning. Or it has no header and the columns q, qd, qdd of all joints in order, as far as they go. Semicolons and
    tabs separate columns too.

    [bold]Examples[/]

      armdyn torque ur5 --q 0,-1.57,0,0,0,0

      armdyn torque ur5 --q 0,-1,1,0,0,0 --qdd 1,0,0,0,0,0 --f-tip 0,0,0,0,0,-20

      armdyn torque ur5 --csv motion.csv --out torques.csv

      armdyn torque ur5 --qd 1,0,0,0,0,0 --actuators drives.yaml
    """
    target = _target(out)
    wrench = None if f_tip is None else read_vector(f_tip, "--f-tip", 6, meaning="mx,my,mz,fx,fy,fz")
    if csv is None:
        state = [read_joint_vector(text, f"--{name}", arm) for name, text in (("q", q), ("qd", qd), ("qdd", qdd))]
        tau = arm.inverse_dynamics(*state, wrench)
        _print_one(arm, state, tau) if target is None else write_table(target, _columns(arm), np.atleast_2d(tau))
        show_notes(screen(stderr=target is sys.stdout), arm.notes)
        return
    if q is not None or qd is not None or qdd is not None:
        raise ShapeError("states are given twice: by --csv and by --q, --qd or --qdd; choose one")
    t, *states = read_states(csv, arm)
    tau = arm.inverse_dynamics(*states, wrench)
    target = sys.stdout if target is None else target
    if t is None:
        write_table(target, _columns(arm), tau)
    else:
        write_table(target, ["t", *_columns(arm)], np.column_stack([t, tau]))
    show_notes(screen(stderr=target is sys.stdout), arm.notes)


def _target(out: Path | None) -> Path | TextIO | None:
    """The destination of the results: a writable file, standard output, or None without --out."""
    if out is None or str(out) == "-":
        return None if out is None else sys.stdout
    refuse_unwritable("--out", out)
    return out


def _columns(arm: Robot) -> list[str]:
    return [f"tau_{name}" for name in arm.joint_names]


def _print_one(arm: Robot, state: list[Array], tau: Array) -> None:
    table = new_table(f"Inverse dynamics of {arm.name}", "joint", "q", "qd", "qdd", "tau", "unit")
    for joint, q, qd, qdd, force in zip(arm.joints, *state, tau, strict=True):
        unit = "N m" if joint.kind == "revolute" else "N"
        motion = (figure(x, digits=6, width=10) for x in (q, qd, qdd))
        table.add_row(joint.name, *motion, figure(force, digits=6, width=12), unit)
    show(screen(), table)
