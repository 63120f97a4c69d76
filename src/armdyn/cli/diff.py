"""``armdyn diff``: joints, limits, inertias and torques of two descriptions that differ."""

from __future__ import annotations

import dataclasses
from typing import Annotated

import typer

from armdyn.cli.json_output import AsJson, print_json
from armdyn.cli.screen import screen
from armdyn.doctor.comparison import compare
from armdyn.robots import load

MOST = 60
"""So many differences are shown; --json has all."""


def diff(
    first: Annotated[str, typer.Argument(metavar="A", help="A bundled robot, or a URDF or MJCF file.")],
    second: Annotated[str, typer.Argument(metavar="B", help="The robot it is compared with.")],
    json: AsJson = False,
) -> None:
    """Show how two descriptions of a robot differ, the largest difference first; exit code 1 if they do.

    Joints and links are matched by name. Torques are compared at random states. Inertias that no rigid body has are
    compared too, as before and after a repair.

    [bold]Examples[/]

      armdyn diff ur5 ur5

      armdyn diff old.urdf new.urdf

      armdyn diff arm.urdf arm.xml --json
    """
    differences = compare(*(load(robot, check_inertia=False) for robot in (first, second)))
    if json:
        rows = [dataclasses.asdict(one) for one in differences]
        print_json({"first": first, "second": second, "differences": rows})
    else:
        from rich.table import Table  # noqa: PLC0415 - slow to import

        table = Table(show_edge=False, pad_edge=False)
        for head in ("element", "quantity", first, second, "difference"):
            table.add_column(head, overflow="fold")
        for one in differences[:MOST]:
            table.add_row(one.element, one.quantity, one.first, one.second, f"{100 * one.size:.3g} %")
        console = screen()
        if differences:
            console.print(table)
        more = f", {len(differences) - MOST} of them not shown" if len(differences) > MOST else ""
        console.print(f"{len(differences)} difference{'s' if len(differences) != 1 else ''}{more}")
    if differences:
        raise typer.Exit(1)
