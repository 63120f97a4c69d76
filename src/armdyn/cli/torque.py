"""``armdyn torque``: inverse dynamics of one state, or of a table of them."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import numpy as np
import typer
from rich.console import Console
from rich.markup import escape

from armdyn.cli.arguments import (
    AcceptOption,
    BaseOption,
    ChainOption,
    GravityOption,
    LockOption,
    RobotArgument,
    TipOption,
    open_robot,
    read_joint_vector,
    read_vector,
)
from armdyn.cli.outputs import refuse_unwritable
from armdyn.cli.tables import figure, new_table, read_states, show, show_notes, write_table
from armdyn.errors import ShapeError
from armdyn.robot import Robot
from armdyn.spatial.rotations import Array


def torque(
    robot: RobotArgument,
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
        Path | None, typer.Option("--out", help="Write joint forces to this csv instead of the screen.")
    ] = None,
    base: BaseOption = None,
    tip: TipOption = None,
    chain: ChainOption = False,
    lock: LockOption = None,
    gravity: GravityOption = None,
    accept: AcceptOption = False,
) -> None:
    """Joint forces that a motion asks for, N m or N.

    What is not given is zero. A csv has a header that names its columns q_JOINT, qd_JOINT, qdd_JOINT, in any order
    (other columns are ignored with a warning), or no header and the columns q, qd, qdd of all joints in order.

    [bold]Examples[/]

      armdyn torque ur5 --q 0,-1.57,0,0,0,0

      armdyn torque ur5 --q 0,-1,1,0,0,0 --qdd 1,0,0,0,0,0 --f-tip 0,0,0,0,0,-20

      armdyn torque ur5 --csv motion.csv --out torques.csv
    """
    arm = open_robot(robot, base=base, tip=tip, chain=chain, lock=lock, gravity=gravity, accept=accept)
    if out is not None:
        refuse_unwritable("--out", out)
    wrench = None if f_tip is None else read_vector(f_tip, "--f-tip", 6, meaning="mx,my,mz,fx,fy,fz")
    if csv is None:
        state = [read_joint_vector(text, f"--{name}", arm) for name, text in (("q", q), ("qd", qd), ("qdd", qdd))]
        tau = arm.inverse_dynamics(*state, wrench)
        _print_one(arm, state, tau) if out is None else write_table(out, _columns(arm), np.atleast_2d(tau))
        show_notes(Console(), arm.notes)
        return
    if q is not None or qd is not None or qdd is not None:
        raise ShapeError("states are given twice: by --csv and by --q, --qd or --qdd; choose one")
    tau = arm.inverse_dynamics(*read_states(csv, arm), wrench)
    write_table(sys.stdout if out is None else out, _columns(arm), tau)
    show_notes(Console(stderr=out is None), arm.notes)


def _columns(arm: Robot) -> list[str]:
    return [f"tau_{name}" for name in arm.joint_names]


def _print_one(arm: Robot, state: list[Array], tau: Array) -> None:
    table = new_table(f"Inverse dynamics of {escape(arm.name)}", "joint", "q", "qd", "qdd", "tau", "unit")
    for joint, q, qd, qdd, force in zip(arm.joints, *state, tau, strict=True):
        unit = "N m" if joint.kind == "revolute" else "N"
        motion = (figure(x, digits=6, width=10) for x in (q, qd, qdd))
        table.add_row(escape(joint.name), *motion, figure(force, digits=6, width=12), unit)
    show(Console(), table)
