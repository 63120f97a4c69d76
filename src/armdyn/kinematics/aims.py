"""Residuals of the aims of frames and their derivatives with respect to the joints, in base axes.

Every residual e is chosen so that J^T e, with the geometric Jacobian J, is the exact descent direction of e.e / 2:
the rotation vector from the frame to its goal satisfies this, and so does the vector to a goal point.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from armdyn.algorithms.kinematics import base_columns, body_poses
from armdyn.base.scalars import Scalar
from armdyn.model.mechanism import Mechanism
from armdyn.program import select
from armdyn.spatial.rotations import Array, cross

TINY = 1e-300
"""Added to squares before a root or a division: prevents 0 / 0 and changes no other number."""


@dataclass(frozen=True)
class Aim:
    """One condition on one frame, with all constants of the compiled function.

    Args:
        kind: "position": a point of the frame has given coordinates; "orientation": its axes are parallel to given
            ones; "pointing": one of its axes points along a direction.
        frame: name of the frame.
        axis: the pointing axis, a unit vector in the frame's axes.
        counted: indices of the components of a position, in base axes, that are included.
    """

    kind: Literal["position", "orientation", "pointing"]
    frame: str
    axis: tuple[float, float, float] = (0.0, 0.0, 1.0)
    counted: tuple[int, ...] = (0, 1, 2)

    @property
    def rows(self) -> int:
        """Number of residuals."""
        return {"position": len(self.counted), "orientation": 3, "pointing": 2}[self.kind]

    @property
    def size(self) -> int:
        """Number of values of a target, its weight included."""
        return {"position": 7, "orientation": 10, "pointing": 4}[self.kind]

    @property
    def unit(self) -> str:
        """The unit of its residuals, "m" or "rad"."""
        return "m" if self.kind == "position" else "rad"

    def condition(self, model: Mechanism, q: Array, numbers: Array) -> AimCondition:
        """Residuals and their Jacobian rows at the coordinates q."""
        q = model.drive.positions(q)
        k, T = model.frame(self.frame)
        if self.kind == "position":
            T = moved_to(T, numbers[3:6])
        body = body_poses(model, q)[k]
        R, p = body[0] @ T[:3, :3], body[1] + body[0] @ T[:3, 3]
        J = model.drive.columns(base_columns(model, q, k, T, about_base=False))
        return _KINDS[self.kind](self, R, p, J, numbers)


@dataclass(frozen=True)
class TaskAim:
    """The condition of a task of a user-defined class, with all constants of the compiled function.

    Args:
        kind: the class, derived from `armdyn.kinematics.Task`.
        fixed: names and values of the fields that are compiled in.
        frame: name of the frame whose distance from the first joint is the unit of lengths.
        rows: number of residuals.
        unit: unit of the residuals, "m" or "rad".
        shapes: name and shape of each target field.
    """

    kind: type[Any]
    fixed: tuple[tuple[str, Any], ...]
    frame: str
    rows: int
    unit: str
    shapes: tuple[tuple[str, tuple[int, ...]], ...]

    @property
    def size(self) -> int:
        """Number of values of a target, its weight included."""
        return sum(math.prod(shape) for _, shape in self.shapes) + 1

    def task(self, numbers: Array) -> Scalar:
        """The task with these numbers as its target fields."""
        fields, start = dict(self.fixed), 0
        for name, shape in self.shapes:
            count = math.prod(shape)
            fields[name] = numbers[start : start + count].reshape(shape)
            start += count
        return self.kind(**fields)

    def condition(self, model: Mechanism, q: Array, numbers: Array) -> AimCondition:
        """The negative error of the task, so that J^T e is a descent direction, and the rows of its Jacobian."""
        task, weight = self.task(numbers), numbers[-1]
        error = np.atleast_1d(np.asarray(task.error(model, q)))
        jacobian = np.atleast_2d(np.asarray(task.jacobian(model, q)))
        remaining = np.sqrt(sum(x * x for x in error) + TINY)
        return AimCondition([-weight * x for x in error], [weight * row for row in jacobian], remaining)


@dataclass(frozen=True)
class AimCondition:
    """An aim at one configuration: weighted residuals, their rows, and the remaining distance (m) or angle (rad)."""

    residuals: list[object]
    rows: list[Array]
    distance: Scalar


def conditions(model: Mechanism, q: Array, aims: Sequence[Aim | TaskAim], target: Array) -> list[AimCondition]:
    """All aims at configuration q; ``target`` contains their numbers in order."""
    return [aim.condition(model, q, numbers) for aim, numbers in each(aims, target)]


def each(aims: Sequence[Aim | TaskAim], target: Array) -> Iterator[tuple[Aim | TaskAim, Array]]:
    """Every aim with its numbers, of targets of shape (..., size)."""
    start = 0
    for aim in aims:
        yield aim, target[..., start : start + aim.size]
        start += aim.size


def weighted_residuals(
    model: Mechanism, q: Array, target: Array, *, aims: Sequence[Aim | TaskAim]
) -> tuple[Array, Array]:
    """Residuals e of all aims and their rows J, weighted, shapes (..., rows) and (..., rows, n); J^T e descends."""
    return stack_aims(conditions(model, q, aims, target))


def stack_aims(met: Sequence[AimCondition]) -> tuple[Array, Array]:
    """The stacked residuals of all aims, and their stacked rows."""
    return np.array([x for one in met for x in one.residuals]), np.array([row for one in met for row in one.rows])


def moved_to(T: Array, point: Array) -> Array:
    """The pose T with its origin moved to a point given in its axes."""
    moved = np.array(T, dtype=object)
    moved[:3, 3] = T[:3, 3] + T[:3, :3] @ point
    return moved


def position(aim: Aim, R: Array, p: Array, J: Array, numbers: Array) -> AimCondition:
    """e = p_goal - p, and dp = J_v dq."""
    e, weight = numbers[:3] - p, numbers[6]
    remaining = np.sqrt(sum(e[i] * e[i] for i in aim.counted) + TINY)
    return AimCondition([weight * e[i] for i in aim.counted], [weight * J[3 + i] for i in aim.counted], remaining)


def orientation(aim: Aim, R: Array, p: Array, J: Array, numbers: Array) -> AimCondition:
    """e = log(R_goal R^T), the remaining rotation vector in base axes (Modern Robotics 3.53), and w = J_w qd."""
    e, angle = rotation_vector(numbers[:9].reshape(3, 3) @ R.T)
    weight = numbers[9]
    return AimCondition([weight * x for x in e], [weight * row for row in J[:3]], angle)


def pointing(aim: Aim, R: Array, p: Array, J: Array, numbers: Array) -> AimCondition:
    """The shortest rotation vector from the axis a to the direction d, along two axes perpendicular to a."""
    goal, weight = numbers[:3], numbers[3]
    a, u = R @ np.array(aim.axis), [R @ axis for axis in axes_square_to(np.array(aim.axis))]
    n = cross(a, goal)
    along = np.array([n @ axis for axis in u])  # n is perpendicular to a: it has no third component
    sine, cosine = np.sqrt(along @ along + TINY), a @ goal
    angle = np.arctan2(sine, cosine)
    # In the opposite direction all rotation axes are equal: the first axis is used.
    back = (sine < 1e-12) * (cosine < 0.0)
    ratio = angle / sine
    e = [select(back, angle, ratio * along[0]), select(back, 0.0, ratio * along[1])]
    return AimCondition([weight * x for x in e], [weight * sum(axis[i] * J[i] for i in range(3)) for axis in u], angle)


def rotation_vector(R: Array) -> tuple[Array, object]:
    """log R = angle times unit axis, and the angle from 0 to pi, smooth up to pi (Modern Robotics 3.2.3.3)."""
    v = 0.5 * np.array([R[2, 1] - R[1, 2], R[0, 2] - R[2, 0], R[1, 0] - R[0, 1]])  # sin(angle) axis
    cosine = 0.5 * (R[0, 0] + R[1, 1] + R[2, 2] - 1.0)
    sine = np.sqrt(v @ v + TINY)
    angle = np.arctan2(sine, cosine)
    axis_near_pi = _axis_near_pi(R, v, cosine)
    ratio, near_pi = angle / sine, (sine < 1e-3) * (cosine < 0.0)
    return np.array([select(near_pi, angle * b, ratio * a) for a, b in zip(v, axis_near_pi, strict=True)]), angle


def _axis_near_pi(R: Array, v: Array, cosine: Scalar) -> Array:
    """The unit axis from R + R^T + (1 - tr R) 1 = 2 (1 - cos) axis axis^T: its longest column, with the sign of v."""
    column = longest_column(R + R.T + (-2.0 * cosine) * np.eye(3))
    length = np.sqrt(column @ column + TINY)
    sign = select(column @ v < 0.0, -1.0, 1.0)
    axis: Array = column * (sign / length)
    return axis


def longest_column(S: Array) -> Array:
    """The longest column of a positive multiple of a a^T, shape (3,): that of its largest diagonal element."""
    x_is_longest = (S[1, 1] <= S[0, 0]) * (S[2, 2] <= S[0, 0])
    y_before_z = S[2, 2] <= S[1, 1]
    return np.array([select(x_is_longest, S[i, 0], select(y_before_z, S[i, 1], S[i, 2])) for i in range(3)])


def axes_square_to(axis: Array) -> tuple[Array, Array]:
    """Two unit vectors perpendicular to a unit axis and to each other."""
    helper = np.eye(3)[int(np.abs(axis).argmin())]
    first = cross(axis, helper)
    first = first / np.sqrt(first @ first)
    return first, cross(axis, first)


_KINDS = {"position": position, "orientation": orientation, "pointing": pointing}
