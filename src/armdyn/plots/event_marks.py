"""The events of a motion as dotted lines across panels over time."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from matplotlib.axes import Axes

if TYPE_CHECKING:
    from armdyn.simulation.results.trajectory import Trajectory

APART = 400
"""Lines in the whole width at most: of events that are nearer to each other one stands for all."""


def _has_lines(trajectory: Trajectory) -> bool:
    """Whether it is one motion that takes time and has events: those of a batch have different ones."""
    return bool(trajectory.events) and not trajectory.batch and len(trajectory.t) > 1


def mark_events(axes: Axes, trajectory: Trajectory) -> None:
    """A line at each time at which something happened; none of a batch."""
    if not _has_lines(trajectory):
        return
    begin, end = trajectory.t[0], trajectory.t[-1]
    times = np.array([event.t for event in trajectory.events])
    places = np.round((times - begin) / (end - begin) * APART)
    _, first = np.unique(places, return_index=True)
    for t in times[first]:
        axes.axvline(t, color="#888888", linewidth=0.7, linestyle=(0, (1.0, 2.0)), zorder=0.5)


def kinds_of_events(trajectory: Trajectory) -> str:
    """What the lines stand for: the kinds of events and how many there are of each; empty where there are no lines."""
    if not _has_lines(trajectory):
        return ""
    kinds = [event.kind for event in trajectory.events]
    return "dotted: " + ", ".join(f"{kind} ({kinds.count(kind)})" for kind in dict.fromkeys(kinds))
