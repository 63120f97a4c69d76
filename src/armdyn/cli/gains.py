"""``armdyn gains``: the joint force per current of each drive, from a body of known mass or from known links."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from armdyn.cli.arguments import read_vector
from armdyn.cli.completion import complete_frames
from armdyn.cli.json_output import AsJson, print_json
from armdyn.cli.log_options import Columns, Drives, Units, Zeros, log_reader
from armdyn.cli.screen import screen
from armdyn.cli.tables import show_notes
from armdyn.robot import Robot

LOG = "A log of the arm alone: t, q, current; csv, Parquet, npz, MCAP or a ROS bag."


def gains(
    arm: Robot,
    logs: Annotated[list[str], typer.Argument(metavar="LOG...", help=LOG)],
    loaded: Annotated[
        list[Path] | None,
        typer.Option("--loaded", metavar="FILE", help="A log with a body of known mass; may be repeated."),
    ] = None,
    mass: Annotated[float | None, typer.Option("--mass", help="The mass of that body, kg.")] = None,
    com: Annotated[
        str | None, typer.Option("--com", metavar="X,Y,Z", help="Its centre of mass in the frame, m, if known.")
    ] = None,
    frame: Annotated[
        str | None,
        typer.Option("--frame", help="The frame of the body; the tip if left out.", autocompletion=complete_frames),
    ] = None,
    columns: Columns = None,
    units: Units = None,
    drives: Drives = None,
    zeros: Zeros = None,
    json: AsJson = False,
) -> None:
    r"""Gains of the drives, joint force per current, with intervals of 95 %, from a body of known mass.

    The logs hold currents. The best pair is one motion without and with the body. Without --loaded the masses of the
    links count as known, as they are described. The last line is the option --gains of the verbs identify and payload.

    [bold]Examples[/]

      armdyn gains ur10e.urdf empty.csv --loaded held.csv --mass 2.8 --frame tool0

      armdyn gains arm.urdf log.csv --columns t=0 --columns q=1:7 --columns current=13:19
    """
    from armdyn.identification import drive_gains  # noqa: PLC0415 - other verbs need none of it

    read = log_reader(arm, None, columns, units, drives, zeros)
    centre = None if com is None else read_vector(com, "--com", 3, unit="m")
    with_body = [read(path) for path in loaded or []] or None
    errors = screen(stderr=True)
    with errors.status("fitting"):
        result = drive_gains(arm, [read(path) for path in logs], loaded=with_body, mass=mass, com=centre, frame=frame)
    if json:
        print_json(result.as_json())
    else:
        out = screen()
        for text in (result.table(), f"--gains {result.option()}"):
            out.print(str(text), soft_wrap=True, highlight=False, markup=False)
    show_notes(errors, result.notes)
