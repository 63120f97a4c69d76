"""Views of robots, motions and streams: the functions that make a `Viewer`."""

from __future__ import annotations

import os
import sys
from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from armdyn.base.checks import choice, number
from armdyn.base.errors import ArmdynError, excerpt
from armdyn.logs.log import Log
from armdyn.motion.opening import open_motion
from armdyn.motion.trajectory import Trajectory
from armdyn.plots.configurations import shown_configurations
from armdyn.robot import Robot
from armdyn.robots import bundled_robots, load
from armdyn.spatial.rotations import Array
from armdyn.viewer.arm import LOOKS, DrawnArm
from armdyn.viewer.errors import ViewerError
from armdyn.viewer.numbers import explained
from armdyn.viewer.recording import Recording, recordings_of
from armdyn.viewer.screen_arm import Show
from armdyn.viewer.shown_robot import RobotEntry, closed
from armdyn.viewer.skeleton import size_of
from armdyn.viewer.sources import source_of
from armdyn.viewer.surfaces import looks_of
from armdyn.viewer.viewer import Viewer

Motion = Trajectory | Recording | Log | str | os.PathLike[str]
"""A motion to play: a simulated one, a recording, or the path of a log or of a saved trajectory."""

MOST_MOTIONS = 8
"""Largest number of simultaneous motions of one robot."""

APART = 1.3
"""The distance of neighbouring robots, as a multiple of the larger one's size."""


def view(
    robot: Robot | Sequence[Robot],
    q: Array | None = None,
    *,
    motion: Motion | Sequence[Motion | None] | None = None,
    over: Motion | None = None,
    stream: int | str | Iterable[str] | None = None,
    rate: float | None = None,
    look: str = "visual",
    dark: bool = False,
    spacing: float | None = None,
    speed: float = 1.0,
    loop: bool = False,
    host: str = "127.0.0.1",
    port: int | None = None,
    origins: Collection[str] = (),
    browser: bool = True,
    quiet: bool = False,
) -> Viewer:
    """A view of the robot in the browser: sliders for its joints, meshes, frames, ellipsoids, numbers and motions.

    The function returns at once; ``viewer.wait()`` keeps a script running until Ctrl-C, a notebook displays the
    returned viewer. If no browser can be opened, enter the printed address in one.

    Args:
        robot: a robot, or several.
        q: joint positions, rad or m, shape (n,); or several configurations, shape (k, n), of which the last is drawn
            and the others are ghosts. Zero if not given. For several robots, one of these for each.
        motion: the motion to play: a `armdyn.Trajectory` (for a batch, the further motions are ghosts), the path of a
            saved one, a `armdyn.logs.Log`, or the path of one. For several robots, one of these or None for each.
        over: another motion of the robot, a log or the path of one, played as a ghost at the same time; its curves
            are broad and pale.
        stream: source of states, one per line, which move the first robot: the number of a port, for TCP and UDP; "-",
            standard input; or an iterable of lines. `armdyn.viewer.stream_lines.FORMAT` describes the format.
        rate: rows per second, Hz, of a log without times.
        look: "visual", "collision" or "skeleton".
        dark: True for a dark background.
        spacing: distance between several robots, m; 0 draws them over each other; None places them next to each other.
        speed: factor of the original speed of the motion.
        loop: True to restart the motion at its end.
        host: the address that accepts browsers and a stream; "0.0.0.0" to accept those of all machines.
        port: port of the view; 0 for any free port; if None, the first free one from 8080 on.
        origins: further pages that may show the view, e.g. that of a tunnel: ["https://lab.example"]; its own page
            always may.
        browser: True to open a browser.
        quiet: True to print neither address nor notes; ``viewer.url`` and ``viewer.notes`` contain them.

    Raises:
        ShapeError: positions or a motion of other joints.
        ViewerError: inconsistent settings.
        PortInUse: the given port is in use.
        LogError: a log without times and rate, with both, or with other columns; `armdyn.logs.read` accepts their
            names.
        MissingLibrary: viser is not installed.

    >>> viewer = armdyn.load("ur5").view([0.3, -1.2, 1.4, -0.7, 1.1, 0.2], port=0, browser=False)  # doctest: +ELLIPSIS
    ur5: http://localhost:...
    >>> viewer.q[1]
    np.float64(-1.2)
    >>> viewer.close()
    """
    robots = [robot] if isinstance(robot, Robot) else list(robot)
    if not robots or not all(isinstance(each, Robot) for each in robots):
        raise ViewerError(f"robot is {excerpt(robot)}; expected a Robot, or several in a list")
    several = not isinstance(robot, Robot)
    configurations = _one_each(q, len(robots), "q") if several else [q]
    motions = _one_each(motion, len(robots), "motion") if several else [motion]
    rows = None if rate is None else number("rate", rate, above=0.0, unit="Hz", error=ViewerError)
    look_of_robots: Any = choice("look", look, LOOKS, error=ViewerError)
    if rows is not None and not any(isinstance(each, str | os.PathLike) for each in motions):
        raise ViewerError(f"rate={rows:g} Hz belongs to a log without times, and none is to be played; leave it out")
    recordings = [_recordings(each, arm, rows) for each, arm in zip(motions, robots, strict=True)]
    if over is not None:
        recordings = [_with_ghost(recordings, over, robots[0], rows)]
    if stream is not None and recordings[0]:
        raise ViewerError("a motion and a stream both move the first robot; choose one")
    source = None if stream is None else source_of(stream, host)
    try:
        entries, notes = _entries(robots, configurations, recordings, spacing, streamed=source is not None)
        viewer = Viewer(
            entries, show=Show(look=look_of_robots), dark=dark, host=host, port=port, origins=origins, source=source,
            speed=speed, loop=loop, notes=notes,
        )  # fmt: skip
    except BaseException:
        if source is not None:
            source.close()
        raise
    if not quiet:
        viewer.tell = _tell
        _announce(viewer)
    if browser and not _in_notebook():
        viewer.open()
    return viewer


def view_trajectory(
    trajectory: Trajectory,
    robot: Robot | None = None,
    *,
    over: Motion | None = None,
    look: str = "visual",
    dark: bool = False,
    speed: float = 1.0,
    loop: bool = False,
    host: str = "127.0.0.1",
    port: int | None = None,
    origins: Collection[str] = (),
    browser: bool = True,
    quiet: bool = False,
) -> Viewer:
    """A view of a motion in the browser: play, pause, scrub, torques and energy over time.

    Args:
        trajectory: the motion, or a batch of eight at most.
        robot: the robot of the motion; if None, the bundled robot of that name.
        over: another motion or a log of the robot, played as a ghost at the same time; its curves are broad and
            pale.
        look: "visual", "collision" or "skeleton".
        dark: True for a dark background.
        speed: factor of the original speed of the motion.
        loop: True to restart the motion at its end.
        host: the address that accepts browsers; "0.0.0.0" to accept those of all machines.
        port: port of the view; 0 for any free port; if None, the first free one from 8080 on.
        origins: further pages that may show the view, e.g. that of a tunnel: ["https://lab.example"]; its own page
            always may.
        browser: True to open a browser.
        quiet: True to print neither address nor notes; ``viewer.url`` and ``viewer.notes`` contain them.

    Raises:
        ViewerError: no robot is given, and no bundled robot has the name; a batch of more than eight motions.
        ShapeError: a robot of other joints.
        PortInUse: the given port is in use.
        MissingLibrary: viser is not installed.

    >>> fall = armdyn.simulate(armdyn.load("rp"), [0.0, 1.0], duration=0.5)
    >>> with fall.view(port=0, browser=False, quiet=True) as viewer:
    ...     viewer.seek(0.2)
    """
    if robot is None:
        if trajectory.robot not in bundled_robots():
            raise ViewerError(
                f"which robot moved? {trajectory.robot!r} is not bundled; give it: trajectory.view(robot=robot)"
            )
        robot = load(trajectory.robot)
    return view(
        robot, motion=trajectory, over=over, look=look, dark=dark, speed=speed, loop=loop, host=host, port=port,
        origins=origins, browser=browser, quiet=quiet,
    )  # fmt: skip


def _one_each(values: Any, count: int, name: str) -> list[Any]:
    """A list with a value for each of several robots."""
    if values is None:
        return [None] * count
    result = list(values)
    if len(result) != count:
        raise ViewerError(f"{name} has {len(result)} entries; expected {count}, one for each robot")
    return result


def _recordings(motion: object, robot: Robot, rate: float | None) -> list[Recording]:
    """The recordings of the motion to play; empty if there is none."""
    if motion is None:
        return []
    if isinstance(motion, str | os.PathLike):
        motion = open_motion(Path(motion), robot, rate=rate)
    if not isinstance(motion, Trajectory | Recording | Log):
        raise ViewerError(
            f"motion is {excerpt(motion)}; expected a Trajectory, a log, or the path of a log or of a saved Trajectory"
        )
    result = recordings_of(motion, robot)
    if len(result) > MOST_MOTIONS:
        raise ViewerError(f"a batch of {len(result)} motions; {MOST_MOTIONS} at most. Choose some: trajectory.pick(0)")
    return result


def _with_ghost(
    recordings: Sequence[list[Recording]], over: Motion, robot: Robot, rate: float | None
) -> list[Recording]:
    """The recordings of one robot, followed by those of another motion."""
    if len(recordings) != 1 or not recordings[0]:
        raise ViewerError("over= is drawn over the motion of one robot; give it by motion=")
    ghosts = _recordings(over, robot, rate)
    own = f"{recordings[0][0].name or 'the motion'}"
    ghosts[0] = replace(ghosts[0], notes=(*ghosts[0].notes, f"blue ghost: {_other(ghosts[0].name, own)}"))
    motions = [*recordings[0], *ghosts]
    if len(motions) > MOST_MOTIONS:
        raise ViewerError(f"{len(motions)} motions; {MOST_MOTIONS} at most. Choose some: trajectory.pick(0)")
    return motions


def _other(name: str, own: str) -> str:
    return f"{name}, other motion" if name == own else name or "the other motion"


def _entries(
    robots: Sequence[Robot],
    configurations: Sequence[Any],
    recordings: Sequence[Sequence[Recording]],
    spacing: float | None,
    *,
    streamed: bool,
) -> tuple[list[RobotEntry], list[str]]:
    """The entry of each robot in the scene, and notes."""
    notes: list[str] = []
    entries: list[RobotEntry] = []
    for k, robot in enumerate(robots):
        qs = shown_configurations(robot, configurations[k], ViewerError)
        at = np.array(recordings[k][0].q[0] if recordings[k] else qs[-1])
        try:
            at = closed(robot, at)
        except ArmdynError as error:
            notes.append(f"{robot.name}: shown with its loops open: {explained(error)}")
        base = np.eye(4)
        base[1, 3] = _place(robots, k, spacing)
        moments = [*qs, *(q for recording in recordings[k] for q in recording.moments())]
        length = size_of(robot, *moments)
        arm = DrawnArm(robot, _name(robots, k), looks_of(robot.model), base, length=length)
        entries.append(RobotEntry(arm, at, qs[:-1], recordings[k], streamed and k == 0))
    return entries, notes


def _name(robots: Sequence[Robot], k: int) -> str:
    """A unique name in the tree of the scene."""
    plain = [robot.name.replace("/", "\u2044") or "robot" for robot in robots]
    return plain[k] if plain.count(plain[k]) == 1 else f"{plain[k]} {plain[: k + 1].count(plain[k])}"


def _place(robots: Sequence[Robot], k: int, spacing: float | None) -> float:
    """The position of the base of one of several robots along y, m."""
    if spacing is None:
        spacing = APART * max(map(size_of, robots)) if len(robots) > 1 else 0.0
    return k * number("spacing", spacing, unit="m", error=ViewerError)


def _announce(viewer: Viewer) -> None:
    """Print the address and the notes."""
    names = ", ".join(robot.name for robot in viewer.robots)
    print(f"{names}: {viewer.url}", flush=True)
    for note in viewer.notes:
        print(f"note: {note}", flush=True)


def _tell(words: str) -> None:
    print(f"note: {words}", file=sys.stderr, flush=True)


def _in_notebook() -> bool:
    """Return True if a notebook will display the view by itself."""
    ipython = sys.modules.get("IPython")
    shell = None if ipython is None else ipython.get_ipython()
    return shell is not None and "IPKernelApp" in getattr(shell, "config", {})
