"""Figures 5 to 8 of Kazerounian and Gupta (1985): joint angles, rates, accelerations and torques over time."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import MaxNLocator, MultipleLocator

from armdyn.masp import MaspRun
from armdyn.plots.style import COLOURS, INK, SPINE, new_figure, prepare
from armdyn.spatial.rotations import Array

LBF_INCH = 0.45359237 * 9.80665 * 0.0254
"""N m in a pound-force inch."""

DASHES = ("solid", (0, (5, 1.6)), (0, (1.2, 1.3)))
"""Line styles that distinguish the three lines of a panel without colours."""


@dataclass(frozen=True)
class Quantity:
    """One figure: its number, quantity, symbol, units of revolute and prismatic joints, and the factor from SI."""

    figure: int
    name: str
    symbol: str
    unit: str
    unit_of_slides: str
    scale: float = 1.0


QUANTITIES = (
    Quantity(5, "joint angles", "q", "deg", "m", 180 / np.pi),
    Quantity(6, "joint rates", r"\dot q", "rad/s", "m/s"),
    Quantity(7, "joint accelerations", r"\ddot q", "rad/s²", "m/s²"),
    Quantity(8, "joint torques", r"\tau", "N m", "N"),
)


def draw_masp(run: MaspRun) -> Figure:
    """Figures 5 to 8 on one page, a row each: joints 1 to 3 on the left (a), 4 to 6 on the right (b).

    Joints that slide are drawn in m, m/s, m/s² and N, on an axis of their own at the right of their panel.

    >>> run = armdyn.masp.run_masp(armdyn.load("kg_puma"), samples=91)
    >>> len(armdyn.plots.draw_masp(run).axes)
    8
    """
    figure = new_figure(7.2, 8.8)
    panels = figure.subplots(4, 2, sharex=True)
    halves = (range(3), range(3, run.robot.dof))
    for row, quantity, values in zip(panels, QUANTITIES, (*run.joints, run.tau), strict=True):
        for axes, joints, letter in zip(row, halves, "ab", strict=True):
            _draw_panel(axes, run, quantity, values, joints, letter)
    for axes in panels[-1]:
        axes.set_xlabel("time $t$ [s]", fontsize=9, color=INK)
    figure.align_ylabels(panels[:, 0])
    figure.align_ylabels(panels[:, 1])
    return figure


def _draw_panel(
    axes: Axes, run: MaspRun, quantity: Quantity, values: Array, joints: Sequence[int], letter: str
) -> None:
    """Some joints over time: revolute joints on the left axis, prismatic ones on the right."""
    slides = [k for k in joints if run.robot.joints[k].kind == "prismatic"]
    at_right = axes.twinx() if slides else None
    lines = []
    for place, k in enumerate(joints):
        on_axes, scale = (at_right, 1.0) if at_right is not None and k in slides else (axes, quantity.scale)
        lines += on_axes.plot(
            run.t, values[:, k] * scale, color=COLOURS[place], linestyle=DASHES[place % len(DASHES)], linewidth=1.3,
            label=f"joint {k + 1}" + " (right)" * (k in slides),
        )  # fmt: skip
    for switch in run.path.law.switches[1:-1]:  # from start to cruise, from cruise to stop
        axes.axvline(switch, color="#BBBBBB", linewidth=0.7, zorder=0)
    axes.set_title(f"{quantity.figure}({letter})  {quantity.name}", loc="left", fontsize=9, color=INK)
    _prepare(axes, f"${quantity.symbol}$ [{quantity.unit}]")
    axes.set_xlim(run.t[0], run.t[-1])
    axes.axhline(0.0, color=SPINE, linewidth=0.5, zorder=0)
    if quantity.unit == "deg":
        axes.yaxis.set_major_locator(MultipleLocator(_degrees_between_ticks(np.ptp(axes.get_ylim()))))
    axes.xaxis.set_major_locator(MaxNLocator(9, integer=True))
    if at_right is not None:
        _prepare(at_right, f"slides [{quantity.unit_of_slides}]")
        at_right.spines[["left", "bottom"]].set_visible(False)
        at_right.spines["right"].set(visible=True, color=SPINE)
    elif quantity.unit == "N m":
        _second_unit(axes)
    if quantity is QUANTITIES[0]:
        _legend(axes, lines)


def _prepare(axes: Axes, label: str) -> None:
    axes.set_ylabel(label, fontsize=9, color=INK)
    axes.margins(y=0.08)
    prepare(axes, grid=False)
    axes.yaxis.set_major_locator(MaxNLocator(5))


def _degrees_between_ticks(shown: float) -> float:
    return next(step for step in (1.0, 5.0, 10.0, 15.0, 30.0, 45.0, 90.0, 180.0, 360.0) if shown < 7 * step)


def _second_unit(axes: Axes) -> None:
    """The paper's unit on the right."""
    axes.spines["right"].set_visible(True)
    axes.spines["right"].set_color(SPINE)
    right = axes.secondary_yaxis("right", functions=(_in_pound_inches, _in_newton_meters))
    right.set_ylabel("[lbf in]", fontsize=9, color=INK)
    right.tick_params(labelsize=8, colors=INK, color=SPINE)
    right.yaxis.set_major_locator(MaxNLocator(5))


def _in_pound_inches(torque: Any) -> Any:
    return torque / LBF_INCH


def _in_newton_meters(torque: Any) -> Any:
    return torque * LBF_INCH


def _legend(axes: Axes, lines: Sequence[Line2D]) -> None:
    """Above the column, where it covers nothing."""
    axes.legend(
        handles=lines, loc="lower left", bbox_to_anchor=(-0.01, 1.12), ncols=len(lines), frameon=False, fontsize=8,
        handlelength=2.2, columnspacing=1.0, borderaxespad=0.0,
    )  # fmt: skip
