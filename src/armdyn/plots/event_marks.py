"""The events of a motion as dotted lines across panels over time, with a mark above for each kind."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection

from armdyn.base.scalars import Array

if TYPE_CHECKING:
    from armdyn.motion.motion_data import MotionData

APART = 400
"""Largest number of lines in the whole width; events closer to each other share one line."""

MARKS = {
    "impact": "v",
    "release": "^",
    "rest": "s",
    "contact": ">",
    "stick": "D",
    "slip": "o",
    "reversal": "d",
    "crossing": "X",
    "engaged": "P",
    "released": "*",
}
"""The mark of each kind of event; `OTHER` for further kinds."""

OTHER = "|"
LINE = "#888888"


def _has_lines(trajectory: MotionData) -> bool:
    """Return True for a single motion with positive duration and events; motions of a batch have different events."""
    return bool(trajectory.events) and not trajectory.batch and len(trajectory.t) > 1


def times_by_kind(trajectory: MotionData) -> dict[str, Array]:
    """The times of the marked events, s, by kind, with near ones of a kind merged; empty for a batch."""
    if not _has_lines(trajectory):
        return {}
    begin, end = trajectory.t[0], trajectory.t[-1]
    result = {}
    for kind in dict.fromkeys(event.kind for event in trajectory.events):
        times = np.array([event.t for event in trajectory.events if event.kind == kind])
        _, first = np.unique(np.round((times - begin) / (end - begin) * APART), return_index=True)
        result[kind] = times[first]
    return result


def mark_events(axes: Axes, trajectory: MotionData, size: float = 4.0) -> None:
    """Draw a dotted line at the time of each event, with the mark of its kind on top; none for a batch."""
    by_kind = times_by_kind(trajectory)
    if not by_kind:
        return
    across = axes.get_xaxis_transform()
    lines = [[(t, 0.0), (t, 1.0)] for t in np.unique(np.concatenate(list(by_kind.values())))]
    look: dict[str, Any] = {"colors": LINE, "linewidths": 0.7, "linestyles": [(0, (1.0, 2.0))], "zorder": 0.5}
    axes.add_collection(LineCollection(lines, transform=across, label="events", **look), autolim=False)
    for kind, times in by_kind.items():
        axes.plot(
            times, np.ones(len(times)), transform=across, clip_on=False, gid="event", scalex=False, scaley=False,
            **event_style(kind, size),
        )  # fmt: skip


def event_style(kind: str, size: float = 4.0) -> dict[str, Any]:
    """The mark of a kind of event, as keywords of a line."""
    return {
        "marker": MARKS.get(kind, OTHER),
        "markersize": size,
        "linestyle": "none",
        "markerfacecolor": "white",
        "markeredgecolor": "#444444",
        "markeredgewidth": 0.8,
    }


def kinds_of_events(trajectory: MotionData) -> Sequence[tuple[str, int]]:
    """The kinds of marked events, and the number of events of each; empty for a batch."""
    if not _has_lines(trajectory):
        return []
    kinds = [event.kind for event in trajectory.events]
    return [(kind, kinds.count(kind)) for kind in dict.fromkeys(kinds)]
