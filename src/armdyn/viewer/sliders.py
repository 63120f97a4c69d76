"""The sliders of a robot: one for each coordinate, in degrees or millimetres."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from armdyn.robot import Robot
from armdyn.robot.sampling import WHERE_UNLIMITED
from armdyn.spatial.rotations import Array

SHOWN = {"revolute": ("deg", 180.0 / math.pi, 0.1), "prismatic": ("mm", 1000.0, 0.1)}
"""By kind of joint: unit on the screen, its number per rad or m, and step of a slider."""

DIGITS = 1
"""Decimals of the number at a slider."""

PRINTED = 0.01
"""Fraction of the last digit; limits that differ from it by less are taken as values rounded in print."""


@dataclass(frozen=True)
class Slider:
    """A slider of one coordinate.

    Args:
        name: name of the coordinate.
        unit: "deg" or "mm".
        scale: number of units per rad or m.
        low: its lower end, in the unit.
        high: its upper end, in the unit.
        step: step, in the unit.
        limited: True if both ends are limits of the joint.
    """

    name: str
    unit: str
    scale: float
    low: float
    high: float
    step: float
    limited: bool

    def displayed(self, value: float) -> float:
        """A position, rad or m, in the unit of the slider, clipped to its ends."""
        at = round(value * self.scale, DIGITS)
        return self.low if math.isnan(at) else min(max(at, self.low), self.high)

    def position(self, number: float) -> float:
        """The position of the joint, rad or m, for a number at the slider."""
        return number / self.scale


def sliders_of(robot: Robot, q: Array | None = None) -> tuple[Slider, ...]:
    """The sliders of a robot, from limit to limit.

    Without limits they cover half a turn, or half a metre, to both sides, and the range of ``q``, shape (..., n).

    >>> elbow = sliders_of(armdyn.load("ur5"))[2]
    >>> elbow.name, elbow.low, elbow.high, elbow.unit
    ('elbow_joint', -180.0, 180.0, 'deg')
    """
    reached = np.zeros((1, robot.dof)) if q is None else np.asarray(q, dtype=float).reshape(-1, robot.dof)
    reached = np.where(np.isfinite(reached), reached, 0.0)
    result = []
    for k, joint in enumerate(robot.joints):
        unit, scale, step = SHOWN[joint.kind]
        half = WHERE_UNLIMITED[joint.kind] / 2.0
        lower, upper = float(joint.limits.lower), float(joint.limits.upper)
        limited = math.isfinite(lower) and math.isfinite(upper) and lower < upper
        low = lower if math.isfinite(lower) else min(-half, float(reached[:, k].min()), upper - 2.0 * half)
        high = upper if math.isfinite(upper) else max(half, float(reached[:, k].max()), low + 2.0 * half)
        if not low < high:
            low, high = min(low, high) - half, max(low, high) + half
        ends = _inside(low * scale, high * scale)
        if not ends[0] < ends[1]:  # limits closer than a step
            ends, step = (low * scale, high * scale), (high - low) * scale / 10.0
        result.append(Slider(joint.name, unit, scale, *ends, step, limited))
    return tuple(result)


def _inside(low: float, high: float) -> tuple[float, float]:
    """Limits rounded inwards to the shown digits; pi gives 180 degrees even if it was printed with few digits."""
    unit = 10.0**DIGITS
    return math.ceil(low * unit - PRINTED) / unit, math.floor(high * unit + PRINTED) / unit
