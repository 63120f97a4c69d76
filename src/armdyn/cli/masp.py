"""``armdyn masp``: Kazerounian and Gupta's program of that name, for input files; their circle for any robot."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Annotated

import numpy as np
import typer
from rich.table import Table

from armdyn.cli.arguments import Described, read_joint_vector
from armdyn.cli.completion import complete_robots
from armdyn.cli.json_output import AsJson, of_robot, print_json
from armdyn.cli.masp_file import Wanted, run_file
from armdyn.cli.outputs import refuse_unwritable
from armdyn.cli.screen import Screen, screen
from armdyn.cli.tables import account, figure, new_table, show, show_notes, write_table
from armdyn.errors import ShapeError
from armdyn.masp import (
    DISTANCE,
    EXAMPLE,
    NEXT_TO_ZERO,
    PUBLISHED,
    RADIUS,
    MaspRun,
    circle_of_the_paper,
    columns,
    run_masp,
)

OUTPUTS = ("masp.png", "masp.csv")

PAPERS_ARM = Annotated[
    str,
    typer.Argument(
        metavar="[FILE|ROBOT]",
        help="An input file (.toml); or a robot of six joints with a tip, for the paper's circle.",
        autocompletion=complete_robots,
    ),
]


IN_A_FILE = ("simulate", "configuration", "csv", "plot")
ANYWHERE = ("robot", "json")
"""The options of an input file."""


def masp(
    arm: Described,
    context: typer.Context,
    simulate: Annotated[
        bool, typer.Option("--simulate", help="Of FILE: the simulation half, torques of time to the hand's motion.")
    ] = False,
    configuration: Annotated[
        int | None, typer.Option("--configuration", min=1, help="Of FILE: the number of a configuration it lists.")
    ] = None,
    csv: Annotated[Path | None, typer.Option("--csv", help="Of FILE: write all numbers to this csv file.")] = None,
    plot: Annotated[Path | None, typer.Option("--plot", help="Of FILE: draw them: png, pdf or svg.")] = None,
    example: Annotated[
        bool, typer.Option("--example", help="Print the paper's example as an input file, and stop.")
    ] = False,
    radius: Annotated[float, typer.Option("--radius", help="Of the circle, m.")] = RADIUS,
    distance: Annotated[float, typer.Option("--distance", help="Of the circle's plane along x, m.")] = DISTANCE,
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
        Path, typer.Option("--out", "-o", metavar="FOLDER", help="Folder for masp.png and masp.csv.")
    ] = Path(),
    json: AsJson = False,
) -> None:
    """Manipulator analysis and simulation, as Kazerounian and Gupta's program of 1985: from a FILE, or a circle.

    A FILE holds an arm in its zero reference position, the hand's path with the cam law, payload, load and limits, in
    units of its own. All configurations are listed; joint positions, rates, accelerations, forces and reactions of one
    are computed. With --simulate, torques of time become the motion of joints and hand. Results are in the file's
    units.

    Without a FILE the hand of a robot goes round the paper's circle, (30) to (38): half-cycloidal start, constant
    velocity, half-cycloidal stop. Writes masp.png, the paper's figures 5 to 8, and masp.csv.

    [bold]Examples[/]

      armdyn masp --example > arm.toml

      armdyn masp arm.toml --csv arm.csv --plot arm.png

      armdyn masp arm.toml --simulate --plot moved.png

      armdyn masp --out figures --samples 2001

      armdyn masp --radius 0.1 --start 1 --cruise 2 --stop 1
    """
    if example:
        typer.echo(EXAMPLE.read_text(encoding="utf-8"), nl=False)
        return
    of_file = arm.name.lower().endswith(".toml")
    _refuse_misplaced(context, of_file)
    if of_file:
        run_file(Path(arm.name), Wanted(configuration, simulate, csv, plot, json))
        return
    for name in OUTPUTS:
        refuse_unwritable("--out", out / name)
    robot = arm.opened()
    path = circle_of_the_paper(
        radius=radius, distance=distance, tilt=math.radians(tilt), start=start, cruise=cruise, stop=stop
    )
    begin = NEXT_TO_ZERO if near is None else tuple(read_joint_vector(near, "--near", robot))
    run = run_masp(robot, path, samples=samples, near=begin)
    console = screen(stderr=json)
    if json:
        files = [out / name for name in OUTPUTS]
        print_json({**of_robot(robot), "columns": columns(run), "files": files, "notes": [*robot.notes, *run.notes]})
    else:
        show(console, _motion_table(run))
        show(console, _account_table(run))
        show_notes(console, [*robot.notes, *run.notes])
    _write(run, out, console)


def _refuse_misplaced(context: typer.Context, of_file: bool) -> None:
    """Options that belong to an input file where there is none, and those of the circle where there is one."""
    for name in context.params:
        source = context.get_parameter_source(name)
        if name in ANYWHERE or source is None or source.name != "COMMANDLINE":
            continue
        flag = {"accept": "--accept-inertia", "accept_faults": "--accept"}.get(name, f"--{name}")
        if of_file and name not in IN_A_FILE:
            raise ShapeError(f"{flag} is not an option of an input file, which says it itself; leave it out")
        if not of_file and name in IN_A_FILE:
            raise ShapeError(
                f"{flag} is an option of an input file (.toml); the circle's results go to the folder --out"
            )


def _motion_table(run: MaspRun) -> Table:
    """A row a joint: where it begins, what it has turned through, the largest of everything."""
    units = "deg, deg/s, N m" + ("; m, m/s, N" if any(j.kind == "prismatic" for j in run.robot.joints) else "")
    headings = ("joint", "start", "turned", "fastest", "tau, start", "tau, peak", "at, s")
    table = new_table(f"{run.robot.name} round the circle in {run.t[-1]:g} s  ({units})", *headings)
    q, qd, _ = run.joints
    peaks = np.abs(run.tau).argmax(axis=0)
    for k, joint in enumerate(run.robot.joints):
        scale = 180 / np.pi if joint.kind == "revolute" else 1.0
        angles = (q[0, k], q[-1, k] - q[0, k], np.abs(qd[:, k]).max())
        torques = (run.tau[0, k], run.tau[peaks[k], k])
        cells = (*(_shown(x * scale) for x in angles), *map(_shown, torques), f"{run.t[peaks[k]]:.2f}")
        table.add_row(joint.name, *cells)
    return table


def _shown(value: float) -> str:
    """Four digits at most; rounding counts as zero."""
    return "0" if abs(value) < 1e-9 else figure(value)


def _account_table(run: MaspRun) -> Table:
    """The cycle, the checks and the cost."""
    ends = run.joints.q[[0, -1]]
    static = np.abs(run.tau[[0, -1]] - run.robot.gravity_forces(ends)).max(axis=0)
    off_static = [
        f"{max(x for x, joint in zip(static, run.robot.joints, strict=True) if joint.kind == kind):.1e} {unit}"
        for kind, unit in (("revolute", "N m"), ("prismatic", "N"))
        if any(joint.kind == kind for joint in run.robot.joints)
    ]
    T = run.robot.forward_kinematics(run.joints.q)
    off = np.linalg.norm(T[:, :3, 3] - run.tip.pose[:, :3, 3], axis=1).max()
    power = np.einsum("tn,tn->t", run.tau, run.joints.qd)
    rows = [
        ("cycle", " + ".join(f"{x:g}" for x in np.diff(run.path.switches)) + f" = {run.path.duration:g} s"),
        ("hand, fastest", f"{np.linalg.norm(run.tip.twist[:, 3:], axis=1).max():.4g} m/s"),
        ("hand off the circle", f"{off:.1e} m"),
        ("power of the joints, least and most", f"{power.min():.4g} W, {power.max():.4g} W"),
        ("torques at the ends, off the static ones", ", ".join(off_static)),
    ]
    for name, (m, a, t) in PUBLISHED.items():
        what = name.replace("_", " ")
        rows.append((f"{what}, this arm", str(getattr(run.robot, name).op_counts)))
        rows.append((f"{what}, general 6R arm in the paper", f"{m}m + {a}a + {t}t"))
    return account(rows)


def _write(run: MaspRun, folder: Path, console: Screen) -> None:
    from armdyn.plots import draw_masp, write_figure  # noqa: PLC0415 - matplotlib is slow to import

    folder.mkdir(parents=True, exist_ok=True)
    header = ["t", *(f"{name}_{joint}" for name in ("q", "qd", "qdd", "tau") for joint in run.robot.joint_names)]
    write_table(folder / "masp.csv", header, np.column_stack([run.t, *run.joints, run.tau]))
    write_figure(draw_masp(run), folder / "masp.png")
    for name in OUTPUTS:
        console.print(f"wrote {folder / name}", soft_wrap=True)
