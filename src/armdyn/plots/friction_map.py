"""The friction of a robot's joints over their speed: one panel per joint, one line per load."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from armdyn.plots.media import adapted
from armdyn.plots.sheet import Palette, Size
from armdyn.plots.style import COLOURS, INK, SPINE, new_figure, prepare, write_figure

if TYPE_CHECKING:
    from armdyn.robot.friction_map import FrictionMap

UNITS = {"revolute": ("rad/s", "N m"), "prismatic": ("m/s", "N")}


def draw_friction_map(
    friction: FrictionMap,
    path: str | os.PathLike[str] | None = None,
    *,
    size: Size = "report",
    palette: Palette = "colour",
) -> Figure:
    """Friction force over the speed of each joint, one line per load; the vertical line is the band at rest.

    Args:
        friction: result of `armdyn.Robot.friction_map`.
        path: path of a file to write: png, pdf, svg.
        size: font and line sizes: "report", "paper" or "slide".
        palette: "colour" or "grey".

    >>> arm = armdyn.load("planar_2r").with_friction({"joint_2": (0.5, 2.0)})
    >>> [axes.get_title() for axes in armdyn.plots.draw_friction_map(arm.friction_map()).axes]
    ['joint_1', 'joint_2']
    """
    count = len(friction.joint_names)
    columns = min(3, count)
    rows = -(-count // columns)
    figure = new_figure(3.1 * columns, 0.3 + 2.3 * rows)
    grid = figure.subplots(rows, columns, squeeze=False)
    for axes in grid.flat[count:]:
        axes.remove()
    for j, axes in zip(range(count), grid.flat, strict=False):
        _draw(axes, friction, j)
    return _finished(adapted(figure, size, palette), path)


def _draw(axes: Axes, friction: FrictionMap, j: int) -> None:
    """Draw the friction of one joint."""
    speed, force = UNITS[friction.kinds[j]]
    prepare(axes)
    axes.set_title(friction.joint_names[j], fontsize=9, color=INK)
    axes.axhline(0.0, color=SPINE, linewidth=0.6)
    axes.axvline(0.0, color=SPINE, linewidth=0.6)
    rates = friction.speeds[j]
    backwards = rates < 0.0
    lines = friction.lines(j)
    for k in lines:
        colour = COLOURS[k % len(COLOURS)]
        label = f"load {friction.loads[j, k]:.3g} {force}" if len(lines) > 1 else None
        axes.plot(rates[backwards], friction.forces[j, backwards, k], color=colour, linewidth=1.4, label=label)
        axes.plot(rates[~backwards], friction.forces[j, ~backwards, k], color=colour, linewidth=1.4)
        axes.plot([0.0, 0.0], friction.at_rest[j, k], color=colour, linewidth=1.0, alpha=0.6)
    axes.set_xlabel(f"speed, {speed}", fontsize=8)
    axes.set_ylabel(f"friction, {force}", fontsize=8)
    if len(lines) > 1:
        axes.legend(
            fontsize=7, frameon=False, loc="upper center", bbox_to_anchor=(0.5, -0.24), ncols=3, handlelength=1.2,
            columnspacing=0.8, handletextpad=0.4,
        )  # fmt: skip


def _finished(figure: Figure, path: str | os.PathLike[str] | None) -> Figure:
    if path is not None:
        write_figure(figure, path)
    return figure
