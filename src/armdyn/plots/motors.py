"""Figures 8.12 and 8.13 of Modern Robotics: operating regions of motors over torque and speed, and with gears."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from numpy.typing import ArrayLike

from armdyn.actuators.motor import Motor
from armdyn.base.checks import number
from armdyn.base.errors import ModelError, ShapeError
from armdyn.plots.sheet import SMALLEST, Palette, Sheet, Size, sheet_of
from armdyn.plots.style import INK, SPINE, new_figure, prepare
from armdyn.spatial.rotations import Array

INTERMITTENT, CONTINUOUS = "#DDE6EE", "#9DB8CE"


STALL = 2.5
"""The stall torque is drawn if it is at most this multiple of the largest torque of the region."""

QUADRANTS = {
    (1, 1): "I: drives",
    (-1, 1): "II: brakes",
    (-1, -1): "III: drives",
    (1, -1): "IV: brakes",
}
"""The quadrants by the signs of torque and speed; a braking motor takes mechanical power."""


def draw_operating_region(
    motor: Motor, *, task: ArrayLike | None = None, size: Size = "report", palette: Palette = "colour"
) -> Figure:
    """Figure 8.12 of Modern Robotics: a motor's operating region (light), and the continuous part of it (dark).

    Torque k_t I to the right, speed upwards. The slanted edges are the speed-torque lines of V_max and -V_max, the
    upright ones the limit of the current; in the second and fourth quadrants the motor takes mechanical power. Marks
    are the no-load speed w_0, the stall torque, and the rated point of the continuous torque with its power.

    Args:
        motor: motor with limits of voltage, current and continuous current, the last one possibly from its thermal
            model; the edge of a missing limit is not drawn.
        task: torques k_t I, N m, and speeds, rad/s, that a motion requires, shape (points, 2).
        size: font and line sizes: "report", "paper" or "slide".
        palette: "colour" or "grey".

    Raises:
        ModelError: a motor without a limit of the voltage.
        SettingError: another size or palette.

    >>> from armdyn.actuators import Motor, MotorLimits
    >>> limits = MotorLimits(voltage=24.0, current=40.0, continuous_current=6.0)
    >>> motor = Motor(torque_constant=0.0302, resistance=0.299, limits=limits)
    >>> len(armdyn.plots.draw_operating_region(motor).axes)
    1
    """
    sheet = sheet_of(size, palette)
    light, dark = motor.region(), motor.region(continuous=True)
    figure, axes = plane_figure(sheet)
    axes.fill(*light.T, color=INTERMITTENT, label="intermittent", zorder=1)
    if math.isfinite(motor.lasting_current):
        axes.fill(*dark.T, color=CONTINUOUS, label="continuous", zorder=1.5)
    axes.plot(*closed(light).T, color=sheet.colour(0), linewidth=sheet.size.line, zorder=2)
    if task is not None:
        points = np.asarray(task, dtype=float)
        if points.ndim != 2 or points.shape[1] != 2:
            raise ShapeError(f"task has shape {points.shape}; expected (points, 2): torque, N m, and speed, rad/s")
        axes.plot(*points.T, color=sheet.colour(1), linewidth=sheet.size.line, label="task", zorder=3)
    room(axes, light)
    _mark_points(axes, motor, light, sheet)
    _mark_edges(axes, motor, light, sheet)
    _name_quadrants(axes, sheet)
    font = sheet.size.font
    figure.legend(loc="outside lower center", ncols=2, frameon=False, fontsize=font, labelcolor=INK)
    return figure


def _mark_points(axes: Axes, motor: Motor, region: Array, sheet: Sheet) -> None:
    """Mark no-load speed, stall torque and rated point on the speed-torque line of V_max, with their values."""
    (_, top), (stall, _) = motor.speed_torque_curve()
    widest = float(region[:, 0].max())
    marks = []
    if top <= motor.limits.speed:
        marks.append(((0.0, top), "o", "$w_0$", f"no load: $w_0$ = {top:.4g} rad/s"))
    if math.isfinite(motor.lasting_current) and motor.rated_speed > 0.0:
        torque, speed = motor.torque(motor.rated_current), motor.rated_speed
        text = f"rated: {torque:.3g} N m, {speed:.4g} rad/s, {torque * speed:.3g} W"
        marks.append(((torque, speed), "D", r"$\tau_{cont}, w_{cont}$", text))
    if stall <= STALL * widest:
        axes.plot(*motor.speed_torque_curve().T, color=sheet.colour(0), linestyle="--", linewidth=0.8, zorder=1.8)
        axes.set_xlim(right=max(axes.get_xlim()[1], 1.12 * stall))
        marks.append(((stall, 0.0), "s", r"$\tau_{stall}$", rf"stall: $\tau_{{stall}}$ = {stall:.3g} N m"))
    for point, mark, name, text in marks:
        axes.plot(
            *point, marker=mark, linestyle="none", color=sheet.colour(0), markersize=0.5 * sheet.size.font, label=text,
            zorder=4,
        )  # fmt: skip
        axes.annotate(
            name, point, xytext=(0.5 * sheet.size.font, 0.4 * sheet.size.font), textcoords="offset points",
            fontsize=sheet.size.font, color=INK, zorder=5,
        )  # fmt: skip


def _mark_edges(axes: Axes, motor: Motor, region: Array, sheet: Sheet) -> None:
    """Name the edges of the region: the limits of voltage, current or torque, and speed."""
    limits, slope = motor.limits, motor.R / motor.k_t**2
    widest, top = float(region[:, 0].max()), limits.voltage / motor.k_t
    turn = math.degrees(math.atan2(-slope, 1.0))
    style: dict[str, Any] = {"fontsize": max(0.85 * sheet.size.font, SMALLEST), "color": "#555555", "zorder": 5}
    sloped: dict[str, Any] = {"rotation": turn, "rotation_mode": "anchor", "transform_rotates_text": True, **style}
    kink = (top - limits.speed) / slope if math.isfinite(limits.speed) else -math.inf
    for sign, side, below in ((1.0, "center", "bottom"), (-1.0, "center", "top")):
        x = sign * 0.6 * widest if kink > -0.4 * widest else -sign * 0.45 * widest
        minus = "" if sign > 0 else "\u2212"
        text = f"V = {minus}$V_{{max}}$ = {minus}{limits.voltage:g} V"
        apart = 0.015 * sign * float(np.ptp(axes.get_ylim()))
        axes.text(x, sign * top - slope * x + apart, text, ha=side, va=below, **sloped)
    if kink > -widest:
        text = f"$w_{{max}}$ = {limits.speed:.4g} rad/s"
        axes.text(-0.97 * widest, 0.985 * limits.speed, text, ha="left", va="top", **style)
    if math.isfinite(motor.torque_limit()):
        by_current = motor.k_t * limits.current <= limits.torque
        text = f"{'$k_t I_{max}$' if by_current else chr(0x24) + chr(92) + 'tau_{max}$'} = {widest:.3g} N m"
        level = 0.02 * float(np.ptp(axes.get_ylim()))
        axes.text(1.02 * widest, -level, text, rotation=90, ha="left", va="top", **style)
        axes.text(-1.02 * widest, level, f"\u2212{text.split(' = ')[0]}", rotation=90, ha="right", va="bottom", **style)


def _name_quadrants(axes: Axes, sheet: Sheet) -> None:
    """Write the number of each quadrant and the role of the motor in its corner."""
    for (right, up), text in QUADRANTS.items():
        axes.text(
            0.985 if right > 0 else 0.015, 0.975 if up > 0 else 0.025, text, transform=axes.transAxes,
            ha="right" if right > 0 else "left", va="top" if up > 0 else "bottom", fontsize=sheet.size.font,
            color="#555555", fontstyle="italic", zorder=5,
        )  # fmt: skip


def draw_gear_ratios(
    motor: Motor,
    ratios: Sequence[float] = (1.0, 2.0),
    *,
    continuous: bool = False,
    size: Size = "report",
    palette: Palette = "colour",
) -> Figure:
    """Figure 8.13 of Modern Robotics: a motor's operating region at the output of lossless gears of several ratios.

    Torque is multiplied by G, speed divided by it.

    Args:
        motor: motor with a limit of the voltage.
        ratios: ratio G of each gear.
        continuous: True to draw the continuous region.
        size: font and line sizes: "report", "paper" or "slide".
        palette: "colour" or "grey".

    Raises:
        ModelError: a motor without a limit of the voltage, a ratio of zero, or no ratio.
        SettingError: another size or palette.
    """
    ratios = [number(f"ratios[{k}]", ratio) for k, ratio in enumerate(ratios)]
    if not ratios or 0.0 in ratios:
        raise ModelError(f"ratios are {ratios}; expected one gear ratio or more, none of them zero")
    sheet = sheet_of(size, palette)
    figure, axes = plane_figure(sheet)
    regions = [motor.region(continuous=continuous, gear_ratio=ratio) for ratio in ratios]
    for k, (ratio, region) in enumerate(zip(ratios, regions, strict=True)):
        axes.fill(*region.T, color=sheet.colour(k), alpha=0.15, linewidth=0, zorder=1)
        axes.plot(*closed(region).T, label=f"G = {ratio:g}", zorder=2, **sheet.style(k))
    room(axes, np.concatenate(regions))
    font = sheet.size.font
    figure.legend(loc="outside lower center", ncols=len(ratios), frameon=False, fontsize=font, labelcolor=INK)
    return figure


def plane_figure(sheet: Sheet) -> tuple[Figure, Axes]:
    """A figure with axes of torque and speed that cross at 0."""
    width = 0.6 * sheet.size.width
    figure = new_figure(width, 0.78 * width)
    axes = figure.subplots()
    prepare(axes, size=sheet.size.font)
    axes.axhline(0.0, color=SPINE, linewidth=0.8, zorder=2.5)
    axes.axvline(0.0, color=SPINE, linewidth=0.8, zorder=2.5)
    axes.set_xlabel("torque τ [N m]", fontsize=1.1 * sheet.size.font, color=INK)
    axes.set_ylabel("speed w [rad/s]", fontsize=1.1 * sheet.size.font, color=INK)
    return figure, axes


def room(axes: Axes, corners: Array) -> None:
    """Set limits symmetric about the origin."""
    for limit, extent in ((axes.set_xlim, corners[:, 0]), (axes.set_ylim, corners[:, 1])):
        half = 1.15 * float(abs(extent).max())
        limit(-half, half)


def closed(corners: Array) -> Array:
    """The corners, with the first repeated at the end."""
    return np.concatenate([corners, corners[:1]])
