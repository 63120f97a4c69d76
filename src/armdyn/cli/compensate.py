"""``armdyn compensate``: an arm that floats, as C99 in a folder."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import numpy as np
import typer

from armdyn.cli.arguments import read_vector
from armdyn.cli.completion import complete_frames, words
from armdyn.cli.json_output import AsJson, print_json
from armdyn.cli.log_options import Columns, Gains, Units, log_reader
from armdyn.cli.outputs import Overwrite, write_into
from armdyn.cli.screen import screen
from armdyn.cli.tables import new_table, show, show_notes
from armdyn.robot import Robot
from armdyn.spatial.rotations import Array

if TYPE_CHECKING:
    from armdyn.identification import Fit

LOGS = "Logs of the arm that fit its parameters; the description's count if left out."


def compensate(
    arm: Robot,
    logs: Annotated[list[str] | None, typer.Argument(metavar="[LOG...]", help=LOGS)] = None,
    out: Annotated[Path, typer.Option("-o", "--out", metavar="FOLDER", help="Of the files.")] = Path("compensation"),
    share: Annotated[float, typer.Option("--share", help="The part of the friction to compensate, 0 to 1.")] = 0.7,
    limit: Annotated[
        str | None, typer.Option("--limit", metavar="F,F,...", help="Largest joint forces, N m or N.")
    ] = None,
    ramp: Annotated[float, typer.Option("--ramp", help="Time in which the forces rise from zero, s.")] = 2.0,
    stiffness: Annotated[
        str | None,
        typer.Option("--stiffness", metavar="K,K,...", help="Of position servos, N m/rad or N/m."),
    ] = None,
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
    overwrite: Overwrite = False,
    json: AsJson = False,
) -> None:
    r"""Gravity and friction compensation as C99: limits, a ramp, a payload as an argument, a self-test.

    With --stiffness the function returns the goals of position servos, q + tau/k, in place of joint forces.

    [bold]Examples[/]

      armdyn compensate ur5 -o floating

      armdyn compensate arm.urdf log.csv --gains 1.2 --share 0.8 -o floating

      armdyn compensate so101.urdf log.csv --stiffness 12 --limit 2 -o floating
    """
    from armdyn.control.compensation import TERMS, compensation  # noqa: PLC0415 - other verbs need none of it

    errors = screen(stderr=True)
    fitted: Robot | Fit = arm
    notes: tuple[str, ...] = ()
    if logs:
        from armdyn.identification import identify  # noqa: PLC0415 - of logs only

        read = log_reader(arm, gains, columns, units)
        with errors.status("fitting"):
            fit = identify(arm, [read(path) for path in logs])
        fitted, notes = fit, fit.notes
    made = compensation(
        fitted,
        share=share,
        limit=_numbers(limit, "--limit", arm),
        ramp=ramp,
        frame=frame,
        stiffness=_numbers(stiffness, "--stiffness", arm),
    )
    files = write_into("-o", out, lambda folder: made.write(folder, name=name, scalar=scalar), overwrite=overwrite)
    if json:
        inputs = {key: np.asarray(value).tolist() for key, value in made.inputs.items()}
        print_json({"robot": arm.name, "frame": made.frame, "inputs": inputs, "files": files, "notes": list(notes)})
        return
    table = new_table(f"Compensation of {arm.name}, payload in {made.frame}", "joint", *TERMS, "limit")
    for place, joint in enumerate(arm.joint_names):
        table.add_row(joint, *(f"{made.friction[term][place]:.4g}" for term in TERMS), f"{made.limit[place]:.4g}")
    console = screen()
    show(console, table)
    for path in files:
        console.print(str(path), soft_wrap=True, highlight=False, markup=False)
    show_notes(errors, notes)


def _numbers(text: str | None, option: str, arm: Robot) -> Array | None:
    """One number for all joints, or one for each."""
    if text is None:
        return None
    size = arm.dof if "," in text else 1
    return np.broadcast_to(read_vector(text, option, size, labels=arm.joint_names), (arm.dof,)).copy()
