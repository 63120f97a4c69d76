"""`servo_stiffness`: k of position servos that drive their joints by k (q_ref - q), from a log of goals and positions.

With the joint forces tau_0 that the description's bodies need, the offset of the goal from the position is

    q_ref - q = (1/k) (tau_0 + I_a qdd + b qd + c sign(qd) + l |load| sign(qd) + o),

linear in 1/k and in the joint's armature and friction over k, whatever those are. Both sides pass the low-pass of
`armdyn.identify`. The scale of k is that of the description's masses; goals q + tau/k depend on the ratio only.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from armdyn.base.checks import number, switch
from armdyn.base.tabular import TextTable
from armdyn.identification.design import Parameters, RegressionRows
from armdyn.identification.errors import IdentificationError
from armdyn.identification.friction_terms import terms_of
from armdyn.identification.intervals import NORMAL, autocovariance_of, lags_of
from armdyn.identification.regression import Regression
from armdyn.logs.log import Log
from armdyn.spatial.rotations import Array

if TYPE_CHECKING:
    from armdyn.robot import Robot

FRICTION = ("viscous", "coulomb", "load", "offset")
"""The terms of friction that are fitted with k."""

CUTOFF, SMOOTHING = 5.0, 25.0
"""Cut-offs of the low-pass of both sides, and of positions and velocities, Hz."""

ROUNDS = 3
"""Repetitions of the solution with new weights of joints."""

LARGEST_DEVIATION = 0.2
"""The largest relative standard deviation of a stiffness that a log determines."""


@dataclass(frozen=True, eq=False)
class ServoStiffness:
    """Stiffness of position servos.

    Args:
        joint_names: of the arm.
        values: k, N m/rad or N/m, shape (n,).
        deviations: their standard deviations, the residuals' autocorrelation counted.
        shared: True if one number was fitted for all joints.
    """

    joint_names: tuple[str, ...]
    values: Array
    deviations: Array
    shared: bool

    @property
    def intervals(self) -> Array:
        """The interval of 95 % of each k, shape (n, 2)."""
        return np.stack([self.values - NORMAL * self.deviations, self.values + NORMAL * self.deviations], axis=-1)

    def torques(self, log: Log) -> Log:
        """The log with the joint forces k (q_ref - q)."""
        return log.with_torques(self.values * offsets_of(log))

    def __str__(self) -> str:
        rows = [
            (name, f"{k:.4g}", f"{low:.4g}", f"{high:.4g}")
            for name, k, (low, high) in zip(self.joint_names, self.values, self.intervals, strict=True)
        ]
        title = "Stiffness of the servos, N m/rad or N/m" + (", one for all joints" if self.shared else "")
        return str(TextTable(("joint", "k", "95 % from", "to"), rows, "lrrr", title))


def servo_stiffness(robot: Robot, logs: object, *, shared: bool = False, cutoff: float = CUTOFF) -> ServoStiffness:
    """k of position servos, N m/rad or N/m, from logs of goals q_ref and positions q.

    Friction and the inertias of rotors are fitted, too. A joint whose forces hardly depend on the description,
    such as one about a vertical axis, determines no k of its own: ``shared`` fits one number for servos that are alike.

    Args:
        robot: as described; its masses are the scale of k.
        logs: one or several `armdyn.logs.Log`, or sources of `armdyn.logs.read`, with goals q_ref.
        shared: True for one k of all joints.
        cutoff: of the low-pass of both sides, Hz.

    Raises:
        IdentificationError: logs without goals, too short, or from which no k follows.

    >>> robot, t = armdyn.load("planar_2r"), np.arange(0.0, 12.0, 0.01)
    >>> q = np.stack([0.8 * np.sin(2.0 * t), 0.5 * np.sin(3.1 * t)], axis=-1)
    >>> qd = np.stack([1.6 * np.cos(2.0 * t), 1.55 * np.cos(3.1 * t)], axis=-1)
    >>> qdd = np.stack([-3.2 * np.sin(2.0 * t), -4.805 * np.sin(3.1 * t)], axis=-1)
    >>> goals = q + (robot.inverse_dynamics(q, qd, qdd) + 0.4 * qd) / [300.0, 100.0]
    >>> k = armdyn.identification.servo_stiffness(robot, {"t": t, "q": q, "qd": qd, "q_ref": goals})
    >>> k.values.round(0)
    array([300., 100.])
    """
    from armdyn.identification.fitting import logs_of  # noqa: PLC0415 - imports the solver

    one = switch("shared", shared, error=IdentificationError)
    cut = number("cutoff", cutoff, above=0.0, unit="Hz", error=IdentificationError)
    offsets = [log.with_torques(offsets_of(log)) for log in logs_of(logs, robot, None)]
    parameters = Parameters(robot, True, terms_of(FRICTION))
    bodies = np.asarray(parameters.standard.values)
    regression = Regression.of(offsets, parameters, cut, SMOOTHING * cut / CUTOFF, np.zeros(robot.dof), bodies)
    inverse, spread = _inverse_stiffness(regression, bodies, one)
    names = tuple(robot.joint_names)
    unsure = [
        name for name, x, s in zip(names, inverse, spread, strict=True) if not (x > 0.0 and s < LARGEST_DEVIATION * x)
    ]
    if unsure:
        remedy = "record poses that need more of it" if one else "if the servos are alike, fit one for all: shared=True"
        raise IdentificationError(
            f"the stiffness of {', '.join(unsure)} does not follow from the log: q_ref - q has little of the joint "
            f"force that the description's masses need; {remedy}"
        )
    return ServoStiffness(names, 1.0 / inverse, spread / inverse**2, one)


def offsets_of(log: Log) -> Array:
    """q_ref - q of a log, rad or m, shape (T, n).

    Raises:
        IdentificationError: a log without goals.
    """
    if log.q_ref is None:
        raise IdentificationError(
            f"log {log.name!r} has no goals of servos; name their columns: columns={{'q_ref': ...}}"
        )
    return np.asarray(log.q_ref - log.q)


def _inverse_stiffness(regression: Regression, bodies: Array, shared: bool) -> tuple[Array, Array]:
    """1/k of each joint and its standard deviation, joints weighted by their residuals."""
    n = regression.joints
    parts = [_design(part, regression.parameters, bodies, shared) for part in regression.parts]
    A = np.concatenate(parts)
    offsets = np.concatenate([np.where(part.usable, part.torques, np.nan) for part in regression.parts])
    used = np.isfinite(offsets)
    A[~used], offsets[~used] = 0.0, 0.0
    size = np.linalg.norm(A, axis=(0, 1))
    A = A / np.where(size > 0.0, size, 1.0)
    weights = np.ones(n)
    for _ in range(ROUNDS):
        x = np.linalg.lstsq((A * weights[:, None]).reshape(-1, A.shape[2]), (offsets * weights).ravel(), rcond=None)[0]
        residual = offsets - A @ x
        spread = np.sqrt(np.sum(residual**2, axis=0) / used.sum(axis=0))
        weights = 1.0 / np.maximum(spread, 1e-6 * spread.max() + np.finfo(float).tiny)
    inverse = np.linalg.pinv(np.einsum("tjk,j,tjl->kl", A, weights**2, A), rcond=1e-13)
    scores, meat, start = np.einsum("tjk,j,tj->tk", A, weights**2, residual), np.zeros_like(inverse), 0
    for number_of, part in enumerate(parts):
        these = scores[start : start + len(part)]
        meat += autocovariance_of(these, lags_of(regression, number_of, len(part)))
        start += len(part)
    of_k = slice(0, 1 if shared else n)
    deviations = np.sqrt(np.diag(inverse @ meat @ inverse))[of_k] / size[of_k]
    return np.broadcast_to(x[of_k] / size[of_k], n).copy(), np.broadcast_to(deviations, n).copy()


def _design(part: RegressionRows, parameters: Parameters, bodies: Array, shared: bool) -> Array:
    """The columns of each joint's offset, shape (rows, n, 1/k and the terms of joints)."""
    n, rank = parameters.robot.dof, len(parameters.base.independent)
    base = parameters.base.matrix @ bodies
    first = 1 if shared else n
    A = np.zeros((len(part), n, first + n * len(parameters.of_joints)))
    for j, (columns, places) in enumerate(zip(part.columns, parameters.of_row, strict=True)):
        of_bodies = places < rank
        A[:, j, 0 if shared else j] = columns[:, of_bodies] @ base[places[of_bodies]]
        A[:, j, first + places[~of_bodies] - rank] = columns[:, ~of_bodies]
    return A
