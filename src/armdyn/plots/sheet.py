"""The page of panels over time: sizes, colours, positions, one legend, title and footer."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from typing import Any, Literal, NamedTuple

from matplotlib.axes import Axes
from matplotlib.figure import Figure, SubFigure
from matplotlib.layout_engine import ConstrainedLayoutEngine
from matplotlib.lines import Line2D

from armdyn.base.checks import choice
from armdyn.base.errors import SettingError
from armdyn.plots.style import COLOURS, INK, new_figure


class SheetSize(NamedTuple):
    """The size of a picture for a medium, in which it is shown unscaled.

    Args:
        width: width of the picture, inches.
        row: height of a row of panels, inches.
        font: size of text, points.
        line: width of curves, points.
        columns: number of panels side by side, at most; None for as many as the layout has.
    """

    width: float
    row: float
    font: float
    line: float
    columns: int | None = None


Size = Literal["report", "paper", "slide"]
PageSize = Literal["report", "paper", "column", "slide"]
Palette = Literal["colour", "grey"]

SIZES = {
    "report": SheetSize(10.0, 2.0, 8.0, 1.3),
    "paper": SheetSize(6.69, 1.6, 7.0, 1.0),
    "column": SheetSize(3.35, 1.4, 7.0, 0.9, 1),
    "slide": SheetSize(13.33, 2.9, 14.0, 2.2),
}
"""Sizes for a landscape page of a report, the text width of a paper (170 mm), one of its columns (85 mm), a 16:9
slide."""

SMALLEST = 6.0
"""The smallest text, points, that is read on paper without magnification."""

DASHES: tuple[Any, ...] = ("solid", (0, (5, 1.5)), (0, (1.2, 1.2)), (0, (6, 1.5, 1.2, 1.5)))
"""Dash patterns of curves that share a colour."""

GREYS = ("#000000", "#7A7A7A", "#B4B4B4")
"""Colours of curves in the grey palette."""

PALETTES = {"colour": COLOURS, "grey": GREYS}


class Sheet(NamedTuple):
    """The style of a picture: its size, and the colours of joints."""

    size: SheetSize
    colours: Sequence[str]

    def style(self, place: int, turn: int = 0) -> dict[str, Any]:
        """Colour and dashes of the curve of a joint; ``turn`` counts curves that share its colour."""
        rounds = place // len(self.colours) + turn
        return {
            "color": self.colours[place % len(self.colours)],
            "linestyle": DASHES[rounds % len(DASHES)],
            "linewidth": self.size.line,
        }

    @property
    def limit(self) -> str:
        """The colour of a limit that all joints share, and of limits in the legend: of no joint."""
        return "#666666"

    @property
    def outside(self) -> str:
        """The colour of times and values beyond limits."""
        return "#FBE3E6" if self.colours is not GREYS else "#E9E9E9"

    def colour(self, place: int) -> str:
        """The colour of a curve by its place; greys repeat after three."""
        return self.colours[place % len(self.colours)]

    @property
    def scale(self) -> float:
        """The scale of text and of the space for it, relative to a report."""
        return self.size.font / SIZES["report"].font


def sheet_of(size: str, palette: str, options: Sequence[str] = ("report", "paper", "slide")) -> Sheet:
    """The style of a picture by the words of its options.

    Args:
        size: "report", "paper" or "slide".
        palette: "colour" or "grey".
        options: the sizes that the picture can have.

    Raises:
        SettingError: another size or palette.
    """
    sizes = SIZES[choice("size", size, tuple(options), error=SettingError)]
    return Sheet(sizes, PALETTES[choice("palette", palette, tuple(PALETTES), error=SettingError)])


class LegendEntry(NamedTuple):
    """An entry of the legend: the style of its line, and its text."""

    words: str
    style: dict[str, Any]

    @property
    def handle(self) -> Line2D:
        """The line sample of the legend."""
        return Line2D([], [], **self.style)


def plain(text: str) -> str:
    """Literal text: a dollar sign does not start a formula, a leading underscore does not hide a label."""
    return ("\u200b" if text.startswith("_") else "") + text.replace("$", r"\$")


class PanelPlaces:
    """The positions of panels in rows and columns, in inches in a new figure, or by the layout engine of a given one.

    Args:
        sheet: size of the page.
        rows: rows of panels, from above: the numbers of columns that each panel spans.
        room: space above each row, for legends of panels and the time axes of those above, in lines of text.
        figure: a given figure, or a part of one.
        figsize: width and height of a new figure, inches.
        head: number of lines of the legend above all panels.
        foot: number of lines of the footer.
    """

    def __init__(
        self,
        sheet: Sheet,
        rows: Sequence[Sequence[int]],
        room: Sequence[float],
        *,
        figure: Figure | SubFigure | None,
        figsize: tuple[float, float] | None,
        head: int,
        foot: Sequence[str],
    ) -> None:
        self.sheet, self.rows, scale = sheet, rows, sheet.scale
        self._line = 0.165 * scale
        self._left, self._gap, self._right = 0.56 * scale, 0.6 * scale, 0.2 * scale
        self._above = [0.26 * scale + lines * self._line for lines in room]
        self._top = 0.36 * scale + head * self._line
        self._bottom = 0.42 * scale + 0.13 * scale * len(foot)
        self._columns = max((sum(row) for row in rows), default=1)
        self.own = figure is None
        if figure is None:
            fixed = self._top + self._bottom + sum(self._above)
            height = fixed + (sheet.size.row - 0.35 * scale) * max(len(rows), 2)
            self.width, self.height = figsize or (sheet.size.width, height)
            figure = new_figure(self.width, self.height, constrained=False)
            self._row = max((self.height - fixed) / max(len(rows), 1), 0.2)
        else:
            _lay_out(figure)
            self._grid = figure.add_gridspec(max(len(rows), 1), self._columns)
        self.figure = figure

    def axes(self, row: int, column: int, span: int, shared: Axes | None) -> Axes:
        """New axes in a row, from a column on, over ``span`` columns."""
        if not self.own:
            return self.figure.add_subplot(self._grid[row, column : column + span], sharex=shared)
        each = (self.width - self._left - self._right - (self._columns - 1) * self._gap) / self._columns
        first = self._left + column * (each + self._gap)
        width = span * each + (span - 1) * self._gap
        top = self._top + sum(self._above[: row + 1]) + row * self._row
        low = (self.height - top - self._row) / self.height
        place = (first / self.width, low, width / self.width, self._row / self.height)
        return self.figure.add_axes(place, sharex=shared)

    def head(self, title: str, entries: Sequence[LegendEntry], columns: int) -> None:
        """Draw the title, and below it the legend of all panels."""
        font, figure = self.sheet.size.font, self.figure
        words: dict[str, object] = {
            "x": 0.01,
            "ha": "left",
            "fontsize": 1.35 * font,
            "color": INK,
            "fontweight": "bold",
        }
        if self.own:
            words |= {"y": 1.0 - 0.09 * self.sheet.scale / self.height, "va": "top"}
        figure.suptitle(plain(title), **words)
        if entries:
            place: dict[str, Any] = {"loc": "outside upper left"}
            if self.own:
                y = 1.0 - 0.3 * self.sheet.scale / self.height
                place = {"loc": "upper left", "bbox_to_anchor": (0.004, y), "borderpad": 0.1}
            figure.legend(
                [one.handle for one in entries], [plain(one.words) for one in entries], ncols=columns, frameon=False,
                fontsize=font, handlelength=2.2, columnspacing=1.4, labelcolor=INK, handletextpad=0.6,
                labelspacing=0.35, **place,
            )  # fmt: skip

    def foot(self, lines: Sequence[str]) -> None:
        """Draw notes below all panels."""
        place: dict[str, object] = {"y": 0.05 / self.height, "va": "bottom"} if self.own else {}
        words = "\n".join(map(plain, lines))
        font = max(0.85 * self.sheet.size.font, SMALLEST)
        self.figure.supxlabel(words, x=0.01, ha="left", fontsize=font, color="#555555", multialignment="left", **place)


def wrapped(notes: Sequence[str], width: float, scale: float) -> list[str]:
    """Notes wrapped to the width of a figure, inches."""
    letters = max(int(width / (0.0565 * scale)), 40)
    return textwrap.wrap("; ".join(notes), letters, break_long_words=False) if notes else []


def legend_columns(entries: Sequence[LegendEntry], width: float, scale: float) -> int:
    """The number of legend columns that fit in the width of a figure, inches."""
    letter, handle = 0.068 * scale, 0.5 * scale
    for columns in range(len(entries), 1, -1):
        rows = -(-len(entries) // columns)
        longest = [max(len(one.words) for one in entries[k : k + rows]) for k in range(0, len(entries), rows)]
        if sum(longest) * letter + len(longest) * handle <= width:
            return -(-len(entries) // rows)
    return 1


def _lay_out(figure: Figure | SubFigure) -> None:
    """Use Matplotlib's constrained layout for the text around panels, unless another layout is chosen."""
    whole = figure.get_figure(root=True)
    if whole.get_layout_engine() is None:
        whole.set_layout_engine("constrained")
    engine = whole.get_layout_engine()
    if isinstance(engine, ConstrainedLayoutEngine):
        engine.set(h_pad=0.05)
