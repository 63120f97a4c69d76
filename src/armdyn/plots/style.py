"""Common style of all pictures: colours, a figure without a window, axes with little ink, and writing to a file."""

from __future__ import annotations

import os
from io import BytesIO
from pathlib import Path

import numpy as np
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from PIL import Image

from armdyn.base.errors import ArmdynError
from armdyn.base.writing import write_bytes

COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#7A3E00", "#5D5D5D")
"""Okabe and Ito's palette, distinguishable by colour-blind readers, without black and yellow."""

INK = "#222222"
SPINE = "#888888"
FAINT = "#D9D9D9"

ENDINGS = tuple(f".{name}" for name in FigureCanvasAgg.get_supported_filetypes())
"""File extensions of figures."""


PNG: dict[str, object] = {"compress_level": 3}
"""Options of png: half the time of the usual level, and an eighth more bytes."""


class PictureError(ArmdynError, ValueError):
    """A picture that cannot be written, e.g. because of a missing folder or an unknown file extension."""


class Picture(Figure):
    """A figure without a window; notebooks display it, and `show` opens it in a window of pyplot."""

    def _repr_png_(self) -> tuple[bytes, dict[str, int]]:
        """The picture for a notebook, at half the size of its pixels: sharp on fine screens."""
        written = BytesIO()
        self.savefig(written, format="png")
        width, height = self.get_size_inches() * self.dpi / 2.0
        return written.getvalue(), {"width": round(width), "height": round(height)}

    def show(self, warn: bool = True) -> None:
        """Open a window with the picture, by matplotlib.pyplot, and those of pyplot's own figures."""
        from matplotlib import pyplot  # noqa: PLC0415 - only when a window is needed

        if self.canvas.manager is None:
            window = pyplot.figure(figsize=tuple(self.get_size_inches()), dpi=100)
            canvas = window.canvas
            canvas.figure = self
            self.set_canvas(canvas)
        pyplot.show()


def new_figure(width: float, height: float, *, constrained: bool = True) -> Figure:
    """An empty figure of a width and height, inches."""
    figure = Picture(figsize=(width, height), dpi=200, layout="constrained" if constrained else None)
    FigureCanvasAgg(figure)
    return figure


def write_figure(figure: Figure, path: str | os.PathLike[str]) -> None:
    """Write a figure in the format of the file extension: png, pdf, svg or another one of matplotlib."""
    if not Path(path).suffix:
        raise PictureError(f"{str(path)!r} has no ending; expected a file such as figure.png, or .pdf, .svg")
    drawn = BytesIO()
    try:
        ending = Path(path).suffix.removeprefix(".")
        if ending.lower() == "png":
            _write_png(figure, drawn)
        else:
            figure.savefig(drawn, format=ending)
    except (OSError, ValueError) as error:
        raise PictureError(f"{path} cannot be written: {error}") from error
    write_bytes(path, drawn.getvalue(), error=PictureError)


def _write_png(figure: Figure, drawn: BytesIO) -> None:
    """Write a figure as png: without transparency if it has none, which is smaller and takes less time."""
    buffer = BytesIO()
    figure.savefig(buffer, format="rgba")
    width, height = (int(length) for length in figure.bbox.size)
    pixels = np.frombuffer(buffer.getvalue(), dtype=np.uint8)
    if pixels.size != 4 * width * height:  # cut by savefig.bbox of matplotlib's settings
        figure.savefig(drawn, format="png", pil_kwargs=PNG)
        return
    image = Image.fromarray(pixels.reshape(height, width, 4))
    opaque = bool((pixels[3::4] == 255).all())
    (image.convert("RGB") if opaque else image).save(drawn, format="png", dpi=(figure.dpi, figure.dpi), **PNG)


def prepare(axes: Axes, *, size: float = 8.0, grid: bool = True) -> None:
    """Set up axes with two spines, tick labels of a size, and a faint grid."""
    axes.spines[["top", "right"]].set_visible(False)
    axes.spines[["left", "bottom"]].set_color(SPINE)
    axes.tick_params(colors=INK, labelsize=size, color=SPINE)
    if grid:
        axes.grid(True, color=FAINT, linewidth=0.5)
        axes.set_axisbelow(True)
