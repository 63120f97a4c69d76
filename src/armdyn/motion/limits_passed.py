"""Limits of positions, velocities and joint forces that a motion passes."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from armdyn.base.tabular import figure
from armdyn.robot import Robot
from armdyn.spatial.rotations import Array

ROUNDING = 1e-9
"""A limit is passed by more than this part of its size, or of 1 if it is smaller."""

UNITS = {
    "revolute": {"position": "rad", "velocity": "rad/s", "effort": "N m"},
    "prismatic": {"position": "m", "velocity": "m/s", "effort": "N"},
}


class PassedLimit(NamedTuple):
    """A limit of a joint that a motion passes.

    Args:
        joint: the joint's name.
        quantity: "position", "velocity" or "effort".
        reached: the value farthest beyond the limit, in SI; without its sign of a velocity or an effort.
        limit: in SI.
        unit: of both.
        at: time of the value farthest beyond, s; its row, from 1, of a motion without times.
        since: time at which the limit was first passed, s, or its row.
        lasts: duration of the times beyond the limit together, s, or the number of rows.
        timed: true if the motion has times.
    """

    joint: str
    quantity: str
    reached: float
    limit: float
    unit: str
    at: float
    since: float
    lasts: float
    timed: bool

    def __str__(self) -> str:
        reached, limit = figure(self.reached, digits=4), figure(self.limit, digits=4)
        if self.timed:
            when = f"at {self.at:.4g} s; first at {self.since:.4g} s, {figure(self.lasts, digits=3)} s in all"
        else:
            when = f"in row {self.at:g}; first in row {self.since:g}, {self.lasts:g} rows in all"
        return f"{self.joint}: {self.quantity} {reached} {self.unit} {when}; limit {limit} {self.unit}"


def limits_passed(robot: Robot, t: Array | None, q: Array, qd: Array, tau: Array) -> list[PassedLimit]:
    """Limits of positions, velocities and efforts that a motion passes, joint by joint.

    Args:
        robot: its limits count.
        t: times, s, shape (T,); None of rows without times.
        q: joint positions, rad or m, shape (T, n).
        qd: joint velocities, rad/s or m/s, shape (T, n).
        tau: joint forces, N m or N, shape (T, n).

    >>> arm = armdyn.load("planar_2r").with_limits({"joint_1": armdyn.Limits(effort=5.0)})
    >>> still = np.zeros((3, 2))
    >>> passed = armdyn.simulation.limits_passed(arm, np.arange(3.0), still, still, [[4.0, 9], [-8, 9], [6, 9]])
    >>> print(*passed)
    joint_1: effort 8 N m at 1 s; first at 1 s, 1.5 s in all; limit 5 N m
    """
    times = np.arange(1.0, len(q) + 1.0) if t is None else np.asarray(t)
    found: list[PassedLimit] = []
    for k, joint in enumerate(robot.joints):
        limits = joint.limits
        position, velocity, effort = (np.asarray(values)[:, k] for values in (q, qd, tau))
        checks = (
            ("position", position, limits.upper, 1.0),
            ("position", position, limits.lower, -1.0),
            ("velocity", np.abs(velocity), limits.velocity, 1.0),
            ("effort", np.abs(effort), limits.effort, 1.0),
        )
        for quantity, values, limit, side in checks:
            if not np.isfinite(limit):
                continue
            beyond = side * (values - limit)
            passed = beyond > ROUNDING * max(abs(limit), 1.0)
            if passed.any():
                farthest, first = int(np.nanargmax(beyond)), int(passed.argmax())
                lasts = float(passed.sum()) if t is None else integral(times, passed.astype(float))
                found.append(
                    PassedLimit(
                        joint.name,
                        quantity,
                        float(values[farthest]),
                        limit,
                        UNITS[joint.kind][quantity],
                        float(times[farthest]),
                        float(times[first]),
                        lasts,
                        t is not None,
                    )
                )
    return found


def integral(t: Array, values: Array) -> float:
    """The integral over time, by trapezia."""
    return float(np.sum(0.5 * (values[1:] + values[:-1]) * np.diff(t)))
