"""Friction against velocity, in panels (Modern Robotics fig. 8.15)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from armdyn.actuators import Coulomb, FrictionLaw, StaticKinetic, Stribeck, Viscous
from armdyn.base.checks import number
from armdyn.base.errors import ModelError, excerpt
from armdyn.plots.media import adapted
from armdyn.plots.sheet import Palette, Size
from armdyn.plots.style import COLOURS, INK, SPINE, new_figure, prepare
from armdyn.spatial.rotations import Array

FIGURE_8_15: Mapping[str, Sequence[FrictionLaw]] = {
    "(a) viscous": [Viscous(1.0)],
    "(b) Coulomb": [Coulomb(1.0)],
    "(c) static and viscous": [Coulomb(1.0), Viscous(1.0)],
    "(d) static and kinetic": [StaticKinetic(1.4, 0.8)],
    "(e) static, kinetic, viscous": [StaticKinetic(1.4, 0.8), Viscous(0.6)],
    "(f) Stribeck": [Stribeck(1.4, 0.8, 0.25), Viscous(0.6)],
}
"""The friction laws of the book's figure, with parameters chosen here."""


def draw_friction(
    panels: Mapping[str, FrictionLaw | Sequence[FrictionLaw]] | None = None,
    *,
    speed: float = 1.0,
    load: float = 0.0,
    size: Size = "report",
    palette: Palette = "colour",
) -> Figure:
    """Friction laws, or sums of them, against the velocity, one panel each, as a Figure.

    The vertical line at rest is the range of static friction; its ends are dots if the friction jumps when motion
    starts.

    Args:
        panels: laws by the title of their panel; by default the six of Modern Robotics fig. 8.15.
        speed: largest drawn speed, rad/s or m/s.
        load: load on the joint, N m or N.
        size: font and line sizes: "report", "paper" or "slide".
        palette: "colour" or "grey".

    >>> [axes.get_title() for axes in armdyn.plots.draw_friction().axes][:2]
    ['(a) viscous', '(b) Coulomb']
    """
    chosen = FIGURE_8_15 if panels is None else panels
    if not isinstance(chosen, Mapping) or not chosen:
        raise ModelError(f"panels are {excerpt(panels)}; expected laws by title, such as {{'mine': Coulomb(2.0)}}")
    speed, load = number("speed", speed, above=0.0), number("load", load)
    columns = min(3, len(chosen))
    rows = -(-len(chosen) // columns)
    figure = new_figure(2.6 * columns, 0.3 + 2.2 * rows)
    grid = figure.subplots(rows, columns, sharex=True, sharey=True, squeeze=False)
    for axes in grid.flat[len(chosen) :]:
        axes.remove()
    for axes, (title, laws) in zip(grid.flat, chosen.items(), strict=False):
        prepare(axes)
        axes.set_title(title, fontsize=9, color=INK)
        axes.axhline(0.0, color=SPINE, linewidth=0.6)
        axes.axvline(0.0, color=SPINE, linewidth=0.6)
        _draw(axes, [laws] if isinstance(laws, FrictionLaw) else laws, speed, load)
    figure.supxlabel("velocity [rad/s]", fontsize=9, color=INK)
    figure.supylabel("friction [N m]", fontsize=9, color=INK)
    return adapted(figure, size, palette)


def _draw(axes: Axes, laws: Sequence[FrictionLaw], speed: float, load: float) -> None:
    """Draw both directions of motion, and the range of static friction."""
    rates = speed * np.geomspace(1e-4, 1.0, 200)
    for direction in (-1.0, 1.0):
        axes.plot(direction * rates, _force(laws, direction * rates, load), color=COLOURS[0], linewidth=1.6)
    bounds = [law.at_rest(load) for law in laws]
    for end, start in enumerate((-rates[0], rates[0])):
        force_at_rest = float(sum(both[end] for both in bounds))
        axes.plot([0.0, 0.0], [0.0, force_at_rest], color=COLOURS[1], linewidth=1.6)
        if abs(force_at_rest - _force(laws, np.array([start]), load)[0]) > 0.02 * abs(force_at_rest) > 0.0:
            axes.plot([0.0], [force_at_rest], "o", color=COLOURS[1], markersize=3.5)


def _force(laws: Sequence[FrictionLaw], rates: Array, load: float) -> Array:
    return np.array([sum(float(law.force(rate, load)) for law in laws) for rate in rates])
