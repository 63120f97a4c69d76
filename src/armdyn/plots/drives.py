"""Drives over a motion against their limits, and where in the plane of torque and speed a motor is efficient."""

from __future__ import annotations

import math

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Polygon

from armdyn.actuators.motor import Motor
from armdyn.checks import whole_number
from armdyn.plots.motors import axes_of_plane, closed, room
from armdyn.plots.style import COLOURS, INK, new_figure, prepare
from armdyn.robot import Robot
from armdyn.simulation import Trajectory
from armdyn.simulation.results.drives import DriveHistories
from armdyn.spatial.rotations import Array

CONTINUOUS, PEAK = COLOURS[4], COLOURS[1]
LEVELS = (0.2, 0.4, 0.5, 0.6, 0.7, 0.75, 0.8, 0.85, 0.9, 0.95)
"""Efficiencies between which the map changes its shade."""


def draw_drive_histories(robot: Robot, trajectory: Trajectory) -> Figure:
    """The torques k_t I of a robot's motors over a motion, and their windings' temperatures, against their limits.

    A row for each motor. Dashed lines are the continuous and the peak torque on both sides, those of the limits of the
    current or of the shaft, and the highest temperature that the winding bears. The numbers stand above; a limit that
    is more than three times what the motion needs has no line.

    Args:
        robot: what moved, with its motors.
        trajectory: one motion of it.

    Raises:
        ShapeError: a robot of other joints, or a batch.
        ModelError: a robot without motors, or a motor without torque constant or resistance.

    >>> from armdyn.actuators import Actuator, Gear, Motor
    >>> drive = Actuator(Motor(1e-5, torque_constant=0.03, resistance=0.3), Gear(50.0))
    >>> arm = armdyn.load("planar_2r").with_actuators({"joint_1": drive, "joint_2": drive})
    >>> figure = armdyn.plots.draw_drive_histories(arm, armdyn.simulate(arm, [0.0, 0.0], duration=0.1))
    >>> [axes.get_title("left") for axes in figure.axes]
    ['joint_1', 'joint_2']
    """
    drives = trajectory.drives(robot)
    rows, has_heat = len(drives.motors), any(motor.thermal is not None for motor in drives.motors)
    figure = new_figure(9.0 if has_heat else 5.6, 0.9 + 1.6 * rows)
    grid = figure.subplots(rows, 2 if has_heat else 1, sharex=True, squeeze=False)
    for k, row in enumerate(grid):
        for axes in row:
            prepare(axes)
        _draw_torque(row[0], drives, k)
        if has_heat:
            _draw_temperature(row[1], drives, k)
    for axes in grid[-1]:
        axes.set_xlabel("time [s]", fontsize=9, color=INK)
        axes.set_xlim(drives.t[0], drives.t[-1])
    figure.align_ylabels(grid)
    handles = [Line2D([], [], color=COLOURS[0], label="torque, temperature")]
    for name, colour in (("continuous limit", CONTINUOUS), ("peak limit", PEAK)):
        handles.append(Line2D([], [], color=colour, linestyle="--", label=name))
    figure.legend(handles=handles, loc="outside lower center", ncols=3, frameon=False, fontsize=8, labelcolor=INK)
    return figure


def _draw_torque(axes: Axes, drives: DriveHistories, k: int) -> None:
    motor, torque = drives.motors[k], drives.torque[:, k]
    axes.plot(drives.t, torque, color=COLOURS[0], linewidth=1.2)
    axes.set_ylabel("torque [N m]", fontsize=9, color=INK)
    limits = [("continuous", motor.torque_limit(continuous=True), CONTINUOUS), ("peak", motor.torque_limit(), PEAK)]
    if limits[0][1] == limits[1][1]:
        del limits[0]
    _draw_limits(axes, drives.joints[k], torque, limits, "N m", both=True)


def _draw_temperature(axes: Axes, drives: DriveHistories, k: int) -> None:
    thermal = drives.motors[k].thermal
    if thermal is None:
        axes.text(0.5, 0.5, "no thermal model", transform=axes.transAxes, ha="center", fontsize=8, color=INK)
        axes.set_yticks([])
        return
    axes.plot(drives.t, drives.winding[:, k], color=COLOURS[0], linewidth=1.2)
    axes.set_ylabel("winding [°C]", fontsize=9, color=INK)
    limit = [("limit", thermal.winding_limit, PEAK)]
    _draw_limits(axes, drives.joints[k], drives.winding[:, k], limit, "°C", both=False)


def _draw_limits(
    axes: Axes, joint: str, values: Array, limits: list[tuple[str, float, str]], unit: str, *, both: bool
) -> None:
    """Limits that the values come near to as lines; all of them as numbers in the panel's title."""
    said = [joint]
    most = float(np.abs(values).max()) if both else float(np.ptp(values))
    least = 0.0 if both else float(values.min())
    for name, limit, colour in limits:
        if not math.isfinite(limit):
            continue
        said.append(f"{name} {limit:.3g} {unit}")
        if limit - least <= 3.0 * most:
            for level in (limit, -limit) if both else (limit,):
                axes.axhline(level, color=colour, linestyle="--", linewidth=1.0)
    axes.set_title(", ".join(said), loc="left", fontsize=8, color=INK)
    axes.ticklabel_format(axis="y", useOffset=False)  # a winding that hardly warms reads 25.001, not 0.001 + 25


def draw_efficiency_map(motor: Motor, *, points: int = 401) -> Figure:
    """A motor's efficiency in its operating region: what leaves over what enters, at its terminals and its shaft.

    Torque k_t I to the right, speed upwards. In the first and third quadrants the motor drives, in the second and
    fourth it generates. White is below 0.2; there also lies where both powers enter and all becomes heat.

    Args:
        motor: with a limit of the voltage; without one of current or torque the region ends at the stall torque.
        points: in each direction, at which the efficiency is computed.

    Raises:
        ModelError: a motor without a limit of the voltage, torque constant or resistance, or fewer than 2 points.

    >>> from armdyn.actuators import Motor, MotorLimits
    >>> motor = Motor(torque_constant=0.0302, resistance=0.299, friction=0.004, limits=MotorLimits(voltage=24.0))
    >>> [axes.get_ylabel() for axes in armdyn.plots.draw_efficiency_map(motor).axes]
    ['speed w [rad/s]', 'efficiency']
    """
    count = whole_number("points", points, least=2)
    region = motor.region()
    torques, speeds = (np.linspace(-extent, extent, count) for extent in abs(region).max(axis=0))
    torque, speed = np.meshgrid(torques, speeds)
    efficiency = motor.efficiency(torque - motor.friction_torque(speed), speed)
    figure = new_figure(6.2, 4.4)
    axes = figure.subplots()
    axes_of_plane(axes)
    shades = axes.contourf(torque, speed, efficiency, levels=[*LEVELS, 1.0], cmap="YlGnBu", zorder=1)
    shades.set_clip_path(Polygon(region, transform=axes.transData))
    axes.plot(*closed(region).T, color=COLOURS[0], linewidth=1.2, zorder=2)
    room(axes, region)
    bar = figure.colorbar(shades, ax=axes, ticks=LEVELS)
    bar.set_label("efficiency", fontsize=9, color=INK)
    bar.ax.tick_params(labelsize=8, colors=INK)
    return figure
