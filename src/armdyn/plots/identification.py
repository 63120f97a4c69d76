"""Pictures of identification: logs and fits, external forces, exciting motions and their limits."""

from __future__ import annotations

import os

import numpy as np
from matplotlib.figure import Figure

from armdyn.identification import Check, Collisions, Excitation
from armdyn.plots.media import adapted
from armdyn.plots.sheet import Palette, Size
from armdyn.plots.style import COLOURS, FAINT, INK, new_figure, write_figure
from armdyn.spatial.rotations import Array

MOST_DRAWN, GAP = 4000, 1.5
"""Largest number of samples of a line; time between two samples, in sampling intervals, that breaks the line."""


def draw_check(
    check: Check,
    path: str | os.PathLike[str] | None = None,
    *,
    size: Size = "report",
    palette: Palette = "colour",
) -> Figure:
    """Measured joint forces, those of the fit and of friction alone, and the errors, one row per joint.

    Args:
        check: result of `armdyn.identification.Fit.check`.
        path: path of a file to write: png, pdf, svg.
        size: font and line sizes: "report", "paper" or "slide".
        palette: "colour" or "grey".
    """
    count = len(check.joint_names)
    figure = new_figure(11.0, 1.5 + 1.4 * count)
    grid = figure.subplots(count, 2, sharex=True, squeeze=False, width_ratios=(3, 2))
    drawn = _values(check.t)
    fit, alone = COLOURS[:2]
    lines = ((check.alone, "friction alone", alone), (check.measured, "measured", INK), (check.fit, "fit", fit))
    for j, (forces, errors) in enumerate(grid):
        for values, label, colour in lines:
            forces.plot(check.t[drawn], _broken(check.t, values[:, j], drawn), color=colour, label=label, linewidth=1.0)
        for values, colour in ((check.alone, alone), (check.fit, fit)):
            error = _broken(check.t, (check.measured - values)[:, j], drawn)
            errors.plot(check.t[drawn], error, color=colour, linewidth=0.8)
        forces.set_ylabel(check.joint_names[j], fontsize=8)
        errors.set_title(f"rms {check.rms[j]:.3g}, friction alone {check.rms_alone[j]:.3g}", fontsize=8)
        forces.margins(x=0)
    grid[0, 0].set_title(f"joint forces on {check.log} below {check.cutoff:g} Hz, N m or N", fontsize=9)
    figure.legend(*grid[0, 0].get_legend_handles_labels(), ncols=3, fontsize=8, loc="outside upper center")
    for axes in grid[-1]:
        axes.set_xlabel("t, s")
    return _finished(adapted(figure, size, palette), path)


def draw_collisions(
    hits: Collisions,
    path: str | os.PathLike[str] | None = None,
    *,
    size: Size = "report",
    palette: Palette = "colour",
) -> Figure:
    """External forces over time, one row per joint: the residual, its threshold as a band, contact in colour.

    Args:
        hits: result of `armdyn.identification.collisions`.
        path: path of a file to write: png, pdf, svg.
        size: font and line sizes: "report", "paper" or "slide".
        palette: "colour" or "grey".
    """
    count = len(hits.joint_names)
    figure = new_figure(9.0, 1.2 + 1.3 * count)
    drawn = _values(hits.t)
    t, line, contact = hits.t[drawn], COLOURS[0], COLOURS[1]
    limit = hits.threshold + hits.band
    for j, axes in enumerate(figure.subplots(count, 1, sharex=True, squeeze=False)[:, 0]):
        axes.fill_between(t, -limit[drawn, j], limit[drawn, j], color=FAINT, linewidth=0.0, label="threshold")
        residual = hits.residual[:, j] - hits.middle[j]
        axes.plot(t, _broken(hits.t, residual, drawn), color=line, linewidth=0.9, label="residual")
        name = hits.joint_names[j]
        for each in hits.events:
            strong = 0.35 if name in each.joints else 0.1
            axes.axvspan(each.start, each.end, color=contact, alpha=strong, linewidth=0.0, label="contact")
        axes.set_ylabel(name, fontsize=8)
        axes.margins(x=0)
        if not j:
            axes.set_title(f"forces from outside in {hits.log}, N m or N", fontsize=9)
    handles = dict(zip(*figure.axes[0].get_legend_handles_labels()[::-1], strict=True))
    figure.legend(handles.values(), handles.keys(), ncols=3, fontsize=8, loc="outside upper center")
    figure.axes[-1].set_xlabel("t, s")
    return _finished(adapted(figure, size, palette), path)


def draw_excitation(
    motion: Excitation,
    path: str | os.PathLike[str] | None = None,
    *,
    size: Size = "report",
    palette: Palette = "colour",
) -> Figure:
    """Positions, velocities and joint forces over time, each as a fraction of its limit.

    Args:
        motion: result of `armdyn.identification.excite`.
        path: path of a file to write: png, pdf, svg.
        size: font and line sizes: "report", "paper" or "slide".
        palette: "colour" or "grey".
    """
    sampled, bounds, robot = motion.sampled(100.0), motion.design.bounds, motion.robot
    q, qd, qdd = sampled["q"], sampled["qd"], sampled["qdd"]
    rows = (
        ("position, part of the range", (q - bounds.middle) / bounds.half),
        ("velocity, part of the limit", qd / bounds.velocity),
        ("joint force, part of the limit", robot.inverse_dynamics(q, qd, qdd) / bounds.effort),
    )
    figure = new_figure(9.0, 7.0)
    for axes, (title, values) in zip(figure.subplots(3, 1, sharex=True), rows, strict=True):
        for j, (name, column) in enumerate(zip(robot.joint_names, values.T, strict=True)):
            axes.plot(sampled["t"], column, label=name, linewidth=1.2, color=COLOURS[j % len(COLOURS)])
        axes.axhspan(-1.0, 1.0, color=FAINT, zorder=0)
        axes.set_ylabel(title)
        axes.margins(x=0)
    figure.legend(*figure.axes[0].get_legend_handles_labels(), ncols=4, fontsize=8, loc="outside upper center")
    figure.axes[-1].set_xlabel("t, s")
    return _finished(adapted(figure, size, palette), path)


def _values(t: Array) -> Array:
    return np.arange(0, len(t), max(1, len(t) // MOST_DRAWN))


def _broken(t: Array, values: Array, drawn: Array) -> Array:
    """The drawn values, with NaN at gaps of the log."""
    if len(drawn) < 2:
        return values[drawn]
    spacing = float(np.median(np.diff(t))) * float(drawn[1] - drawn[0])
    gaps = np.diff(t[drawn], prepend=t[:1]) > GAP * spacing
    return np.where(gaps, np.nan, values[drawn])


def _finished(figure: Figure, path: str | os.PathLike[str] | None) -> Figure:
    if path is not None:
        write_figure(figure, path)
    return figure
