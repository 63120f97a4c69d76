"""Figures 5 to 8 of Kazerounian and Gupta (1985), optionally in the units of an input file; and simulated motions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import MaxNLocator, MultipleLocator

from armdyn.masp import InputUnits, MaspRun, MaspSimulation
from armdyn.masp.units import PaperUnit
from armdyn.plots.media import adapted
from armdyn.plots.motion_panels import behind_style
from armdyn.plots.overlay import JointRows, Overlay, overlay_of
from armdyn.plots.sheet import Palette, Size, plain, wrapped
from armdyn.plots.style import COLOURS, INK, SPINE, new_figure, prepare
from armdyn.spatial.rotations import Array
from armdyn.trajectory import TipMotion

if TYPE_CHECKING:
    from armdyn.logs.log import Log
    from armdyn.motion.motion_data import MotionData

LBF_INCH = 0.45359237 * 9.80665 * 0.0254
"""N m in a pound-force inch."""

DASHES = ("solid", (0, (5, 1.6)), (0, (1.2, 1.3)))
"""Line styles that distinguish the three lines of a panel without colours."""

DEGREES = (1.0, 5.0, 10.0, 15.0, 30.0, 45.0, 90.0, 180.0, 360.0)
"""Possible tick spacings of an axis of angles; the first that gives fewer than seven ticks is used."""

DUST = 1e-9
"""Components below this fraction of the largest are rounding or integration errors."""


@dataclass(frozen=True)
class PanelRow:
    """One row of panels.

    Args:
        figure: its number in the paper, or None.
        name: of the quantity.
        symbol: of the quantity in formulas.
        unit: of revolute joints.
        of_slides: unit of prismatic joints.
        array: name of the quantity in code.
    """

    figure: int | None
    name: str
    symbol: str
    unit: PaperUnit
    of_slides: PaperUnit
    array: str


QUANTITIES = (
    PanelRow(5, "joint angles", "q", PaperUnit("deg", np.pi / 180), PaperUnit("m", 1.0), "q"),
    PanelRow(6, "joint rates", r"\dot q", PaperUnit("rad/s", 1.0), PaperUnit("m/s", 1.0), "qd"),
    PanelRow(7, "joint accelerations", r"\ddot q", PaperUnit("rad/s²", 1.0), PaperUnit("m/s²", 1.0), "qdd"),
    PanelRow(8, "joint torques", r"\tau", PaperUnit("N m", 1.0), PaperUnit("N", 1.0), "tau"),
)
"""The quantities of the paper's figures."""


def _in_units(units: InputUnits) -> tuple[PanelRow, ...]:
    """The quantities in the units of an input file, without figure numbers, because it is not the paper's example."""
    names = ("joint positions", "joint rates", "joint accelerations", "joint forces")
    return tuple(
        PanelRow(None, name, of.symbol, units.of("revolute", of.array), units.of("prismatic", of.array), of.array)
        for name, of in zip(names, QUANTITIES, strict=True)
    )


def draw_masp(
    run: MaspRun,
    *,
    over: MaspRun | MaspSimulation | MotionData | Log | None = None,
    size: Size = "report",
    palette: Palette = "colour",
) -> Figure:
    """Figures 5 to 8 on one page, one row each: joints 1 to 3 on the left (a), 4 to 6 on the right (b).

    Values are in the units of the run's input file, if it has one. Prismatic joints are drawn in their own units, e.g.
    m, m/s, m/s² and N, on an axis of their own at the right of their panel.

    Args:
        run: the analysis.
        over: another analysis or simulation, a trajectory or a log, drawn as broad pale lines; joints are matched by
            name, rows by time.
        size: font and line sizes: "report", "paper" or "slide".
        palette: "colour" or "grey".

    Raises:
        DTypeError: another motion of another kind.
        SettingError: another size or palette.

    >>> run = armdyn.masp.run_masp(armdyn.load("kg_puma"), samples=91)
    >>> len(armdyn.plots.draw_masp(run).axes)
    8
    """
    quantities = QUANTITIES if run.units is None else _in_units(run.units)
    figure = new_figure(7.2, 8.8)
    panels = figure.subplots(4, 2, sharex=True)
    other = None if over is None else overlay_of(_rows(run), _source(over))
    for row, quantity, values in zip(panels, quantities, (*run.joints, run.tau), strict=True):
        _draw_joints(row, run, quantity, values, run.path.switches[1:-1], other)
    _finish(figure, panels, other)
    return adapted(figure, size, palette)


def draw_simulation(
    simulation: MaspSimulation,
    *,
    over: MaspRun | MaspSimulation | MotionData | Log | None = None,
    size: Size = "report",
    palette: Palette = "colour",
) -> Figure:
    """A motion under torques, over time: joint positions, rates and torques, then the hand's motion in base axes.

    Joints are arranged as in `draw_masp`. Panels of the hand: position of h and its axis u_a, velocity and angular
    velocity, acceleration and angular acceleration.

    Args:
        simulation: the motion.
        over: an analysis, another simulation, a trajectory or a log, drawn as broad pale lines; the hand only of
            analyses and simulations.
        size: font and line sizes: "report", "paper" or "slide".
        palette: "colour" or "grey".

    Raises:
        DTypeError: another motion of another kind.
        SettingError: another size or palette.

    >>> robot = armdyn.load("kg_puma")
    >>> hold = armdyn.masp.TorqueTable([0.0, 0.1], [robot.gravity_forces(np.zeros(6))] * 2)
    >>> moved = armdyn.masp.simulate_torques(robot, hold, np.zeros(6), step=0.01)
    >>> len(armdyn.plots.draw_simulation(moved).axes)
    12
    """
    units = InputUnits() if simulation.units is None else simulation.units
    q, qd, _ = simulation.joints
    positions, rates, _, torques = _in_units(units)
    figure = new_figure(7.2, 12.0)
    panels = figure.subplots(6, 2, sharex=True)
    switches = np.cumsum([piece.t[-1] for piece in simulation.pieces])[:-1] + simulation.t[0]
    other = None if over is None else overlay_of(_rows(simulation), _source(over))
    for row, quantity, values in zip(panels, (positions, rates, torques), (q, qd, simulation.tau), strict=False):
        _draw_joints(row, simulation, quantity, values, switches, other)
    if isinstance(over, MaspRun | MaspSimulation):
        for row, parts in zip(panels[3:], _hand(over.tip, units), strict=True):
            for axes, part in zip(row, parts, strict=True):
                for k in range(3):
                    axes.plot(over.t, _without_dust(part.values)[:, k], **behind_style(_style(k)))
    for row, parts in zip(panels[3:], _hand(simulation.tip, units), strict=True):
        for axes, part in zip(row, parts, strict=True):
            _draw_vector(axes, simulation.t, part, switches)
    _finish(figure, panels, other)
    return adapted(figure, size, palette)


@dataclass(frozen=True)
class PanelVector:
    """The vector of one panel of the hand: its name, symbol, unit, and components over time in that unit, (T, 3)."""

    name: str
    symbol: str
    unit: str
    values: Array


def _hand(tip: TipMotion, units: InputUnits) -> list[tuple[PanelVector, PanelVector]]:
    """The panels of the hand, row by row."""
    pose, twist, rate = tip
    length, turns = ([units.rate(quantity, order) for order in ("q", "qd", "qdd")] for quantity in ("length", "angle"))
    return [
        (
            PanelVector("hand, position", "h", length[0].name, pose[:, :3, 3] / length[0].si),
            PanelVector("hand, axis", "u_a", "", pose[:, :3, 2]),
        ),
        (
            PanelVector("hand, velocity", "v_h", length[1].name, twist[:, 3:] / length[1].si),
            PanelVector("hand, angular velocity", r"\omega_h", turns[1].name, twist[:, :3] / turns[1].si),
        ),
        (
            PanelVector("hand, acceleration", "a_h", length[2].name, rate[:, 3:] / length[2].si),
            PanelVector("hand, angular acceleration", r"\alpha_h", turns[2].name, rate[:, :3] / turns[2].si),
        ),
    ]


def _draw_vector(axes: Axes, t: Array, part: PanelVector, switches: Array) -> None:
    """Draw three components over time; rounding errors are drawn as zero."""
    values = _without_dust(part.values)
    lines = [axes.plot(t, values[:, k], **_style(k), label=f"${letter}$")[0] for k, letter in enumerate("xyz")]
    axes.set_title(part.name, loc="left", fontsize=9, color=INK)
    _prepare(axes, f"${part.symbol}$ [{part.unit}]" if part.unit else f"${part.symbol}$")
    _draw_time(axes, t, switches)
    if part.unit == "" or part.symbol == "h":
        _legend(axes, lines)


def _without_dust(values: Array) -> Array:
    """The values with rounding errors of components replaced by zero."""
    return np.where(np.abs(values) > DUST * max(float(np.abs(values).max()), 1.0), values, 0.0)


def _style(place: int) -> dict[str, Any]:
    """Colour, dashes and width of the line of a joint or component by its place in the panel."""
    return {"color": COLOURS[place], "linestyle": DASHES[place % len(DASHES)], "linewidth": 1.3}


def _rows(run: MaspRun | MaspSimulation) -> JointRows:
    """The quantities of the joints of an analysis or a simulation."""
    q, qd, qdd = run.joints
    kinds = tuple(joint.kind for joint in run.robot.joints)
    arrays = {"q": q, "qd": qd, "qdd": qdd, "tau": run.tau}
    return JointRows(run.robot.name, run.robot.joint_names, kinds, run.t, arrays)


def _source(over: MaspRun | MaspSimulation | MotionData | Log) -> object:
    return _rows(over) if isinstance(over, MaspRun | MaspSimulation) else over


def _finish(figure: Figure, panels: Any, other: Overlay | None) -> None:
    """Label the time axes, align the labels of each column, and name the other motion below."""
    if other is not None:
        lines = wrapped([f"broad pale lines: {other.name}", *other.notes], figure.get_size_inches()[0], 0.9)
        words = plain("\n".join(lines))
        figure.supxlabel(words, x=0.01, ha="left", fontsize=7, color="#555555", multialignment="left")
    for axes in panels[-1]:
        axes.set_xlabel("time $t$ [s]", fontsize=9, color=INK)
    figure.align_ylabels(panels[:, 0])
    figure.align_ylabels(panels[:, 1])


def _draw_joints(
    row: Sequence[Axes],
    run: MaspRun | MaspSimulation,
    quantity: PanelRow,
    values: Array,
    switches: Array,
    other: Overlay | None,
) -> None:
    """Draw joints 1 to 3 on the left (a), the others on the right (b)."""
    for axes, joints, letter in zip(row, (range(3), range(3, run.robot.dof)), "ab", strict=True):
        _draw_panel(axes, run, quantity, values, joints, letter, other)
        _draw_time(axes, run.t, switches)


def _draw_time(axes: Axes, t: Array, switches: Array) -> None:
    """Set the time axis from start to end, with lines at the times at which laws or torques change."""
    for switch in switches:
        axes.axvline(switch, color="#BBBBBB", linewidth=0.7, zorder=0)
    axes.set_xlim(t[0], t[-1])
    axes.axhline(0.0, color=SPINE, linewidth=0.5, zorder=0)
    whole_seconds = bool(t[-1] - t[0] >= 6)
    axes.xaxis.set_major_locator(MaxNLocator(9, integer=whole_seconds, steps=[1, 2, 5, 10]))


def _draw_panel(
    axes: Axes,
    run: MaspRun | MaspSimulation,
    quantity: PanelRow,
    values: Array,
    joints: Sequence[int],
    letter: str,
    other: Overlay | None,
) -> None:
    """Draw some joints over time: revolute joints on the left axis, prismatic ones on the right."""
    behind = None if other is None else other.line(quantity.array)
    slides = [k for k in joints if run.robot.joints[k].kind == "prismatic"]
    at_right = axes.twinx() if slides else None
    lines: list[Line2D] = []
    for place, k in enumerate(joints):
        turns = axes, quantity.unit
        on_axes, unit = turns if at_right is None or k not in slides else (at_right, quantity.of_slides)
        if behind is not None:
            on_axes.plot(behind[0], behind[1][:, k] / unit.si, **behind_style(_style(place)))
        label = run.robot.joint_names[k].replace("_", " ") + " (right)" * (k in slides)
        lines += on_axes.plot(run.t, values[:, k] / unit.si, **_style(place), label=label)
    title = (
        f"({letter})  {quantity.name}" if quantity.figure is None else f"{quantity.figure}({letter})  {quantity.name}"
    )
    axes.set_title(title, loc="left", fontsize=9, color=INK)
    _prepare(axes, f"${quantity.symbol}$ [{quantity.unit.name}]")
    fit = [step for step in DEGREES if np.ptp(axes.get_ylim()) < 7 * step]
    if quantity.unit.name == "deg" and fit:
        axes.yaxis.set_major_locator(MultipleLocator(fit[0]))
    if at_right is not None:
        _prepare(at_right, f"slides [{quantity.of_slides.name}]")
        at_right.spines[["left", "bottom"]].set_visible(False)
        at_right.spines["right"].set(visible=True, color=SPINE)
    elif quantity is QUANTITIES[3]:
        _second_unit(axes)
    if quantity.symbol == "q":
        _legend(axes, lines)


def _prepare(axes: Axes, label: str) -> None:
    axes.set_ylabel(label, fontsize=9, color=INK)
    axes.margins(y=0.08)
    prepare(axes, grid=False)
    axes.yaxis.set_major_locator(MaxNLocator(5))


def _second_unit(axes: Axes) -> None:
    """Add an axis in the paper's unit on the right."""
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
    """Draw the legend above the column, so that it covers nothing."""
    axes.legend(
        handles=lines, loc="lower left", bbox_to_anchor=(-0.01, 1.12), ncols=len(lines), frameon=False, fontsize=8,
        handlelength=2.2, columnspacing=1.0, borderaxespad=0.0,
    )  # fmt: skip
