"""Curves over time next to the picture, drawn up to the present time of the motion."""

from __future__ import annotations

from typing import Any

import numpy as np

from armdyn.plots.style import COLOURS
from armdyn.viewer.curves import Curves

HEIGHT = 190
"""Height of a plot, in pixels of the screen."""

AXIS = {"stroke": "#8a9099", "grid": {"stroke": "rgba(138,144,153,0.25)", "width": 1}, "ticks": {"show": False}}


class CurvesPanel:
    """A plot of curves that grow.

    Args:
        gui: the GUI of a viser server.
        curves: the complete curves.
        full: True to draw all points at once.
    """

    def __init__(self, gui: Any, curves: Curves, *, full: bool = False) -> None:
        self._names = curves.names
        self.title = gui.add_markdown(f"**{curves.title}**")
        drawn = curves if full else curves.until(curves.t[0])
        self.plot = gui.add_uplot(
            _data(drawn),
            ({"label": "t, s"}, *_all_series(curves)),
            scales=_scales(curves),
            axes=({**AXIS}, {**AXIS, "size": 46}),
            legend={"show": True, "live": False},
            height=HEIGHT,
            padding=(8, 12, 0, 0),
        )

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the curves."""
        return self._names

    def draw(self, curves: Curves) -> None:
        """Draw other curves instead, with their axis ranges."""
        self.title.content = f"**{curves.title}**"
        scales = _scales(curves)
        if self.plot.scales != scales:
            self.plot.scales = scales
        self.plot.data = _data(curves)

    def remove(self) -> None:
        """Remove the plot from the panel."""
        self.title.remove()
        self.plot.remove()


def _own(curves: Curves) -> int:
    """The number of curves of the motion itself, which are drawn over those of another one."""
    return len(curves.names) - curves.ghosts


def _all_series(curves: Curves) -> list[dict[str, object]]:
    """The curves of another motion, broad and pale, and those of the motion itself."""
    own = _own(curves)
    ghosts = [
        {**_series(name, k), "stroke": f"{COLOURS[k % len(COLOURS)]}55", "width": 4.5}
        for k, name in enumerate(curves.names[own:])
    ]
    return [*ghosts, *(_series(name, k) for k, name in enumerate(curves.names[:own]))]


def _data(curves: Curves) -> tuple[Any, ...]:
    columns = [curves.t, *curves.values.T[_own(curves) :], *curves.values.T[: _own(curves)]]
    return tuple(np.ascontiguousarray(column, dtype=float) for column in columns)


def _series(name: str, k: int) -> dict[str, object]:
    dashed = {"dash": (6, 4)} if k >= len(COLOURS) else {}
    return {"label": name, "stroke": COLOURS[k % len(COLOURS)], "width": 1.6, "points": {"show": False}, **dashed}


def _scales(curves: Curves) -> dict[str, object]:
    return {
        "x": {"time": False, "auto": False, "range": curves.t_range},
        "y": {"auto": False, "range": curves.range},
    }
