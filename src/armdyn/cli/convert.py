"""``armdyn convert``: a robot in another description."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Annotated

import typer

from armdyn.base.errors import ShapeError, UnknownName
from armdyn.base.writing import write_text
from armdyn.cli.completion import words
from armdyn.cli.conversions import CONVERSIONS, Converted
from armdyn.cli.json_output import AsJson, as_json, print_json
from armdyn.cli.outputs import refuse_unwritable
from armdyn.cli.screen import screen
from armdyn.cli.tables import show, show_notes
from armdyn.robot import Robot

WRITERS: dict[str, Callable[[Converted], str]] = {
    ".urdf": lambda found: found.xml(),
    ".xml": lambda found: found.xml(),
    ".json": lambda found: as_json(found.data()) + "\n",
    ".py": lambda found: found.python(),
}
"""The form of a file by its ending."""


def convert(
    arm: Robot,
    to: Annotated[
        str,
        typer.Option("--to", metavar=" | ".join(CONVERSIONS), help="Which.", autocompletion=words(*CONVERSIONS)),
    ] = "urdf",
    convention: Annotated[
        str | None,
        typer.Option(
            "--convention", help="Of dh: modified (Craig) or standard.", autocompletion=words("modified", "standard")
        ),
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option(
            "--out", "-o", metavar="FILE", help="Write it here, over what is there: .urdf, .xml, .json, or .py."
        ),
    ] = None,
    json: AsJson = False,
) -> None:
    """Write a robot as URDF, MJCF, Denavit-Hartenberg table, screws or zero reference position.

    URDF holds every robot; MJCF all but some actuators, friction laws, constraints and meshes; the others hold one
    chain from base to tip, and need --base, --tip and --chain for a part of a tree. Without --out URDF and MJCF are
    printed, and of the others a table; --json and files hold every number with all digits, inertias and limits too. A
    .py file makes the same robot by armdyn.Robot.from_dh, from_screws or from_zero_reference.

    [bold]Examples[/]

      armdyn convert arm.xml -o arm.urdf

      armdyn convert ur5 --to mjcf -o ur5.xml

      armdyn convert puma560 --to dh --convention modified

      armdyn convert ur5 --to screws -o ur5_screws.py

      armdyn convert panda.urdf --to zero_reference --tip panda_hand --chain --json
    """
    to = to.replace("-", "_")
    if to not in CONVERSIONS:
        raise UnknownName.of("description", to, CONVERSIONS, "armdyn convert")
    if convention is not None and to != "dh":
        raise ShapeError(f"--convention belongs to --to dh; --to {to} has none")
    write = None if out is None else _writer(to, out)
    result = CONVERSIONS[to](arm, convention)
    if json:
        print_json({"robot": arm.name, **result.data(), "notes": arm.notes})
    elif out is None:
        _print(result)
    if out is not None and write is not None:
        write_text(out, write(result))
        if not json:
            screen().print(f"wrote {out}", soft_wrap=True)
    if not json:
        show_notes(screen(stderr=True), arm.notes)


def _writer(to: str, out: Path) -> Callable[[Converted], str]:
    """The function that makes the text of the file, by its ending."""
    endings = {"urdf": (".urdf", ".xml", ".json"), "mjcf": (".xml", ".json")}.get(to, (".json", ".py"))
    refuse_unwritable("--out", out, endings=endings)
    return WRITERS[out.suffix.lower()]


def _print(conversion: Converted) -> None:
    tables = conversion.tables()
    if not tables:
        typer.echo(conversion.xml(), nl=False)
    for table in tables:
        show(screen(), table)
