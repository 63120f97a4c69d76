"""`to_page`: a robot as one HTML file with sliders and a simulated fall."""

from __future__ import annotations

import math
import os
from collections.abc import Sequence
from dataclasses import dataclass, field
from html import escape
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from armdyn._version import __version__
from armdyn.base.checks import joint_array, switch
from armdyn.base.errors import ShapeError
from armdyn.base.tabular import figure, figures
from armdyn.base.writing import write_text
from armdyn.page.assembly import page_html
from armdyn.page.equations import equations_html
from armdyn.page.errors import PageError
from armdyn.page.findings import PageFinding, findings
from armdyn.page.functions import MOST_BYTES, Functions, functions_of, has_friction
from armdyn.page.posture import closed_near, posture
from armdyn.page.scene import scene
from armdyn.page.tables import (
    base_parameter_table,
    constraint_table,
    findings_list,
    joint_table,
    link_table,
    operation_table,
)
from armdyn.robot import Robot

LARGEST = 1_500_000
"""Largest size of a page, bytes."""

TRIANGLES = 60_000
"""Largest number of triangles of all bodies of a page; fewer if the file would be too large."""

MOST_COORDINATES = 64
"""Largest number of coordinates n of a robot with a readable page."""

WITHOUT_LIMITS = {"revolute": math.pi, "prismatic": 0.5}
"""The end of the slider of a joint without limits, rad or m."""


@dataclass(frozen=True)
class Page:
    """A robot as one HTML file.

    Args:
        html: the file.
        notes: sentences on parts of the robot that the page omits or simplifies.
    """

    html: str = field(repr=False)
    notes: tuple[str, ...] = ()

    @property
    def size(self) -> int:
        """The size of the file, bytes."""
        return len(self.html.encode())

    def write(self, path: str | os.PathLike[str]) -> Path:
        """Write the file, replacing an existing one, and return its path.

        Raises:
            PageError: a file that cannot be written.
        """
        return write_text(path, self.html, error=PageError)

    def _repr_html_(self) -> str:
        """The page in a frame of a notebook."""
        return f'<iframe style="width: 100%; height: 720px; border: 0" srcdoc="{escape(self.html)}"></iframe>'

    def __repr__(self) -> str:
        return f"<live page: {self.size:,} bytes>"


def to_page(
    robot: Robot, path: str | os.PathLike[str] | None = None, *, q: ArrayLike | None = None, meshes: bool = True
) -> Page:
    """The robot as one HTML file that needs no server and no network, with sliders and a simulated fall.

    The page contains the arm in three dimensions, a slider for each joint, M(q), g(q), joint forces and their limits,
    the pose and ellipsoids of the tip, a fall with its energy; equations, operation counts, parameters and findings.
    The numbers are computed by the robot's own functions as WebAssembly in the file, which is smaller than 1.5 MB:
    meshes are thinned to fit. Omitted parts are listed in its ``notes``, and on the page.

    Args:
        path: path of a file to write; an existing file is replaced.
        q: initial joint positions, rad or m, shape (n,); a bent configuration by default. Loops are closed near it.
        meshes: True to draw shapes and meshes of the description; a skeleton of links and joints is always drawn.

    Raises:
        ShapeError: q of other joints.
        PageError: a robot of more than 64 coordinates or whose functions take more than 500,000 bytes; a file that
            cannot be written.

    >>> page = armdyn.load("ur5").to_page()
    >>> page
    <live page: ... bytes>
    >>> page.notes
    ()
    """
    if robot.dof > MOST_COORDINATES:
        raise PageError(
            f"{robot.name!r} has {robot.dof} coordinates, and a page has sliders for {MOST_COORDINATES} at most; keep "
            "a part of it, armdyn.load(..., base=, tip=, chain=True), or hold joints by robot.with_locked"
        )
    start = _start(robot, q)
    functions = functions_of(robot, start)
    if len(functions.module.bytes) > MOST_BYTES:
        raise PageError(
            f"the functions of {robot.name!r} take {len(functions.module.bytes):,} bytes, and a page has room for "
            f"{MOST_BYTES:,}; keep a part of the robot, armdyn.load(..., base=, tip=, chain=True)"
        )
    page = _fitting(robot, functions, start, TRIANGLES if switch("meshes", meshes) else 0)
    if path is not None:
        page.write(path)
    return page


def _fitting(robot: Robot, functions: Functions, start: np.ndarray, most: int) -> Page:
    """The page with the largest number of triangles that fit."""
    fixed = _parts(robot, functions)
    result = findings(robot)
    while True:
        drawn, notes = scene(robot, most)
        notes_of_page = [*functions.left_out, *_without_tip(robot), *notes]
        parts = {**fixed, "findings": findings_list([*(PageFinding("note", note) for note in notes_of_page), *result])}
        html = page_html(parts, functions.module, _data(robot, functions, start, drawn))
        page = Page(html, tuple(notes_of_page))
        if page.size <= LARGEST:
            return page
        if not most:
            raise PageError(
                f"the page of {robot.name!r} would take {page.size:,} bytes without any mesh; expected {LARGEST:,} at "
                "most. Keep a part of the robot, armdyn.load(..., base=, tip=, chain=True)"
            )
        most = most // 2 if most > 2000 else 0


def _start(robot: Robot, q: ArrayLike | None) -> np.ndarray:
    if q is None:
        return posture(robot)
    values = joint_array(robot, "q", q, None, "rad or m", finite=PageError)
    if values.shape != (robot.dof,):
        names = ", ".join(robot.joint_names)
        raise ShapeError(
            f"q has shape {values.shape}; expected ({robot.dof},), one value a joint of {robot.name!r}: {names}"
        )
    holonomic = any(row.holonomic for row in robot.constraint_rows)
    return closed_near(robot, [values]) if holonomic else values


def _without_tip(robot: Robot) -> list[str]:
    if robot.tip is None:
        return [
            f"no pose and no ellipsoids of a tip: {robot.name!r} has several ends; choose one by robot.with_tip(NAME)"
        ]
    if robot.model.constraints:
        return ["no ellipsoids of the tip: those of an arm without constraints do not hold under constraints"]
    if any(name not in _ellipsoids(robot) for name in ("velocity", "force")):
        return ["no ellipsoids of velocity and force: the arm turns and slides, and rad and m have no common length"]
    return []


def _ellipsoids(robot: Robot) -> list[str]:
    """The existing ellipsoids: of velocity and force only if all joints that move the tip are of one kind."""
    if robot.tip is None or robot.model.constraints:
        return []
    moving = np.abs(robot.jacobian(robot.random_configuration(0, 8), expressed_in="world")).max(axis=(0, 1)) > 0.0
    kinds = {joint.kind for joint, moves in zip(robot.joints, moving, strict=True) if moves}
    return [*(["velocity", "force"] if len(kinds) == 1 else []), "acceleration"]


def _parts(robot: Robot, functions: Functions) -> dict[str, str]:
    """The HTML parts that do not depend on the triangles."""
    mass = figure(math.fsum(link.inertia.mass for link in robot.model.links[1:]), digits=5)
    kinds = [joint.kind for joint in robot.model.joints]
    counted = [f"{kinds.count(kind)} {kind}" for kind in ("revolute", "prismatic") if kind in kinds]
    gravity = ", ".join(figures(robot.gravity))
    tip = f", tip {robot.tip}" if robot.tip else ""
    facts = (
        f"{' and '.join(counted)} joint{'s' if len(kinds) > 1 else ''} · {mass} kg moving · gravity ({gravity}) m/s²"
    )
    return {
        "title": escape(robot.name),
        "facts": escape(f"{facts} · base {robot.model.base}{tip}"),
        "equations": equations_html(robot),
        "operations": operation_table(functions.module),
        "joint_table": joint_table(robot),
        "constraint_table": constraint_table(robot),
        "link_table": link_table(robot),
        "base_parameters": base_parameter_table(robot),
        "foot": f"Made by armdyn {escape(__version__)} from the model {robot.model.digest[:16]}.",
    }


def _data(robot: Robot, functions: Functions, start: np.ndarray, drawn: dict[str, Any]) -> dict[str, Any]:
    """The data of the robot for the script."""
    return {
        "name": robot.name,
        "joints": [
            {**_joint(joint), "short": short}
            for joint, short in zip(robot.joints, short_names(robot.joint_names), strict=True)
        ],
        "links": list(robot.link_names),
        "tip": robot.tip,
        "without_tip": "This robot has several ends, and none was chosen as its tip.",
        "start": start.tolist(),
        "ellipsoids": _ellipsoids(robot),
        "inverse": not robot.model.constraints,
        "drags": robot.tip is not None and not robot.model.constraints,
        "friction": has_friction(robot),
        "fall": functions.fall,
        "reference": _reference(robot),
        **{"axes" if name == "joints" else name: value for name, value in drawn.items()},
    }


def short_names(names: Sequence[str]) -> list[str]:
    """Names without the words that all of them begin or end with, as far as a letter is left.

    >>> short_names(["shoulder_pan_joint", "elbow_joint"])
    ['shoulder_pan', 'elbow']
    >>> short_names(["joint_1", "joint_2"])
    ['joint_1', 'joint_2']
    """
    words = [name.split("_") for name in names]
    least = min(len(one) for one in words) - 1 if len(words) > 1 else 0
    first = next((k for k in range(least) if len({one[k] for one in words}) > 1), least)
    last = next((k for k in range(least - first) if len({one[-1 - k] for one in words}) > 1), least - first)
    short = ["_".join(one[first : len(one) - last]) for one in words]
    return short if all(any(map(str.isalpha, one)) for one in short) else list(names)


def _joint(joint: Any) -> dict[str, object]:
    low, high = joint.limits.lower, joint.limits.upper
    free = WITHOUT_LIMITS[joint.kind]
    if not low < high:
        low, high = -math.inf, math.inf
    if not math.isfinite(low):
        low = high - 2.0 * free if math.isfinite(high) else -free
    if not math.isfinite(high):
        high = low + 2.0 * free
    stops = [bound if math.isfinite(bound) else None for bound in (joint.limits.lower, joint.limits.upper)]
    effort = joint.limits.effort if math.isfinite(joint.limits.effort) else None
    return {"name": joint.name, "kind": joint.kind, "low": low, "high": high, "stops": stops, "effort": effort}


def _reference(robot: Robot) -> dict[str, object]:
    """NumPy's results at a random configuration, with which the page compares its own."""
    q = robot.random_configuration(7)
    values = {"mass_matrix": robot.mass_matrix(q), "gravity_forces": robot.gravity_forces(q)}
    if robot.tip is not None:
        values["tip_pose"] = robot.forward_kinematics(q)
    return {"q": q.tolist(), "values": {name: np.ravel(value).tolist() for name, value in values.items()}}
