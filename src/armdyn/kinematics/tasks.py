"""Tasks of frames: position, orientation, pose, direction of an axis, or several of these at once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from armdyn.base.checks import array, direction, number, rotation, vector
from armdyn.base.errors import ShapeError
from armdyn.functions.robot_like import RobotLike
from armdyn.kinematics.aims import Aim, TaskAim
from armdyn.kinematics.task import Task, TaskError, task_aim
from armdyn.spatial.rotations import Array

AXES = {"x": (1.0, 0.0, 0.0), "y": (0.0, 1.0, 0.0), "z": (0.0, 0.0, 1.0)}


@dataclass(frozen=True, eq=False)
class Position:
    """A point of a frame lies at p, m, shape (..., 3), in base axes.

    Args:
        p: the position, m, shape (..., 3).
        point: point of the frame, m, in its axes; its origin by default.
        frame: name of the frame; the tip by default.
        axes: included base axes: "xyz", or fewer, e.g. "xy" for a planar arm.
        weight: weight of these conditions relative to others, if not all can be met.

    >>> robot = armdyn.load("planar_2r")
    >>> armdyn.kinematics.Position([1.0, 1.0, 0.0], axes="xy")
    Position(p=[1.0, 1.0, 0.0], point=(0.0, 0.0, 0.0), frame=None, axes='xy', weight=1.0)
    """

    p: ArrayLike
    point: Sequence[float] = (0.0, 0.0, 0.0)
    frame: str | None = None
    axes: str = "xyz"
    weight: float = 1.0


@dataclass(frozen=True, eq=False)
class Orientation:
    """The orientation of a frame equals R, rotation matrix R_0F, shape (..., 3, 3).

    Args:
        R: the axes of the frame, in base axes, as columns, shape (..., 3, 3).
        frame: name of the frame; the tip by default.
        weight: weight of this condition relative to others, if not all can be met.
    """

    R: ArrayLike
    frame: str | None = None
    weight: float = 1.0


@dataclass(frozen=True, eq=False)
class Pose:
    """The pose of a frame equals T, homogeneous matrix T_0F, lengths in m, shape (..., 4, 4).

    Args:
        T: the pose, shape (..., 4, 4).
        point: the point of the frame, m, in its axes, that lies at T's origin; the frame's own by default.
        frame: name of the frame; the tip by default.
        position_weight, orientation_weight: weights of these conditions, if not all can be met.
    """

    T: ArrayLike
    point: Sequence[float] = (0.0, 0.0, 0.0)
    frame: str | None = None
    position_weight: float = 1.0
    orientation_weight: float = 1.0


@dataclass(frozen=True, eq=False)
class Pointing:
    """An axis of a frame points along a direction, unit vector in base axes, shape (..., 3); rotation about it is free.

    Args:
        along: the direction, unit vector, shape (..., 3).
        axis: "x", "y", "z", or a unit vector in the frame's axes.
        frame: name of the frame; the tip by default.
        weight: weight of this condition relative to others, if not all can be met.
    """

    along: ArrayLike
    axis: Literal["x", "y", "z"] | Sequence[float] = "z"
    frame: str | None = None
    weight: float = 1.0


FrameTask = Position | Orientation | Pose | Pointing

AnyTask = FrameTask | Task

Resolved = tuple[Aim | TaskAim, Array]
"""An aim of a robot, and the numbers of its target, shape (..., size)."""


def resolve_tasks(robot: RobotLike, target: object, frame: str | None, point: Sequence[float] | None) -> list[Resolved]:
    """The aims of a robot for ``target``, with their numbers, each with its own batch shape."""
    pairs = [pair for task in _tasks(target, point) for pair in _of_task(robot, task, frame)]
    pairs = [pair for pair in pairs if pair[1].size == 0 or pair[1][..., -1].any()]  # weight zero: omitted
    if not pairs:
        raise TaskError("no task has a weight: every weight is zero")
    return pairs


def _tasks(target: object, point: Sequence[float] | None) -> list[AnyTask]:
    """The tasks; an array of poses or of positions is converted to one."""
    if isinstance(target, AnyTask):
        tasks = [target]
    elif isinstance(target, list | tuple) and _all_tasks(target):
        tasks = list(target)
    else:
        return [_of_array(target, point)]
    if point is not None:
        raise TaskError("point= goes with a target given as an array; a task takes it itself: Position(p, point=...)")
    return tasks


def _all_tasks(target: Sequence[object]) -> bool:
    values = [isinstance(thing, AnyTask) for thing in target]
    if any(values) and not all(values):
        other = target[values.index(False)]
        raise TaskError(f"the target mixes tasks and {type(other).__name__}; wrap arrays in Pose(...) or Position(...)")
    return bool(values) and all(values)


def _of_array(target: object, point: Sequence[float] | None) -> FrameTask:
    expected = "poses (..., 4, 4), positions (..., 3), or tasks such as armdyn.kinematics.Pose(T)"
    values = array("target", target, None, expected, missing=True)
    at = (0.0, 0.0, 0.0) if point is None else point
    if values.shape[-2:] == (4, 4):
        return Pose(values, point=at)
    if values.shape[-1:] == (3,) and values.shape[-2:] != (3, 3):
        return Position(values, point=at)
    if values.shape == (3, 3):
        raise TaskError(
            "target of shape (3, 3) may be one rotation or three positions; "
            "say armdyn.kinematics.Orientation(R) or Position(p)"
        )
    if values.shape[-1:] == (3,):
        return Position(values, point=at)
    raise ShapeError(f"target has shape {values.shape}; expected {expected}")


def _of_task(robot: RobotLike, task: AnyTask, default: str | None) -> list[Resolved]:
    """The aims of a task, with its frame resolved and its numbers checked."""
    value = getattr(task, "frame", None)
    frame = moving_frame(robot, default if value is None else value)
    if isinstance(task, Task):
        return [task_aim(robot, task, frame)]
    kind = type(task).__name__
    if isinstance(task, Pose):
        T = array("T of Pose", task.T, (..., 4, 4), missing=True)
        _last_rows(T)
        place = Position(T[..., :3, 3], task.point, frame, weight=task.position_weight)
        axes = Orientation(T[..., :3, :3], frame, task.orientation_weight)
        return [*_of_task(robot, place, None), *_of_task(robot, axes, None)]
    if isinstance(task, Position):
        p = array("p of Position", task.p, (..., 3), "m", missing=True)
        aim = Aim("position", frame, counted=_chosen_axes(task.axes))
        return [(aim, _join(p, vector("point", task.point, error=TaskError), _weight(kind, task.weight)))]
    if isinstance(task, Orientation):
        R = array("R of Orientation", task.R, (..., 3, 3), "rotation matrices", missing=True)
        rotation("target", _finite_or(np.eye(3), R), error=TaskError)
        return [(Aim("orientation", frame), _join(R.reshape(*R.shape[:-2], 9), _weight(kind, task.weight)))]
    axis = AXES.get(task.axis) if isinstance(task.axis, str) else vector("axis", task.axis, error=TaskError)
    if axis is None:
        raise TaskError(f"axis={task.axis!r} of Pointing; expected 'x', 'y', 'z' or a unit vector in the frame's axes")
    direction("axis of Pointing", np.array(axis), error=TaskError)
    along = array("along of Pointing", task.along, (..., 3), "directions", missing=True)
    direction("along of Pointing", _finite_or(np.array([0.0, 0.0, 1.0]), along), error=TaskError)
    return [(Aim("pointing", frame, axis), _join(along, _weight(kind, task.weight)))]


def _weight(task: str, value: object) -> float:
    return number(f"weight of {task}", value, least=0.0, error=TaskError)


def _chosen_axes(axes: object) -> tuple[int, ...]:
    """The indices of the included base axes, from text, e.g. "xy"."""
    if not isinstance(axes, str) or not axes or set(axes) - set("xyz") or len(set(axes)) != len(axes):
        raise TaskError(f"axes={axes!r} of Position; expected some of 'x', 'y' and 'z' in one word, such as 'xy'")
    return tuple(i for i, axis in enumerate("xyz") if axis in axes)


def _finite_or(usual: Array, values: Array) -> Array:
    """The matrices or vectors of a batch, with ``usual`` in place of those that contain NaN or infinity."""
    finite = np.isfinite(values).all(axis=tuple(range(-usual.ndim, 0)), keepdims=True)
    return np.where(finite, values, usual)


def _join(*parts: Any) -> Array:
    """Concatenated numbers of an aim; those without a batch are repeated."""
    first, *others = (np.atleast_1d(part) for part in parts)
    batch = first.shape[:-1]
    return np.concatenate([first, *(np.broadcast_to(o, (*batch, len(o))) for o in others)], axis=-1)


def moving_frame(robot: RobotLike, name: str | None) -> str:
    """The name of a frame, the tip by default, that some joint moves."""
    frame = robot.model.frame(name)
    if robot.mechanism.frame(frame.name)[0] < 0:
        raise TaskError(f"frame {frame.name!r} of {robot.name!r} is welded to the base: no joint moves it")
    return frame.name


def _last_rows(T: Array) -> None:
    """Raise TaskError unless homogeneous matrices end in 0 0 0 1."""
    wrong = np.argwhere(np.isfinite(T).all(axis=(-2, -1)) & (T[..., 3, :] != (0.0, 0.0, 0.0, 1.0)).any(axis=-1))
    if len(wrong):
        index = tuple(map(int, wrong[0]))
        raise TaskError(
            f"target{list(index) if index else ''} is not a rigid motion: its last row is "
            f"{T[index][3].tolist()}; expected [0, 0, 0, 1]"
        )
