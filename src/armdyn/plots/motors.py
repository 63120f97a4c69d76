"""Figures 8.12 and 8.13 of Modern Robotics: operating regions of motors over torque and speed, and with gears."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from numpy.typing import ArrayLike

from armdyn.actuators.motor import Motor
from armdyn.base.checks import number
from armdyn.base.errors import ModelError, ShapeError
from armdyn.plots.style import COLOURS, INK, SPINE, new_figure, prepare
from armdyn.spatial.rotations import Array

INTERMITTENT, CONTINUOUS = "#DDE6EE", "#9DB8CE"


def draw_operating_region(motor: Motor, *, task: ArrayLike | None = None) -> Figure:
    """Figure 8.12 of Modern Robotics: a motor's operating region (light), and the continuous part of it (dark).

    Torque k_t I to the right, speed upwards. The slanted edges are the speed-torque lines of V_max and -V_max, the
    upright ones the limit of the current; in the second and fourth quadrants the motor takes mechanical power.

    Args:
        motor: motor with limits of voltage, current and continuous current, the last one possibly from its thermal
            model; the edge of a missing limit is not drawn.
        task: torques k_t I, N m, and speeds, rad/s, that a motion requires, shape (points, 2).

    Raises:
        ModelError: a motor without a limit of the voltage.

    >>> from armdyn.actuators import Motor, MotorLimits
    >>> limits = MotorLimits(voltage=24.0, current=40.0, continuous_current=6.0)
    >>> motor = Motor(torque_constant=0.0302, resistance=0.299, limits=limits)
    >>> len(armdyn.plots.draw_operating_region(motor).axes)
    1
    """
    figure = new_figure(5.6, 4.4)
    axes = figure.subplots()
    axes_of_plane(axes)
    light, dark = motor.region(), motor.region(continuous=True)
    axes.fill(*light.T, color=INTERMITTENT, label="intermittent", zorder=1)
    axes.fill(*dark.T, color=CONTINUOUS, label="continuous", zorder=1.5)
    axes.plot(*closed(light).T, color=COLOURS[0], linewidth=1.2, zorder=2)
    _mark_ends(axes, motor, light)
    if task is not None:
        points = np.asarray(task, dtype=float)
        if points.ndim != 2 or points.shape[1] != 2:
            raise ShapeError(f"task has shape {points.shape}; expected (points, 2): torque, N m, and speed, rad/s")
        axes.plot(*points.T, color=COLOURS[1], linewidth=1.0, label="task", zorder=3)
    room(axes, light)
    figure.legend(loc="outside lower center", ncols=3, frameon=False, fontsize=8, labelcolor=INK)
    return figure


def draw_gear_ratios(motor: Motor, ratios: Sequence[float] = (1.0, 2.0), *, continuous: bool = False) -> Figure:
    """Figure 8.13 of Modern Robotics: a motor's operating region at the output of lossless gears of several ratios.

    Torque is multiplied by G, speed divided by it.

    Args:
        motor: motor with a limit of the voltage.
        ratios: ratio G of each gear.
        continuous: True to draw the continuous region.

    Raises:
        ModelError: a motor without a limit of the voltage, a ratio of zero, or no ratio.
    """
    ratios = [number(f"ratios[{k}]", ratio) for k, ratio in enumerate(ratios)]
    if not ratios or 0.0 in ratios:
        raise ModelError(f"ratios are {ratios}; expected one gear ratio or more, none of them zero")
    figure = new_figure(5.6, 4.4)
    axes = figure.subplots()
    axes_of_plane(axes)
    regions = [motor.region(continuous=continuous, gear_ratio=ratio) for ratio in ratios]
    for k, (ratio, region) in enumerate(zip(ratios, regions, strict=True)):
        colour = COLOURS[k % len(COLOURS)]
        axes.fill(*region.T, color=colour, alpha=0.15, linewidth=0, zorder=1)
        axes.plot(*closed(region).T, color=colour, linewidth=1.4, label=f"G = {ratio:g}", zorder=2)
    room(axes, np.concatenate(regions))
    figure.legend(loc="outside lower center", ncols=len(ratios), frameon=False, fontsize=8, labelcolor=INK)
    return figure


def axes_of_plane(axes: Axes) -> None:
    """Draw axes of torque and speed that cross at 0."""
    prepare(axes)
    axes.axhline(0.0, color=SPINE, linewidth=0.8, zorder=2.5)
    axes.axvline(0.0, color=SPINE, linewidth=0.8, zorder=2.5)
    axes.set_xlabel("torque τ [N m]", fontsize=9, color=INK)
    axes.set_ylabel("speed w [rad/s]", fontsize=9, color=INK)


def _mark_ends(axes: Axes, motor: Motor, region: Array) -> None:
    """Mark the no-load speed, and the stall torque if it lies in the region, on the speed-torque line of V_max."""
    (_, top), (stall, _) = motor.speed_torque_curve()
    marks = [((0.0, top), f"$w_0$ = {top:.4g} rad/s", top <= motor.limits.speed)]
    marks += [((stall, 0.0), rf"$\tau_{{stall}}$ = {stall:.3g} N m", stall <= region[:, 0].max() * (1.0 + 1e-9))]
    for point, said, inside in marks:
        if inside:
            axes.plot(*point, marker="o", color=COLOURS[0], markersize=4, zorder=4)
            axes.annotate(said, point, xytext=(5, 5), textcoords="offset points", fontsize=8, color=INK)


def room(axes: Axes, corners: Array) -> None:
    """Set limits symmetric about the origin."""
    for limit, extent in ((axes.set_xlim, corners[:, 0]), (axes.set_ylim, corners[:, 1])):
        half = 1.12 * float(abs(extent).max())
        limit(-half, half)


def closed(corners: Array) -> Array:
    """The corners, with the first repeated at the end."""
    return np.concatenate([corners, corners[:1]])
