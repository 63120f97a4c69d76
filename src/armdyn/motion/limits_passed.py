"""Limits of positions, velocities and joint forces that a motion passes: one by one, and in sentences."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np

from armdyn.base.tabular import figure
from armdyn.model.joint import Joint
from armdyn.model.joint_units import UNITS, in_si
from armdyn.robot import Robot
from armdyn.spatial.rotations import Array

ROUNDING = 1e-9
"""A limit is passed by more than this part of its size, or of 1 if it is smaller."""

QUANTITIES = {"position": "q", "velocity": "qd", "effort": "tau"}
"""The words for the limits of these quantities."""


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
    limits_of_motion: list[PassedLimit] = []
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
                limits_of_motion.append(
                    PassedLimit(
                        joint.name,
                        quantity,
                        float(values[farthest]),
                        limit,
                        UNITS[joint.kind][QUANTITIES[quantity]],
                        float(times[farthest]),
                        float(times[first]),
                        lasts,
                        t is not None,
                    )
                )
    return limits_of_motion


def integral(t: Array, values: Array) -> float:
    """The integral over time, by trapezia."""
    return float(np.sum(0.5 * (values[1:] + values[:-1]) * np.diff(t)))


def limits_left(
    robot: Robot,
    t: Array,
    q: Array,
    qd: Array,
    tau: Array,
    unit_of: Callable[[str, str], tuple[str, float]] = in_si,
    *,
    of: str = "",
    at_limit: float = 0.0,
) -> Iterator[str]:
    """One sentence for each kind of limit, with every joint that goes beyond.

    ``unit_of`` returns the unit by kind of joint and quantity, and its value in SI; ``of``, at the end, names the
    times. A position that is beyond by less than ``at_limit``, rad or m, is at its limit.
    """
    several = joints_of_several(robot)
    if not several and not at_limit and _within_limits(robot, q, qd, tau):
        return
    rows, offsets = np.array([row for _, row, _ in several]).reshape(-1, robot.dof), [offset for *_, offset in several]
    moved = [*robot.joints, *(joint for joint, *_ in several)]
    if several:
        q, qd = np.concatenate([q, q @ rows.T + offsets], axis=-1), np.concatenate([qd, qd @ rows.T], axis=-1)
    lower, upper, velocity, effort = (
        np.array([getattr(joint.limits, side) for joint in moved]) for side in ("lower", "upper", "velocity", "effort")
    )
    for what, quantity, values, low, high, least in (
        ("position", "q", q, lower, upper, at_limit),
        ("velocity", "qd", qd, -velocity, velocity, 0.0),
        ("torque", "tau", tau, -effort[: robot.dof], effort[: robot.dof], 0.0),
    ):
        joints = [
            _one_joint(
                moved[k].name,
                t,
                _beyond(values[..., k], low[k], high[k], least),
                *unit_of(moved[k].kind, quantity),
            )
            for k in _joints_beyond(values, low, high, least)
        ]
        if joints:
            yield f"{what} limits, which are not enforced, are left by {'; '.join(joints)}{of}"


def _within_limits(robot: Robot, q: Array, qd: Array, tau: Array) -> bool:
    """True if no coordinate goes beyond a limit, by numbers that are quick to compute."""
    lower, upper, velocity, effort = _limits_of(robot)
    inside = q.min(axis=0) >= lower, q.max(axis=0) <= upper
    return q.ndim == 2 and bool(
        inside[0].all()
        and inside[1].all()
        and (qd.max(axis=0) <= velocity).all()
        and (qd.min(axis=0) >= -velocity).all()
        and (tau.max(axis=0) <= effort).all()
        and (tau.min(axis=0) >= -effort).all()
    )


def _limits_of(robot: Robot) -> list[Array]:
    """The lower and upper limits, and those of velocities and forces, (n,) each, which the robot keeps."""
    cache = vars(robot)
    if "_limits_of_motions" not in cache:
        sides = ("lower", "upper", "velocity", "effort")
        cache["_limits_of_motions"] = [np.array([getattr(one.limits, side) for one in robot.joints]) for side in sides]
    limits: list[Array] = cache["_limits_of_motions"]
    return limits


def _joints_beyond(values: Array, low: Array, high: Array, least: float) -> list[int]:
    """The joints that go beyond their limits by ``least`` or more."""
    largest, least_value = (_over_states(function, values) for function in (np.fmax, np.fmin))
    excess = np.maximum(largest - high, low - least_value)
    which: list[int] = np.flatnonzero((excess > 0.0) & (excess >= least)).tolist()
    return which


def _over_states(function: np.ufunc, values: Array) -> Array:
    """The reduction over times, then over the states of a batch, each along contiguous numbers, (n,)."""
    of_states = function.reduce(values, axis=0)
    result: Array = function.reduce(of_states.reshape(-1, values.shape[-1]), axis=0)
    return result


def _beyond(values: Array, low: float, high: float, least: float) -> Array:
    """Excess of values over their limits; 0 if it is less than ``least``."""
    beyond = np.maximum(values - high, low - values)
    return np.where(beyond < least, 0.0, beyond)


def _one_joint(name: str, t: Array, beyond: Array, unit: str, one: float) -> str:
    first = t[(beyond > 0).reshape(len(t), -1).any(axis=1).argmax()]
    return f"{name} from t = {first:g} s on by up to {np.nanmax(beyond) / one:.3g} {unit}"


def perhaps_degrees(robot: Robot, q: Array) -> Iterator[str]:
    """One sentence on positions beyond their limits that lie within them as degrees, if one is more than a full turn.

    Up to a full turn an angle beyond a limit may well be in rad: 3 rad beyond 1.5 rad are not taken for degrees.

    Args:
        robot: its limits count.
        q: joint positions, rad or m, shape (n,).

    >>> arm = armdyn.load("planar_2r").with_limits({"joint_1": (-1.5, 1.5), "joint_2": (-1.5, 1.5)})
    >>> list(perhaps_degrees(arm, np.array([3.0, 6.2])))
    []
    >>> [note.partition(" rad ")[0] for note in perhaps_degrees(arm, np.array([3.0, 45.0]))]
    ['joint_2 at 45']
    """
    lower, upper, *_ = _limits_of(robot)
    turns = np.array([joint.kind == "revolute" for joint in robot.joints], dtype=bool)
    within = (np.radians(q) >= lower) & (np.radians(q) <= upper)
    which = np.flatnonzero(turns & within & ((q < lower) | (q > upper)))
    implausible = which[np.abs(q[which]) > 2.0 * np.pi]
    if not len(implausible):
        return
    k = int(implausible[0])
    others = ", ".join(robot.joints[i].name for i in which if i != k)
    yield (
        f"{robot.joints[k].name} at {q[k]:.6g} rad is beyond its limits, {lower[k]:.4g} to {upper[k]:.4g} rad, and "
        f"would be within them as degrees{f', as {others}' if others else ''}; write {q[k]:.6g}deg if degrees are meant"
    )


def joints_of_several(robot: Robot) -> list[tuple[Joint, Array, float]]:
    """The joints that several coordinates move, with their rows and offsets."""
    model, coupling = robot.model, robot.model.coupling
    if coupling is None:
        return []
    rows = zip(model.joints, coupling.matrix, map(float, coupling.offset), strict=True)
    return [one for one in rows if np.count_nonzero(one[1]) > 1]
