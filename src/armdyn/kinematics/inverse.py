"""Inverse kinematics: the joint positions at which frames fulfil tasks."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from armdyn.base.advice import option
from armdyn.base.checks import number, per_joint, whole_number
from armdyn.base.errors import ShapeError, UnknownName
from armdyn.functions.robot_like import RobotLike
from armdyn.kinematics import solution as words
from armdyn.kinematics.descent import DampedLeastSquares
from armdyn.kinematics.diagnosis import diagnose, out_of_reach
from armdyn.kinematics.limits import Range, length_of
from armdyn.kinematics.multi_start import MultiStart
from armdyn.kinematics.solution import Solution, spread
from armdyn.kinematics.task import TaskError
from armdyn.kinematics.tasks import AnyTask, resolve_tasks
from armdyn.model.constraints import refuse_constraints
from armdyn.spatial.rotations import Array

CHOICES = ("first", "nearest")

HUGE = 1e50
"""Larger numbers are not lengths or angles; their squares could overflow."""


def inverse_kinematics(
    robot: RobotLike,
    target: ArrayLike | AnyTask | Sequence[AnyTask],
    q0: ArrayLike | None = None,
    *,
    frame: str | None = None,
    point: Sequence[float] | None = None,
    choose: Literal["first", "nearest"] = "first",
    tolerance: float = 1e-10,
    starts: int = 64,
    iterations: int = 100,
    limits: bool = True,
    seed: int = 0,
    workers: int | None = None,
) -> Solution:
    """Joint positions q, rad or m, shape (..., n), with T_0F(q) = T, or that meet other tasks of frames: a `Solution`.

    The search is damped least squares from ``q0``, then from random configurations for unmet targets (Levenberg and
    Marquardt; Modern Robotics 6.2.2; Nocedal and Wright 2006, 10.3). A step is one compiled function for the whole
    batch. Success is determined afterwards, at the returned configuration.

    Args:
        robot: the arm, or a tree of them.
        target: poses (..., 4, 4), or positions (..., 3) in m, in base axes, of the frame; or a task, or several at
            once: `Pose`, `Position`, `Orientation`, `Pointing`, or a user-defined class derived from `Task`, each with
                its own weight, frame and batch.
        q0: initial configuration, rad or m, shape (..., n), within the limits. Solutions near it are preferred, and
            whole turns of revolute joints are chosen to be near it. The middle of the limits by default.
        frame: frame of targets without one; the tip by default.
        point: point of the frame, m, in its axes, for a target given as an array; its origin by default.
        choose: "first": the solution of the first successful start; "nearest": the solution nearest to q0 among all
            starts. An arm with more joints than conditions has a continuum of solutions, of which these are samples.
        tolerance: largest error of every task, m and rad.
        starts: largest number of starts, including q0.
        iterations: largest number of iterations from one start.
        limits: True to respect the joint limits of the description.
        seed: seed of the random starts, which are equal for every target.
        workers: number of threads for a large batch; -1 for one per core.

    If a target is not met, q is the nearest configuration found, by the weighted sum of squares of the residuals, with
    lengths divided by the arm's own length, and `Solution.status` and `Solution.reason` give the reason.

    Raises:
        ShapeError: a target or q0 that does not fit the robot, or batches that do not broadcast.
        DTypeError: a target or q0 that is not real.
        TaskError: a matrix that is not a rigid motion, a direction that is not a unit vector, a start outside the
            limits, a single target that is not finite, an invalid setting.
        UnknownName: a frame the robot does not have.

    >>> robot = armdyn.load("ur5")
    >>> T = robot.forward_kinematics([[0.3, -1.2, 1.4, -0.7, 1.1, 0.2], [1.0, -0.4, 0.9, 0.3, -1.3, 2.0]])
    >>> solution = robot.inverse_kinematics(T, q0=[0.3, -1.0, 1.0, -1.0, 1.0, 0.0])
    >>> solution.success
    array([ True,  True])
    >>> bool(abs(robot.forward_kinematics(solution.q) - T).max() < 2e-10)
    True

    The flange at a position, with its z axis down and free rotation about it:

    >>> from armdyn.kinematics import Pointing, Position
    >>> down = robot.inverse_kinematics([Position([0.4, 0.2, 0.1]), Pointing([0, 0, -1], axis="z")])
    >>> np.abs(robot.forward_kinematics(down.required())[:3, 2:]).round(9)
    array([[0. , 0.4],
           [0. , 0.2],
           [1. , 0.1]])
    """
    refuse_constraints(robot.model, "inverse_kinematics", "close_loop, the target as one more constraint")
    if choose not in CHOICES:
        raise UnknownName.of("choice", choose, CHOICES, "choose=")
    tolerance = number("tolerance", tolerance, above=0.0, error=TaskError)
    starts = whole_number("starts", starts, least=1, error=TaskError)
    iterations = whole_number("iterations", iterations, least=1, error=TaskError)
    aims, numbers = zip(*resolve_tasks(robot, target, frame, point), strict=True)
    length = length_of(robot, {aim.frame for aim in aims})
    for aim, values in zip(aims, numbers, strict=True):
        if aim.unit == "m":
            values[..., -1] /= length  # the weight of a metre is 1 / length of that of a radian
    allowed = Range.of(robot, length, limited=limits)
    near, goal, batch = _one_batch(robot, numbers, q0, allowed)
    finite = _finite(near, goal, batch)

    reasons = out_of_reach(robot, aims, goal[finite], allowed)
    solver = DampedLeastSquares(robot, aims, allowed.bounds, length=length, tolerance=tolerance, workers=workers)
    search = MultiStart(solver, goal[finite], near[finite], allowed, iterations=iterations, nearest=choose == "nearest")
    search.run(allowed.random(starts - 1, seed))
    search.finish()
    failed = np.flatnonzero(~search.success)
    status = np.full(len(search.q), words.CONVERGED, dtype="<U20")
    bound_sides, smallest = np.zeros(search.q.shape, dtype=np.int8), np.full(len(search.q), np.nan)
    if len(failed):
        diagnosis = diagnose(solver, goal[finite][failed], search.q[failed], allowed)
        status[failed], bound_sides[failed], smallest[failed] = diagnosis
    status[list(reasons)] = words.OUT_OF_REACH
    places = np.flatnonzero(finite)
    by_target = partial(spread, finite, batch)
    return Solution(
        robot=robot.name,
        q=by_target(search.q, np.nan),
        success=by_target(search.success, False),
        status=by_target(status, words.NOT_A_NUMBER),
        position_error=by_target(search.position, np.nan),
        angle_error=by_target(search.angle, np.nan),
        iterations=by_target(search.iterations, 0),
        starts=by_target(search.starts, 0),
        held=by_target(bound_sides, 0),
        smallest_singular_value=by_target(smallest, np.nan),
        tolerance=tolerance,
        joint_names=robot.joint_names,
        limits=np.stack([allowed.lower, allowed.upper], axis=1),
        reaches={tuple(map(int, np.unravel_index(places[k], batch))): reach for k, reach in reasons.items()},
    )


def _one_batch(
    robot: RobotLike, numbers: Sequence[Array], q0: ArrayLike | None, limits: Range
) -> tuple[Array, Array, tuple[int, ...]]:
    """Starts (N, n) and targets (N, size), and the shape of their batch."""
    start = limits.middle if q0 is None else _start(robot, q0, limits)
    shapes = [a.shape[:-1] for a in (start, *numbers)]
    try:
        batch = np.broadcast_shapes(*shapes)
    except ValueError:
        text = ", ".join(map(str, shapes[1:]))
        raise ShapeError(f"the batches do not broadcast together: q0 {shapes[0]}, targets {text}") from None
    if 0 in batch:
        raise ShapeError(f"there is no target: the batch has shape {batch}")
    flat = [np.broadcast_to(a, (*batch, a.shape[-1])).reshape(-1, a.shape[-1]) for a in (start, *numbers)]
    return flat[0], np.concatenate(flat[1:], axis=1), batch


def _start(robot: RobotLike, q0: ArrayLike, limits: Range) -> Array:
    (start,) = per_joint(robot, q0=q0)
    outside = np.argwhere((start < limits.lower) | (start > limits.upper))
    if len(outside):
        *index, joint = map(int, outside[0])
        raise TaskError(
            f"q0{index or ''} is outside the limits: {robot.joint_names[joint]!r} is at {start[(*index, joint)]:.6g}, "
            f"and may be from {limits.lower[joint]:.6g} to {limits.upper[joint]:.6g}; "
            f"move it inside, or pass {option('limits', False)}"
        )
    return start


def _finite(near: Array, goal: Array, batch: tuple[int, ...]) -> Array:
    """Mask of finite targets; raises TaskError for a single target that is not finite."""
    finite: Array = np.all(np.abs(np.concatenate([near, goal], axis=1)) < HUGE, axis=1)
    if not batch and not finite.all():
        argument = "the target" if (np.abs(near) < HUGE).all() else "q0"
        raise TaskError(f"{argument} is not finite: it holds NaN, infinity, or more than {HUGE:g}")
    return finite
