"""An arm as a stick figure: its links as lines between joints, in a plane or in space."""

from __future__ import annotations

from typing import Any

import numpy as np
from matplotlib.axes import Axes
from numpy.typing import ArrayLike

from armdyn.errors import ShapeError
from armdyn.plots import INK
from armdyn.robot import Robot
from armdyn.spatial.rotations import Array

BASE = "#8A8A8A"


def stick_lines(robot: Robot, q: ArrayLike) -> list[Array]:
    """The lines of an arm, in base axes, m: from the base to every end of the tree, each of shape (points, 3).

    A line runs through the origins of the links' frames, and to the tip.

    Args:
        robot: the arm.
        q: joint positions, rad or m, shape (n,).
    """
    q = np.asarray(q, dtype=float)
    if q.shape != (robot.dof,):
        raise ShapeError(f"q has shape {q.shape}; expected ({robot.dof},): one configuration of {robot.name!r}")
    place = dict(zip(robot.link_names, robot.link_poses(q)[:, :3, 3], strict=True))
    carrier = {joint.child: joint.parent for joint in robot.model.joints}
    ends = [link for link in place if link not in carrier.values()]
    lines = []
    for end in ends:
        path = [end]
        while path[-1] in carrier:
            path.append(carrier[path[-1]])
        lines.append(np.array([place[link] for link in reversed(path)]))
    if robot.tip is not None:
        tip = robot.model.frame(robot.tip)
        lines.append(np.array([place[tip.link], robot.forward_kinematics(q)[:3, 3]]))
    return lines


def draw_arm(axes: Axes, robot: Robot, q: ArrayLike, *, plane: Array | None = None, colour: str = INK) -> Array:
    """Draw an arm as a stick figure; its points are returned, shape (points, 2) or (points, 3).

    Args:
        axes: a plane one where ``plane`` is given, else one of ``projection="3d"``.
        robot: the arm.
        q: joint positions, rad or m, shape (n,).
        plane: two directions in base axes, a column each, shape (3, 2), along which the picture is drawn.
        colour: of the links.
    """
    lines = [line if plane is None else line @ plane for line in stick_lines(robot, q)]
    for line in lines:
        style: dict[str, Any] = {"color": colour, "solid_capstyle": "round", "solid_joinstyle": "round"}
        axes.plot(*line.T, linewidth=3.0, alpha=0.85, zorder=2, **style)
        moved = np.linalg.norm(np.diff(line, axis=0), axis=1) > 1e-9
        joints = line[:-1] if len(moved) and moved[-1] else line
        axes.plot(
            *joints.T, linestyle="none", marker="o", markersize=5.5, markerfacecolor="white", markeredgecolor=colour,
            markeredgewidth=1.2, zorder=3,
        )  # fmt: skip
    axes.plot(*lines[-1][-1:].T, linestyle="none", marker="o", markersize=3.5, color=colour, zorder=3)
    axes.plot(*lines[0][:1].T, linestyle="none", marker="s", markersize=9, color=BASE, zorder=1)
    return np.concatenate(lines)
