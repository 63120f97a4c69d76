"""Drives over a motion against their limits, and efficiency maps of motors over torque and speed."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Polygon

from armdyn.actuators.motor import Motor
from armdyn.base.checks import is_one_of, whole_number
from armdyn.base.errors import UnknownName
from armdyn.motion.drives import DriveHistories
from armdyn.plots.event_marks import event_style, kinds_of_events, mark_events
from armdyn.plots.motion_panels import behind_style
from armdyn.plots.motors import closed, plane_figure, room
from armdyn.plots.sheet import Palette, Sheet, Size, plain, sheet_of
from armdyn.plots.style import COLOURS, INK, new_figure, prepare
from armdyn.robot import Robot
from armdyn.simulation import Trajectory
from armdyn.spatial.rotations import Array

CONTINUOUS, PEAK = COLOURS[4], COLOURS[1]
CURVE_POINTS = 2001
"""Number of points of the speed-torque line among which the most efficient one is sought."""

LEVELS = (0.2, 0.4, 0.5, 0.6, 0.7, 0.75, 0.8, 0.85, 0.9, 0.95)
"""Efficiencies at the contours of the map."""


def draw_drive_histories(
    robot: Robot,
    trajectory: Trajectory,
    *,
    over: Trajectory | None = None,
    joints: Iterable[str] | str | None = None,
    size: Size = "report",
    palette: Palette = "colour",
    figsize: tuple[float, float] | None = None,
    title: str | None = None,
) -> Figure:
    """The torques k_t I of a robot's motors over a motion, and their windings' temperatures, against their limits.

    Each motor has a row. Dashed lines are the continuous and the peak torque on both sides, those of the limits of the
    current or of the shaft, and the highest temperature allowed for the winding. The numbers are printed above; a limit
    above three times the largest value of the motion has no line. Events have dotted lines, and a mark for each kind.

    Args:
        robot: the robot of the motion, with its motors.
        trajectory: one motion of the robot.
        over: another motion of the robot, as broad pale lines in the background.
        joints: names of the joints with drawn motors; all by default.
        size: font and line sizes: "report", "paper" or "slide".
        palette: "colour" or "grey".
        figsize: width and height, inches.
        title: title above the picture.

    Raises:
        ShapeError: a robot of other joints, or a batch.
        ModelError: a robot without motors, or a motor without torque constant or resistance.
        UnknownName: a joint without a motor.
        SettingError: another size or palette.

    >>> from armdyn.actuators import Actuator, Gear, Motor
    >>> drive = Actuator(Motor(1e-5, torque_constant=0.03, resistance=0.3), Gear(50.0))
    >>> arm = armdyn.load("planar_2r").with_actuators({"joint_1": drive, "joint_2": drive})
    >>> figure = armdyn.plots.draw_drive_histories(arm, armdyn.simulate(arm, [0.0, 0.0], duration=0.1))
    >>> [axes.get_title("left") for axes in figure.axes]
    ['joint_1', 'joint_2']
    """
    drives, behind = trajectory.drives(robot), None if over is None else over.drives(robot)
    sheet = sheet_of(size, palette)
    chosen, sizes, font = _drawn_motors(drives, joints), sheet.size, sheet.size.font
    has_heat = any(drives.motors[k].thermal is not None for k in chosen)
    width = sizes.width * (0.9 if has_heat else 0.56)
    figure = new_figure(*(figsize or (width, 0.9 * sheet.scale + 0.8 * sizes.row * len(chosen))))
    grid = figure.subplots(len(chosen), 2 if has_heat else 1, sharex=True, squeeze=False)
    for k, row in zip(chosen, grid, strict=True):
        for axes in row:
            prepare(axes, size=font)
        _draw_torque(row[0], drives, k, sheet, behind)
        if has_heat:
            _draw_temperature(row[1], drives, k, sheet, behind)
        for axes in row:
            mark_events(axes, trajectory, 0.5 * font)
    for axes in grid[-1]:
        axes.set_xlabel("time [s]", fontsize=1.1 * font, color=INK)
        axes.set_xlim(drives.t[0], drives.t[-1])
    figure.align_ylabels(grid)
    style = sheet.style(0)
    handles = [Line2D([], [], label="torque, temperature", **style)]
    if over is not None:
        handles.append(Line2D([], [], label="other motion", **behind_style(style)))
    for name, colour in (("continuous limit", CONTINUOUS), ("peak limit", PEAK)):
        handles.append(Line2D([], [], color=colour, linestyle="--", label=name))
    marks: dict[str, Any] = {"loc": "outside lower center", "frameon": False, "fontsize": font, "labelcolor": INK}
    handles += [
        Line2D([], [], label=f"{kind} ({n})", **event_style(kind, 0.5 * font))
        for kind, n in kinds_of_events(trajectory)
    ]
    figure.legend(handles=handles, ncols=min(len(handles), 4), **marks)
    if title is not None:
        figure.suptitle(plain(title), x=0.01, ha="left", fontsize=1.35 * font, color=INK, fontweight="bold")
    return figure


def _drawn_motors(drives: DriveHistories, joints: Iterable[str] | str | None) -> list[int]:
    """The indices of the drawn motors."""
    if joints is None:
        return list(range(len(drives.joints)))
    named = [joints] if isinstance(joints, str) else list(joints)
    for name in named:
        if not is_one_of(name, drives.joints):
            raise UnknownName.of("joint", name, drives.joints, "the drives of the motion")
    return [drives.joints.index(name) for name in dict.fromkeys(named)]


def _draw_behind(axes: Axes, t: Array, values: Array, sheet: Sheet) -> None:
    axes.plot(t, values, **behind_style(sheet.style(0)))


def _draw_torque(axes: Axes, drives: DriveHistories, k: int, sheet: Sheet, behind: DriveHistories | None) -> None:
    motor, torque = drives.motors[k], drives.torque[:, k]
    axes.plot(drives.t, torque, **sheet.style(0))
    if behind is not None:
        _draw_behind(axes, behind.t, behind.torque[:, k], sheet)
    axes.set_ylabel("torque [N m]", fontsize=1.1 * sheet.size.font, color=INK)
    limits = [("continuous", motor.torque_limit(continuous=True), CONTINUOUS), ("peak", motor.torque_limit(), PEAK)]
    if limits[0][1] == limits[1][1]:
        del limits[0]
    _draw_limits(axes, drives.joints[k], torque, limits, "N m", sheet, both=True)


def _draw_temperature(axes: Axes, drives: DriveHistories, k: int, sheet: Sheet, behind: DriveHistories | None) -> None:
    thermal = drives.motors[k].thermal
    if thermal is None:
        axes.text(
            0.5, 0.5, "no thermal model", transform=axes.transAxes, ha="center", fontsize=sheet.size.font, color=INK
        )
        axes.set_yticks([])
        return
    axes.plot(drives.t, drives.winding[:, k], **sheet.style(0))
    if behind is not None:
        _draw_behind(axes, behind.t, behind.winding[:, k], sheet)
    axes.set_ylabel("winding [°C]", fontsize=1.1 * sheet.size.font, color=INK)
    limit = [("limit", thermal.winding_limit, PEAK)]
    _draw_limits(axes, drives.joints[k], drives.winding[:, k], limit, "°C", sheet, both=False)


def _draw_limits(
    axes: Axes, joint: str, values: Array, limits: list[tuple[str, float, str]], unit: str, sheet: Sheet, *, both: bool
) -> None:
    """Draw limits near the values as lines, and print all of them in the panel's title."""
    texts = [joint]
    most = float(np.abs(values).max()) if both else float(np.ptp(values))
    least = 0.0 if both else float(values.min())
    for name, limit, colour in limits:
        if not math.isfinite(limit):
            continue
        texts.append(f"{name} {limit:.3g} {unit}")
        if limit - least <= 3.0 * most:
            for level in (limit, -limit) if both else (limit,):
                axes.axhline(level, color=colour, linestyle="--", linewidth=1.0)
    axes.set_title(", ".join(texts), loc="left", fontsize=sheet.size.font, color=INK)
    axes.ticklabel_format(axis="y", useOffset=False)  # nearly constant temperatures read 25.001, not 0.001 + 25


def draw_efficiency_map(
    motor: Motor, *, points: int = 401, size: Size = "report", palette: Palette = "colour"
) -> Figure:
    """A motor's efficiency in its operating region: output over input power, at its terminals and its shaft.

    Torque k_t I to the right, speed upwards. In the first and third quadrants the motor drives, in the second and
    fourth it generates. White is below 0.2; this includes the part in which electrical and mechanical power both enter
    and are dissipated. Marks are the best efficiency at V_max, and the no-load point with the current and the loss of
    the shaft's friction.

    Args:
        motor: with a limit of the voltage; without one of current or torque the region ends at the stall torque.
        points: number of points in each direction.
        size: font and line sizes: "report", "paper" or "slide".
        palette: "colour" or "grey".

    Raises:
        ModelError: a motor without a limit of the voltage, torque constant or resistance, or fewer than 2 points.
        SettingError: another size or palette.

    >>> from armdyn.actuators import Motor, MotorLimits
    >>> motor = Motor(torque_constant=0.0302, resistance=0.299, friction=0.004, limits=MotorLimits(voltage=24.0))
    >>> [axes.get_ylabel() for axes in armdyn.plots.draw_efficiency_map(motor).axes]
    ['speed w [rad/s]', 'efficiency']
    """
    count, sheet = whole_number("points", points, least=2), sheet_of(size, palette)
    region = motor.region()
    torques, speeds = (np.linspace(-extent, extent, count) for extent in abs(region).max(axis=0))
    torque, speed = np.meshgrid(torques, speeds)
    efficiency = motor.efficiency(torque - motor.friction_torque(speed), speed)
    figure, axes = plane_figure(sheet)
    shades = axes.contourf(
        torque, speed, efficiency, levels=[*LEVELS, 1.0], cmap="Greys" if palette == "grey" else "YlGnBu", zorder=1
    )
    shades.set_clip_path(Polygon(region, transform=axes.transData))
    axes.plot(*closed(region).T, color=sheet.colour(0), linewidth=sheet.size.line, zorder=2)
    room(axes, region)
    _mark_no_load(axes, motor, sheet)
    bar = figure.colorbar(shades, ax=axes, ticks=LEVELS)
    bar.set_label("efficiency", fontsize=1.1 * sheet.size.font, color=INK)
    bar.ax.tick_params(labelsize=sheet.size.font, colors=INK)
    return figure


def _mark_no_load(axes: Axes, motor: Motor, sheet: Sheet) -> None:
    """Mark the no-load point and the point of best efficiency at V_max, with their values."""
    voltage, current, fastest = motor.limits.voltage, motor.no_load_current(), motor.no_load_speed()
    curve = motor.speed_torque_curve(points=CURVE_POINTS)
    of_curve = motor.efficiency(curve[:, 0] - motor.friction_torque(curve[:, 1]), curve[:, 1])
    torque, speed = (float(x) for x in curve[int(of_curve.argmax())])
    marks: list[tuple[tuple[float, float], str, tuple[float, float]]] = []
    if fastest <= motor.limits.speed:
        loss = f"$I_0$ = {current:.3g} A, loss {voltage * current:.3g} W" if current > 0.0 else "no loss"
        marks.append(((motor.torque(current), fastest), f"no load: {loss}", (8.0, 7.0)))
    if current > 0.0 and torque <= motor.torque_limit() and speed <= motor.limits.speed:
        marks.append(((torque, speed), f"best: {motor.maximum_efficiency():.3g}", (8.0, 3.0)))
    for point, text, offset in marks:
        axes.plot(*point, "o", color=INK, markersize=0.5 * sheet.size.font, zorder=4)
        axes.annotate(
            text, point, xytext=offset, textcoords="offset points", fontsize=0.9 * sheet.size.font, color=INK, zorder=5
        )
