"""``armdyn masp``: Kazerounian and Gupta's program of that name, for input files; their circle for any robot."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Annotated

import typer

from armdyn.base.errors import ShapeError
from armdyn.cli.arguments import UnopenedRobot
from armdyn.cli.completion import complete_robots

ROBOT_ARGUMENT: dict[str, object] = {
    "default": "kg_puma",
    "annotation": Annotated[
        str,
        typer.Argument(
            metavar="[FILE|ROBOT]",
            help="An input file (.toml); or a robot of six joints with a tip, for the paper's circle.",
            autocompletion=complete_robots,
        ),
    ],
}
"""Changes of the argument ROBOT."""


IN_A_FILE = ("simulate", "configuration", "csv", "plot", "draw_arm")
ANYWHERE = ("robot", "json")
"""The options of an input file."""


def masp(
    arm: UnopenedRobot,
    context: typer.Context,
    simulate: Annotated[
        bool, typer.Option("--simulate", help="Of FILE: the simulation half, torques of time to the hand's motion.")
    ] = False,
    configuration: Annotated[
        int | None, typer.Option("--configuration", min=1, help="Of FILE: the number of a configuration it lists.")
    ] = None,
    csv: Annotated[Path | None, typer.Option("--csv", help="Of FILE: write all numbers to this csv file.")] = None,
    plot: Annotated[Path | None, typer.Option("--plot", help="Of FILE: draw them: png, pdf or svg.")] = None,
    draw_arm: Annotated[
        Path | None,
        typer.Option("--draw-arm", help="Of FILE: draw the arm in its zero position with all vectors: png, pdf, svg."),
    ] = None,
    example: Annotated[
        bool, typer.Option("--example", help="Print the paper's example as an input file, and stop.")
    ] = False,
    radius: Annotated[
        float | None, typer.Option("--radius", help="Of the circle, m; the paper's 6 in if left out.")
    ] = None,
    distance: Annotated[
        float | None,
        typer.Option("--distance", help="Of its plane along x, m; the paper's 34 in if left out."),
    ] = None,
    tilt: Annotated[float, typer.Option("--tilt", help="Angle between the hand and the x axis, degrees.")] = 60.0,
    start: Annotated[float, typer.Option("--start", help="Seconds of the half-cycloidal start.")] = 3.0,
    cruise: Annotated[float, typer.Option("--cruise", help="Seconds of constant velocity.")] = 3.0,
    stop: Annotated[float, typer.Option("--stop", help="Seconds of the half-cycloidal stop.")] = 3.0,
    samples: Annotated[int, typer.Option("--samples", min=2, help="Equally spaced times in the csv.")] = 901,
    near: Annotated[
        str | None,
        typer.Option("--q0", "--near", help="Joint positions near those at the start, rad or m, or 90deg, pi/2, 20mm."),
    ] = None,
    out: Annotated[
        Path, typer.Option("--out", "-o", metavar="FOLDER", help="Folder for masp.png, masp_arm.png and masp.csv.")
    ] = Path(),
    json: Annotated[
        bool,
        typer.Option(
            "--json",
            help="Print JSON in place of tables, all digits: of FILE its columns in the file's units, as they say; of "
            "the circle SI units. What is not finite is null.",
        ),
    ] = False,
) -> None:
    """Manipulator analysis and simulation, as Kazerounian and Gupta's program of 1985: from a FILE, or a circle.

    A FILE holds an arm in its zero reference position, the hand's path with the cam law, payload, load and limits, in
    units of its own. All configurations are listed; joint positions, rates, accelerations, forces and reactions of one
    are computed. With --simulate, torques of time become the motion of joints and hand. Results are in the file's
    units.

    Without a FILE the hand of a robot goes round the paper's circle, (30) to (38): half-cycloidal start, constant
    velocity, half-cycloidal stop. Writes masp.png, figures 5 to 8, masp_arm.png, figure 4, and masp.csv.

    [bold]Examples[/]

      armdyn masp --example > arm.toml

      armdyn masp arm.toml --csv arm.csv --plot arm.png --draw-arm zero.png

      armdyn masp arm.toml --simulate --plot moved.png

      armdyn masp --out figures --samples 2001

      armdyn masp --radius 0.1 --start 1 --cruise 2 --stop 1
    """
    from armdyn.cli.masp_circle import run_circle  # noqa: PLC0415 - SciPy is slow to import
    from armdyn.cli.masp_file import RunOptions, run_file  # noqa: PLC0415
    from armdyn.masp import EXAMPLE  # noqa: PLC0415

    if example:
        typer.echo(EXAMPLE.read_text(encoding="utf-8"), nl=False)
        return
    of_file = arm.name.lower().endswith(".toml")
    _refuse_misplaced(context, of_file)
    if of_file:
        run_file(Path(arm.name), RunOptions(configuration, simulate, csv, plot, json, draw_arm))
        return
    lengths = {"radius": radius, "distance": distance}
    circle = {name: length for name, length in lengths.items() if length is not None}
    circle |= {"tilt": math.radians(tilt), "start": start, "cruise": cruise, "stop": stop}
    run_circle(arm, circle, samples=samples, near=near, out=out, json=json)


def _refuse_misplaced(context: typer.Context, of_file: bool) -> None:
    """Raise for options of an input file without one, and for those of the circle with one."""
    for name in context.params:
        source = context.get_parameter_source(name)
        if name in ANYWHERE or source is None or source.name != "COMMANDLINE":
            continue
        flag = {"accept": "--accept-inertia", "accept_faults": "--accept"}.get(name, f"--{name.replace('_', '-')}")
        if of_file and name not in IN_A_FILE:
            raise ShapeError(f"{flag} is not an option of an input file, which specifies it; leave it out")
        if not of_file and name in IN_A_FILE:
            raise ShapeError(
                f"{flag} is an option of an input file (.toml); the circle's results go to the folder --out"
            )
