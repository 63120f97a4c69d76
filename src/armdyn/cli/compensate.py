"""``armdyn compensate``: an arm that floats, as C99 in a folder."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import numpy as np
import typer

from armdyn.actuators.published import position_servo
from armdyn.base.errors import ShapeError
from armdyn.cli.arguments import read_joint_vector
from armdyn.cli.completion import complete_frames, words
from armdyn.cli.json_output import AsJson, print_json
from armdyn.cli.log_options import Columns, Drives, Gains, Units, Zeros, log_reader
from armdyn.cli.outputs import Overwrite, write_into
from armdyn.cli.screen import screen
from armdyn.cli.tables import new_table, show, show_notes
from armdyn.robot import Robot
from armdyn.spatial.rotations import Array

if TYPE_CHECKING:
    from armdyn.identification import Fit
    from armdyn.logs import Log

LOGS = "Logs of the arm that fit its parameters; the description's count if left out."


def compensate(
    arm: Robot,
    logs: Annotated[list[str] | None, typer.Argument(metavar="[LOG...]", help=LOGS)] = None,
    out: Annotated[Path, typer.Option("-o", "--out", metavar="FOLDER", help="Of the files.")] = Path("compensation"),
    share: Annotated[float, typer.Option("--share", help="The part of the friction to compensate, 0 to 1.")] = 0.3,
    limit: Annotated[
        str | None, typer.Option("--limit", metavar="F,F,...", help="Largest joint forces, N m or N.")
    ] = None,
    ramp: Annotated[float, typer.Option("--ramp", help="Time in which the forces rise from zero, s.")] = 2.0,
    stiffness: Annotated[
        str | None,
        typer.Option(
            "--stiffness",
            metavar="K,K,...",
            help="Of position servos, N m/rad or N/m; from the goals and positions of the logs if left out.",
        ),
    ] = None,
    alike: Annotated[bool, typer.Option("--alike", help="Fit one stiffness for all servos.")] = False,
    servo: Annotated[
        str | None,
        typer.Option(
            "--servo",
            metavar="NAME",
            help="Stiffness and limit of a published servo: STS3215 or ST3025.",
            autocompletion=words("STS3215", "ST3025"),
        ),
    ] = None,
    servo_gain: Annotated[
        float, typer.Option("--servo-gain", help="The servo's register of the proportional gain; 16 in LeRobot.")
    ] = 32.0,
    frame: Annotated[
        str | None,
        typer.Option("--frame", help="Of the payload; the tip if left out.", autocompletion=complete_frames),
    ] = None,
    name: Annotated[str, typer.Option("--name", help="Of the files and functions.")] = "compensation",
    scalar: Annotated[
        str, typer.Option("--scalar", help="float or double.", autocompletion=words("float", "double"))
    ] = "float",
    gains: Gains = None,
    columns: Columns = None,
    units: Units = None,
    drives: Drives = None,
    zeros: Zeros = None,
    overwrite: Overwrite = False,
    json: AsJson = False,
) -> None:
    r"""Gravity and friction compensation as C99: limits, a ramp, a payload as an argument, a self-test.

    Position servos without a register of torques get goals, q + tau/k, in place of joint forces: with --stiffness,
    with --servo, or with logs of goals (q_ref) and positions without joint forces, from which k follows.

    [bold]Examples[/]

      armdyn compensate ur5 -o floating

      armdyn compensate arm.urdf log.csv --gains 1.2 --share 0.5 -o floating

      armdyn compensate so101.urdf log.parquet --units q=deg --alike --limit 2 -o floating

      armdyn compensate so101.urdf --servo STS3215 --servo-gain 16 -o floating
    """
    from armdyn.control.compensation import TERMS, compensation  # noqa: PLC0415 - other verbs need none of it

    errors = screen(stderr=True)
    k = None if stiffness is None else read_joint_vector(stiffness, "--stiffness", arm, "stiffness", spread=True)
    bound = None if limit is None else read_joint_vector(limit, "--limit", arm, "tau", spread=True)
    if servo is not None:
        if k is not None:
            raise ShapeError("--servo and --stiffness both state the stiffness of the servos; leave one out")
        numbers = position_servo(servo, "M4", gain=servo_gain)
        k = np.full(arm.dof, numbers.stiffness)
        bound = np.full(arm.dof, numbers.limit) if bound is None else bound
    fitted: Robot | Fit = arm
    notes: tuple[str, ...] = ()
    if logs:
        read = log_reader(arm, gains, columns, units, drives, zeros)
        with errors.status("fitting"):
            fitted, k = _fitted(arm, [read(path) for path in logs], k, alike)
        notes = fitted.notes
    law = compensation(fitted, share=share, limit=bound, ramp=ramp, frame=frame, stiffness=k)
    files = write_into("-o", out, lambda folder: law.write(folder, name=name, scalar=scalar), overwrite=overwrite)
    if json:
        inputs = {key: np.asarray(value).tolist() for key, value in law.inputs.items()}
        print_json({"robot": arm.name, "frame": law.frame, "inputs": inputs, "files": files, "notes": list(notes)})
        return
    columns_of_servos = () if law.stiffness is None else ("stiffness",)
    table = new_table(
        f"Compensation of {arm.name}, payload in {law.frame}", "joint", *TERMS, "limit", *columns_of_servos
    )
    for place, joint in enumerate(arm.joint_names):
        values = [*(law.friction[term][place] for term in TERMS), law.limit[place]]
        values += [] if law.stiffness is None else [law.stiffness[place]]
        table.add_row(joint, *(f"{value:.4g}" for value in values))
    console = screen()
    show(console, table)
    for path in files:
        console.print(str(path), soft_wrap=True, highlight=False, markup=False)
    show_notes(errors, notes)


def _fitted(arm: Robot, logs: list[Log], k: Array | None, alike: bool) -> tuple[Fit, Array | None]:
    """The fit of logs, and the stiffness of position servos; None of servos with joint forces in the logs."""
    from armdyn.identification import identify, servo_stiffness  # noqa: PLC0415 - of logs only

    if any(log.q_ref is None or log.tau is not None for log in logs):
        return identify(arm, logs), k
    if k is None:
        k = servo_stiffness(arm, logs, shared=alike).values
    with_forces = [log.with_torques(k * (log.q_ref - log.q)) for log in logs if log.q_ref is not None]
    return identify(arm, with_forces, delay=None), k
