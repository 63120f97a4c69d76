"""``armdyn page``: a robot as one HTML file in which it is seen, moved and let fall."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from armdyn.cli.arguments import read_joint_vector
from armdyn.cli.json_output import AsJson, print_json
from armdyn.cli.outputs import refuse_lost, refuse_unwritable
from armdyn.cli.screen import screen
from armdyn.cli.tables import show_notes
from armdyn.page.errors import PageError
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
    motion: Annotated[
        Path | None,
        typer.Option("--motion", metavar="FILE", help="Play this motion: .npz, .parquet, .csv, a log."),
    ] = None,
    over: Annotated[
        Path | None,
        typer.Option("--over", metavar="FILE", help="Another motion or a log, drawn in grey under that of --motion."),
    ] = None,
    rate: Annotated[float | None, typer.Option("--rate", help="Rows per second of a log without times, Hz.")] = None,
    title: Annotated[str | None, typer.Option("--title", help="Above the page of a motion.")] = None,
    json: AsJson = False,
) -> None:
    """A robot as one HTML file: seen, moved by sliders, let fall, with its equations and parameters.

    The file opens from disk in every browser, without server and network. The numbers come from the robot's own
    functions, as WebAssembly inside of it. It is smaller than 1.5 MB; meshes are thinned to fit.

    [bold]Examples[/]

      armdyn page ur5 -o ur5.html

      armdyn page ur5 --q 0,-90deg,90deg,0,90deg,0

      armdyn page panda.urdf --tip panda_hand --lock panda_finger_joint1=0.02 -o panda.html

    With --motion the page plays a motion: the arm, charts of every joint with limits and events, one cursor through
    all; --over draws another motion or a log under it, with a ghost of the arm.

      armdyn page ur5 --motion run.npz -o run.html

      armdyn page ur5 --motion simulated.npz --over recorded.csv -o compared.html
    """
    if motion is not None:
        _page_of_motion(arm, motion, over, rate, out, title, q, meshes=not no_meshes, json=json)
        return
    lone = {"--over": over, "--rate": rate, "--title": title}
    if options := [name for name, value in lone.items() if value is not None]:
        raise PageError(f"{options[0]} belongs to the page of a motion; expected --motion FILE too")
    from armdyn.page import to_page  # noqa: PLC0415 - other verbs need none of it

    path = out or Path(f"{arm.name}.html")
    refuse_unwritable("-o", path, endings=(".html", ".htm"))
    start = None if q is None else read_joint_vector(q, "--q", arm)
    errors = screen(stderr=True)
    with errors.status("making the page"):
        document = to_page(arm, q=start, meshes=not no_meshes)
        document.write(path)
    if json:
        print_json({"robot": arm.name, "files": [path], "bytes": document.size, "notes": [*arm.notes, *document.notes]})
        return
    screen().print(f"{path}: {document.size / 1000:.0f} kB", soft_wrap=True, highlight=False)
    show_notes(errors, [*arm.notes, *document.notes])


def _page_of_motion(
    arm: Robot, motion: Path, over: Path | None, rate: float | None, out: Path | None, title: str | None, q: str | None,
    *, meshes: bool, json: bool,
) -> None:  # fmt: skip
    """Write the page of a motion."""
    from armdyn.cli.report import motion_of_file  # noqa: PLC0415 - other pages need none of it
    from armdyn.motion.opening import open_motion  # noqa: PLC0415
    from armdyn.page.motion_page import motion_page  # noqa: PLC0415

    if q is not None:
        raise PageError(
            "--q is the state in which the page of a robot opens; that of a motion opens at its start. Leave it out"
        )
    path = out or Path(motion.with_suffix(".html").name)
    refuse_lost({"-o": path}, [motion, over, arm.name])
    refuse_unwritable("-o", path, endings=(".html", ".htm"))
    played = motion_of_file(motion, arm, {} if rate is None else {"rate": rate})
    errors = screen(stderr=True)
    with errors.status("making the page"):
        behind = None if over is None else open_motion(over, arm)
        document = motion_page(played, robot=arm, over=behind, title=title, meshes=meshes)
        document.write(path)
    if json:
        print_json({"robot": arm.name, "files": [path], "bytes": document.size, "notes": document.notes})
        return
    screen().print(f"{path}: {document.size / 1000:.0f} kB", soft_wrap=True, highlight=False)
    show_notes(errors, list(document.notes))
