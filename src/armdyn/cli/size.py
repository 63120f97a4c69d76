"""``armdyn size``: motors and gears of a catalogue that do a task."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.table import Table

from armdyn.base.errors import ShapeError
from armdyn.base.progress import progress_bar
from armdyn.base.tabular import csv_text
from armdyn.base.writing import write_text
from armdyn.cli.arguments import read_vector
from armdyn.cli.completion import complete_joints, words
from armdyn.cli.exit_codes import NOT_MET
from armdyn.cli.json_output import AsJson, print_json
from armdyn.cli.outputs import refuse_unwritable
from armdyn.cli.screen import Screen, screen
from armdyn.cli.tables import figure, new_table, show, show_limits, show_notes
from armdyn.logs.joint_tables import read_cycle
from armdyn.robot import Robot
from armdyn.sizing import Catalogue, MotionCycle, Sizing
from armdyn.sizing import check as check_drives
from armdyn.sizing import size as size_drives
from armdyn.sizing.judging import CRITERIA

TASK = (
    "A csv of one cycle: columns t, q_JOINT, qd_JOINT, qdd_JOINT, with units if not SI, as of armdyn torque. Without "
    "columns of qd, or of qdd, these are derivatives of the quintic spline through q."
)
MOUNT = "The frame that the drive of a joint stands at, JOINT=FRAME; may be repeated. At the joint if left out."
LEAD = "Of a joint that slides: m for a turn of its screw, JOINT=VALUE; may be repeated."
UNITS = {"mass": "kg", "loss": "W", "winding_at_most": "K"} | {name: one.unit for name, one in CRITERIA.items()}
"""Units of the columns of the csv; the winding's temperature is that above the ambient."""

MOST_SHOWN = 5
"""Drives of a joint's front in the table."""


def size(
    arm: Robot,
    task: Annotated[Path, typer.Option("--motion", metavar="FILE", help=TASK)],
    catalogue: Annotated[
        Path | None, typer.Option("--catalogue", metavar="FILE", help="A csv of motors; the bundled one if left out.")
    ] = None,
    gears: Annotated[
        Path | None, typer.Option("--gears", metavar="FILE", help="A csv of gears; the bundled one if left out.")
    ] = None,
    joint: Annotated[
        list[str] | None,
        typer.Option(
            "--joint", help="Find a drive for this joint only; may be repeated.", autocompletion=complete_joints
        ),
    ] = None,
    prefer: Annotated[
        str,
        typer.Option(
            "--prefer", help="Choose the drive with the least mass, or loss.", autocompletion=words("mass", "loss")
        ),
    ] = "mass",
    voltage: Annotated[
        float | None, typer.Option("--voltage", help="Of the supply, V; each motor's nominal one if left out.")
    ] = None,
    current: Annotated[float | None, typer.Option("--current", help="The amplifiers' largest current, A.")] = None,
    inertia_ratio: Annotated[
        float, typer.Option("--inertia-ratio", help="The largest inertia of the links over the reflected one.")
    ] = math.inf,
    hold: Annotated[float | None, typer.Option("--hold", help="Seconds of rest at the end of each cycle.")] = None,
    lead: Annotated[list[str] | None, typer.Option("--lead", metavar="JOINT=VALUE", help=LEAD)] = None,
    mount: Annotated[list[str] | None, typer.Option("--mount", metavar="JOINT=FRAME", help=MOUNT)] = None,
    bare: Annotated[bool, typer.Option("--bare", help="Judge once, without the drives' masses on the links.")] = False,
    csv: Annotated[
        Path | None, typer.Option("--csv", help="Write every pair with its values and the criteria it fails by.")
    ] = None,
    plot: Annotated[
        Path | None,
        typer.Option("--plot", help="Draw planes of torque and speed, fronts, temperatures: png, pdf."),
    ] = None,
    check: Annotated[
        bool, typer.Option("--check", help="Judge the arm's own motors, without a catalogue: margins, temperatures.")
    ] = False,
    json: AsJson = False,
) -> None:
    r"""Motors and gears that do a task: every motor with every gear, for each joint.

    Judged by peak and rms torque, speed, voltage, current, the winding's temperature if the task is repeated for
    ever, the gear's torque and input speed. The lightest drives are put on the links, and all is judged again until the
    choice stays.

    A catalogue is a csv with a column name, columns of the data sheet with their units, such as
    "torque_constant \[mNm/A]", and maker, source, note. The bundled motors and gears name their sheets.

    [bold]Examples[/]

      armdyn size ur5 --motion motion.csv

      armdyn size ur5 --motion motion.csv --voltage 48 --hold 2 --plot drives.pdf --csv pairs.csv

      armdyn size arm.urdf --motion motion.csv --catalogue motors.csv --gears gears.csv --prefer loss

      armdyn size ur5 --actuators drives.yaml --motion motion.csv --check
    """
    for option, path in (("--csv", csv), ("--plot", plot)):
        if path is not None:
            refuse_unwritable(option, path, endings=_endings() if option == "--plot" else ())
    cycle = _task(task, arm, hold)
    if check:
        of_catalogue = {"--catalogue": catalogue, "--gears": gears, "--lead": lead, "--mount": mount, "--csv": csv}
        _check(arm, cycle, joint, voltage, current, {**of_catalogue, "--plot": plot, "--bare": bare}, json=json)
        return
    stock = Catalogue.read(catalogue, gears)
    pairs = len(stock.motors) * len(stock.gears)
    leads = {
        name: float(read_vector(text, f"--lead {name}", 1, unit="m")[0])
        for name, text in _by_joint(lead, "--lead").items()
    }
    with progress_bar(True, pairs * len(joint or arm.joint_names), arm.name, unit="pairs", form=",.0f") as done:
        result = size_drives(
            arm, cycle, stock, joints=joint or None, prefer=prefer, voltage=voltage, current=current,
            inertia_ratio=inertia_ratio, leads=leads, mounts=_by_joint(mount, "--mount", "FRAME"),
            carry_masses=not bare, progress=done,
        )  # fmt: skip
    console = screen(stderr=json)
    if json:
        print_json(_data(result, [path for path in (csv, plot) if path is not None]))
    else:
        _print(console, result, bare=bare)
    if csv is not None:
        _write(csv, result)
        console.print(f"wrote {csv}", soft_wrap=True)
    if plot is not None:
        from armdyn.plots import draw_sizing, write_figure  # noqa: PLC0415 - matplotlib is slow to import

        write_figure(draw_sizing(result), plot)
        console.print(f"wrote {plot}", soft_wrap=True)
    if None in result.best.values():
        raise typer.Exit(NOT_MET)


def _check(
    arm: Robot,
    cycle: MotionCycle,
    joints: list[str] | None,
    voltage: float | None,
    current: float | None,
    of_catalogue: dict[str, Any],
    *,
    json: bool,
) -> None:
    """Judge the arm's own motors; the exit code is that of a task that they do not do."""
    if values := [option for option, value in of_catalogue.items() if value]:
        raise ShapeError(f"--check judges the motors that the arm has; leave {', '.join(values)} out")
    judged = check_drives(arm, cycle, joints=joints or None, voltage=voltage, current=current)
    if json:
        drives = {
            name: {"values": drive.values, "limits": drive.limits, "margins": drive.margins, "exceeded": drive.exceeded}
            for name, drive in judged.drives.items()
        }
        print_json({"robot": arm.name, "drives": drives, "notes": [*arm.notes, *judged.notes]})
    else:
        table = judged.table()
        motors_table = new_table(f"Motors of {arm.name} for {cycle.duration:g} s, repeated", *table.headings)
        for row in table.rows:
            motors_table.add_row(*row)
        console = screen()
        show(console, motors_table)
        show_limits(console, [f"{name}: {each}" for name, drive in judged.drives.items() for each in drive.exceeded])
        show_notes(console, [*arm.notes, *judged.notes])
    if not judged.does_it:
        raise typer.Exit(NOT_MET)


def _print(console: Screen, sizing: Sizing, *, bare: bool) -> None:
    show(console, _table_of_choices(sizing))
    show(console, _fronts(sizing))
    show(console, _reasons(sizing))
    rounds = f"settled after {len(sizing.rounds)} rounds" if sizing.settled and not bare else "judged once"
    if sizing.settled:
        console.print(f"drives of {sizing.mass:.4g} kg together; {rounds}", soft_wrap=True)
    show_notes(console, [*sizing.robot.notes, *sizing.notes])


def _data(sizing: Sizing, files: list[Path]) -> dict[str, object]:
    """The best drive of each joint, None without one, the drives that no other beats, and the reasons others fail."""
    joints = {
        name: {
            "best": None if joint.best is None else asdict(joint.best),
            "pareto": [asdict(choice) for choice in sizing.pareto[name]],
            "fail_by": joint.reasons,
        }
        for name, joint in sizing.joints.items()
    }
    mass = sizing.mass if sizing.settled else None
    notes = [*sizing.robot.notes, *sizing.notes]
    return {"robot": sizing.robot.name, "joints": joints, "mass": mass, "files": files, "notes": notes}


def _endings() -> Sequence[str]:
    from armdyn.plots.style import ENDINGS  # noqa: PLC0415 - matplotlib is slow to import

    return ENDINGS


def _task(path: Path, arm: Robot, hold: float | None) -> MotionCycle:
    t, q, qd, qdd = read_cycle(path, arm)
    cycle = MotionCycle(t, q, qd, qdd, joint_names=arm.joint_names)
    return cycle if hold is None else cycle.then_hold(hold)


def _by_joint(texts: list[str] | None, option: str, value: str = "VALUE") -> dict[str, str]:
    """Values by joint."""
    result = {}
    for text in texts or []:
        name, equals, label = text.partition("=")
        if not equals or name in result:
            raise ShapeError(f"{option} {text!r}: expected JOINT={value}, each joint once")
        result[name] = label
    return result


def _table_of_choices(sizing: Sizing) -> Table:
    """A row per joint: its drive, and the torque and speed that the task requires."""
    table = new_table(
        f"Drives of {sizing.robot.name} for {sizing.task.duration:g} s, repeated",
        *("joint", "motor", "gear", "mass,\nkg", "loss,\nW", "peak\nN m", "peak\nrad/s", "rms\nA", "peak\nV"),
        *("winding\n°C", "ratio", "least-\ntorque\nratio"),
    )
    for name, joint in sizing.joints.items():
        choice = joint.best
        if choice is None:
            table.add_row(name, "none", *[""] * 10)
            continue
        history, (_, gear) = joint.history(choice), joint.parts(choice)
        numbers = (
            *(choice.mass, choice.loss, abs(history.torque).max(), abs(history.speed).max(), history.rms_current),
            *(max(abs(history.cold_voltage).max(), abs(history.voltage).max()), history.winding.max()),
            *(gear.ratio, joint.matching_ratio(choice)),
        )
        cells = ("" if math.isnan(number) else figure(number) for number in numbers)  # no thermal model, no temperature
        table.add_row(name, choice.motor, choice.gear, *cells)
    return table


def _fronts(sizing: Sizing) -> Table:
    """The drives that no other beats in mass and loss."""
    table = new_table("None is lighter and loses less", "joint", "motor", "gear", "mass, kg", "loss, W")
    for name, front in sizing.pareto.items():
        for k, choice in enumerate(front[:MOST_SHOWN]):
            table.add_row("" if k else name, choice.motor, choice.gear, figure(choice.mass), figure(choice.loss))
        if len(front) > MOST_SHOWN:
            table.add_row("", f"and {len(front) - MOST_SHOWN} more", "", "", "")
    return table


def _reasons(sizing: Sizing) -> Table:
    """The numbers of pairs that fail, by criterion."""
    table = new_table("Pairs that do not do the task, by criterion", "joint", "pairs", "do it", "fail by")
    for name, joint in sizing.joints.items():
        counts = ", ".join(f"{criterion} {count}" for criterion, count in joint.reasons.items())
        table.add_row(name, str(joint.judgement.mass.size), str(int(joint.judgement.admitted.sum())), counts)
    return table


def _write(path: Path, sizing: Sizing) -> None:
    columns = sizing.columns()
    header = [f"{name} [{unit}]" if (unit := UNITS.get(name)) else name for name in columns]
    rows = zip(*columns.values(), strict=True)
    write_text(path, csv_text(header, [[x if isinstance(x, str) else float(x) for x in row] for row in rows]))
