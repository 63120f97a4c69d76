"""`motion_page`: a motion as one HTML file: the moving arm, charts of every joint, one common cursor."""

from __future__ import annotations

import base64
import os
import re
from dataclasses import dataclass, field
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from armdyn._version import __version__
from armdyn.base.errors import ArmdynError, ShapeError, excerpt
from armdyn.base.writing import write_text
from armdyn.motion.limits_passed import limits_passed
from armdyn.motion.with_robot import check_it_moved
from armdyn.page.assembly import script_json
from armdyn.page.errors import PageError
from armdyn.page.functions import poses_module
from armdyn.page.html_file import filled, template_file
from armdyn.page.motion_content import Content
from armdyn.page.scene import scene
from armdyn.plots.overlay import Overlay, overlay_of
from armdyn.robot import Robot

if TYPE_CHECKING:
    from armdyn.logs.log import Log
    from armdyn.motion.trajectory import Trajectory

TRIANGLES = 30_000
"""Triangles of all bodies of the arm."""

PATH = 700
"""Points of the path of the tip."""

SCRIPTS = (
    *("vectors", "numbers", "rate", "elements", "colours", "meshes", "webgl", "flat", "camera", "ellipsoids", "scene"),
    *("drawing", "motion_columns", "motion_chart", "motion_player", "motion_stage", "motion_main"),
)
"""The scripts of the page, ordered so that each uses only names of earlier ones."""


@dataclass(frozen=True)
class MotionPage:
    """A motion as one HTML file.

    Args:
        html: the self-contained file.
        notes: sentences on thinned rows, matched joints and missing parts.
    """

    html: str = field(repr=False)
    notes: tuple[str, ...] = ()

    @property
    def size(self) -> int:
        """The length of the file, bytes."""
        return len(self.html.encode())

    def write(self, path: str | os.PathLike[str]) -> Path:
        """Write the page, replacing an existing file, and return its path.

        Raises:
            PageError: a file that cannot be written.
        """
        return write_text(path, self.html, error=PageError)

    def _repr_html_(self) -> str:
        """The page in a frame of a notebook."""
        return f'<iframe style="width: 100%; height: 720px; border: 0" srcdoc="{escape(self.html)}"></iframe>'

    def __repr__(self) -> str:
        return f"<page of a motion: {self.size:,} bytes>"


def motion_page(
    trajectory: Trajectory,
    path: str | os.PathLike[str] | None = None,
    *,
    robot: Robot | None = None,
    over: Trajectory | Log | None = None,
    title: str | None = None,
    meshes: bool = True,
) -> MotionPage:
    """A motion as one HTML file without server and network: the arm in motion, and charts of all recorded quantities.

    Each joint has a row with position, velocity, force and, if recorded, tracking errors, residuals, currents,
    temperatures; limits are bands, events have marks. Another motion or a log is drawn in the background,
    with a ghost of the arm. One cursor is common to all charts and moves the arm; playback is in real time.

    Args:
        trajectory: the motion.
        path: path of a file to write; an existing file is replaced.
        robot: the robot of the motion; a bundled robot of the trajectory's name by default, only charts without one.
        over: another motion or a log, drawn in the background.
        title: title above the page; robot and duration by default.
        meshes: True to draw the visual meshes of the description.

    Raises:
        PageError: a batch of motions; times or positions that are not finite; a file that cannot be written.
        ShapeError: a robot of other joints, a batch as another motion.
        DTypeError: another motion that is neither a trajectory nor a log.

    >>> arm = armdyn.load("planar_2r")
    >>> armdyn.simulate(arm, [0.0, 0.5], duration=0.2).page(robot=arm)
    <page of a motion: ... bytes>
    """
    if trajectory.batch:
        first = ", ".join("0" for _ in trajectory.batch)
        raise PageError(
            f"a page is of one motion, and this is a batch {trajectory.batch}; choose one: "
            f"trajectory.pick({first}).page()"
        )
    if not np.isfinite(trajectory.t).all() or not np.isfinite(trajectory.q).all():
        raise PageError(
            "the motion has times or positions that are not finite; show a part of it: trajectory.between(0.0, END)"
        )
    notes: list[str] = []
    if robot is None:
        robot = _bundled(trajectory)
        if robot is None:
            notes.append("the robot is not known, so that the page has charts alone; name it by robot=")
    elif not isinstance(robot, Robot):
        raise PageError(f"robot is {excerpt(robot)}; expected the Robot that moved")
    else:
        check_it_moved(trajectory, robot)
    other = None if over is None else overlay_of(trajectory, over)
    limits = trajectory.limits or (() if robot is None else tuple(joint.limits for joint in robot.joints))
    content = Content(trajectory, other, limits)
    notes += [*content.notes, *([] if other is None else other.notes)]
    script, arm = _arm(robot, trajectory, notes, meshes=meshes)
    if robot is not None and not any("limits" in note for note in trajectory.notes):
        passed = limits_passed(robot, trajectory.t, trajectory.q, trajectory.qd, trajectory.tau)
        notes += [f"limit passed: {one}" for one in passed]
    notes += [*trajectory.notes, trajectory.statistics.method]
    html = _html(title or _title(trajectory), trajectory, other, content, script, arm, notes)
    result = MotionPage(html, tuple(notes))
    if path is not None:
        result.write(path)
    return result


def _arm(
    robot: Robot | None, trajectory: Trajectory, notes: list[str], *, meshes: bool
) -> tuple[str, dict[str, Any] | None]:
    """The loader of the WebAssembly and the data of the arm; none without a robot."""
    if robot is None:
        return "const load = async () => null;", None
    drawn, notes_of_scene = scene(robot, TRIANGLES if meshes else 0)
    notes += notes_of_scene
    loader = re.sub(r"^export ", "", poses_module(robot).javascript, flags=re.MULTILINE)
    data = {"links": list(robot.link_names), "tip": robot.tip, "ellipsoids": [], "path": _path(robot, trajectory)}
    return loader, {**data, **{"axes" if name == "joints" else name: value for name, value in drawn.items()}}


def _path(robot: Robot, trajectory: Trajectory) -> str | None:
    """The path of the tip as text: points in single precision, base 64; None without a tip."""
    if robot.tip is None:
        return None
    step = max(len(trajectory.t) // PATH, 1)
    points = robot.forward_kinematics(trajectory.q[::step])[:, :3, 3]
    return base64.b64encode(np.ascontiguousarray(points, dtype="<f4").tobytes()).decode()


def _html(
    title: str, trajectory: Trajectory, other: Overlay | None, content: Content, loader: str,
    arm: dict[str, Any] | None, notes: list[str],
) -> str:  # fmt: skip
    scripts = [template_file("armdyn.page", f"{name}.js") for name in SCRIPTS]
    uplot, licence = (template_file("armdyn.page", f"uplot/{name}") for name in ("uPlot.iife.min.js", "LICENSE"))
    data = f"const MOTION = {script_json(content.data())};\nconst ARM = {script_json(arm)};"
    bundled = f"/*! uPlot, https://github.com/leeoniya/uPlot\n{licence}*/\n{uplot}"
    against = "" if other is None else f" · behind it {escape(other.name)}"
    facts = f"{len(trajectory.joint_names)} joints · {len(trajectory.t):,} rows{against}"
    parts = {
        "title": escape(title),
        "facts": facts,
        "notes": "".join(f"<li>{escape(note)}</li>" for note in notes),
        "foot": f"Made by armdyn {escape(__version__)}. Charts by uPlot (MIT licence, in the source of this page).",
        "bundled": bundled,
        "blocks": "\n".join(
            f'<script type="text/plain" id="block-{k}">{block}</script>' for k, block in enumerate(content.blocks)
        ),
        "script": "\n".join([loader, data, *scripts]),
    }
    style = "\n".join(template_file("armdyn.page", name) for name in ("style.css", "uplot/uPlot.min.css", "motion.css"))
    return filled(
        template_file("armdyn.page", "motion.html"),
        parts,
        style=style,
        policy="script-src 'unsafe-inline' 'wasm-unsafe-eval'; ",
        more='<meta name="color-scheme" content="light dark">\n',
    )


def _bundled(trajectory: Trajectory) -> Robot | None:
    """The bundled robot of the trajectory's name, if its joints are equal."""
    from armdyn.robots import bundled_robots, load  # noqa: PLC0415 - descriptions are read only when one is needed

    if trajectory.robot not in bundled_robots():
        return None
    try:
        arm: Robot = load(trajectory.robot)
        check_it_moved(trajectory, arm)
    except (ShapeError, ArmdynError):
        return None
    return arm


def _title(trajectory: Trajectory) -> str:
    return f"Motion of {trajectory.robot}, {trajectory.t[-1] - trajectory.t[0]:g} s"
