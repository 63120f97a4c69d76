"""The pictures of a report as embedded markup: SVG, or PNG if the SVG would be very long."""

from __future__ import annotations

import base64
import io
import re

import numpy as np
from matplotlib import rc_context
from matplotlib.figure import Figure

from armdyn.plots import plot_trajectory
from armdyn.plots.plane import plane_of_motion
from armdyn.plots.robot import plot as plot_robot
from armdyn.plots.style import COLOURS
from armdyn.robot import Robot
from armdyn.simulation import Trajectory

LONGEST = 1_500_000
"""Largest number of characters of an SVG; a longer one is replaced by a PNG."""

GHOSTS = 5
"""Number of configurations in the picture of the tip's path."""


def motion_figure(motion: Trajectory) -> str:
    """The picture of `armdyn.plots.plot_trajectory` of the motion."""
    return inlined(plot_trajectory(motion), "joint positions, velocities, forces and energies over time", "motion")


def path_figure(motion: Trajectory, robot: Robot) -> str:
    """The arm at some moments, and the path of its tip."""
    chosen = np.unique(np.linspace(0, len(motion.t) - 1, GHOSTS).round().astype(int))
    figure = plot_robot(robot, motion.q[chosen], labels=False, title="", width=4.6)
    path = np.asarray(robot.forward_kinematics(motion.q))[:, :3, 3]
    plane = plane_of_motion(robot)
    axes = figure.axes[0]
    line = axes.plot(*(path if plane is None else path @ plane).T, color=COLOURS[1], linewidth=1.4, zorder=9)[0]
    line.set_clip_on(plane is not None)
    return inlined(figure, "the arm at some moments, and the path of its tip", "path")


def inlined(figure: Figure, about: str, name: str) -> str:
    """An ``svg`` or ``img`` element. Its ids are prefixed by ``name``, to be unique among pictures."""
    buffer = io.BytesIO()
    with rc_context({"svg.hashsalt": name, "svg.fonttype": "path"}):
        figure.savefig(buffer, format="svg", metadata={"Date": None, "Creator": None}, bbox_inches="tight")
    text = buffer.getvalue().decode()
    if len(text) > LONGEST:
        png = io.BytesIO()
        figure.savefig(png, format="png", dpi=160, bbox_inches="tight")
        encoded = base64.b64encode(png.getvalue()).decode()
        return f'<img alt="{about}" src="data:image/png;base64,{encoded}">'
    svg = text[text.index("<svg") :]
    svg = re.sub(r"<metadata>.*?</metadata>", "", svg, flags=re.DOTALL)
    return svg.replace("<svg", f'<svg role="img" aria-label="{about}"', 1)
