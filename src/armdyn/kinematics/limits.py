"""Joint limits, whole turns of revolute joints within them, and the reach of the arm."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from armdyn.algorithms.kinematics import path_to
from armdyn.functions.robot_like import RobotLike
from armdyn.kinematics.task import TaskError
from armdyn.spatial.rotations import Array

FULL_TURN = 2.0 * math.pi
ROUNDING = 1e-9
"""A range of joint positions shorter than 2 pi by less than this is a full turn with limits rounded to decimals."""


@dataclass(frozen=True, eq=False)
class Range:
    """The limits of all joints.

    Args:
        lower, upper: limits, rad or m, shape (n,); infinite if there is none.
        turns: mask of joints that can reach every angle, so that no limit bounds the search, shape (n,).
        middle: middle of the limits; zero if there are none.
        unit: the displacement that counts as one radian, shape (n,): 1 rad, or a length in m.
    """

    lower: Array
    upper: Array
    turns: Array
    middle: Array
    unit: Array

    @classmethod
    def of(cls, robot: RobotLike, length: float, *, limited: bool) -> Range:
        """The limits of the robot's description, or infinite limits."""
        revolute = np.array(
            [joint.kind == "revolute" and _in_whole_turns(robot, i) for i, joint in enumerate(robot.joints)]
        )
        lower = np.array([joint.limits.lower if limited else -math.inf for joint in robot.joints])
        upper = np.array([joint.limits.upper if limited else math.inf for joint in robot.joints])
        for joint, low, high in zip(robot.joint_names, lower, upper, strict=True):
            if not low <= high:
                raise TaskError(f"limits of {joint!r} leave no position: lower {low:g}, upper {high:g}")
        turns = revolute & (upper - lower >= FULL_TURN - ROUNDING)
        # One-sided limits: the middle is near the existing limit.
        middle = np.clip(np.zeros(len(lower)), lower, upper)
        both = np.isfinite(lower) & np.isfinite(upper)
        middle[both] = 0.5 * (lower[both] + upper[both])
        return cls(lower, upper, turns, middle, unit_of(robot, length))

    @property
    def bounds(self) -> tuple[tuple[float, float], ...]:
        """The bounds of the search, rad or m; infinite for joints that can reach every angle by whole turns."""
        lower = np.where(self.turns, -math.inf, self.lower)
        upper = np.where(self.turns, math.inf, self.upper)
        return tuple((float(a), float(b)) for a, b in zip(lower, upper, strict=True))

    def nearest(self, q: Array, near: Array) -> Array:
        """An equivalent configuration, nearer by whole turns of joints that stay within the limits."""
        turned = q - FULL_TURN * np.round((q - near) / FULL_TURN)
        turned = turned - FULL_TURN * np.ceil(np.maximum(turned - self.upper, 0.0) / FULL_TURN)
        turned = turned + FULL_TURN * np.ceil(np.maximum(self.lower - turned, 0.0) / FULL_TURN)
        # A joint can now be outside only by rounding, in a range of exactly one turn.
        return np.where(self.turns, np.clip(turned, self.lower, self.upper), q)

    def kept_by(self, q: Array) -> Array:
        """Mask of configurations within all limits, shape (...)."""
        result: Array = np.all((q >= self.lower) & (q <= self.upper), axis=-1)
        return result

    def distance(self, q: Array, near: Array) -> Array:
        """The distance between two configurations, each joint divided by its ``unit``, shape (...)."""
        return np.asarray(np.linalg.norm((q - near) / self.unit, axis=-1))

    def random(self, count: int, seed: int) -> Array:
        """Random configurations within the limits, reproducible for a seed, shape (count, n)."""
        rng = np.random.default_rng(seed)
        reach = np.where(self.turns, math.pi, math.inf)
        lower = np.maximum(self.lower, self.middle - reach)
        upper = np.minimum(self.upper, self.middle + reach)
        open_below, open_above = ~np.isfinite(lower), ~np.isfinite(upper)
        span = math.pi * self.unit
        lower = np.where(open_below, np.where(open_above, -span, upper - 2.0 * span), lower)
        upper = np.where(open_above, lower + 2.0 * span, upper)
        return rng.uniform(lower, upper, (count, len(lower)))


def _in_whole_turns(robot: RobotLike, coordinate: int) -> bool:
    """Return True if a full turn of a coordinate turns every joint that it moves by full turns."""
    of_links = zip(robot.mechanism.links, robot.mechanism.drive.terms, strict=False)
    factors = [f for _, terms in of_links for i, f in terms if i == coordinate]
    return all(factor.is_integer() for factor in factors)


def unit_of(robot: RobotLike, length: float) -> Array:
    """The displacement of each joint that counts as one radian: 1 rad, or the length, m, shape (n,)."""
    return np.array([1.0 if joint.kind == "revolute" else length for joint in robot.joints])


def length_of(robot: RobotLike, frames: set[str]) -> float:
    """The length of the arm from its first joint to a frame, m: the sum of its fixed distances."""
    longest = max(sum(distances) for distances in (_distances(robot, frame) for frame in frames))
    return longest if longest > 0.0 else 1.0


def reach(robot: RobotLike, limits: Range, frame: str, point: Array) -> tuple[Array, float, str]:
    """The origin of the first axis that moves a frame, the greatest distance of the point from it, the joint's name.

    The distance is from the triangle inequality: no farther point can be reached, and not every nearer one can.
    """
    k, _ = robot.mechanism.frame(frame)
    path = path_to(robot.mechanism, k)
    first = robot.mechanism.bodies[path[-1]]
    slides = sum(_travel(robot, limits, j) for j in path if not robot.mechanism.bodies[j].revolute)
    at_most = sum(_distances(robot, frame, point)) + float(slides)
    return np.asarray(first.offset, dtype=float), at_most, robot.model.joint_names[first.joint]


def _travel(robot: RobotLike, limits: Range, body: int) -> float:
    """The largest distance of a joint from zero, for any coordinates that move it."""
    farthest = np.maximum(np.abs(limits.lower), np.abs(limits.upper))
    drive = robot.mechanism.drive
    return float(sum(abs(f) * farthest[i] for i, f in drive.terms[body])) + abs(drive.offsets[body])


def _distances(robot: RobotLike, frame: str, point: Array | None = None) -> list[float]:
    """The distances from each joint's axis to the next, and from the last to the point, m."""
    k, T = robot.mechanism.frame(frame)
    p = T[:3, 3] if point is None else T[:3, :3] @ point + T[:3, 3]
    bodies = robot.mechanism.bodies
    steps = [bodies[j].offset for j in path_to(robot.mechanism, k)[:-1]]
    return [float(np.linalg.norm(step)) for step in (*steps, p)]
