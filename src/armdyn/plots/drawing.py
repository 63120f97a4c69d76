"""Drawing functions for pictures of ellipsoids: an ellipse at its position, equal scales, little ink."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator, MultipleLocator
from mpl_toolkits.mplot3d import proj3d  # type: ignore[import-untyped]

from armdyn.ellipsoids.ellipsoid import Ellipsoid
from armdyn.plots.shaded_triangles import draw_to_measure
from armdyn.plots.style import COLOURS, INK, prepare
from armdyn.spatial.rotations import Array

FORWARD, BACK = COLOURS[0], COLOURS[1]
MARGIN = 0.12
"""Margin around a picture in space, inches."""

MOST_MOVES = 12
"""Largest number of moves of the name of an axis, of 2 points each."""

TALLEST = 1.25
"""Largest height of a picture in space, by the width of its figure."""


def draw_ellipse(axes: Axes, ellipse: Ellipsoid, scale: float, colour: str, label: str | None) -> Array:
    """Draw an ellipse at its position in the plane of its own coordinates."""
    plane, centre = ellipse.directions, ellipse.centre
    assert plane is not None and centre is not None  # noqa: S101, PT018 - `_size_on_arm` has looked
    outline = centre @ plane + scale * circle() @ ellipse.matrix.T
    axes.fill(*outline.T, color=colour, alpha=0.14, linewidth=0, zorder=4)
    axes.plot(*outline.T, color=colour, linewidth=1.6, label=label, zorder=5)
    for length, direction in zip(ellipse.lengths, ellipse.axes.T, strict=True):
        axes.plot(
            *(centre @ plane + scale * np.outer((-length, length), direction)).T, color=colour, linewidth=0.8, zorder=5
        )
    return np.asarray(outline)


def frame_picture(
    axes: Any,
    points: Array,
    plane: Array | None,
    view: tuple[float, float] | None,
    *,
    unit: str = "m",
    font: float = 8.0,
) -> None:
    """Set equal scales, little ink and names of the axes with their unit."""
    low, high = points.min(axis=0), points.max(axis=0)
    middle, half = (low + high) / 2.0, 0.54 * max(float((high - low).max()), 1e-9)
    if plane is not None:
        prepare_plane(axes)
        axes.set_aspect("equal")
        axes.set_xlim(middle[0] - half, middle[0] + half)
        axes.set_ylim(middle[1] - half, middle[1] + half)
        across, up = (_axis_name(direction) for direction in plane.T)
        axes.set_xlabel(f"{across} [{unit}]", fontsize=font, color=INK, labelpad=1)
        axes.set_ylabel(f"{up} [{unit}]", fontsize=font, color=INK, labelpad=3)
        return
    sizes = np.maximum(high - low, 0.25 * (high - low).max()) * 1.06
    step = round_scale(float(sizes.max()) / 3.0)
    for name, centre, size in zip("xyz", middle, sizes, strict=True):
        getattr(axes, f"set_{name}lim")(centre - size / 2.0, centre + size / 2.0)
        pad = 2 if name == "z" else -4
        getattr(axes, f"set_{name}label")(f"{name} [{unit}]", fontsize=font, color=INK, labelpad=pad)
        axis = getattr(axes, f"{name}axis")
        axis.set_major_locator(MultipleLocator(step))
        axis.set_pane_color((1.0, 1.0, 1.0, 0.0))
        axis.gridlines.set_alpha(0.35)
    axes.tick_params(labelsize=font - 1.0, colors=INK, pad=-2)
    axes.tick_params(axis="z", pad=5)  # a mark next to the numbers would be read as a minus
    axes.set_box_aspect(sizes, zoom=0.98)
    axes.view_init(*(view or (24.0, -58.0)))


def fill_figure(figure: Figure, axes: Any, above: float) -> None:
    """Zoom a picture in space to the figure's width, and cut the figure to its height, with inches ``above`` it.

    A picture taller than `TALLEST` times its width is zoomed to that height. The axes are a square as wide as the
    figure; the drawing with its labels is measured and moved into the figure, and may extend beyond the square.
    """
    width, dpi, zoom = float(figure.get_figwidth()), float(figure.dpi), 0.9
    aspect = [np.ptp(getattr(axes, f"get_{name}lim")()) for name in "xyz"]
    figure.set_size_inches(width, width)
    axes.set_position((0.0, 0.0, 1.0, 1.0))
    for _ in range(3):  # text does not grow with the zoom
        axes.set_box_aspect(aspect, zoom=zoom)
        draw_to_measure(figure)
        _keep_names_off_ticks(figure, axes)
        low, high = _drawn_extent(figure, axes) / dpi
        room = np.array([width - 2.0 * MARGIN, TALLEST * width])
        zoom *= float((room / (high - low)).min())
    axes.set_box_aspect(aspect, zoom=zoom)
    draw_to_measure(figure)
    low, high = _drawn_extent(figure, axes) / dpi
    height = high[1] - low[1] + above + 2.0 * MARGIN
    figure.set_size_inches(width, height)
    margin, bottom = (width - low[0] - high[0]) / 2.0, MARGIN - low[1]
    axes.set_position((margin / width, bottom / height, 1.0, width / height))


def _keep_names_off_ticks(figure: Figure, axes: Any) -> None:
    """Move the name of each axis of a picture in space away from its ticks, until it overlaps no number."""
    for axis in (axes.xaxis, axes.yaxis, axes.zaxis):
        for _ in range(MOST_MOVES):
            name = axis.label.get_window_extent()
            low, high = sorted(axis.get_view_interval())
            ticks = [tick.label1 for tick in axis.majorTicks if low <= tick.get_loc() <= high]
            if not any(name.overlaps(text.get_window_extent().padded(2.0)) for text in ticks if text.get_text()):
                break
            axis.labelpad += 2.0
            draw_to_measure(figure)


def _drawn_extent(figure: Figure, axes: Any) -> Array:
    """The lower left and upper right corner, pixels, of the box of a drawn picture in space with its labels."""
    renderer = figure.canvas.get_renderer()  # type: ignore[attr-defined]
    corners = np.array(list(product(axes.get_xlim(), axes.get_ylim(), axes.get_zlim())))
    x, y, _ = proj3d.proj_transform(*corners.T, axes.get_proj())
    points = [axes.transData.transform(np.column_stack([x, y]))]
    points += [axis.get_tightbbox(renderer).get_points() for axis in (axes.xaxis, axes.yaxis, axes.zaxis)]
    everything = np.concatenate(points)
    return np.array([everything.min(axis=0), everything.max(axis=0)])


def _axis_name(direction: Array) -> str:
    """The name of a base axis, x, y or z, or the components of another direction."""
    for name, axis in zip("xyz", np.eye(3), strict=True):
        if np.allclose(direction, axis, atol=1e-9):
            return name
    return "along (" + ", ".join(f"{x:.2f}" for x in direction) + ")"


def prepare_plane(axes: Axes) -> None:
    """Draw a faint grid at few round ticks."""
    prepare(axes, size=7.0)
    for axis in (axes.xaxis, axes.yaxis):
        axis.set_major_locator(MaxNLocator(6, steps=[1, 2, 2.5, 5, 10]))


def circle() -> Array:
    """Points of the unit circle, the first again at the end, shape (241, 2)."""
    angle = np.linspace(0.0, 2.0 * np.pi, 241)
    return np.column_stack([np.cos(angle), np.sin(angle)])


def round_scale(value: float) -> float:
    """A scale of one digit, 1, 2 or 5, not above ``value``."""
    power = 10.0 ** np.floor(np.log10(value))
    return float(power * max(step for step in (1.0, 2.0, 5.0) if step * power <= value * (1.0 + 1e-12)))
