"""Figures 8.3 and 8.4 of Modern Robotics: ellipses of two joints, and of two components of the tip."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from numpy.typing import ArrayLike

from armdyn.algorithms.task_rows import Components, TaskSpaceError
from armdyn.base.checks import joint_array
from armdyn.base.errors import ShapeError
from armdyn.ellipsoids.ellipsoid import Ellipsoid
from armdyn.ellipsoids.joint_space import acceleration, torque
from armdyn.ellipsoids.tip import tip_acceleration, tip_force
from armdyn.plots.drawing import BACK, FORWARD, circle, draw_ellipse, frame_picture, prepare_plane, round_scale
from armdyn.plots.media import adapted
from armdyn.plots.sheet import Palette, Size
from armdyn.plots.stick_figure import draw_arm, stick_lines
from armdyn.plots.style import INK, new_figure
from armdyn.robot import Robot
from armdyn.spatial.rotations import Array

DOTS = (0, (1.0, 1.6))


def draw_joint_ellipses(
    robot: Robot,
    qs: ArrayLike,
    *,
    joints: Sequence[str] | None = None,
    size: Size = "report",
    palette: Palette = "colour",
) -> Figure:
    """Figure 8.3 of Modern Robotics: unit circles of two joints' accelerations and forces, and their images under M.

    Each configuration has a row: the arm; joint accelerations, with the unit circle (bold) and the image of the unit
    circle of joint forces (dotted); joint forces, with the image of the unit circle of accelerations (bold) and the
    unit circle (dotted). The principal axes, which keep their directions, are drawn in both.

    Args:
        robot: the arm.
        qs: configurations, rad or m, shape (rows, n).
        joints: names of two joints; the others are locked. Required if the robot has more than two.
        size: font and line sizes: "report", "paper" or "slide".
        palette: "colour" or "grey".

    Raises:
        TaskSpaceError: not two joints, or a revolute and a prismatic joint.

    >>> arm, qs = armdyn.load("planar_2r"), np.radians([[0, 90], [0, 150]])
    >>> figure = armdyn.plots.draw_joint_ellipses(arm, qs)
    >>> len(figure.axes)
    6
    """
    qs = _configurations(robot, qs)
    names = robot.joint_names if joints is None else tuple(joints)
    if len(names) != 2:
        raise TaskSpaceError(
            f"joint ellipses are of two joints, here {len(names)}; choose two of {robot.name!r} by joints="
        )
    forces, accelerations = (of(robot, qs, joints=names) for of in (torque, acceleration))
    symbols = [_joint_symbols(robot, name) for name in names]
    figure = _draw_rows(
        robot, qs, accelerations, forces, [s[0] for s in symbols], [s[1] for s in symbols], title="joint accelerations",
        image="joint forces", marks=None,
    )  # fmt: skip
    return adapted(figure, size, palette)


def draw_tip_ellipses(
    robot: Robot,
    qs: ArrayLike,
    *,
    frame: str | None = None,
    point: Sequence[float] = (0.0, 0.0, 0.0),
    components: Components = ("vx", "vy"),
    force: ArrayLike | None = None,
    size: Size = "report",
    palette: Palette = "colour",
) -> Figure:
    """Figure 8.4 of Modern Robotics: unit circles of a frame's accelerations and forces, and their images under Lambda.

    Each configuration has a row, as in `draw_joint_ellipses`; the ellipse of forces is also drawn at the frame, in the
    picture of the arm, with masses as semi-axes.

    Args:
        robot: the arm.
        qs: configurations, rad or m, shape (rows, n).
        frame: name of the frame; the tip by default.
        point: the point, in axes of the frame, m.
        components: two of the velocity of the point, in base axes.
        force: a force on the frame, N, shape (2,); it and its acceleration are marked by crosses.
        size: font and line sizes: "report", "paper" or "slide".
        palette: "colour" or "grey".

    Raises:
        TaskSpaceError: not two components, or no velocities.
        SingularTask: the joints cannot move the frame along both components.
    """
    qs = _configurations(robot, qs)
    options: dict[str, Any] = {"frame": frame, "point": point, "components": components}
    forces, accelerations = tip_force(robot, qs, **options), tip_acceleration(robot, qs, **options)
    if len(forces.coordinates) != 2 or forces.unit != "N":
        raise TaskSpaceError(
            f"tip ellipses are of two velocities, here {', '.join(forces.coordinates)}; choose two by components="
        )
    letters = [name.removeprefix("v") for name in forces.coordinates]
    marks = None if force is None else np.asarray(force, dtype=float)
    figure = _draw_rows(
        robot, qs, accelerations, forces, [rf"$\ddot {x}$ [m/s²]" for x in letters], [f"$f_{x}$ [N]" for x in letters],
        title="accelerations of the tip", image="forces at the tip", marks=marks,
    )  # fmt: skip
    return adapted(figure, size, palette)


@dataclass(frozen=True)
class _Panel:
    """One plane of a row: unit circle, ellipse, and labels of the axes."""

    ellipse: Ellipsoid
    circle_is_bold: bool
    labels: Sequence[str]
    title: str


def _draw_rows(
    robot: Robot,
    qs: Array,
    accelerations: Ellipsoid,
    forces: Ellipsoid,
    of_accelerations: Sequence[str],
    of_forces: Sequence[str],
    *,
    title: str,
    image: str,
    marks: Array | None,
) -> Figure:
    figure = new_figure(8.4, 2.9 * len(qs) + 0.3)
    grid = figure.subplots(len(qs), 3, squeeze=False)
    of_tip = forces.centre is not None
    per_unit = round_scale(0.4 * _size_of(robot, qs) / float(forces.lengths.max()))
    for row, (axes, q) in enumerate(zip(grid, qs, strict=True)):
        _draw_configuration(axes[0], robot, q, forces[row] if of_tip else None, per_unit)
        panel = _Panel(accelerations[row], True, of_accelerations, title)
        right = _Panel(forces[row], False, of_forces, image)
        _draw_panel(axes[1], panel, None if marks is None else accelerations[row].image(marks))
        _draw_panel(axes[2], right, marks)
    _same_scale(grid[:, 0])
    for column in (1, 2):
        _same_limits(grid[:, column])
    _say_what_is_bold(figure, r"\Lambda" if of_tip else "M")
    return figure


def _draw_configuration(axes: Axes, robot: Robot, q: Array, at_tip: Ellipsoid | None, per_unit: float) -> None:
    """Draw the arm in its plane, with the ellipse of masses at the tip if given."""
    plane = _plane_of(robot, q) if at_tip is None else at_tip.directions
    points = [draw_arm(axes, robot, q, plane=plane)]
    text = ""
    if at_tip is not None:
        points.append(draw_ellipse(axes, at_tip, per_unit, FORWARD, None))
        text = f", 1 kg is {per_unit:g} m long"
    frame_picture(axes, np.concatenate(points), plane, None)
    axes.set_title(f"{_title(robot, q)}{text}", loc="left", fontsize=8, color=INK)


def _plane_of(robot: Robot, q: Array) -> Array:
    """The two base axes with the largest extent of the arm."""
    points = np.concatenate(stick_lines(robot, q))
    dropped = min((2, 1, 0), key=lambda axis: round(float(np.ptp(points[:, axis])), 9))
    return np.delete(np.eye(3), dropped, axis=1)


def _draw_panel(axes: Axes, panel: _Panel, mark: Array | None) -> None:
    """Draw a unit circle and an ellipse about the origin, their common principal axes, and a point."""
    unit, ellipse = circle(), circle() @ panel.ellipse.matrix.T
    bold, dotted = (unit, ellipse) if panel.circle_is_bold else (ellipse, unit)
    axes.fill(*bold.T, color=FORWARD, alpha=0.08, linewidth=0)
    axes.plot(*bold.T, color=FORWARD, linewidth=1.8)
    axes.plot(*dotted.T, color=BACK, linewidth=1.4, linestyle=DOTS)
    for length, direction in zip(panel.ellipse.lengths, panel.ellipse.axes.T, strict=True):
        size = 1.0 if panel.circle_is_bold else length
        axes.plot(*np.outer(direction, (-size, size)), color=FORWARD, linewidth=0.7, zorder=1)
        if not panel.circle_is_bold:
            to = _labelled_end(direction, mark)
            axes.annotate(
                f"{length:.3g}", (to[0] * length, to[1] * length), xytext=(3.0 * to[0], 3.0 * to[1]),
                textcoords="offset points", fontsize=7, color=FORWARD, ha="left" if to[0] > -0.2 else "right",
                va="top" if to[1] < -0.2 else "bottom",
            )  # fmt: skip
    if mark is not None:
        axes.plot(*mark, marker="x", color=INK, markersize=6, markeredgewidth=1.4, linestyle="none", zorder=4)
        text = ", ".join(f"{x + 0.0:.2g}" for x in mark.round(9))
        axes.annotate(
            f"({text})", (mark[0], mark[1]), xytext=(6, -10), textcoords="offset points", fontsize=7, color=INK
        )
    prepare_plane(axes)
    axes.axhline(0.0, color="#AAAAAA", linewidth=0.6, zorder=0)
    axes.axvline(0.0, color="#AAAAAA", linewidth=0.6, zorder=0)
    axes.set_xlabel(panel.labels[0], fontsize=8, color=INK, labelpad=1)
    axes.set_ylabel(panel.labels[1], fontsize=8, color=INK, labelpad=3)
    axes.set_title(panel.title, loc="left", fontsize=9, color=INK)


def _labelled_end(direction: Array, mark: Array | None) -> Array:
    """The end of a principal axis at which its length is written: the one away from the mark, which could cover it.

    If the axis is perpendicular to the direction of the mark, or there is no mark, it is the upper end, or the right
    one.
    """
    up = direction if (direction[1], direction[0]) > (-direction[1], -direction[0]) else -direction
    return -up if mark is not None and up @ mark > 1e-9 * np.linalg.norm(mark) else up


def _same_limits(column: Iterable[Axes]) -> None:
    """Set common limits in all rows of a column, so that they can be compared."""
    half = max(max(map(abs, (*axes.get_xlim(), *axes.get_ylim()))) for axes in column) * 1.12
    for axes in column:
        axes.set_aspect("equal")
        axes.set_xlim(-half, half)
        axes.set_ylim(-half, half)


def _same_scale(column: Iterable[Axes]) -> None:
    """Set a common scale in all rows: a metre has equal length in each."""
    span = max(np.ptp(axes.get_xlim()) for axes in column)
    for axes in column:
        (low_x, high_x), (low, high) = axes.get_xlim(), axes.get_ylim()
        axes.set_xlim((low_x + high_x - span) / 2.0, (low_x + high_x + span) / 2.0)
        axes.set_ylim((low + high - span) / 2.0, (low + high + span) / 2.0)


def _size_of(robot: Robot, qs: Array) -> float:
    """The greatest extent of the arm in any of the configurations, m."""
    return max(float(np.linalg.norm(np.ptp(np.concatenate(stick_lines(robot, q)), axis=0))) for q in qs)


def _say_what_is_bold(figure: Figure, map_name: str) -> None:
    forward = f"unit accelerations, and their forces by ${map_name}$"
    back = f"unit forces, and their accelerations by ${map_name}^{{-1}}$"
    handles = [
        Line2D([], [], color=FORWARD, linewidth=1.8, label=forward),
        Line2D([], [], color=BACK, linewidth=1.4, linestyle=DOTS, label=back),
    ]
    figure.legend(handles=handles, loc="outside lower center", ncols=2, frameon=False, fontsize=8, labelcolor=INK)


def _title(robot: Robot, q: Array) -> str:
    """A title: q of up to three joints, otherwise the robot's name."""
    if robot.dof > 3:
        return robot.name
    degrees = [robot.joints[k].kind == "revolute" for k in range(robot.dof)]
    text = ", ".join(f"{np.degrees(x):g}°" if turns else f"{x:g} m" for x, turns in zip(q, degrees, strict=True))
    return f"q = ({text})"


def _joint_symbols(robot: Robot, name: str) -> tuple[str, str]:
    """Labels of a joint's acceleration and force."""
    index = robot.joint_names.index(name)
    rate, effort = ("rad/s²", "N m") if robot.joints[index].kind == "revolute" else ("m/s²", "N")
    return rf"$\ddot q_{{{index + 1}}}$ [{rate}]", rf"$\tau_{{{index + 1}}}$ [{effort}]"


def _configurations(robot: Robot, qs: ArrayLike) -> Array:
    array = np.atleast_2d(joint_array(robot, "qs", qs, None, "rad or m"))
    if array.ndim != 2 or array.shape[1] != robot.dof:
        raise ShapeError(f"qs has shape {np.shape(qs)}; expected (rows, {robot.dof}): configurations of {robot.name!r}")
    return array
