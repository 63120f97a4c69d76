"""Checks of numbers, arrays, times and poses that describe motions, and the error they raise."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from armdyn.base import checks
from armdyn.base.checks import NamedJoints, Shape, array, joint_array, pose
from armdyn.base.errors import ArmdynError, ShapeError
from armdyn.model.joint_units import in_si
from armdyn.spatial.rotations import Array

ROUNDING = 1e-9
"""The part of the duration by which a time may lie outside: the rounding of added times."""


class MotionError(ArmdynError, ValueError):
    """An impossible motion: an invalid duration, limit, waypoint or time, or a place out of reach."""


class NotFollowed(MotionError):
    """A path that the joints cannot follow; `in_units` writes its angles and lengths in other units than rad and m.

    Args:
        parts: of the message, in order: words, and amounts, each a kind of joint, "revolute" for an angle or
            "prismatic" for a length, with a value in rad or m.
        unit_of: the name of the unit of "q" of a joint of a kind, and the size of one of it in SI.
    """

    def __init__(
        self, *parts: str | tuple[str, float], unit_of: Callable[[str, str], tuple[str, float]] = in_si
    ) -> None:
        self.parts = parts
        super().__init__("".join(part if isinstance(part, str) else _amount(*part, unit_of) for part in parts))

    def in_units(self, unit_of: Callable[[str, str], tuple[str, float]]) -> NotFollowed:
        """The error with its message in other units."""
        return NotFollowed(*self.parts, unit_of=unit_of)


def _amount(kind: str, value: float, unit_of: Callable[[str, str], tuple[str, float]]) -> str:
    name, one = unit_of(kind, "q")
    return f"{value / one:.3g} {name}"


number = partial(checks.number, error=MotionError)
"""A finite number, as of `armdyn.base.checks.number`."""


def times_within(t: object, duration: float) -> Array:
    """``t`` as float64 times from 0 to ``duration``; times beyond the ends by rounding are clipped."""
    times = array("t", t, None, f"times from 0 to {duration:g} s", missing=True)
    slack = ROUNDING * duration
    outside = ~((times >= -slack) & (times <= duration + slack))  # NaN is outside
    if outside.any():
        raise MotionError(
            f"t = {times[outside].flat[0]:g} s is outside the motion, which lasts from 0 to {duration:g} s. "
            "To hold its ends, take np.clip(t, 0, motion.duration)"
        )
    return np.clip(times, 0.0, duration)


def rising(times: object, *, least: int = 2) -> Array:
    """Times that rise from each to the next, shape (m,), ``least`` of them at least."""
    rising_times = fixed("times", times, ("m",))
    if len(rising_times) < least or not (np.diff(rising_times) > 0.0).all():
        count = "one time" if least == 1 else "two times"
        raise MotionError(f"times must hold at least {count}, each after the one before")
    return rising_times


def fixed(name: str, values: object, shape: Shape, arm: NamedJoints | None = None) -> Array:
    """Finite numbers of this shape as a read-only array, in the order of an arm's joints."""
    if arm is None:
        numbers = array(name, values, shape, finite=MotionError)
    else:
        numbers = joint_array(arm, name, values, shape, finite=MotionError)
    numbers.setflags(write=False)
    return numbers


def limit_of_each(name: str, values: Any, n: int, arm: NamedJoints | None = None) -> Array:
    """The limit of each of n joints, shape (n,), from one for each, in order or by name, or one for all; above zero."""
    limits = np.atleast_1d(fixed(name, values, (...,), arm))
    if limits.shape not in ((1,), (n,)):
        raise ShapeError(f"{name} has shape {np.shape(values)}; expected one limit, or one for each of {n} joints")
    if not (limits > 0.0).all():
        raise MotionError(f"{name} is {limits}; expected limits above zero")
    return np.broadcast_to(limits, (n,))


def fixed_pose(name: str, value: object) -> Array:
    """A rigid motion, shape (4, 4), read-only."""
    return pose(name, fixed(name, value, (4, 4)), tolerance=1e-8, error=MotionError)
