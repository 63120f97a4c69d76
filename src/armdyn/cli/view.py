"""``armdyn view``: a robot in the browser, with its motion or a stream of its states."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from armdyn.base.errors import ArmdynError
from armdyn.base.quantities import split_quantities
from armdyn.cli.arguments import read_joint_vector
from armdyn.cli.completion import words as words_to_complete
from armdyn.cli.exit_codes import INTERRUPTED
from armdyn.cli.json_output import AsJson, of_robot, print_json
from armdyn.cli.log_options import Columns, Gains, Rate, Topic, Units, options_of
from armdyn.cli.outputs import refuse_unwritable
from armdyn.cli.screen import screen
from armdyn.cli.states import Positions, refuse_both
from armdyn.cli.tables import show_notes
from armdyn.formats.tables.text import STANDARD_INPUT
from armdyn.robot import Robot

if TYPE_CHECKING:
    from armdyn.viewer import Viewer

LOOKS = ("visual", "collision", "skeleton")


class ViewOptionError(ArmdynError, ValueError):
    """Options of ``armdyn view`` that do not fit each other."""


def view(
    arm: Robot,
    q: Positions = None,
    motion: Annotated[
        Path | None,
        typer.Option(
            "--motion", metavar="FILE", help="Play this log (csv, Parquet, npz, bag), or this saved trajectory."
        ),
    ] = None,
    over: Annotated[
        Path | None,
        typer.Option("--over", metavar="FILE", help="Another log or saved trajectory, as a ghost over --motion."),
    ] = None,
    rate: Rate = None,
    columns: Columns = None,
    units: Units = None,
    gains: Gains = None,
    topic: Topic = None,
    listen: Annotated[
        str | None,
        typer.Option(
            "--listen", metavar="PORT|-", help="Show states that arrive at this port (TCP, UDP), or at standard input."
        ),
    ] = None,
    look: Annotated[
        str, typer.Option("--look", help=f"{', '.join(LOOKS)}.", autocompletion=words_to_complete(*LOOKS))
    ] = "visual",
    dark: Annotated[bool, typer.Option("--dark", help="On a dark background.")] = False,
    speed: Annotated[float, typer.Option("--speed", help="Of the motion; 1: as fast as it was.")] = 1.0,
    loop: Annotated[bool, typer.Option("--loop", help="Play the motion again and again.")] = False,
    port: Annotated[
        int | None, typer.Option("--port", help="Of the view; the first free one from 8080 on if left out; 0 for any.")
    ] = None,
    host: Annotated[
        str, typer.Option("--host", help="Address to be reached at; 0.0.0.0 for other machines.")
    ] = "127.0.0.1",
    origin: Annotated[
        list[str] | None,
        typer.Option("--origin", metavar="URL", help="A further page that may show the view, as of a tunnel."),
    ] = None,
    no_browser: Annotated[bool, typer.Option("--no-browser", help="Only print the address.")] = False,
    screenshot: Annotated[
        Path | None,
        typer.Option("--screenshot", metavar="FILE", help="Write a .png of the scene, over what is there; stop."),
    ] = None,
    save: Annotated[
        Path | None,
        typer.Option("--save", metavar="FILE", help="Write scene and motion to an .html, over what is there; stop."),
    ] = None,
    json: AsJson = False,
) -> None:
    r"""A view of the robot in the browser, until Ctrl-C.

    Sliders move the joints; tables show the pose of the tip, g(q), torques, energy. Meshes of the description
    are drawn if they can be read (STL, OBJ, DAE; docs/pictures.md explains package://). Motions can be played,
    paused and scrubbed, with torques and energies over time.

    [bold]Examples[/]

      armdyn view ur5

      armdyn view ur5 --q 0,-90deg,90deg,0,0,0 --dark

      armdyn view ur5 --motion fall.csv --loop

      armdyn view ur5 --motion fall.npz --over log.csv

      armdyn view ur5 --motion log.csv --rate 125

      armdyn view ur5 --motion run.mcap --topic /joint_states

      armdyn view ur5 --listen 5005

      tail -f log.csv | armdyn view ur5 --listen -

      armdyn view ur5 --screenshot ur5.png

      armdyn view ur5 --motion fall.npz --save fall.html

    [bold]A stream[/]

    One state a line, by TCP or UDP, or on standard input: as JSON

      {"t": 0.1, "q": \[0, -1.57, 1.57, 0, 0, 0], "qd": \[...], "tau": \[...]}

    where all but q may be left out, or an array of q alone, or ROS's name, position, velocity and effort; or as csv: q,
    then qd, then qdd of all joints, with the time in front or not; or any columns that a first line names

      t,q_elbow_joint \[deg],tau_elbow_joint

    with positions of all joints. A line without a state is skipped, and the view shows the reason.
    """
    refuse_both(motion, q)
    if over is not None and motion is None:
        raise ViewOptionError("--over is drawn over a motion; name it by --motion")
    if motion is not None and listen is not None:
        raise ViewOptionError("--motion and --listen both move the robot; choose one")
    log_options = options_of(arm, gains=gains, columns=columns, units=units, rate=rate, topic=topic)
    if log_options and motion is None:
        names = ", ".join(f"--{name}" for name in log_options)
        raise ViewOptionError(f"{names} belongs to a log; name it by --motion")
    for option, path, endings in (("--screenshot", screenshot, (".png",)), ("--save", save, (".html", ".viser"))):
        if path is not None:
            refuse_unwritable(option, path, endings=endings)
    only_files = screenshot is not None or save is not None
    options: dict[str, Any] = {"look": look, "dark": dark, "speed": speed, "loop": loop, "host": host}
    options["origins"] = origin or ()
    from armdyn.motion.opening import open_motion  # noqa: PLC0415 - for its verb only
    from armdyn.viewer import view as view_robot  # noqa: PLC0415 - for its verb only, because it needs other libraries

    viewer = view_robot(
        arm,
        None if q is None else read_joint_vector(q, "--q", arm),
        motion=None if motion is None else open_motion(motion, arm, **log_options),
        over=None if over is None else open_motion(over, arm, **log_options),
        stream=None if listen is None else _stream(listen),
        port=0 if only_files and port is None else port,
        browser=not (no_browser or only_files),
        quiet=True,
        **options,
    )
    viewer.tell = lambda words: show_notes(screen(stderr=True), [words])
    with viewer:
        if not json:
            _say(viewer, arm, only_files=only_files)
        files = {"screenshot": screenshot, "save": save}
        for name, path in files.items():
            if path is not None:
                path.parent.mkdir(parents=True, exist_ok=True)
                getattr(viewer, name)(path)
                screen(stderr=json).print(f"wrote {path}", soft_wrap=True)
        if json:
            written = {name: path for name, path in files.items() if path is not None}
            notes = [*arm.notes, *viewer.notes]
            print_json({**of_robot(arm), "q": viewer.q, "url": viewer.url, "files": written, "notes": notes})
        if not only_files and viewer.wait():
            raise typer.Exit(INTERRUPTED)


def _say(viewer: Viewer, arm: Robot, *, only_files: bool) -> None:
    """The address while it is served, and what is not shown as it is described."""
    if not only_files:
        screen().print(f"{arm.name}: {viewer.url} (Ctrl-C ends)", soft_wrap=True)
    show_notes(screen(), viewer.notes)


def _stream(text: str) -> int | str:
    """The port, or standard input, that was named."""
    words = split_quantities(text)
    if text == STANDARD_INPUT:
        return text
    if len(words) != 1 or not words[0].isdecimal():
        raise ViewOptionError(
            f"--listen is {text!r}; expected the number of a port, such as 5005, or - for standard input"
        )
    return int(words[0])
