"""Task-space dynamics of a robot: compiled, and checked for the configurations at which they do not exist."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from armdyn.algorithms import task_space as algorithm
from armdyn.algorithms.expressed_in import way_of_twist
from armdyn.algorithms.task_rows import (
    COMPONENTS,
    Components,
    Row,
    SingularTask,
    TaskSpaceError,
    checked_damping,
    checked_place,
    chosen_rows,
    name_of,
)
from armdyn.algorithms.task_space import TaskSpace
from armdyn.base.advice import either
from armdyn.base.arrays import as_plain
from armdyn.base.checks import number
from armdyn.base.fields import set_fields
from armdyn.declaration import Function, function
from armdyn.functions import CompiledFunction
from armdyn.functions.robot_like import RobotLike
from armdyn.kinematics.limits import length_of, unit_of
from armdyn.model.constraints import refuse_constraints
from armdyn.model.mechanism import Mechanism
from armdyn.spatial.rotations import Array
from armdyn.spatial.singular_mass import is_singular

__all__ = ["CartesianDynamics", "SingularTask", "TaskComponents", "TaskSpace", "TaskSpaceError"]

THRESHOLD = 1e-6
"""Below this a component's independence of the others, from 0 to 1, counts as lost."""

ROUNDING = 8.0
"""Times the root of the precision: the rounding of an independence that is zero."""


class CartesianDynamics(NamedTuple):
    """M_x xdd + V_x + G_x = F, the equations of motion in Cartesian space.

    ``M_x``, kg or kg m^2, shape (..., k, k); ``V_x`` velocity forces and ``G_x`` gravity forces, N or N m, shape
    (..., k).
    """

    M_x: Array
    V_x: Array
    G_x: Array


@dataclass(frozen=True)
class TaskComponents:
    """The components of a frame's motion that make a task, and the settings of its dynamics, all checked.

    ``robot.compile(task.dynamics)`` is the compiled function of q and qd that returns a `TaskSpace`, without a check
    for singular configurations: if there is no Lambda, its results are infinite or meaningless. `Robot.task_space`
    checks.

    Args:
        frame, point, components, expressed_in, damping: as of `Robot.task_space`.

    Raises:
        UnknownName: a component or way of expression that does not exist.
        TaskSpaceError: settings that make no sense.

    >>> task = armdyn.task_space.TaskComponents(components=("vx", "vy"), expressed_in="world")
    >>> dynamics = armdyn.load("planar_2r").compile(task.dynamics)
    >>> dynamics([0.0, np.pi / 2], [0.0, 0.0]).Lambda.round(12) + 0.0
    array([[1., 0.],
           [0., 2.]])
    """

    frame: str | None = None
    point: Sequence[float] = (0.0, 0.0, 0.0)
    components: Components = COMPONENTS
    expressed_in: str = "body"
    damping: float = 0.0

    def __post_init__(self) -> None:
        set_fields(
            self,
            point=checked_place(self.point, self.expressed_in),
            expressed_in=way_of_twist(self.expressed_in),
            components=chosen_rows(self.components),
            damping=checked_damping(self.damping),
        )

    @property
    def rows(self) -> tuple[Row, ...]:
        """The components as rows of six numbers."""
        return chosen_rows(self.components)

    @property
    def dynamics(self) -> Function:
        """The task-space dynamics as a declared function of (model, q, qd), for ``robot.compile``."""
        k = len(self.rows)
        shapes = f"({k},{k}),({k}),({k}),({k}),({k},n),({k}),(n,{k}),(n,n),({k},{k})"
        return function(f"(n),(n)->{shapes}", result=TaskSpace)(self.task_space)

    def task_space(self, model: Mechanism, q: Array, qd: Array) -> TaskSpace:
        """Task-space dynamics Lambda(q), eta(q, qd) and the other fields, on numbers or traced scalars."""
        return algorithm(
            model, q, qd, frame=self.frame, point=self.point, components=self.components,
            expressed_in=self.expressed_in, damping=self.damping,
        )  # fmt: skip


class CompiledTask(NamedTuple):
    """A task of one robot, compiled; ``unit`` times J has no lengths in it, shape (k, n)."""

    function: CompiledFunction
    unit: Array


def task_space(
    robot: RobotLike,
    q: ArrayLike,
    qd: ArrayLike,
    *,
    frame: str | None = None,
    point: Sequence[float] = (0.0, 0.0, 0.0),
    components: Components = COMPONENTS,
    expressed_in: str = "body",
    damping: float = 0.0,
    threshold: float = THRESHOLD,
    out: tuple[Array, ...] | None = None,
    workers: int | None = None,
) -> TaskSpace:
    """Task-space dynamics Lambda(q), eta(q, qd) of F = Lambda Vdot + eta, kg and N, with J, Jbar and N.

    Lambda = (J M^-1 J^T)^-1, which is J^-T M J^-1 if J is square, and eta = Jbar^T h - Lambda Jdot qd (Modern
    Robotics 8.90, 8.91; Khatib 1987 for arms with joints to spare). tau = J^T F + N tau_0.

    If the components are not independent, there is no Lambda: that is an error, or, with ``damping``, Lambda is
    bounded. In a controller of your own call ``armdyn.algorithms.task_space``, or compile an
    `armdyn.task_space.TaskComponents`: those do not check.

    Args:
        robot: without constraints.
        q: joint positions, rad or m, shape (..., n).
        qd: joint velocities, rad/s or m/s, shape (..., n).
        frame: name of the frame; the tip by default.
        point: of the frame, m, in its axes, whose velocity v is; its origin by default. Not with "space".
        components: of the frame's twist, in this order: "position", "orientation", "pose" (all six, the
        default), a sequence of "wx" ... "vz", or rows of six numbers that weigh wx, wy, wz, vx, vy, vz.
        expressed_in: "body" by default, "space" or "world", as of `jacobian`: "world" is Pinocchio's
            LOCAL_WORLD_ALIGNED, its WORLD is "space".
        damping: lambda of Lambda = (J M^-1 J^T + lambda^2 1)^-1: no effective mass exceeds 1 / lambda^2. 0 by
        default.
        threshold: below which a component's independence of the others, from 0 to 1, counts as lost:
        1e-6 by default, 3e-3 for float32. Without damping only.
        out: arrays for the results.
        workers: how many threads share a batch.

    Returns:
        An `armdyn.task_space.TaskSpace`: ``Lambda``, ``eta`` = ``mu`` + ``p``, ``J``, ``Jdot_qd``, ``Jbar``, ``N``,
        ``mobility``.

    Raises:
        SingularTask: components that the joints cannot make independently, in this configuration or in any.
        TaskSpaceError: settings that make no sense.
        UnknownName: a frame, component or way of expression that does not exist.

    >>> arm = armdyn.load("planar_2r")
    >>> dynamics = arm.task_space([0.0, np.pi / 2], [0.0, 0.0], components=("vx", "vy"), expressed_in="world")
    >>> dynamics.Lambda.round(12) + 0.0
    array([[1., 0.],
           [0., 2.]])
    """
    refuse_constraints(robot.model, "task_space", "mass_matrix, bias_forces and constraint_jacobian")
    task = TaskComponents(frame, point, components, expressed_in, damping)
    threshold = number("threshold", threshold, above=0.0, below=1.0, error=TaskSpaceError)
    compiled, unit = compiled_task(robot, task)
    # Infinite numbers of singular states are no warning here: they are looked for below.
    with np.errstate(all="ignore"):
        how = {name: value for name, value in (("out", out), ("workers", workers)) if value is not None}
        result: TaskSpace = compiled(q, qd, **how)
    if task.damping == 0.0:
        states = np.asarray(as_plain("q", q, (robot.joint_names,), repr(robot.name)))
        _require_independence(robot, task, states, result, unit, threshold)
    return result


def cartesian_dynamics(
    robot: RobotLike,
    q: ArrayLike,
    qd: ArrayLike,
    *,
    frame: str | None = None,
    point: Sequence[float] = (0.0, 0.0, 0.0),
    components: Components = "position",
    expressed_in: str = "body",
    damping: float = 0.0,
    threshold: float = THRESHOLD,
    out: tuple[Array, ...] | None = None,
    workers: int | None = None,
) -> CartesianDynamics:
    """Cartesian mass matrix M_x(q), velocity forces V_x(q, qd), gravity forces G_x(q), kg and N.

    M_x xdd + V_x + G_x = F with the Jacobian in the axes of the end effector, xd = eJ_v qd: velocity along its axes
    whatever its orientation. The same as `task_space`, for forces along the tool.

    Args:
        robot: without constraints.
        q: joint positions, rad or m, shape (..., n).
        qd: joint velocities, rad/s or m/s, shape (..., n).
        frame, point, components, expressed_in, damping, threshold, out, workers: as of `task_space`.

    Raises:
        SingularTask, TaskSpaceError, UnknownName: as for `task_space`.

    >>> arm = armdyn.load("planar_2r")
    >>> M_x, V_x, G_x = arm.cartesian_dynamics([0.0, np.pi / 6], [0.0, 0.0], components=("vx", "vy"))
    >>> M_x.round(12) + 0.0  # m2 + m1 / sin(q2)^2 along the last link, m2 across it
    array([[5., 0.],
           [0., 1.]])
    """
    task = task_space(
        robot, q, qd, frame=frame, point=point, components=components, expressed_in=expressed_in, damping=damping,
        threshold=threshold, out=out, workers=workers,
    )  # fmt: skip
    return CartesianDynamics(task.Lambda, task.mu, task.p)


def compiled_task(robot: RobotLike, task: TaskComponents) -> CompiledTask:
    """The task's compiled function, made once, and the scale of its Jacobian."""
    cache: dict[TaskComponents, CompiledTask] = vars(robot).setdefault("_tasks", {})
    result = cache.get(task)
    if result is None:
        result = cache[task] = CompiledTask(CompiledFunction(robot, task.dynamics), _unit(robot, task))
    return result


def _require_independence(
    robot: RobotLike, task: TaskComponents, q: Array, result: TaskSpace, unit: Array, threshold: float
) -> None:
    """Refuse states at which a component moves with the others, with no joint, or at which no inertia is moved.

    In the metric of M^-1, 1 / (A_ii Lambda_ii) with A = Lambda^-1 is the squared sine of the angle between row i of J
    and the span of the other rows, whatever the units of the rows.
    """
    mobility, Lambda, J = result.mobility, result.Lambda, result.J
    with np.errstate(all="ignore"):
        diagonal = np.diagonal(mobility, axis1=-2, axis2=-1)
        sine = np.sqrt(1.0 / (diagonal * np.diagonal(Lambda, axis1=-2, axis2=-1)))
        scaled = J * unit
        independence = np.fmin(sine, np.linalg.norm(scaled, axis=-1))
        independence = np.where(np.isnan(sine), 0.0, independence)  # below zero by rounding: none is left
    least = max(threshold, ROUNDING * math.sqrt(np.finfo(Lambda.dtype).eps))
    values = np.isfinite(J).all(axis=(-2, -1)) & np.isfinite(result.Jdot_qd).all(axis=-1)  # NaN states are not judged
    bad = np.asarray(values & ~(independence > least).all(axis=-1))
    if bad.any():
        raise _singular(robot, task, q, bad, independence, scaled, least)


def _unit(robot: RobotLike, task: TaskComponents) -> Array:
    """Factors of J, shape (k, n), that measure lengths in that of the arm and bring each row to about 1."""
    frame = robot.model.frame(task.frame).name
    length = length_of(robot, {frame}) + math.hypot(*task.point)
    rows = np.array(task.rows)
    size = np.linalg.norm(rows[:, :3], axis=1) + length * np.linalg.norm(rows[:, 3:], axis=1)
    unit: Array = unit_of(robot, length) / size[:, None]
    return unit


def _singular(
    robot: RobotLike,
    task: TaskComponents,
    q: Array,
    bad: Array,
    independence: Array,
    scaled: Array,
    least: float,
) -> SingularTask:
    """The error, with the states, the singular values, the component and the remedy."""
    states = np.argwhere(bad)
    first = tuple(map(int, states[0]))
    state = np.broadcast_to(np.asarray(q, dtype=float), (*bad.shape, robot.dof))[first]
    where = np.array2string(state, precision=6, separator=", ")
    place = f" at state {list(first)}" if first else ""
    many = f"{len(states)} of {bad.size} states, the first{place}: " if bad.ndim else ""
    frame = robot.model.frame(task.frame).name
    M = np.asarray(robot.mass_matrix(state), dtype=float)
    if is_singular(M):
        eigenvalues = _format(np.linalg.eigvalsh(M))
        return SingularTask(
            f"{many}the mass matrix of {robot.name!r} is singular at q = {where}: eigenvalues {eigenvalues}; "
            "some joint moves no inertia there. Give links inertia, or joints armature."
        )
    values = np.linalg.svd(scaled[first], compute_uv=False)
    row = int(np.argmin(independence[first]))
    return SingularTask(
        f"{many}the Jacobian of {frame!r} in {robot.name!r} loses rank at q = {where}: singular values "
        f"{_format(values)} (lengths in that of the arm), and {name_of(task.rows[row])} is independent of the other "
        f"components to {independence[first][row]:.2g}, where {least:.2g} is the threshold. "
        f"Ask for fewer {either('components=', 'components')}, or bound the effective mass to 1 / lambda^2 by "
        + either("damping=lambda.", "damping: lambda.")
    )


def _format(values: Array) -> str:
    return ", ".join(f"{value:.3g}" for value in values)
