"""The events of a motion as dotted lines across panels over time, with a mark above for each kind."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
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
LINE, GREY = "#888888", "#444444"

MOST_NAMES = 6
"""Largest number of names of one kind of event in the footer."""


def _has_lines(trajectory: MotionData) -> bool:
    """Return True for a single motion with positive duration and events; motions of a batch have different events."""
    return bool(trajectory.events) and not trajectory.batch and len(trajectory.t) > 1


def _times_of_marks(trajectory: MotionData, colours: Mapping[str, str]) -> dict[tuple[str, str], Array]:
    """The times of the marked events, s, by kind and colour, with near ones merged; empty for a batch."""
    if not _has_lines(trajectory):
        return {}
    begin, end = trajectory.t[0], trajectory.t[-1]
    times: dict[tuple[str, str], list[float]] = {}
    for event in trajectory.events:
        times.setdefault((event.kind, colours.get(joint_of(event.name, colours), GREY)), []).append(event.t)
    result = {}
    for mark, values in times.items():
        _, first = np.unique(np.round((np.array(values) - begin) / (end - begin) * APART), return_index=True)
        result[mark] = np.array(values)[first]
    return result


def joint_of(label: str, joints: Iterable[str]) -> str:
    """The joint whose name begins a label, e.g. of one of its stops; empty without one.

    >>> joint_of("joint_10 upper stop", ["joint_1", "joint_10"]), joint_of("floor", ["joint_1"])
    ('joint_10', '')
    """
    return max((one for one in joints if label == one or label.startswith((f"{one} ", f"{one},"))), key=len, default="")


def mark_events(
    axes: Axes, trajectory: MotionData, size: float = 4.0, colours: Mapping[str, str] | None = None
) -> None:
    """Draw a dotted line at the time of each event, with the mark of its kind on top; none for a batch.

    Args:
        axes: axes of a panel over time.
        trajectory: the motion.
        size: of the marks, points.
        colours: colours of joints by name, for marks of events at them and at their stops; grey for others.
    """
    times_of_marks = _times_of_marks(trajectory, colours or {})
    if not times_of_marks:
        return
    across = axes.get_xaxis_transform()
    lines = [[(t, 0.0), (t, 1.0)] for t in np.unique(np.concatenate(list(times_of_marks.values())))]
    look: dict[str, Any] = {"colors": LINE, "linewidths": 0.7, "linestyles": [(0, (1.0, 2.0))], "zorder": 0.5}
    axes.add_collection(LineCollection(lines, transform=across, label="events", **look), autolim=False)
    for (kind, colour), times in times_of_marks.items():
        axes.plot(
            times, np.ones(len(times)), transform=across, clip_on=False, gid="event", scalex=False, scaley=False,
            **event_style(kind, size, colour),
        )  # fmt: skip


def event_style(kind: str, size: float = 4.0, colour: str = GREY) -> dict[str, Any]:
    """The mark of a kind of event, as keywords of a line."""
    return {
        "marker": MARKS.get(kind, OTHER),
        "markersize": size,
        "linestyle": "none",
        "markerfacecolor": "white",
        "markeredgecolor": colour,
        "markeredgewidth": 0.8,
    }


def kinds_of_events(trajectory: MotionData) -> Sequence[tuple[str, int]]:
    """The kinds of marked events, and the number of events of each; empty for a batch."""
    if not _has_lines(trajectory):
        return []
    kinds = [event.kind for event in trajectory.events]
    return [(kind, kinds.count(kind)) for kind in dict.fromkeys(kinds)]


def events_by_name(trajectory: MotionData) -> list[str]:
    """A sentence for each kind of marked event, with the number of events by joint, stop or contact."""
    result = []
    for kind, _ in kinds_of_events(trajectory):
        names = [event.name for event in trajectory.events if event.kind == kind and event.name]
        counts = [f"{name} ({names.count(name)})" for name in dict.fromkeys(names)]
        more = [f"{len(counts) - MOST_NAMES} others"] if len(counts) > MOST_NAMES else []
        if counts:
            result.append(f"{kind}: {', '.join([*counts[:MOST_NAMES], *more])}")
    return result
