"""Velocity-dependent acceleration of a point: centripetal terms by joint, Coriolis terms by pair (MR fig. 8.2)."""

from __future__ import annotations

from itertools import combinations

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from numpy.typing import ArrayLike

from armdyn.base.checks import joint_array
from armdyn.base.errors import Unsupported
from armdyn.plots.drawing import frame_picture, round_scale
from armdyn.plots.media import adapted
from armdyn.plots.plane import plane_of_motion
from armdyn.plots.sheet import SIZES, Palette, Size
from armdyn.plots.stick_figure import draw_arm, stick_lines
from armdyn.plots.style import COLOURS, INK, SPINE, new_figure
from armdyn.robot import Robot
from armdyn.spatial.rotations import Array

Arrow = tuple[str, Array]
"""An acceleration: its name, and its vector in the plane, m/s^2, shape (2,)."""


def draw_velocity_terms(
    robot: Robot,
    q: ArrayLike,
    qd: ArrayLike,
    *,
    frame: str | None = None,
    size: Size = "report",
    palette: Palette = "colour",
) -> Figure:
    """The acceleration Jdot qd of a point of a planar arm whose joints do not accelerate, term by term, as arrows.

    The first panels show the centripetal term of each joint, in qd_i^2, as if it moved alone; the last one shows all of
    them, the Coriolis terms in qd_i qd_j of each pair, and the sum (Modern Robotics 8.12, figure 8.2).

    Args:
        robot: a planar arm.
        q: joint positions, rad or m, shape (n,).
        qd: joint velocities, rad/s or m/s, shape (n,).
        frame: name of the frame whose origin is the point; the tip by default.
        size: font and line sizes: "report", "paper" or "slide".
        palette: "colour" or "grey".

    Raises:
        Unsupported: a spatial arm.
        UnknownName: a frame that the robot does not have.

    >>> arm = armdyn.load("planar_2r")
    >>> len(armdyn.plots.draw_velocity_terms(arm, np.radians([0, 90]), [1.0, 1.0]).axes)
    3
    """
    plane = plane_of_motion(robot)
    if plane is None:
        raise Unsupported(f"{robot.name!r} moves in space; the terms are drawn of arms that move in a plane")
    q = joint_array(robot, "q", q, (robot.dof,), "rad or m")
    qd = joint_array(robot, "qd", qd, (robot.dof,), "rad/s or m/s")
    centripetal, coriolis = _terms(robot, q, qd, frame, plane)
    place = robot.forward_kinematics(q, **_of(frame))[:3, 3] @ plane
    total = sum((vector for _, vector in [*centripetal, *coriolis]), start=np.zeros(2))
    everything = [*centripetal, *coriolis, ("all of them", total)]
    reach = float(np.linalg.norm(np.ptp(np.concatenate(stick_lines(robot, q)), axis=0)))
    scale = round_scale(1.5 * reach / max(*(float(np.linalg.norm(v)) for _, v in everything), 1e-12))
    figure = new_figure(min(2.6 * (robot.dof + 1), SIZES["report"].width), 3.4)
    panels = figure.subplots(1, robot.dof + 1, sharex=True, sharey=True)
    for k, (axes, arrows) in enumerate(zip(panels, [*([term] for term in centripetal), everything], strict=True)):
        draw_arm(axes, robot, q, plane=plane, colour=SPINE)
        _draw_arrows(axes, place, arrows, (scale, 0.05 * reach), k)
    starts = _starts(place, len(everything), 0.05 * reach)
    ends = starts + scale * np.array([vector for _, vector in everything])
    points = [*(line @ plane for line in stick_lines(robot, q)), starts, ends]
    for axes in panels:
        frame_picture(axes, np.concatenate(points), plane, None)
        axes.label_outer()
    handles, labels = panels[-1].get_legend_handles_labels()
    title = f"1 m/s² is {scale:g} m long"
    figure.legend(
        handles, labels, loc="outside lower center", ncols=3, frameon=False, fontsize=8, title=title, title_fontsize=8
    )
    return adapted(figure, size, palette)


def _of(frame: str | None) -> dict[str, str]:
    return {} if frame is None else {"frame": frame}


def _terms(robot: Robot, q: Array, qd: Array, frame: str | None, plane: Array) -> tuple[list[Arrow], list[Arrow]]:
    """Centripetal and Coriolis terms: Jdot qd is a quadratic form of qd, and these are its entries."""

    def acceleration(rates: Array) -> Array:
        twist_rate = robot.jacobian_dot(q, rates, expressed_in="world", **_of(frame)) @ rates
        in_plane: Array = twist_rate[3:] @ plane
        return in_plane

    alone = np.diag(qd)  # each joint moves with its own velocity, the others are at rest
    by_joint = [acceleration(rates) for rates in alone]
    names = robot.joint_names
    pairs = [
        (f"Coriolis, {names[i]} and {names[j]}", acceleration(alone[i] + alone[j]) - by_joint[i] - by_joint[j])
        for i, j in combinations(range(robot.dof), 2)
    ]
    return [(f"centripetal, {name}", term) for name, term in zip(names, by_joint, strict=True)], pairs


def _starts(place: Array, count: int, apart: float) -> Array:
    """The start points of the arrows of a point, side by side, shape (count, 2)."""
    return np.asarray(place + apart * np.arange(count)[:, None] * np.array([1.0, 0.0]))


def _draw_arrows(axes: Axes, place: Array, arrows: list[Arrow], sizes: tuple[float, float], panel: int) -> None:
    """Draw arrows of a point, ``sizes[0]`` per unit, ``sizes[1]`` apart: collinear ones would hide each other."""
    single, (scale, apart) = len(arrows) == 1, sizes
    starts = _starts(place, len(arrows), apart)
    for k, (name, vector) in enumerate(arrows):
        colour = INK if k == len(arrows) - 1 and not single else COLOURS[(panel if single else k) % len(COLOURS)]
        axes.quiver(
            *starts[k], *vector, color=colour, label=name, angles="xy", scale_units="xy", scale=1.0 / scale,
            width=0.012, zorder=5,
        )  # fmt: skip
