"""The limits that an exciting motion keeps."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from armdyn.base.checks import array, one_per_joint
from armdyn.base.errors import excerpt
from armdyn.identification.errors import IdentificationError
from armdyn.spatial.rotations import Array

if TYPE_CHECKING:
    from armdyn.robot import Robot

Distance = Callable[[Array], Any]


@dataclass(frozen=True, eq=False)
class MotionBounds:
    """The limits of a motion, (n,) each, infinite if there is none; and a user's distance, which is not negative."""

    lower: Array
    upper: Array
    velocity: Array
    acceleration: Array
    effort: Array
    distance: Distance | None = None

    def part(self, robot: Robot, q: Array, qd: Array, qdd: Array) -> float:
        """The largest part of a limit that a motion uses; above 1 it is broken."""
        tau = robot.inverse_dynamics(q, qd, qdd)
        parts = ((q - self.middle) / self.half, qd / self.velocity, qdd / self.acceleration, tau / self.effort)
        largest = max(float(_peaks(np.abs(part)).max()) for part in parts)
        if self.distance is not None and float(np.min(self.distance(q))) < 0.0:
            largest = max(largest, 2.0)
        return largest

    @property
    def middle(self) -> Array:
        """The middle of the range of positions."""
        return 0.5 * (self.lower + self.upper)

    @property
    def half(self) -> Array:
        """Half the range of positions."""
        return 0.5 * (self.upper - self.lower)


def _peaks(y: Array) -> Array:
    """Samples (T, n); peaks are raised to the vertices of the parabolas through them and their neighbours."""
    rise, bend = y[2:] - y[:-2], 2.0 * y[1:-1] - y[:-2] - y[2:]
    is_peak = (y[1:-1] >= y[:-2]) & (y[1:-1] >= y[2:]) & (bend > 0.0)
    raised = y.copy()
    raised[1:-1] += np.where(is_peak, rise**2 / (8.0 * np.where(is_peak, bend, 1.0)), 0.0)
    return raised


def limits_of(
    robot: Robot, velocity: ArrayLike | None, acceleration: ArrayLike | None, distance: Distance | None
) -> tuple[MotionBounds, tuple[str, ...]]:
    """The limits of the description, others in place of them, and a sentence on each that is missing."""
    notes: list[str] = []
    lower, upper, speed, effort = (
        np.array([getattr(joint.limits, side) for joint in robot.joints])
        for side in ("lower", "upper", "velocity", "effort")
    )
    free = ~(np.isfinite(lower) & np.isfinite(upper))
    if free.any():
        names = ", ".join(np.array(robot.joint_names)[free])
        notes.append(f"positions of {names} have no limits; [-pi, pi] (or m) is taken")
    lower, upper = np.where(free, -np.pi, lower), np.where(free, np.pi, upper)
    if velocity is not None:
        speed = one_or_each(robot, "velocity", velocity)
    stated = np.isfinite(speed) & (speed > 0.0)
    if not stated.all():
        notes.append(f"velocities of {', '.join(np.array(robot.joint_names)[~stated])} have no limit; 2 rad/s is taken")
    speed = np.where(stated, speed, 2.0)
    bounded = np.full(robot.dof, np.inf) if acceleration is None else one_or_each(robot, "acceleration", acceleration)
    effort = np.where(effort > 0.0, effort, np.inf)
    return MotionBounds(lower, upper, speed, bounded, effort, distance), tuple(notes)


def one_or_each(robot: Robot, name: str, value: ArrayLike) -> Array:
    """A number above zero, or one for each joint, as an array (n,)."""
    values = array(name, value)
    if values.shape not in ((), (robot.dof,)):
        raise IdentificationError(f"{name} has shape {values.shape}; expected a number, or {one_per_joint(robot)}")
    if not (values > 0.0).all():
        raise IdentificationError(f"{name} is {excerpt(value)}; expected numbers above zero")
    return np.broadcast_to(values, (robot.dof,)).astype(float)
