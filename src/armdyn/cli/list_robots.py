"""``armdyn list``: the bundled robots."""

from __future__ import annotations

from typing import Any

from armdyn.cli.description import moving_mass
from armdyn.cli.json_output import AsJson, print_json
from armdyn.cli.screen import screen
from armdyn.cli.tables import figure, new_table, show
from armdyn.robot import Robot
from armdyn.robots import bundled_robots, load
from armdyn.robots.sources import SOURCES


def list_robots(json: AsJson = False) -> None:
    """The bundled robots: their joints, what they are, and where their numbers come from.

    R is a joint that turns, P one that slides, from the base to the tip.

    [bold]Examples[/]

      armdyn list

      armdyn list --json
    """
    arms = {name: load(name) for name in bundled_robots()}
    if json:
        print_json({"robots": [_data(name, arm) for name, arm in arms.items()]})
        return
    table = new_table("Bundled robots", "name", "joints", "mass,\nkg", "what", "source")
    table.columns[1].justify = "left"
    for name, arm in arms.items():
        table.add_row(name, joint_letters(arm), figure(moving_mass(arm)), *SOURCES[name])
    show(screen(), table)


def _data(name: str, arm: Robot) -> dict[str, Any]:
    joints = [{"name": joint.name, "kind": joint.kind} for joint in arm.joints]
    return {"name": name, "joints": joints, "tip": arm.tip, "moving_mass": moving_mass(arm), **SOURCES[name]._asdict()}


def joint_letters(arm: Robot) -> str:
    """R for each joint that turns, P for each that slides.

    >>> from armdyn.cli.list_robots import joint_letters
    >>> joint_letters(armdyn.load("stanford"))
    'RRPRRR'
    """
    return "".join("R" if joint.kind == "revolute" else "P" for joint in arm.joints)
