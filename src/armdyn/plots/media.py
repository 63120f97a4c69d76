"""A finished picture for another medium: its size, fonts, lines and colours."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from matplotlib.artist import Artist
from matplotlib.collections import Collection
from matplotlib.colors import to_hex, to_rgba
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Patch
from matplotlib.text import Text

from armdyn.plots.sheet import DASHES, GREYS, SIZES, SMALLEST, Palette, Size, sheet_of
from armdyn.plots.style import COLOURS
from armdyn.spatial.rotations import Array

HUES = [np.array(to_rgba(colour)) for colour in COLOURS]
NEAR = 2e-3
"""Largest difference of a component of equal colours."""


def _points(text: Text) -> float:
    """The size of a text, points."""
    return float(text.get_fontproperties().get_size_in_points())


def adapted(figure: Figure, size: Size, palette: Palette) -> Figure:
    """A figure that was drawn for a report in colour, changed for a medium, by the words of the options.

    Figures whose layout Matplotlib computes keep it. Fonts and lines have the ratio of those of `SIZES`, and so has the
    width, at most that of the page. In grey the colours of curves become greys, and curves that share one have
    different dashes.

    Args:
        figure: a figure in the style of a report, which is changed.
        size: "report", "paper" or "slide".
        palette: "colour" or "grey".

    Raises:
        SettingError: another size or palette.
    """
    sheet, report = sheet_of(size, palette), SIZES["report"]
    if palette == "grey":
        _turn_grey(figure)
    if sheet.size is report:
        return figure
    font, line = sheet.size.font / report.font, sheet.size.line / report.line
    width, height = figure.get_size_inches()
    figure.set_size_inches(min(width * font, sheet.size.width), height * sheet.size.row / report.row)
    of_ticks: set[int] = set()
    for axis in (axis for axes in figure.axes for axis in (axes.xaxis, axes.yaxis)):
        axis.set_tick_params(labelsize=max(font * _points(axis.get_major_ticks(1)[0].label1), SMALLEST))
        ticks = (*axis.get_major_ticks(), *axis.get_minor_ticks())
        of_ticks |= {id(text) for tick in ticks for text in (tick.label1, tick.label2)}
    for text in figure.findobj(Text):
        if id(text) not in of_ticks:
            text.set_fontsize(max(font * _points(text), SMALLEST))
    for curve in figure.findobj(Line2D):
        curve.set_linewidth(line * curve.get_linewidth())
        curve.set_markersize(line * curve.get_markersize())
    for patch in figure.findobj(Patch):
        patch.set_linewidth(line * patch.get_linewidth())
    return figure


def _turn_grey(figure: Figure) -> None:
    """Replace the colours of curves by greys, with other dashes for each further use of a grey."""
    for artist in figure.findobj(Artist):
        if isinstance(artist, Line2D):
            place = _place(artist.get_color())
            if place is not None:
                artist.set_color(GREYS[place % len(GREYS)])
                if place >= len(GREYS) and artist.get_linestyle() == "-":
                    artist.set_linestyle(DASHES[place // len(GREYS) % len(DASHES)])
            _replace(artist.get_markerfacecolor, artist.set_markerfacecolor)
            _replace(artist.get_markeredgecolor, artist.set_markeredgecolor)
        elif isinstance(artist, Patch):
            _replace(artist.get_facecolor, artist.set_facecolor)
            _replace(artist.get_edgecolor, artist.set_edgecolor)
        elif isinstance(artist, Collection) and artist.get_array() is None:
            for get, put in (
                (artist.get_facecolor, artist.set_facecolor),
                (artist.get_edgecolor, artist.set_edgecolor),
            ):
                colours = np.atleast_2d(np.asarray(get(), dtype=float))
                greys: Any = [_grey(colour) for colour in colours]
                if colours.size:
                    put(greys)
        elif isinstance(artist, Text):
            _replace(artist.get_color, artist.set_color)


def _replace(get: Callable[[], object], put: Callable[[Any], object]) -> None:
    """Replace a colour of curves by its grey; other colours stay."""
    if _place(get()) is not None:
        put(_grey(get()))


def _place(colour: Any) -> int | None:
    """The place of a colour among those of curves; None for another colour."""
    if isinstance(colour, str) and colour in ("none", "auto"):
        return None
    try:
        rgba = np.array(to_rgba(colour))
    except ValueError:
        return None
    return next((k for k, hue in enumerate(HUES) if np.abs(rgba[:3] - hue[:3]).max() < NEAR), None)


def _grey(colour: Any) -> Array:
    """The grey of a colour of curves, of equal opacity; another colour is returned unchanged."""
    rgba, place = np.array(to_rgba(colour)), _place(colour)
    if place is not None:
        rgba[:3] = to_rgba(to_hex(GREYS[place % len(GREYS)]))[:3]
    return rgba
