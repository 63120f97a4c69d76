"""Labels in a column next to a picture, with leader lines: labels do not overlap, and lines do not cross."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from armdyn.plots.shaded_triangles import draw_to_measure
from armdyn.plots.style import INK
from armdyn.spatial.rotations import Array

LEADER = "#9A9A9A"
LINE = 0.30
"""Height of a label of two lines, inches."""

TOUCHING = 1e-9
"""Products of areas, in square inches, below this count as zero."""

GAP = 0.35
"""Distance between the picture and the column, inches."""


@dataclass(frozen=True)
class PointLabel:
    """A name, a smaller line below it, and the labelled point in the figure, inches."""

    name: str
    below: str
    anchor: tuple[float, float]


def column_width(figure: Figure, labels: Sequence[PointLabel]) -> float:
    """The width of the longest line of a column of labels, inches."""
    draw_to_measure(figure)
    texts = [figure.text(0.0, 0.0, _plain(label.name), fontsize=8, fontweight="bold") for label in labels]
    texts += [figure.text(0.0, 0.0, _plain(label.below), fontsize=7) for label in labels]
    widths = [text.get_window_extent().width / figure.dpi for text in texts]
    for text in texts:
        text.remove()
    return max(widths, default=0.0)


def draw_labels(
    figure: Figure, labels: Sequence[PointLabel], left: float, bottom: float, top: float, around: Sequence[Array] = ()
) -> None:
    """Draw labels in a column whose text begins at ``left``, inches, between ``bottom`` and ``top``.

    Leader lines are interrupted in the rectangles ``around`` texts, given by lower left and upper right corners,
    inches.
    """
    labels = sorted(labels, key=lambda label: -label.anchor[1])
    heights = spread([label.anchor[1] for label in labels], LINE, bottom, top)
    labels = _uncrossed(labels, heights, left)
    size = figure.get_size_inches()
    for label, y in zip(labels, heights, strict=True):
        for piece in _pieces(np.array([label.anchor, (left - 0.06, y)]), around):
            line = Line2D(*piece.T, color=LEADER, linewidth=0.6, transform=figure.dpi_scale_trans, zorder=5)
            figure.add_artist(line)
        x = left / size[0]
        style: dict[str, Any] = {"color": INK, "ha": "left"}
        figure.text(x, (y + 0.01) / size[1], _plain(label.name), va="bottom", fontsize=8, fontweight="bold", **style)
        figure.text(x, (y - 0.01) / size[1], _plain(label.below), va="top", fontsize=7, **style)


def spread(heights: Sequence[float], gap: float, bottom: float, top: float) -> Array:
    """Heights from the top down, as near as possible to those wanted, at least ``gap`` apart, between bottom and top.

    >>> spread([2.0, 1.9, 0.2], 0.5, 0.0, 3.0)
    array([2.2 , 1.7 , 0.25])
    """
    order = gap * np.arange(len(heights))
    groups: list[list[float]] = []  # means of neighbours that touch, as in isotonic regression
    for height in np.asarray(heights) + order:
        groups.append([float(height)])
        while len(groups) > 1 and np.mean(groups[-2]) < np.mean(groups[-1]):
            last = groups.pop()
            groups[-1] += last
    means = np.concatenate([np.full(len(group), np.mean(group)) for group in groups]) if groups else np.zeros(0)
    lowest = bottom + gap / 2.0 + (order[-1] if len(order) else 0.0)
    return np.asarray(np.maximum(np.minimum(means, top - gap / 2.0), lowest) - order)


def _uncrossed(labels: list[PointLabel], heights: Array, left: float) -> list[PointLabel]:
    """The labels in an order without crossing lines: exchanging two crossing ones makes their total length shorter."""
    changed = True
    while changed:
        changed = False
        for i, j in combinations(range(len(labels)), 2):
            ends = np.array([left, heights[i]]), np.array([left, heights[j]])
            if _cross(np.array(labels[i].anchor), ends[0], np.array(labels[j].anchor), ends[1]):
                labels[i], labels[j] = labels[j], labels[i]
                changed = True
    return labels


def _cross(a: Array, b: Array, c: Array, d: Array) -> bool:
    """Return True if the lines from a to b and from c to d cross; touching lines do not cross."""

    def side(p: Array, q: Array, r: Array) -> float:
        return float((q[0] - p[0]) * (r[1] - p[1]) - (q[1] - p[1]) * (r[0] - p[0]))

    return side(a, b, c) * side(a, b, d) < -TOUCHING and side(c, d, a) * side(c, d, b) < -TOUCHING


def _pieces(line: Array, around: Sequence[Array]) -> list[Array]:
    """The pieces of a line between two points that lie outside rectangles."""
    start, way = line[0], line[1] - line[0]
    hidden = sorted(share for box in around if (share := _inside(start, way, box)) is not None)
    pieces, at = [], 0.0
    for enters, leaves in [*hidden, (1.0, 1.0)]:
        if enters > at:
            pieces.append(np.array([start + at * way, start + enters * way]))
        at = max(at, leaves)
    return pieces


def _inside(start: Array, way: Array, box: Array) -> tuple[float, float] | None:
    """The fractions of a line at which it enters and leaves a rectangle; None if it misses it."""
    enters, leaves = 0.0, 1.0
    for begin, length, low, high in zip(start, way, *box, strict=True):
        if length == 0.0:
            if not low < begin < high:
                return None
            continue
        first, last = sorted(((low - begin) / length, (high - begin) / length))
        enters, leaves = max(enters, first), min(leaves, last)
    return (enters, leaves) if enters < leaves else None


def _plain(text: str) -> str:
    return text.replace("$", r"\$")
