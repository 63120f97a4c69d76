"""The holding set of an arm of two joints: the joint forces under which it stays at rest (Modern Robotics 8.9.4)."""

from __future__ import annotations

import numpy as np
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle
from numpy.typing import ArrayLike

from armdyn.base.checks import joint_array
from armdyn.base.errors import ShapeError, Unsupported
from armdyn.model.joint_units import UNITS
from armdyn.plots.media import adapted
from armdyn.plots.sheet import Palette, Size
from armdyn.plots.style import COLOURS, INK, SPINE, new_figure, prepare
from armdyn.robot import Robot


def draw_holding_set(
    robot: Robot,
    qs: ArrayLike,
    *,
    f_tip: ArrayLike | None = None,
    size: Size = "report",
    palette: Palette = "colour",
) -> Figure:
    """Joint forces of two joints that hold the arm at rest, a rectangle for each configuration.

    The cross is the holding force without friction, g(q) + J^T f_tip.

    Args:
        robot: robot with two joints.
        qs: configurations, rad or m, shape (rows, 2) or (2,).
        f_tip: wrench (m, f) the tip applies to its surroundings, in the tip frame, N m and N, shape (6,).
        size: font and line sizes: "report", "paper" or "slide".
        palette: "colour" or "grey".

    Raises:
        ShapeError: a robot whose number of joints is not two.
        Unsupported: coupled joints, whose holding set is not a rectangle.

    >>> arm = armdyn.load("planar_2r").with_friction({"joint_1": (0.0, 2.0), "joint_2": (0.0, 0.8)})
    >>> figure = armdyn.plots.draw_holding_set(arm, np.radians([[0, 40], [-60, 90]]))
    >>> figure.axes[0].get_xlabel()
    'force of joint_1 [N m]'
    """
    if robot.dof != 2:
        raise ShapeError(f"{robot.name!r} has {robot.dof} joints; the holding set is drawn of an arm of two")
    if not robot.mechanism.drive.is_one_to_one:
        raise Unsupported(
            f"joints of {robot.name!r} are coupled; their holding set is no rectangle, see holding_forces"
        )
    qs = np.atleast_2d(joint_array(robot, "qs", qs, None, "(rows, 2)"))
    figure = new_figure(4.2, 3.6)
    forces = figure.subplots()
    prepare(forces)
    wrench = {} if f_tip is None else {"f_tip": f_tip}
    frictionless = robot.without_friction()
    for k, q in enumerate(qs):
        colour = COLOURS[k % len(COLOURS)]
        lower, upper = robot.holding_forces(q, **wrench)
        name = f"q = ({', '.join(f'{x:.3g}' for x in q)})"
        forces.add_patch(Rectangle(lower, *(upper - lower), facecolor=colour, alpha=0.3, edgecolor="none", label=name))
        forces.add_patch(Rectangle(lower, *(upper - lower), fill=False, edgecolor=colour, linewidth=1.4))
        forces.plot(*frictionless.holding_forces(q, **wrench).lower, "+", color=colour, markersize=9, zorder=3)
    forces.axhline(0.0, color=SPINE, linewidth=0.6, zorder=0)
    forces.axvline(0.0, color=SPINE, linewidth=0.6, zorder=0)
    forces.margins(0.08)
    forces.autoscale_view()
    forces.legend(fontsize=8, frameon=False, loc="upper left", bbox_to_anchor=(0.0, -0.16), ncols=2)
    labels = [f"force of {joint.name} [{UNITS[joint.kind]['tau']}]" for joint in robot.joints]
    forces.set_xlabel(labels[0], fontsize=9, color=INK)
    forces.set_ylabel(labels[1], fontsize=9, color=INK)
    return adapted(figure, size, palette)
