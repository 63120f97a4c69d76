"""``armdyn list``: the bundled robots."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated

import typer

from armdyn.cli.description import moving_mass
from armdyn.cli.json_output import AsJson, print_json
from armdyn.cli.outputs import refuse_unwritable
from armdyn.cli.screen import screen
from armdyn.cli.tables import figure, new_table, show
from armdyn.robot import Robot
from armdyn.robots import bundled_robots, load
from armdyn.robots.postures import POSTURES
from armdyn.robots.sources import SOURCES


def list_robots(
    json: AsJson = False,
    pictures: Annotated[
        Path | None,
        typer.Option("--pictures", metavar="FOLDER", help="Draw each robot to FOLDER/NAME.png; the folder is made."),
    ] = None,
) -> None:
    """The bundled robots: their joints, their kinds, and the sources of their numbers.

    R is a joint that turns, P one that slides, from the base to the tip.

    [bold]Examples[/]

      armdyn list

      armdyn list --json

      armdyn list --pictures arms
    """
    arms = {name: load(name) for name in bundled_robots()}
    files = {} if pictures is None else {name: pictures / f"{name}.png" for name in arms}
    for file in files.values():
        refuse_unwritable("--pictures", file)
    if json:
        print_json({"robots": [_data(name, arm, files.get(name)) for name, arm in arms.items()]})
        _draw(arms, files)
        return
    table = new_table("Bundled robots", "name", "joints", "mass,\nkg", "what", "source")
    table.columns[1].justify = "left"
    for name, arm in arms.items():
        table.add_row(name, joint_letters(arm), figure(moving_mass(arm)), *SOURCES[name])
    console = screen()
    show(console, table)
    _draw(arms, files)
    if pictures is not None:
        console.print(f"wrote {len(files)} pictures to {pictures}", soft_wrap=True)


def _data(name: str, arm: Robot, picture: Path | None) -> dict[str, object]:
    joints = [{"name": joint.name, "kind": joint.kind} for joint in arm.joints]
    drawn = {} if picture is None else {"picture": str(picture)}
    about = SOURCES[name]._asdict()
    return {"name": name, "joints": joints, "tip": arm.tip, "moving_mass": moving_mass(arm), **about, **drawn}


def _draw(arms: Mapping[str, Robot], files: Mapping[str, Path]) -> None:
    for name, file in files.items():
        arms[name].plot(POSTURES[name], file, width=3.6)


def joint_letters(arm: Robot) -> str:
    """R for each joint that turns, P for each that slides.

    >>> from armdyn.cli.list_robots import joint_letters
    >>> joint_letters(armdyn.load("stanford"))
    'RRPRRR'
    """
    return "".join("R" if joint.kind == "revolute" else "P" for joint in arm.joints)
