"""Inverse kinematics: the joint positions that bring frames where they should be."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from armdyn.advice import option
from armdyn.checks import number, per_joint, whole_number
from armdyn.errors import ShapeError, UnknownName
from armdyn.functions.robot_like import RobotLike
from armdyn.kinematics import solution as words
from armdyn.kinematics.descent import DampedLeastSquares
from armdyn.kinematics.diagnosis import diagnose, out_of_reach
from armdyn.kinematics.limits import Range, length_of
from armdyn.kinematics.multi_start import MultiStart
from armdyn.kinematics.solution import Solution, spread
from armdyn.kinematics.task import TaskError
from armdyn.kinematics.tasks import AnyTask, resolved
from armdyn.model.constraints import refuse_constraints
from armdyn.spatial.rotations import Array

CHOICES = ("first", "nearest")

HUGE = 1e50
"""Numbers beyond this are no lengths or angles; their squares would soon be infinite."""


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

    Damped least squares from ``q0``, then from random configurations for the targets not met yet (Levenberg and
    Marquardt; Modern Robotics 6.2.2; Nocedal and Wright 2006, 10.3). A step is one compiled function for the whole
    batch. Success is judged afterwards, at the configuration that is returned: nothing counts as met that is not.

    Args:
        robot: the arm, or a tree of them.
        target: poses (..., 4, 4), or positions (..., 3) in m, in base axes, of the frame; or a task, or several at
            once: `Pose`, `Position`, `Orientation`, `Pointing`, or a class of the user's own that derives from `Task`,
            each with weight, frame and batch of its own.
        q0: where to start, rad or m, shape (..., n), within the limits. Solutions near it are preferred, and whole
            turns of revolute joints are taken so as to come near it. The middle of the limits where none is given.
        frame: which frame a target without one means; the tip by default.
        point: the point of the frame, m, in its axes, that a target given as an array means; its origin by default.
        choose: "first": the solution of the first successful start; "nearest": of those of all starts, the nearest to
            q0. An arm with more joints than conditions has a continuum of solutions, of which these are samples.
        tolerance: m and rad; every task must be met within it.
        starts: how many at most, q0 counted.
        iterations: at most, from one start.
        limits: keep the joint limits of the description.
        seed: of the random starts, which are the same for every target.
        workers: threads for a large batch, -1 meaning one a core.

    Where a target is not met, q is the nearest configuration found, by the weighted sum of squares of the residuals,
    lengths measured in the arm's own length, and `Solution.status` and `Solution.reason` say why.

    Raises:
        ShapeError: a target or q0 that does not fit the robot, or batches that do not broadcast.
        DTypeError: one that does not hold real numbers.
        TaskError: a matrix that is no rigid motion, a direction that is no unit vector, a start outside the limits, a
            single target that is not finite, a setting that makes no sense.
        UnknownName: a frame the robot does not have.

    >>> robot = armdyn.load("ur5")
    >>> T = robot.forward_kinematics([[0.3, -1.2, 1.4, -0.7, 1.1, 0.2], [1.0, -0.4, 0.9, 0.3, -1.3, 2.0]])
    >>> solution = robot.inverse_kinematics(T, q0=[0.3, -1.0, 1.0, -1.0, 1.0, 0.0])
    >>> solution.success
    array([ True,  True])
    >>> bool(abs(robot.forward_kinematics(solution.q) - T).max() < 2e-10)
    True

    The flange at a place, its z axis down, turned as it likes:

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
    aims, numbers = zip(*resolved(robot, target, frame, point), strict=True)
    length = length_of(robot, {aim.frame for aim in aims})
    for aim, values in zip(aims, numbers, strict=True):
        if aim.unit == "m":
            values[..., -1] /= length  # a metre weighs 1 / length of a radian
    allowed = Range.of(robot, length, limited=limits)
    near, goal, batch = _one_batch(robot, numbers, q0, allowed)
    finite = _finite(near, goal, batch)

    known = out_of_reach(robot, aims, goal[finite], allowed)
    solver = DampedLeastSquares(robot, aims, allowed.bounds, length=length, tolerance=tolerance, workers=workers)
    search = MultiStart(solver, goal[finite], near[finite], allowed, iterations=iterations, nearest=choose == "nearest")
    search.run(allowed.random(starts - 1, seed))
    search.finish()
    failed = np.flatnonzero(~search.success)
    status = np.full(len(search.q), words.CONVERGED, dtype="<U20")
    held, smallest = np.zeros(search.q.shape, dtype=np.int8), np.full(len(search.q), np.nan)
    if len(failed):
        diagnosis = diagnose(solver, goal[finite][failed], search.q[failed], allowed)
        status[failed], held[failed], smallest[failed] = diagnosis
    status[list(known)] = words.OUT_OF_REACH
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
        held=by_target(held, 0),
        smallest_singular_value=by_target(smallest, np.nan),
        tolerance=tolerance,
        joint_names=robot.joint_names,
        limits=np.stack([allowed.lower, allowed.upper], axis=1),
        reaches={tuple(map(int, np.unravel_index(places[k], batch))): reach for k, reach in known.items()},
    )


def _one_batch(
    robot: RobotLike, numbers: Sequence[Array], q0: ArrayLike | None, limits: Range
) -> tuple[Array, Array, tuple[int, ...]]:
    """Starts (N, n) and targets (N, size), and the shape of the batch they are of."""
    start = limits.middle if q0 is None else _start(robot, q0, limits)
    shapes = [a.shape[:-1] for a in (start, *numbers)]
    try:
        batch = np.broadcast_shapes(*shapes)
    except ValueError:
        shown = ", ".join(map(str, shapes[1:]))
        raise ShapeError(f"the batches do not broadcast together: q0 {shapes[0]}, targets {shown}") from None
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
    """Which targets can be worked on; a single one must be."""
    finite: Array = np.all(np.abs(np.concatenate([near, goal], axis=1)) < HUGE, axis=1)
    if not batch and not finite.all():
        which = "the target" if (np.abs(near) < HUGE).all() else "q0"
        raise TaskError(f"{which} is not finite: it holds NaN, infinity, or more than {HUGE:g}")
    return finite
