"""``armdyn page``: a robot as one HTML file in which it is seen, moved and let fall."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from armdyn.cli.arguments import read_joint_vector
from armdyn.cli.json_output import AsJson, print_json
from armdyn.cli.outputs import refuse_unwritable
from armdyn.cli.screen import screen
from armdyn.cli.tables import show_notes
from armdyn.robot import Robot


def page(
    arm: Robot,
    out: Annotated[
        Path | None, typer.Option("-o", "--out", metavar="FILE", help="The file, written over; ROBOT.html if left out.")
    ] = None,
    q: Annotated[
        str | None, typer.Option("--q", help="Joint positions in which it opens, rad or m, or such as 90deg, 20mm.")
    ] = None,
    no_meshes: Annotated[bool, typer.Option("--no-meshes", help="Draw links and joints alone.")] = False,
    json: AsJson = False,
) -> None:
    """A robot as one HTML file: seen, moved by sliders, let fall, with its equations and parameters.

    The file opens from disk in every browser, without server and network. The numbers come from the robot's own
    functions, as WebAssembly inside of it. It is smaller than 1.5 MB; meshes are thinned to fit.

    [bold]Examples[/]

      armdyn page ur5 -o ur5.html

      armdyn page ur5 --q 0,-90deg,90deg,0,90deg,0

      armdyn page panda.urdf --tip panda_hand --lock panda_finger_joint1=0.02 -o panda.html
    """
    from armdyn.page import to_page  # noqa: PLC0415 - other verbs need none of it

    path = out or Path(f"{arm.name}.html")
    refuse_unwritable("-o", path, endings=(".html", ".htm"))
    start = None if q is None else read_joint_vector(q, "--q", arm)
    errors = screen(stderr=True)
    with errors.status("making the page"):
        made = to_page(arm, q=start, meshes=not no_meshes)
        path.parent.mkdir(parents=True, exist_ok=True)
        made.write(path)
    if json:
        print_json({"robot": arm.name, "files": [path], "bytes": made.size, "notes": [*arm.notes, *made.notes]})
        return
    screen().print(f"{path}: {made.size / 1000:.0f} kB", soft_wrap=True, highlight=False)
    show_notes(errors, [*arm.notes, *made.notes])
