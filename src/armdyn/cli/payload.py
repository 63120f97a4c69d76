"""``armdyn payload``: a body on the arm from logs with it and without it."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from armdyn.cli.completion import complete_frames
from armdyn.cli.json_output import AsJson, print_json
from armdyn.cli.log_options import Columns, Drives, Gains, Units, Zeros, log_reader
from armdyn.cli.screen import screen
from armdyn.cli.tables import new_table, show, show_notes
from armdyn.robot import Robot

LOG = "A log with the body: t, q, tau or current; csv, Parquet, npz, MCAP or a ROS bag."


def payload(
    arm: Robot,
    loaded: Annotated[list[str], typer.Argument(metavar="LOADED...", help=LOG)],
    unloaded: Annotated[
        list[Path] | None,
        typer.Option("--unloaded", metavar="FILE", help="A log without the body; may be repeated."),
    ] = None,
    frame: Annotated[
        str | None,
        typer.Option("--frame", help="The frame of the body; the tip if left out.", autocompletion=complete_frames),
    ] = None,
    gains: Gains = None,
    columns: Columns = None,
    units: Units = None,
    drives: Drives = None,
    zeros: Zeros = None,
    json: AsJson = False,
) -> None:
    r"""Mass, centre of mass and inertia of a body on the arm, with intervals of 95 %.

    The arm is fitted on the log without the body, the body and friction on the log with it. Without --unloaded the
    arm is taken as it is described. The result is printed as calls of libfranka and URScript, too.

    [bold]Examples[/]

      armdyn payload ur10e.urdf loaded.csv --unloaded empty.csv --frame tool0

      armdyn payload ur10e.urdf loaded.csv --unloaded empty.csv --gains 11.6,12.4,9.8,10.5,11,11.8

      armdyn payload arm.urdf loaded.csv --unloaded empty.csv --columns t=0 --columns q=1:7 --columns tau=7:13
    """
    from armdyn.identification.payload_result import QUANTITIES, UNITS  # noqa: PLC0415 - other verbs need none of it
    from armdyn.identification.payloads import payload as fitted  # noqa: PLC0415

    read = log_reader(arm, gains, columns, units, drives, zeros)
    bare = [read(path) for path in unloaded or []]
    errors = screen(stderr=True)
    with errors.status("fitting"):
        body = fitted(arm, [read(path) for path in loaded], unloaded=bare or None, frame=frame)
    if json:
        print_json(body.as_json())
        return
    out = screen()
    table = new_table(
        f"Payload of {body.robot} in {body.frame}, inertia about its centre of mass",
        *("quantity", "value", "95 %", "unit", "from data"),
    )
    for name, value, (low, high), unit, part in zip(
        QUANTITIES, body.values, body.intervals.values(), UNITS, body.from_data, strict=True
    ):
        table.add_row(name, f"{value:.4g}", f"{low:.4g} to {high:.4g}", unit, f"{100 * part:.0f} %")
    show(out, table)
    for line in (body.libfranka(), body.urscript()):
        out.print(line, soft_wrap=True, highlight=False, markup=False)
    show_notes(errors, body.notes)
