"""An arm as a stick figure: its links as lines between joints, in a plane or in space."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from numpy.typing import ArrayLike

from armdyn.base.checks import joint_array
from armdyn.base.errors import ShapeError
from armdyn.plots.style import INK
from armdyn.robot import Robot
from armdyn.spatial.rotations import Array

BASE = "#8A8A8A"
SHORTEST = 1e-9
"""Lines shorter than this, m, are not drawn."""


def held_lines(robot: Robot, q: ArrayLike) -> list[Array]:
    """Lines from the origins of links to the points of their constraints, in base axes, m, each of shape (2, 3)."""
    q = joint_array(robot, "q", q, None, "rad or m")
    lines: list[Array] = []
    for frame, point in (place for constraint in robot.model.constraints for place in constraint.places):
        if not frame:
            continue
        frame_of_end = robot.model.frame(frame)
        of_link = robot.link_poses(q)[robot.link_names.index(frame_of_end.link)]
        T = of_link @ frame_of_end.pose
        line = np.array([of_link[:3, 3], T[:3, :3] @ np.array(point) + T[:3, 3]])
        if np.abs(np.diff(line, axis=0)).max() > SHORTEST:
            lines.append(line)
    return lines


def lines_to(robot: Robot, q: ArrayLike, to: Iterable[tuple[str, ArrayLike]]) -> list[Array]:
    """Lines from links to points of their frames that no other line reaches, in base axes, m, shape (2, 3) each."""
    drawn = np.concatenate([*stick_lines(robot, q), *held_lines(robot, q)])
    origins = dict(zip(robot.link_names, robot.link_poses(q)[:, :3, 3], strict=True))
    points = [(robot.model.frame(frame).link, np.asarray(point)) for frame, point in to]
    return [
        np.array([origins[link], point]) for link, point in points if np.abs(drawn - point).max(axis=1).min() > SHORTEST
    ]


def slide_starts(robot: Robot, poses: Mapping[str, Array]) -> dict[str, Array]:
    """Start points of prismatic joints by child link: its origin at q = 0, fixed to its parent, m, shape (3,)."""
    slides = [joint for joint in robot.model.joints if joint.kind == "prismatic"]
    return {joint.child: (poses[joint.parent] @ joint.placement)[:3, 3] for joint in slides}


def stick_lines(robot: Robot, q: ArrayLike) -> list[Array]:
    """The lines of an arm, in base axes, m: from the base to every end of the tree, each of shape (points, 3).

    A line passes through the origins of the links' frames, along prismatic joints from their zero position, to the tip.

    Args:
        robot: the arm.
        q: joint positions, rad or m, shape (n,).
    """
    q = joint_array(robot, "q", q, None, "rad or m")
    if q.shape != (robot.dof,):
        raise ShapeError(f"q has shape {q.shape}; expected ({robot.dof},): one configuration of {robot.name!r}")
    poses = dict(zip(robot.link_names, robot.link_poses(q), strict=True))
    place = {name: T[:3, 3] for name, T in poses.items()}
    begins = slide_starts(robot, poses)
    carrier = {joint.child: joint.parent for joint in robot.model.joints}
    ends = [link for link in place if link not in carrier.values()]
    lines = []
    for end in ends:
        path = [end]
        while path[-1] in carrier:
            path.append(carrier[path[-1]])
        points = [[begins[link], place[link]] if link in begins else [place[link]] for link in reversed(path)]
        lines.append(np.concatenate(points))
    if robot.tip is not None:
        tip = robot.model.frame(robot.tip)
        lines.append(np.array([place[tip.link], (poses[tip.link] @ tip.pose)[:3, 3]]))
    return lines


def draw_arm(
    axes: Axes,
    robot: Robot,
    q: ArrayLike,
    *,
    plane: Array | None = None,
    colour: str = INK,
    to: Sequence[tuple[str, ArrayLike]] = (),
) -> Array:
    """Draw an arm as a stick figure and return its points, shape (points, 2) or (points, 3).

    Args:
        axes: plane axes if ``plane`` is given, otherwise axes of ``projection="3d"``.
        robot: the arm.
        q: joint positions, rad or m, shape (n,).
        plane: two directions of the picture in base axes, as columns, shape (3, 2).
        colour: colour of the links.
        to: names of frames with points in base axes, m; lines are drawn to them from the links of the frames.

    For a robot with constraints the links are drawn up to the points of the constraints.
    """
    link: dict[str, Any] = {"color": colour, "solid_capstyle": "round", "linewidth": 3.0, "alpha": 0.85, "zorder": 2}
    joint: dict[str, Any] = {
        "linestyle": "none", "marker": "o", "markersize": 5.5, "markerfacecolor": "white", "markeredgecolor": colour,
        "markeredgewidth": 1.2, "zorder": 3,
    }  # fmt: skip
    drawn = len(axes.lines)
    lines = [line if plane is None else line @ plane for line in stick_lines(robot, q)]
    for line in lines:
        axes.plot(*line.T, solid_joinstyle="round", **link)
        moved = np.linalg.norm(np.diff(line, axis=0), axis=1) > 1e-9
        joints = line[:-1] if len(moved) and moved[-1] else line
        axes.plot(*joints.T, **joint)
    lines_of_constraints = held_lines(robot, q)
    further = [line if plane is None else line @ plane for line in (*lines_of_constraints, *lines_to(robot, q, to))]
    for line in further:
        axes.plot(*line.T, **link)
    for line in further[: len(lines_of_constraints)]:
        axes.plot(*line.T, **joint)
    if not lines_of_constraints or np.ptp(lines[-1], axis=0).max() > SHORTEST:  # otherwise the tip is a joint
        axes.plot(*lines[-1][-1:].T, linestyle="none", marker="o", markersize=3.5, color=colour, zorder=3)
    axes.plot(*lines[0][:1].T, linestyle="none", marker="s", markersize=9, color=BASE, zorder=1)
    for artist in axes.lines[drawn:]:
        artist.set_clip_on(plane is not None)  # drawings in space may be larger than the square of their axes
    return np.concatenate([*lines, *further])
