"""The task of a controller of a frame: its components, the errors of pose and twist, and its task-space dynamics."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from armdyn.algorithms import TaskSpace, forward_kinematics, jacobian, task_space
from armdyn.algorithms.task_rows import COMPONENTS, Components, chosen_rows, selected
from armdyn.control.pose_errors import pose_error
from armdyn.model.mechanism import Mechanism
from armdyn.spatial.rotations import Array


def task_size(model: Mechanism, *, components: Components = COMPONENTS, **_: object) -> int:
    """k, the number of components of a task."""
    return len(chosen_rows(components))


class TipTask(NamedTuple):
    """A task of k components in base axes, and its errors.

    ``space``: its equations of motion; ``e``: the way to the reference, rad and m, shape (k,); ``ed``: its rate,
    V_ref - V, rad/s and m/s; ``Vdot_ref``: the reference's acceleration, rad/s^2 and m/s^2; ``rows``: of the twist.
    """

    space: TaskSpace
    e: Array
    ed: Array
    Vdot_ref: Array
    rows: Sequence[tuple[float, ...]]


def tip_task(
    model: Mechanism,
    q: Array,
    qd: Array,
    T_ref: Array,
    V_ref: Array | None,
    Vdot_ref: Array | None,
    *,
    frame: str | None,
    components: Components,
    damping: float,
) -> TipTask:
    """The task of following a pose with its twist and twist rate, "world"; at rest if they are not given."""
    rows = chosen_rows(components)
    space = task_space(model, q, qd, frame=frame, components=components, expressed_in="world", damping=damping)
    e = selected(rows, pose_error(model, q, T_ref, frame=frame))
    ed = -(space.J @ qd) if V_ref is None else selected(rows, V_ref) - space.J @ qd
    rate = np.zeros(len(rows)) if Vdot_ref is None else selected(rows, Vdot_ref)
    return TipTask(space, e, ed, rate, rows)


def wrench_on_frame(model: Mechanism, q: Array, f_measured: Array, frame: str | None) -> Array:
    """f_ext, the wrench of the surroundings on a frame, in base axes, from its wrench on them, in its own axes."""
    R = forward_kinematics(model, q, frame=frame)[:3, :3]
    return -np.concatenate([R @ f_measured[:3], R @ f_measured[3:]])


def force_felt(model: Mechanism, q: Array, f_measured: Array, task: TipTask, frame: str | None) -> Array:
    """The force of f_ext along the task, Jbar^T J_6^T f_ext, shape (k,): its components, if it has no others."""
    J = jacobian(model, q, frame=frame)
    return np.asarray(task.space.Jbar.T @ -(J.T @ f_measured))
