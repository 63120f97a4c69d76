"""``armdyn identify``: the parameters of the arm from logs of its joints."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from armdyn.actuators import write as write_actuators
from armdyn.base.writing import write_text
from armdyn.cli.completion import words
from armdyn.cli.exit_codes import NOT_MET
from armdyn.cli.json_output import AsJson, print_json
from armdyn.cli.log_options import Columns, Drives, Gains, Units, Zeros, log_reader
from armdyn.cli.outputs import refuse_unwritable
from armdyn.cli.screen import screen
from armdyn.cli.tables import show_notes
from armdyn.identification.friction_terms import TERMS
from armdyn.robot import Robot

LOG = "A log of moving joints: t, q, tau or current; csv, Parquet, npz, MCAP or a ROS bag."


def identify(
    arm: Robot,
    logs: Annotated[list[str], typer.Argument(metavar="LOG...", help=LOG)],
    out: Annotated[
        Path | None, typer.Option("--out", "-o", metavar="FILE", help="Write the fitted arm as URDF.")
    ] = None,
    on: Annotated[
        list[Path] | None,
        typer.Option("--on", metavar="FILE", help="A log that is not fitted, to test the fit on; may be repeated."),
    ] = None,
    friction: Annotated[
        list[str] | None,
        typer.Option(
            "--friction",
            metavar="TERM",
            help="A term of friction; may be repeated. viscous, coulomb, load and offset if left out.",
            autocompletion=words(*TERMS),
        ),
    ] = None,
    no_armature: Annotated[bool, typer.Option("--no-armature", help="Do not fit the inertias of rotors.")] = False,
    cutoff: Annotated[float, typer.Option("--cutoff", help="Of the low-pass, Hz.")] = 5.0,
    gains: Gains = None,
    columns: Columns = None,
    units: Units = None,
    drives: Drives = None,
    zeros: Zeros = None,
    plot: Annotated[
        Path | None,
        typer.Option("--plot", metavar="FILE", help="Draw measured and fitted joint forces: png, pdf, svg."),
    ] = None,
    csv: Annotated[
        Path | None, typer.Option("--csv", metavar="FILE", help="Write all parameters with their intervals.")
    ] = None,
    report: Annotated[
        Path | None,
        typer.Option("--report", metavar="FILE", help="Write the fit as a document, .html, or .pdf by a browser."),
    ] = None,
    fitted_actuators: Annotated[
        Path | None,
        typer.Option("--fitted-actuators", metavar="FILE", help="Write friction and armatures for --actuators: .yaml."),
    ] = None,
    json: AsJson = False,
) -> None:
    r"""Inertias, friction and armatures of the arm from logs of its joints, with intervals of 95 %.

    Every link stays a possible body, close to its description if the logs have no information. The tables compare each
    parameter with the description's, and the errors of joint forces with those of the description and of friction
    that is fitted alone. Exit code 1 if the fit is worse than friction alone on a log of --on.

    [bold]Examples[/]

      armdyn identify ur10e.urdf excite.csv --on other.csv -o fitted.urdf --plot fit.png

      armdyn identify arm.urdf log.csv --on other.csv --report fit.html --fitted-actuators drives.yaml

      armdyn identify arm.urdf log.csv --gains 11.6,12.4,9.8,10.5,11,11.8 --columns q=1:7 --units q=deg

      armdyn identify tx40.urdf motors.csv --drives drives.csv --zeros=0,-90deg,90deg,0,0,0
    """
    from armdyn.identification import identify as fit_of  # noqa: PLC0415 - other verbs need none of it
    from armdyn.identification.checking import worse_joints  # noqa: PLC0415

    for option, path, endings in (
        ("--out", out, (".urdf",)),
        ("--plot", plot, (".png", ".pdf", ".svg")),
        ("--csv", csv, (".csv",)),
        ("--report", report, (".html", ".htm", ".pdf")),
        ("--fitted-actuators", fitted_actuators, (".yaml", ".yml", ".json")),
    ):
        if path is not None:
            refuse_unwritable(option, path, endings=endings)
    read = log_reader(arm, gains, columns, units, drives, zeros)
    options: dict[str, Any] = {"armature": not no_armature, "cutoff": cutoff}
    if friction:
        options["friction"] = tuple(friction)
    fitted, unseen = [read(path) for path in logs], [read(path) for path in on or []]
    errors = screen(stderr=True)
    with errors.status("fitting"):
        fit = fit_of(arm, fitted, **options)
    checks = [fit.check(log) for log in (unseen or fitted)]
    if out is not None:
        fit.robot.to_urdf(out)
    if plot is not None:
        checks[0].plot(plot)
    if csv is not None:
        write_text(csv, fit.table().csv())
    if report is not None:
        fit.report(report, on=checks if unseen else ())
    if fitted_actuators is not None:
        write_actuators(fit.actuators, fitted_actuators)
    if json:
        print_json(fit.as_json() | {"checks": [check.as_json() for check in checks]})
        show_notes(errors, fit.notes)
    else:
        console = screen()
        for text in (fit, *checks):
            console.print(str(text), soft_wrap=True, highlight=False, markup=False)
    worse = worse_joints(checks) if unseen else []
    if worse:
        show_notes(
            errors, [f"the fit is more than 2 % worse than friction alone on the logs of --on, at {', '.join(worse)}"]
        )
        raise typer.Exit(NOT_MET)
