"""Figures 5 to 8 of Kazerounian and Gupta (1985): joint angles, rates, accelerations and torques over time."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator, MultipleLocator

from armdyn.plots import COLOURS, INK
from armdyn.spatial.rotations import Array
from armdyn.trajectory.masp import MaspRun

LBF_INCH = 0.45359237 * 9.80665 * 0.0254
"""N m in a pound-force inch."""

DASHES = ("solid", (0, (5, 1.6)), (0, (1.2, 1.3)))
"""So that the three lines of a panel can be told apart without colours."""


@dataclass(frozen=True)
class Quantity:
    """What one figure shows: its number, name, unit, and the factor from SI."""

    figure: int
    name: str
    symbol: str
    unit: str
    scale: float = 1.0


QUANTITIES = (
    Quantity(5, "joint angles", "q", "deg", 180 / np.pi),
    Quantity(6, "joint rates", r"\dot q", "rad/s"),
    Quantity(7, "joint accelerations", r"\ddot q", "rad/s²"),
    Quantity(8, "joint torques", r"\tau", "N m"),
)


def draw_masp(run: MaspRun) -> Figure:
    """Figures 5 to 8 on one page, a row each: joints 1 to 3 on the left (a), 4 to 6 on the right (b).

    >>> run = armdyn.trajectory.masp.run_masp(armdyn.load("kg_puma"), samples=91)
    >>> len(armdyn.trajectory.masp_figures.draw_masp(run).axes)
    8
    """
    figure = Figure(figsize=(7.2, 8.8), dpi=200, layout="constrained")
    FigureCanvasAgg(figure)
    panels = figure.subplots(4, 2, sharex=True)
    halves = (range(3), range(3, run.robot.dof))
    for row, quantity, values in zip(panels, QUANTITIES, (*run.joints, run.tau), strict=True):
        for axes, joints, letter in zip(row, halves, "ab", strict=True):
            _draw_panel(axes, run, quantity, values, joints, letter)
    for axes, joints in zip(panels[0], halves, strict=True):
        _legend(axes, [f"joint {k + 1}" for k in joints])
    for axes in panels[-1]:
        axes.set_xlabel("time $t$ [s]", fontsize=9, color=INK)
        _second_unit(axes)
    figure.align_ylabels(panels[:, 0])
    figure.align_ylabels(panels[:, 1])
    return figure


def _draw_panel(
    axes: Axes, run: MaspRun, quantity: Quantity, values: Array, joints: Sequence[int], letter: str
) -> None:
    for place, k in enumerate(joints):
        axes.plot(
            run.t, values[:, k] * quantity.scale, color=COLOURS[place], linestyle=DASHES[place], linewidth=1.3,
            label=f"joint {k + 1}",
        )  # fmt: skip
    for switch in run.path.law.switches[1:-1]:  # from start to cruise, from cruise to stop
        axes.axvline(switch, color="#BBBBBB", linewidth=0.7, zorder=0)
    axes.set_title(f"{quantity.figure}({letter})  {quantity.name}", loc="left", fontsize=9, color=INK)
    axes.set_ylabel(f"${quantity.symbol}$ [{quantity.unit}]", fontsize=9, color=INK)
    axes.set_xlim(run.t[0], run.t[-1])
    axes.margins(y=0.08)
    axes.spines[["top", "right"]].set_visible(False)
    axes.spines[["left", "bottom"]].set_color("#888888")
    axes.tick_params(labelsize=8, colors=INK, color="#888888")
    axes.axhline(0.0, color="#888888", linewidth=0.5, zorder=0)
    if quantity.unit == "deg":
        axes.yaxis.set_major_locator(MultipleLocator(_degrees_between_ticks(np.ptp(axes.get_ylim()))))
    else:
        axes.yaxis.set_major_locator(MaxNLocator(5))
    axes.xaxis.set_major_locator(MaxNLocator(9, integer=True))


def _degrees_between_ticks(shown: float) -> float:
    return next(step for step in (1.0, 5.0, 10.0, 15.0, 30.0, 45.0, 90.0, 180.0, 360.0) if shown < 7 * step)


def _second_unit(axes: Axes) -> None:
    """The paper's unit on the right."""
    axes.spines["right"].set_visible(True)
    axes.spines["right"].set_color("#888888")
    right = axes.secondary_yaxis("right", functions=(_in_pound_inches, _in_newton_meters))
    right.set_ylabel("[lbf in]", fontsize=9, color=INK)
    right.tick_params(labelsize=8, colors=INK, color="#888888")
    right.yaxis.set_major_locator(MaxNLocator(5))


def _in_pound_inches(torque: Any) -> Any:
    return torque / LBF_INCH


def _in_newton_meters(torque: Any) -> Any:
    return torque * LBF_INCH


def _legend(axes: Axes, names: Sequence[str]) -> None:
    """Above the column, where it covers nothing."""
    axes.legend(
        axes.get_lines()[: len(names)], names, loc="lower left", bbox_to_anchor=(-0.01, 1.12), ncols=len(names),
        frameon=False, fontsize=8, handlelength=2.2, columnspacing=1.0, borderaxespad=0.0,
    )  # fmt: skip
