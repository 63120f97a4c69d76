"""The report of a sizing: operating points of each drive, candidate drives, winding temperature."""

from __future__ import annotations

import math

import numpy as np
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from armdyn.base.errors import DTypeError, excerpt
from armdyn.plots.media import adapted
from armdyn.plots.motors import CONTINUOUS, INTERMITTENT
from armdyn.plots.sheet import Palette, Size
from armdyn.plots.style import COLOURS, FAINT, INK, SPINE, new_figure, prepare
from armdyn.sizing import Choice, DriveHistory, JointSizing, Sizing

HEIGHT, WIDTH = 2.5, 10.0
"""Height of a joint's row and width of the page, inches."""


def draw_sizing(sizing: Sizing, *, size: Size = "report", palette: Palette = "colour") -> Figure:
    """One row per joint: the torque-speed plane with the task's samples, mass against loss, winding temperature.

    The plane of the chosen motor, torque k_t I to the right and speed upwards, contains its operating region (light),
    the continuous part of it (dark), the samples of the task, and a cross at its rms torque and mean speed. The next
    panel shows all drives that fulfil the task, with the Pareto front of mass and loss joined, and the chosen one
    ringed. If no drive fulfils the task, the criteria that the pairs fail are listed instead of both.

    Args:
        sizing: result of `armdyn.sizing.size`.
        size: font and line sizes: "report", "paper" or "slide".
        palette: "colour" or "grey".

    >>> t = np.linspace(0.0, 2.0, 51)
    >>> q = 0.4 * np.sin(np.pi * t)[:, None] * np.ones(6)
    >>> task = armdyn.sizing.MotionCycle(t, q, 0.4 * np.pi * np.cos(np.pi * t)[:, None] * np.ones(6), -np.pi**2 * q)
    >>> found = armdyn.sizing.size(armdyn.load("ur5"), task, joints=["wrist_3_joint"])
    >>> len(armdyn.plots.draw_sizing(found).axes)
    3
    """
    if not isinstance(sizing, Sizing):
        raise DTypeError(f"sizing is {excerpt(sizing)}; expected what armdyn.sizing.size returns")
    figure = new_figure(WIDTH, HEIGHT * len(sizing.joints) + 0.4)
    rows = figure.subplots(len(sizing.joints), 3, squeeze=False, width_ratios=(1.0, 1.0, 1.0))
    for (name, joint), (plane, front, warm) in zip(sizing.joints.items(), rows, strict=True):
        choice = joint.best
        if choice is None:
            _nothing(name, joint, plane, front, warm)
            continue
        history = joint.history(choice)
        _plane(plane, name, joint, choice, history)
        _front(front, joint, choice)
        _temperature(warm, joint, choice, history)
    handles, labels = _legend(rows)
    figure.legend(
        handles,
        labels,
        loc="outside lower center",
        ncols=4 if size == "paper" else 5,
        frameon=False,
        fontsize=8,
        labelcolor=INK,
    )
    return adapted(figure, size, palette)


def _legend(rows: np.ndarray) -> tuple[list[Artist], list[str]]:
    """The handles and labels of the legend, each label once."""
    result: dict[str, Artist] = {}
    for axes in rows.ravel():
        for handle, label in zip(*axes.get_legend_handles_labels(), strict=True):
            result.setdefault(label, handle)
    return list(result.values()), list(result)


def _titled(axes: Axes, title: str, x: str, y: str) -> None:
    prepare(axes, size=7.0)
    axes.set_title(title, fontsize=7.5, color=INK, loc="left")
    axes.set_xlabel(x, fontsize=7.5, color=INK)
    axes.set_ylabel(y, fontsize=7.5, color=INK)


def _plane(axes: Axes, name: str, joint: JointSizing, choice: Choice, history: DriveHistory) -> None:
    """Draw the operating region and the samples of the task."""
    motor, _ = joint.parts(choice)
    _titled(axes, f"{name}\n{choice.motor}", "torque τ [N m]", "speed w [rad/s]")
    axes.axhline(0.0, color=SPINE, linewidth=0.6)
    axes.axvline(0.0, color=SPINE, linewidth=0.6)
    if math.isfinite(motor.limits.voltage):
        axes.fill(*motor.region().T, color=INTERMITTENT, label="intermittent region", zorder=1)
        if math.isfinite(motor.lasting_current):
            axes.fill(*motor.region(continuous=True).T, color=CONTINUOUS, label="continuous region", zorder=1.5)
    axes.plot(history.torque, history.speed, ".", markersize=2.0, color=COLOURS[1], label="task", zorder=3)
    weights = joint.load.task.weights
    rms = math.sqrt(weights @ history.torque**2), float(weights @ np.abs(history.speed))
    axes.plot(*rms, "x", color=INK, markersize=5, label="rms torque, mean speed", zorder=4)
    reach = [1.15 * float(np.abs(values).max()) for values in (history.torque, history.speed)]
    if math.isfinite(motor.limits.voltage):
        continuous = motor.region(continuous=math.isfinite(motor.lasting_current))
        reach = [max(a, 1.15 * float(b)) for a, b in zip(reach, np.abs(continuous).max(axis=0), strict=True)]
    axes.set_xlim(-reach[0], reach[0])
    axes.set_ylim(-reach[1], reach[1])


def _front(axes: Axes, joint: JointSizing, choice: Choice) -> None:
    """Draw mass against loss of all drives that fulfil the task."""
    judged, front = joint.judgement, joint.pareto
    count = f"{int(judged.admitted.sum())} of {judged.mass.size} drives do the task"
    _titled(axes, f"{count}\n{choice.gear}", "mass [kg]", "loss [W]")
    axes.plot(judged.mass[judged.admitted], judged.loss[judged.admitted], "o", markersize=2.5, color=FAINT, zorder=1)
    points = np.array([(each.mass, each.loss) for each in front])
    axes.plot(*points.T, "o-", markersize=3, linewidth=1.0, color=COLOURS[0], label="none lighter with less loss")
    axes.plot(choice.mass, choice.loss, "o", markersize=8, fillstyle="none", color=COLOURS[1], label="chosen")
    axes.set_ylim(bottom=0.0)
    axes.set_xlim(left=0.0)


def _temperature(axes: Axes, joint: JointSizing, choice: Choice, history: DriveHistory) -> None:
    """Draw the temperatures of winding and housing over a cycle in periodic steady state."""
    motor, _ = joint.parts(choice)
    _titled(axes, "repeated for ever\n", "t [s]", "temperature [°C]")
    if motor.thermal is None:
        axes.text(0.5, 0.5, "no thermal model", transform=axes.transAxes, ha="center", color=INK, fontsize=8)
        return
    axes.plot(history.t, history.winding, color=COLOURS[1], linewidth=1.2, label="winding")
    axes.plot(history.t, history.housing, color=COLOURS[2], linewidth=1.2, label="housing")
    limit = motor.thermal.winding_limit
    if math.isfinite(limit):
        axes.axhline(limit, color=INK, linewidth=0.8, linestyle="--", label="limit of the winding")
    axes.set_ylim(bottom=0.0)


def _nothing(name: str, joint: JointSizing, *places: Axes) -> None:
    """Print the criteria that the pairs fail."""
    for axes in places:
        axes.set_axis_off()
    counts = sorted(joint.reasons.items(), key=lambda item: -item[1])
    text = "\n".join(f"{count:6d}  {criterion}" for criterion, count in counts)
    pairs = joint.judgement.mass.size
    places[0].text(0.0, 1.0, f"{name}: none of {pairs} drives does the task\n\nfail by\n{text}", va="top", fontsize=7.5)
