"""``armdyn torque``: inverse dynamics of one state, or of a table of them."""

from __future__ import annotations

import sys
from typing import Annotated

import numpy as np
import typer

from armdyn.base.errors import ShapeError
from armdyn.cli.arguments import read_joint_vector, read_wrench
from armdyn.cli.json_output import AsJson, of_robot, print_json
from armdyn.cli.screen import screen
from armdyn.cli.states import Accelerations, MotionFile, OutFile, Positions, Velocities, target_of, write_rows
from armdyn.cli.tables import figure, figures, new_table, show, show_limits, show_notes, write_table
from armdyn.logs.joint_tables import read_states
from armdyn.motion.limits_passed import limits_passed
from armdyn.robot import Robot
from armdyn.spatial.rotations import Array


def torque(
    arm: Robot,
    q: Positions = None,
    qd: Velocities = None,
    qdd: Accelerations = None,
    f_tip: Annotated[
        str | None, typer.Option("--f-tip", help="Wrench the tip applies, mx,my,mz,fx,fy,fz in the tip frame.")
    ] = None,
    motion: MotionFile = None,
    out: OutFile = None,
    json: AsJson = False,
) -> None:
    r"""Joint forces of a motion by inverse dynamics, N m or N.

    What is not given is zero. The csv of --motion has a header that names its columns q_JOINT, qd_JOINT, qdd_JOINT, in
    any order, in SI units or with another after the name, such as "q_JOINT \[deg]"; a column t is kept, others are
    ignored with a warning. Or it has no header and the columns q, qd, qdd of all joints in order, as far as they go.
    Semicolons and tabs separate columns too. Limits of positions, velocities and efforts that the motion passes are
    named on the terminal, with the joint, the time, the value and the limit.

    [bold]Examples[/]

      armdyn torque ur5 --q 0,-90deg,pi/4,0,0,0

      armdyn torque ur5 --q 0,-1,1,0,0,0 --json

      armdyn torque ur5 --q 0,-1,1,0,0,0 --qdd 1,0,0,0,0,0 --f-tip 0,0,0,0,0,-20

      armdyn torque ur5 --motion motion.csv --out torques.csv

      armdyn torque ur5 --qd 1,0,0,0,0,0 --actuators drives.yaml
    """
    target = target_of(out)
    wrench = None if f_tip is None else read_wrench(f_tip, "--f-tip")
    if motion is None:
        arguments = {"q": q, "qd": qd, "qdd": qdd}
        state = [read_joint_vector(text, f"--{name}", arm, name) for name, text in arguments.items()]
        tau = arm.inverse_dynamics(*state, wrench)
        if json:
            print_json(_data(arm, None, state, tau))
        elif target is None:
            _print_one(arm, state, tau)
        if target is not None:
            write_table(target, _columns(arm), np.atleast_2d(tau))
    else:
        if q is not None or qd is not None or qdd is not None:
            raise ShapeError("states are given twice: by --motion and by --q, --qd or --qdd; choose one")
        t, *state = read_states(motion, arm)
        tau = arm.inverse_dynamics(*state, wrench)
        passed = limits_passed(arm, t, state[0], state[1], tau)
        if json:
            print_json({**_data(arm, t, state, tau), "limits_passed": [one._asdict() for one in passed]})
        else:
            show_limits(screen(stderr=True), passed)
        if target is not None or not json:
            write_rows(sys.stdout if target is None else target, t, _columns(arm), tau)
    if not json:
        show_notes(screen(stderr=target is sys.stdout or (motion is not None and target is None)), arm.notes)


def _data(arm: Robot, t: Array | None, state: list[Array], tau: Array) -> dict[str, object]:
    q, qd, qdd = state
    times = {} if t is None else {"t": t}
    return {**of_robot(arm), **times, "q": q, "qd": qd, "qdd": qdd, "tau": tau, "notes": arm.notes}


def _columns(arm: Robot) -> list[str]:
    return [f"tau_{name}" for name in arm.joint_names]


def _print_one(arm: Robot, state: list[Array], tau: Array) -> None:
    table = new_table(f"Inverse dynamics of {arm.name}", "joint", "q", "qd", "qdd", "tau", "unit")
    forces = figures(tau, digits=6, width=12).split()
    for joint, q, qd, qdd, force in zip(arm.joints, *state, forces, strict=True):
        unit = "N m" if joint.kind == "revolute" else "N"
        motion = (figure(x, digits=6, width=10) for x in (q, qd, qdd))
        table.add_row(joint.name, *motion, force, unit)
    show(screen(), table)
