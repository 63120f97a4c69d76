"""``armdyn jacobian``: the Jacobian of a frame at one configuration."""

from __future__ import annotations

from typing import Annotated

import numpy as np
import typer

from armdyn.cli.arguments import read_joint_vector
from armdyn.cli.completion import complete_frames, words
from armdyn.cli.json_output import AsJson, of_robot, print_json
from armdyn.cli.screen import screen
from armdyn.cli.states import OutFile, Positions, Velocities, target_of
from armdyn.cli.tables import figures, new_table, show, show_notes, write_table
from armdyn.robot import Robot
from armdyn.spatial.rotations import Array

ROWS = ("wx", "wy", "wz", "vx", "vy", "vz")
"""Names of the components of a twist, angular part first."""

EXPRESSED_IN_HELP = "body (axes and origin of the frame), world (its origin, the base's axes) or space (the base's)."


def jacobian(
    arm: Robot,
    q: Positions = None,
    qd: Velocities = None,
    frame: Annotated[
        str | None,
        typer.Option("--frame", help="A frame; the tip if left out.", autocompletion=complete_frames),
    ] = None,
    expressed_in: Annotated[
        str, typer.Option("--expressed-in", help=EXPRESSED_IN_HELP, autocompletion=words("body", "world", "space"))
    ] = "body",
    out: OutFile = None,
    json: AsJson = False,
) -> None:
    """Jacobian of a frame: (w, v) = J qd, angular part first, rad and m for a rad or m of each joint.

    With --qd the twist of the frame is shown too.

    [bold]Examples[/]

      armdyn jacobian ur5 --q 0,-90deg,90deg,0,0,0

      armdyn jacobian ur5 --q 0,-1,1,0,0,0 --expressed-in world --qd 10deg/s,0,0,0,0,0

      armdyn jacobian scara --frame forearm --json
    """
    target = target_of(out)
    at, rates = read_joint_vector(q, "--q", arm), read_joint_vector(qd, "--qd", arm, "qd")
    J = np.asarray(arm.jacobian(at, frame=frame, expressed_in=expressed_in))
    twist = None if qd is None else J @ rates
    name = frame or str(arm.tip)
    if json:
        result = {} if twist is None else {"qd": rates, "twist": twist}
        data: dict[str, object] = {"q": at, "frame": name, "expressed_in": expressed_in, "rows": ROWS, "jacobian": J}
        print_json({**of_robot(arm), **data, **result, "notes": arm.notes})
    elif target is None:
        _print(arm, J, twist, f"Jacobian of {name} of {arm.name}, {expressed_in}")
    if target is not None:
        write_table(target, arm.joint_names, J)
    if not json:
        show_notes(screen(stderr=True), arm.notes)


def _print(arm: Robot, J: Array, twist: Array | None, title: str) -> None:
    """A row for each joint, and one for the twist."""
    table = new_table(title, "joint", *ROWS)
    for joint, column in zip(arm.joint_names, J.T, strict=True):
        table.add_row(joint, *_figures(column))
    show(screen(), table)
    if twist is not None:
        table = new_table("Twist, rad/s and m/s", *ROWS)
        table.add_row(*_figures(twist))
        show(screen(), table)


def _figures(column: Array) -> list[str]:
    return figures(column, size=1.0, digits=6, width=10).split()
