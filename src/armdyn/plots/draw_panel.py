"""A panel in its axes: curves with alternating dashes, another motion, references, limits, fitted range."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection, PolyCollection
from matplotlib.lines import Line2D
from matplotlib.ticker import MaxNLocator, MultipleLocator

from armdyn.plots.coinciding import FLAT, pieces
from armdyn.plots.extremes import extreme_rows
from armdyn.plots.motion_panels import Band, Panel, PanelCurve
from armdyn.plots.sheet import Sheet, plain
from armdyn.plots.style import INK, prepare
from armdyn.spatial.rotations import Array

MOST_LINES = 20
"""A batch of more motions than this is drawn as medians and bands."""

NEAR = 0.3
"""A limit is shown if its distance from the curves is below this fraction of their range."""

LOST, BEFORE, SHOWN = 1e9, 0.1, 100.0
"""A motion diverges if it reaches more than ``LOST``, in the unit of a panel and times the largest value in the first
``BEFORE`` of the time. It is shown up to ``SHOWN`` times that value, or up to ``SHOWN`` if it was less than one."""


def draw_panel(axes: Axes, panel: Panel, sheet: Sheet, lift: float = 0.0) -> None:
    """Draw the content of a panel, with its title above it on the left.

    Args:
        axes: axes of the panel.
        panel: content of the panel.
        sheet: sizes and colours of the page.
        lift: distance between axes and title, for marks of events, points.
    """
    font = sheet.size.font
    prepare(axes, size=font)
    axes.yaxis.set_major_locator(MaxNLocator(4))
    axes.xaxis.set_major_locator(MaxNLocator(6))
    axes.yaxis.set_label_coords(-0.1, 0.5)  # there is no label: skips the search for its position
    draw_curves(axes, panel.curves, phase=panel.phase)
    for curve in panel.references:
        _draw_one(axes, curve)
    _settle(axes)
    _draw_limits(axes, panel, sheet)
    for curve in panel.behind:  # not part of the range: values of a log beyond it are cut
        _draw_one(axes, curve)
    if panel.behind:
        _make_room(axes, panel)
    if panel.name in ("q", "error", "residual") and "[deg]" in panel.title:
        _whole_angles(axes)
    axes.set_title(panel.title, loc="left", fontsize=1.06 * font, color=INK, y=1.0, pad=3.5 * sheet.scale + lift)
    if panel.joint:
        where = (0.0, 15.0 * sheet.scale + lift)
        axes.annotate(
            plain(panel.joint), (0.0, 1.0), where, xycoords="axes fraction", textcoords="offset points", va="bottom",
            ha="left", fontsize=1.15 * font, fontweight="bold", color=str(panel.curves[0].style["color"]),
        )  # fmt: skip
    if panel.phase:
        for curve in panel.curves:
            colour = curve.style["color"]
            axes.plot(curve.t[:1], curve.values[:1], marker="o", markersize=4.0, color=colour, gid="start")
    if panel.legend:
        _legend(axes, panel, sheet, lift)


def draw_curves(axes: Axes, curves: Sequence[PanelCurve], *, phase: bool = False) -> None:
    """Draw one motion with alternating dashes if curves coincide; a batch as thin lines, or as a median with a band."""
    if not curves:
        return
    t = curves[0].t
    alone = not phase and len(t) > 1 and all(curve.values.ndim == 1 for curve in curves)
    if not alone:
        for curve in curves:
            if phase:
                _draw_one(axes, curve, label=curve.label)
            else:
                _draw_batch(axes, curve)
        return
    values = np.stack([curve.values for curve in curves], axis=-1)
    rows = extreme_rows(values)
    if len(rows) < len(t):
        t, values = t[rows], values[rows]
    for curve, own, parts in zip(curves, values.T, pieces(t, values), strict=True):
        for k, part in enumerate(parts):
            span = slice(part.first, part.last + 1)
            label = plain(curve.label) if k == 0 else "_"
            axes.add_line(Line2D(t[span], own[span], label=label, **(dict(curve.style) | part.style)))
    finite = values[np.isfinite(values)]
    if finite.size:
        axes.update_datalim([(t[0], finite.min()), (t[-1], finite.max())])
    axes.autoscale_view()


def _draw_one(axes: Axes, curve: PanelCurve, label: str = "_") -> None:
    """Draw a line, by its extremes if it is long; it changes the range only if it has a label."""
    flat = curve.values.reshape(len(curve.t), -1)
    for k in range(min(flat.shape[1], MOST_LINES)):
        both = np.stack([flat[:, k], curve.t], axis=-1) if label != "_" else flat[:, [k]]
        rows = extreme_rows(both)
        style: dict[str, Any] = dict(curve.style)
        axes.plot(curve.t[rows], flat[rows, k], label=plain(label) if label != "_" else label, **style)


def _draw_batch(axes: Axes, curve: PanelCurve) -> None:
    t, style = curve.t, dict(curve.style)
    flat = curve.values.reshape(len(t), -1)
    motions = flat.shape[1]
    name = plain(curve.label)
    if motions <= MOST_LINES:
        thin: dict[str, Any] = {} if motions == 1 else {"linewidth": 0.55 * style.get("linewidth", 1.3), "alpha": 0.7}
        if len(t) == 1:
            thin["marker"] = "o"
        for k in range(motions):
            axes.plot(t, flat[:, k], label=name if k == 0 else "_", **(style | thin))
        return
    flat = flat[:, np.isfinite(flat).all(axis=0)]
    if flat.shape[1]:
        low, middle, high = np.percentile(flat, [5, 50, 95], axis=1)
        axes.fill_between(t, low, high, color=style["color"], alpha=0.15, linewidth=0)
        axes.plot(t, middle, label=name, **style)


def _settle(axes: Axes) -> None:
    """Set the range of the value axis, around the value if it is constant, without offsets."""
    low, high = axes.get_ylim()
    middle = 0.5 * (low + high)
    if limit := _of_most(axes):
        low, high = max(low, -limit), min(high, limit)
        axes.set_ylim(low, high)
        middle = 0.5 * (low + high)
    if high - low <= FLAT * max(abs(middle), 1.0) or not axes.lines:
        half = 0.05 * max(abs(middle), 1.0)
        low, high = middle - half, middle + half
    axes.set_ylim(low, high)
    axes.ticklabel_format(axis="y", useOffset=False)


def _of_most(axes: Axes) -> float:
    """The largest shown magnitude of diverging curves; 0 if no curve diverges."""
    begun, largest = 0.0, 0.0
    for line in axes.lines:
        sizes = np.abs(np.asarray(line.get_ydata(), dtype=float))
        times, (_, end) = np.asarray(line.get_xdata(), dtype=float), axes.dataLim.intervalx
        begun = max(begun, _largest(sizes[times <= BEFORE * end]))
        largest = max(largest, _largest(sizes))
    return SHOWN * max(begun, 1.0) if LOST * max(begun, 1.0) < largest else 0.0


def _largest(sizes: Array) -> float:
    return float(np.max(sizes[np.isfinite(sizes)], initial=0.0))


def _make_room(axes: Axes, panel: Panel) -> None:
    """Widen the range to the curves in the background, by at most twice the range of the motion on each side."""
    low, high = axes.get_ylim()
    span = high - low
    finite = [curve.values[np.isfinite(curve.values)] for curve in panel.behind]
    result = np.concatenate([values.ravel() for values in finite]) if finite else np.zeros(0)
    if result.size:
        least, most = float(result.min()), float(result.max())
        least, most = least - 0.04 * span, most + 0.04 * span
        axes.set_ylim(min(low, max(least, low - 2.0 * span)), max(high, min(most, high + 2.0 * span)))


def _whole_angles(axes: Axes) -> None:
    height = float(np.ptp(axes.get_ylim()))
    if 180 <= height < 1440:
        axes.yaxis.set_major_locator(MultipleLocator(45 if height < 360 else 90 if height < 720 else 180))


def _draw_limits(axes: Axes, panel: Panel, sheet: Sheet) -> None:
    """Draw limits near the curves as lines, shade values beyond limits of all joints, and times beyond limits."""
    if not panel.bands:
        return
    low, high = axes.get_ylim()
    span = high - low
    passed = any(band.outside for band in panel.bands)
    near = [
        (bound, band.colour, side)
        for band in panel.bands
        for bound, side in ((band.low, -1), (band.high, 1))
        if np.isfinite(bound) and low - NEAR * span <= bound <= high + NEAR * span
    ]
    if near:
        bounds = [bound for bound, _, _ in near]
        low, high = min(low, min(bounds) - 0.04 * span), max(high, max(bounds) + 0.04 * span)
        axes.set_ylim(low, high)
    alike = len({(band.low, band.high) for band in panel.bands}) == 1 and len(panel.bands) == len(panel.curves)
    across = axes.get_yaxis_transform()
    if near:
        rows = [[(0.0, bound), (1.0, bound)] for bound, _, _ in near]
        colours = [sheet.limit if alike else colour for _, colour, _ in near]
        dashes: Mapping[str, object] = {"linestyles": [(0, (7.0, 2.0, 1.2, 2.0))], "linewidths": 0.9}
        axes.add_collection(
            LineCollection(rows, transform=across, colors=colours, zorder=1.4, label="limit", **dashes), autolim=False
        )
    if near and alike:
        for bound, side in dict.fromkeys((bound, side) for bound, _, side in near):
            bounds_outside = (bound, high) if side > 0 else (low, bound)
            axes.axhspan(*bounds_outside, color=sheet.outside, zorder=0.2, linewidth=0, label="outside limits")
    if passed:
        _shade_times(axes, panel.bands, sheet.outside)


def _shade_times(axes: Axes, bands: Sequence[Band], pale: str) -> None:
    """Shade the times beyond a limit as pale columns, with a stroke below in the colour of each joint."""
    boxes, colours = [], []
    for band in bands:
        for start, end in band.outside:
            boxes += [_box(start, end, 0.0, 1.0), _box(start, end, 0.0, 0.035)]
            colours += [pale, band.colour]
    across = axes.get_xaxis_transform()
    order = sorted(range(len(colours)), key=lambda k: colours[k] != pale)
    axes.add_collection(
        PolyCollection(
            [boxes[k] for k in order], facecolors=[colours[k] for k in order], edgecolors="none", transform=across,
            zorder=0.3, label="outside limits",
        ),
        autolim=False,
    )  # fmt: skip


def _box(start: float, end: float, low: float, high: float) -> list[tuple[float, float]]:
    return [(start, low), (end, low), (end, high), (start, high)]


MOST_COLUMNS, LETTERS_OF_A_PANEL, LETTERS_OF_A_LINE = 4, 56, 5
"""Largest number of legend columns, letters per panel width, and width of a legend's line sample in letters."""


def legend_columns_of(labels: Sequence[str], panels: int) -> int:
    """The number of legend columns that fit above this many panels: a wider legend would shrink all panels."""
    for columns in range(min(len(labels), MOST_COLUMNS * panels), 1, -1):
        rows = -(-len(labels) // columns)
        longest = [max(map(len, labels[k : k + rows])) for k in range(0, len(labels), rows)]
        if sum(longest) + LETTERS_OF_A_LINE * len(longest) <= LETTERS_OF_A_PANEL * panels:
            return columns
    return 1


def legend_lines(panel: Panel, panels: int) -> int:
    """The number of text lines of the legend of a panel."""
    labels = [curve.label for curve in panel.curves]
    return -(-len(labels) // legend_columns_of(labels, panels)) if panel.legend and labels else 0


def _legend(axes: Axes, panel: Panel, sheet: Sheet, lift: float) -> None:
    """Draw the names of a panel's own curves between its title and its axes, so that they cover nothing."""
    labels = [curve.label for curve in panel.curves]
    place = axes.get_subplotspec()
    columns = 1 if place is None else len(place.colspan)
    if place is None and axes.get_position().width > 0.5:
        columns = 2
    lines = legend_lines(panel, columns)
    if not lines:
        return
    axes.set_title(
        panel.title, loc="left", fontsize=1.06 * sheet.size.font, color=INK, y=1.0,
        pad=(3.5 + lines * 11.5) * sheet.scale + lift,
    )  # fmt: skip
    handles = [Line2D([], [], **dict(curve.style)) for curve in panel.curves]
    font = sheet.size.font
    axes.legend(
        handles, [plain(one) for one in labels], loc="lower left", bbox_to_anchor=(0.0, 1.0), borderpad=0.1,
        borderaxespad=0.1 + lift / font, ncols=legend_columns_of(labels, columns), frameon=False, fontsize=0.95 * font,
        handlelength=1.8, columnspacing=1.2, labelcolor=INK, labelspacing=0.25,
    )  # fmt: skip
