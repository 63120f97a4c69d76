"""`Task`: the base class of user-defined conditions on configurations for inverse kinematics."""

from __future__ import annotations

import dataclasses
import math
from abc import ABC, abstractmethod
from collections.abc import Mapping
from functools import lru_cache
from typing import ClassVar, Literal

import numpy as np

from armdyn.base.checks import array, number
from armdyn.base.errors import ArmdynError
from armdyn.base.scalars import Scalar
from armdyn.declaration import on_numbers
from armdyn.functions.robot_like import RobotLike
from armdyn.kinematics.aims import TaskAim
from armdyn.model.mechanism import Mechanism
from armdyn.program import derivative
from armdyn.spatial.rotations import Array

DOWNHILL = 1e-6
"""Largest relative difference between J^T e of a task's own Jacobian and the gradient of e.e / 2."""


class TaskError(ArmdynError, ValueError):
    """An invalid target, weight, start or setting."""


class Task(ABC):
    """A user-defined condition e(q) = 0 for `inverse_kinematics`, alone or with other tasks.

    Derive a dataclass from it with the method `error`. Its Jacobian is computed exactly by automatic differentiation,
    unless the class overrides `jacobian`. Both methods are traced and compiled like functions of `Robot.compile`: they
    use NumPy's arithmetic and functions of `armdyn.algorithms`, without ``if`` on values that depend on q.

    Class attributes:
        targets: name and shape of each field with numbers of a target. Such a field may have leading batch axes;
            `error` reads one target of the batch. All other fields are compiled in and require hashable values:
            numbers, text, tuples.
        unit: unit of the error, "m" or "rad". The tolerance is in this unit, and metres are divided by the length of
            the arm if several tasks are weighted against each other.

    Special fields: ``weight`` (1 if missing) relative to other tasks, if not all can be met; ``frame`` (the tip if
    missing), with ``frame=`` of `inverse_kinematics` as its default.

    >>> from dataclasses import dataclass
    >>> from armdyn.kinematics import Position, Task
    >>> @dataclass(frozen=True)
    ... class LookAt(Task):
    ...     \"\"\"The z axis of a frame passes through a point, m, in base axes.\"\"\"
    ...
    ...     point: tuple[float, float, float]
    ...     frame: str | None = None
    ...     targets = {"point": (3,)}
    ...     unit = "m"
    ...
    ...     def error(self, model, q):
    ...         T = armdyn.algorithms.forward_kinematics(model, q, frame=self.frame)
    ...         return (T[:3, :3].T @ (self.point - T[:3, 3]))[:2]  # x and y of the point in the frame's axes
    >>> robot = armdyn.load("ur5")
    >>> solution = robot.inverse_kinematics([Position([0.4, 0.2, 0.4]), LookAt((0.6, 0.0, 0.0))])
    >>> solution.success
    array(True)
    """

    targets: ClassVar[Mapping[str, tuple[int, ...]]] = {}
    unit: ClassVar[Literal["m", "rad"]] = "rad"

    @abstractmethod
    def error(self, model: Mechanism, q: Array) -> Scalar:
        """The error e, zero if the task is met, in ``unit``, shape (rows,) or a number.

        Args:
            model: the arm as an argument of `armdyn.algorithms`.
            q: joint positions, rad or m, shape (n,).
        """

    def jacobian(self, model: Mechanism, q: Array) -> Scalar:
        """The Jacobian de/dq, shape (rows, n): exact, by automatic differentiation of `error`.

        A class may override it, provided that J^T e, the gradient of e.e / 2, stays exact.
        """
        return derivative(lambda x: np.atleast_1d(np.asarray(self.error(model, x))), q)


def task_aim(robot: RobotLike, task: Scalar, frame: str) -> tuple[TaskAim, Array]:
    """The condition of a user-defined task, and the numbers of its target and weight, shape (..., size).

    Raises:
        TaskError: a class that is not a dataclass, fields that cannot be hashed, an error of another shape, a Jacobian
            for which J^T e is not the gradient.
    """
    kind = type(task)
    if not hasattr(kind, "__dataclass_fields__"):
        raise TaskError(f"{kind.__name__} is a Task without fields; put @dataclass(frozen=True) before the class")
    if kind.unit not in ("m", "rad"):
        raise TaskError(f"unit={kind.unit!r} of {kind.__name__}; expected 'm' or 'rad'")
    fields = {field.name: getattr(task, field.name) for field in dataclasses.fields(task) if field.init}
    missing = [name for name in kind.targets if name not in fields]
    if missing:
        raise TaskError(f"targets of {kind.__name__} names {missing[0]!r}, which is not one of its fields")
    weight = number(f"weight of {kind.__name__}", fields.pop("weight", 1.0), least=0.0, error=TaskError)
    shapes = tuple((name, tuple(shape)) for name, shape in kind.targets.items())
    values = [_rows_of(f"{name} of {kind.__name__}", fields.pop(name), shape) for name, shape in shapes]
    if "frame" in fields:
        fields["frame"] = frame
    for name, value in fields.items():
        try:
            hash(value)
        except TypeError:
            raise TaskError(
                f"{name} of {kind.__name__} is a {type(value).__name__}, which cannot be compiled in; "
                f"make it a tuple, or name it with its shape in targets"
            ) from None
    aim = TaskAim(kind, tuple(fields.items()), frame, 1, kind.unit, shapes)
    batch = np.broadcast_shapes(*(value.shape[:-1] for value in values))
    columns = [*values, np.array([weight])]
    numbers = np.concatenate([np.broadcast_to(value, (*batch, value.shape[-1])) for value in columns], axis=-1)
    finite = numbers.reshape(-1, numbers.shape[-1])
    finite = finite[np.isfinite(finite).all(axis=-1)]
    if len(finite):
        aim = dataclasses.replace(aim, rows=_rows(robot, aim, _Sample(finite[0])))
    return aim, numbers


def _rows_of(name: str, value: object, shape: tuple[int, ...]) -> Array:
    """Numbers of a target field, shape (..., size)."""
    numbers = array(name, value, (..., *shape), missing=True)
    return numbers.reshape(*numbers.shape[: numbers.ndim - len(shape)], math.prod(shape))


@dataclasses.dataclass(frozen=True)
class _Sample:
    """The numbers of one target, which are not part of the key of a cache: all samples are equal."""

    numbers: Array = dataclasses.field(compare=False)


@lru_cache(maxsize=64)
def _rows(robot: RobotLike, aim: TaskAim, sample: _Sample) -> int:
    """The number of residuals of a task, with its Jacobian checked at a random configuration."""
    name, model, q = aim.kind.__name__, robot.mechanism, robot.random_configuration(1)
    task = aim.task(sample.numbers)
    with on_numbers():
        error = np.atleast_1d(np.asarray(task.error(model, q)))
        own = np.asarray(task.jacobian(model, q))
        exact = np.asarray(Task.jacobian(task, model, q))
    if error.ndim != 1 or not error.size:
        raise TaskError(f"error of {name} has shape {error.shape}; expected (rows,), or a number")
    if own.reshape(-1).shape != exact.reshape(-1).shape or (own.ndim == 2 and own.shape != exact.shape):
        raise TaskError(f"jacobian of {name} has shape {own.shape}; expected {exact.shape}")
    ours, right = error @ np.atleast_2d(own), error @ exact
    difference = np.linalg.norm(ours - right)
    if difference > DOWNHILL * np.linalg.norm(right):
        raise TaskError(
            f"jacobian of {name}: J^T e differs from the gradient of e.e / 2 by {difference:.3g}, of "
            f"{np.linalg.norm(right):.3g}; leave it out, and it is computed by automatic differentiation"
        )
    return int(error.size)
