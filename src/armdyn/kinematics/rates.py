"""Joint velocities from a frame's velocity, accelerations from its acceleration (Kazerounian and Gupta 4a, 4b)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from armdyn.algorithms.expressed_in import way_of_twist
from armdyn.algorithms.task_rows import COMPONENTS
from armdyn.base.checks import array, number, one_batch, per_joint, places, vector
from armdyn.functions.robot_like import RobotLike, compile_for
from armdyn.kinematics.joint_motion import JointMotion
from armdyn.kinematics.limits import length_of, unit_of
from armdyn.kinematics.motion import frame_motion
from armdyn.kinematics.singular import Decomposition
from armdyn.kinematics.solution import spread
from armdyn.kinematics.task import TaskError
from armdyn.kinematics.tasks import moving_frame
from armdyn.model.constraints import refuse_constraints

_ASKED = {"twist": "rates", "acceleration": "accelerations"}


def joint_rates(
    robot: RobotLike,
    q: ArrayLike,
    twist: ArrayLike,
    *,
    frame: str | None = None,
    point: Sequence[float] = (0.0, 0.0, 0.0),
    expressed_in: str = "body",
    components: Sequence[str] = COMPONENTS,
    threshold: float = 1e-3,
    damping: float = 0.0,
) -> JointMotion:
    """Joint velocities qd, rad/s or m/s, shape (..., n), that give a frame the twist (w, v): J(q) qd = V.

    The solution uses the singular value decomposition of J (Kazerounian and Gupta 1985, 4a; Modern Robotics 6.3): it is
    exact if possible, with the least joint velocities for redundant arms, and with the least error of the twist
    otherwise. In addition to qd the result contains the distance to a singularity, its direction, and the error of the
    twist.

    Args:
        robot: the arm, or a tree of them.
        q: joint positions, rad or m, shape (..., n).
        twist: angular velocity, rad/s, then velocity of the point, m/s, shape (..., 6).
        frame: name of the moving frame; the tip by default.
        point: point of the frame, m, in its axes, with velocity v; its origin by default. Not with "space".
        expressed_in: as for `Robot.jacobian`: "body": axes of the frame; "world": axes of the base; "space": axes and
            origin of the base.
        components: requested components of the twist, some of "wx", "wy", "wz", "vx", "vy", "vz"; the others are free.
        threshold: the arm is near singular if the smallest singular value is below this fraction of the greatest.
        damping: with 0, joint velocities grow without bound near a singularity. Otherwise directions below the
            threshold are damped, so that they require joint velocities of at most 1 / (2 damping sigma_1) times theirs,
            while all others stay exact. A good value is that of the threshold.

    Raises:
        ShapeError: an array that does not fit the robot.
        DTypeError: an array that is not real.
        UnknownName: an unknown frame, component or value of ``expressed_in``.
        TaskError: an invalid threshold or damping.

    >>> robot = armdyn.load("ur5")
    >>> q, up = [0.3, -1.2, 1.4, -0.7, 1.1, 0.2], [0, 0, 0, 0, 0, 0.1]
    >>> motion = robot.joint_rates(q, up, expressed_in="world")
    >>> np.allclose(robot.jacobian(q, expressed_in="world") @ motion.values, up, rtol=0, atol=1e-15)
    True
    """
    of_frame = frame, point, expressed_in, components
    return _solve(robot, {"q": q, "twist": twist}, "twist", *of_frame, threshold, damping)


def joint_accelerations(
    robot: RobotLike,
    q: ArrayLike,
    qd: ArrayLike,
    acceleration: ArrayLike,
    *,
    frame: str | None = None,
    point: Sequence[float] = (0.0, 0.0, 0.0),
    expressed_in: str = "body",
    components: Sequence[str] = COMPONENTS,
    threshold: float = 1e-3,
    damping: float = 0.0,
) -> JointMotion:
    """Joint accelerations qdd, rad/s^2 or m/s^2, shape (..., n), for a given derivative of a frame's twist.

    J qdd + Jdot qd = Vdot (Kazerounian and Gupta 1985, 4b), with Jdot qd as the acceleration for qdd = 0. With
    ``expressed_in="world"``, Vdot is the angular acceleration and the acceleration of the point, in base axes.

    Args:
        robot: the arm, or a tree of them.
        q: joint positions, rad or m, shape (..., n).
        qd: joint velocities, rad/s or m/s, shape (..., n).
        acceleration: the time derivative of the twist (w, v), rad/s^2 and m/s^2, shape (..., 6).
        frame, point, expressed_in, components, threshold, damping: as for `joint_rates`.

    Raises:
        ShapeError, DTypeError, UnknownName, TaskError: as for `joint_rates`.

    >>> robot = armdyn.load("ur5")
    >>> q, qd = [0.3, -1.2, 1.4, -0.7, 1.1, 0.2], [0.1, -0.2, 0.3, -0.1, 0.2, 0.4]
    >>> robot.joint_accelerations(q, qd, np.zeros(6)).values.shape
    (6,)
    """
    values, of_frame = {"q": q, "acceleration": acceleration, "qd": qd}, (frame, point, expressed_in, components)
    return _solve(robot, values, "acceleration", *of_frame, threshold, damping)


def _solve(
    robot: RobotLike,
    arguments: Mapping[str, Any],
    subject: str,
    frame: str | None,
    point: Sequence[float],
    expressed_in: str,
    components: Sequence[str],
    threshold: float,
    damping: float,
) -> JointMotion:
    refuse_constraints(
        robot.model, f"joint_{_ASKED[subject]}", f"close_{_ASKED[subject].replace('rates', 'velocities')}"
    )
    expressed_in = way_of_twist(expressed_in)
    point = vector("point", point, error=TaskError)
    if expressed_in == "space" and any(point):
        raise TaskError("point= has no meaning with expressed_in='space', whose velocity is that at the base's origin")
    threshold = number("threshold", threshold, least=0.0, error=TaskError)
    damping = number("damping", damping, least=0.0, error=TaskError)
    rows = sorted(places("components", components, COMPONENTS, "component", "a twist", error=TaskError))
    frame = moving_frame(robot, frame)
    arrays = one_batch(
        **{
            name: array(name, value, (..., 6), "angular part first: " + ", ".join(COMPONENTS), missing=True)
            if name == subject
            else per_joint(robot, **{name: value})[0]
            for name, value in arguments.items()
        }
    )
    batch = arrays[0].shape[:-1]
    q, target, *rest = (a.reshape(-1, a.shape[-1]) for a in arrays)
    qd = rest[0] if rest else np.zeros_like(q)
    J, drift = compile_for(frame_motion, robot)(q, qd, frame=frame, point=point, expressed_in=expressed_in)

    length = length_of(robot, {frame})
    row_units = np.array([1.0, 1.0, 1.0, length, length, length])
    row_unit = row_units[rows]
    joint_unit = unit_of(robot, length)
    finite = np.isfinite(J).all(axis=(1, 2)) & np.isfinite(target).all(axis=1) & np.isfinite(drift).all(axis=1)
    parts = Decomposition.of(J[finite] * joint_unit / row_units[:, None], rows)
    x = parts.solve((target - drift)[finite][:, rows] / row_unit, threshold, damping)
    values = np.full(q.shape, np.nan)
    values[finite] = x * joint_unit
    missed = np.zeros((len(q), 6))
    missed[:, rows] = (target - drift - np.einsum("kij,kj->ki", J, values))[:, rows]
    weak = np.zeros((int(finite.sum()), 6))
    weak[:, rows] = parts.U[:, :, -1] * row_unit

    by_state = partial(spread, finite, batch)
    return JointMotion(
        robot=robot.name,
        values=values.reshape((*batch, robot.dof)),
        missed=missed.reshape((*batch, 6)),
        singular_values=by_state(parts.sigma, np.nan),
        condition=by_state(parts.condition, np.nan),
        rank=by_state(parts.rank, 0),
        near_singular=by_state(parts.sigma[:, -1] < threshold * parts.sigma[:, 0], True),
        weak=by_state(weak, np.nan),
        length=length,
        threshold=threshold,
        damping=damping,
        components=len(rows),
        per=("rad/s, m/s" if subject == "twist" else "rad/s^2, m/s^2"),
    )
