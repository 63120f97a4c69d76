"""``armdyn collisions``: forces from outside in a log."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from armdyn.base.writing import write_text
from armdyn.cli.arguments import read_joint_vector
from armdyn.cli.exit_codes import NOT_MET
from armdyn.cli.json_output import AsJson, print_json
from armdyn.cli.log_options import Columns, Drives, Gains, Units, Zeros, log_reader
from armdyn.cli.outputs import refuse_unwritable
from armdyn.cli.screen import screen
from armdyn.cli.tables import new_table, show, show_notes
from armdyn.robot import Robot

if TYPE_CHECKING:
    from armdyn.identification import Collisions, Fit

LOG = "A log: t, q, tau or current; csv, Parquet, npz, MCAP or a ROS bag."


def collisions(
    arm: Robot,
    log: Annotated[str, typer.Argument(metavar="LOG", help=LOG)],
    fit: Annotated[
        list[Path] | None,
        typer.Option("--fit", metavar="FILE", help="A log without contact that fits the arm first; may be repeated."),
    ] = None,
    quiet: Annotated[
        list[Path] | None,
        typer.Option(
            "--quiet", metavar="FILE", help="A log without contact that gives the thresholds; may be repeated."
        ),
    ] = None,
    threshold: Annotated[
        str | None,
        typer.Option("--threshold", metavar="F,F,...", help="Of the joints, N m or N: one or one a joint."),
    ] = None,
    observer_gain: Annotated[
        float, typer.Option("--observer-gain", help="K of the momentum observer, 1/s: its delay is 1/K.")
    ] = 25.0,
    gains: Gains = None,
    columns: Columns = None,
    units: Units = None,
    drives: Drives = None,
    zeros: Zeros = None,
    csv: Annotated[
        Path | None, typer.Option("--csv", metavar="FILE", help="Write the residual and its threshold over time.")
    ] = None,
    plot: Annotated[
        Path | None, typer.Option("--plot", metavar="FILE", help="Draw the residual and the contacts: png, pdf, svg.")
    ] = None,
    json: AsJson = False,
) -> None:
    r"""Forces from outside in a log, by the residual of a momentum observer: when, at which joints, how large.

    No acceleration is needed. The residual is the force from outside through a filter of first order. Its threshold is
    8 robust deviations of the log itself, or 1.5 times the largest residual of logs without contact (--quiet), or
    stated. Exit code 1 if there is a contact.

    [bold]Examples[/]

      armdyn collisions ur10e.urdf log.csv --fit free.csv --quiet other.csv --gains 11.6,12.4,9.8,10.5,11,11.8

      armdyn collisions panda.urdf log.csv --threshold 5 --csv residual.csv --plot residual.png
    """
    from armdyn.identification import collisions as contacts  # noqa: PLC0415 - other verbs need none of it
    from armdyn.identification import identify  # noqa: PLC0415

    for option, path, endings in (("--csv", csv, (".csv",)), ("--plot", plot, (".png", ".pdf", ".svg"))):
        if path is not None:
            refuse_unwritable(option, path, endings=endings)
    read = log_reader(arm, gains, columns, units, drives, zeros)
    record, calm = read(log), [read(path) for path in quiet or []]
    errors = screen(stderr=True)
    model: Robot | Fit = arm
    notes: tuple[str, ...] = ()
    if fit:
        with errors.status("fitting"):
            model = identify(arm, [read(path) for path in fit])
        notes = model.notes
    limit = None
    if threshold is not None:
        limit = read_joint_vector(threshold, "--threshold", arm, "tau", spread=True)
    hits = contacts(model, record, gain=observer_gain, threshold=limit, quiet=calm)
    if csv is not None:
        write_text(csv, hits.rows().csv())
    if plot is not None:
        hits.plot(plot)
    if json:
        print_json({"robot": arm.name, **hits.as_json(), "notes": list(notes)})
    else:
        _show(hits)
    show_notes(errors, notes)
    if hits.events:
        raise typer.Exit(NOT_MET)


def _show(hits: Collisions) -> None:
    """The thresholds, and the contacts."""
    console = screen()
    limits = new_table(f"Thresholds in {hits.log}", "joint", "N m or N")
    for name, value in zip(hits.joint_names, hits.threshold, strict=True):
        limits.add_row(name, f"{value:.3g}")
    show(console, limits)
    if not hits.events:
        console.print("no contact")
        return
    table = new_table("Contacts", "from [s]", "to [s]", "joint", "largest force, N m or N")
    for each in hits.events:
        for joint, peak in zip(each.joints, each.peaks, strict=True):
            table.add_row(f"{each.start:.3f}", f"{each.end:.3f}", joint, f"{peak:.3g}")
    show(console, table)
