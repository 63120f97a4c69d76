"""The information of a motion on a robot's parameters, and its slopes by the motion's coefficients.

A = sum_joints Y_j^T Y_j / sigma_j^2 is the information on base parameters, friction and armature. The slope of
log det A by the rows is 2 Y A^-1 / sigma^2; one call of the regressor's adjoint turns it into slopes by q, qd and qdd,
and the basis of the series into slopes by its coefficients. Limits enter by a penalty of growing weight; in the end the
amplitude is scaled by the largest factor that keeps all of them.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Literal

import numpy as np

from armdyn.identification.fourier_series import Basis, motion_of
from armdyn.identification.identifiability.combinations import BaseParameters
from armdyn.identification.motion_limits import MotionBounds
from armdyn.spatial.rotations import Array

if TYPE_CHECKING:
    from armdyn.robot import Robot

PLACES, FINE = 24, 20
"""Times of the design in a period of the highest harmonic; times between two of them at which limits are checked."""

Criterion = Literal["information", "deviations"]
"""log det A, or the mean of the parameters' expected deviations."""

HALVINGS = 26

RIDGE, SINGULAR = 1e-12, 1e6
"""What is added to the diagonal of A, scaled to ones; and the cost of a motion at which det A is zero."""


class Design:
    """The information of a motion and its slopes, at fixed times.

    Args:
        robot: the robot that moves.
        base: the base parameters whose columns count.
        options: of the regressor.
        bounds: of the motion.
        noise: deviation of each joint force, (n,).
        duration: s.
        harmonics: of the series.
    """

    def __init__(
        self,
        robot: Robot,
        base: BaseParameters,
        options: Mapping[str, bool],
        bounds: MotionBounds,
        noise: Array,
        duration: float,
        harmonics: int,
    ) -> None:
        self.robot, self.base, self.options, self.bounds, self.noise = robot, base, dict(options), bounds, noise
        self.n, self.harmonics, self.duration = robot.dof, harmonics, duration
        count = PLACES * harmonics + 1
        self.basis = Basis.of(np.linspace(0.0, duration, count), duration, harmonics)
        self.fine = Basis.of(np.linspace(0.0, duration, FINE * (count - 1) + 1), duration, harmonics)
        self.independent = np.array(base.independent, dtype=int)
        self.adjoint = robot.regressor.vjp("q", "qd", "qdd")
        self.torques = robot.inverse_dynamics.vjp("q", "qd", "qdd")

    def rows(self, q: Array, qd: Array, qdd: Array) -> Array:
        """The columns of the base parameters, shape (T, n, parameters)."""
        Y: Array = self.robot.regressor(q, qd, qdd, **self.options)[..., self.independent]
        return Y

    def information(self, q: Array, qd: Array, qdd: Array) -> Array:
        """A of a motion at the times of the design, for rows of a second each (T / rows)."""
        rows = self.rows(q, qd, qdd) / self.noise[:, None]
        flat = rows.reshape(-1, rows.shape[-1])
        return np.asarray(flat.T @ flat) / len(q)

    def cost(self, x: Array, criterion: Criterion, weight: float) -> tuple[float, Array]:
        """What the criterion makes least and the penalty of limits, with slopes by q_0 and the coefficients."""
        start, c = x[: self.n], x[self.n :].reshape(self.n, -1)
        q, qd, qdd = motion_of(self.basis, start, c)
        value, by_q, by_qd, by_qdd = self._of_criterion(criterion, q, qd, qdd)
        penalty, *slopes = self._of_limits(q, qd, qdd, weight)
        by_q, by_qd, by_qdd = by_q + slopes[0], by_qd + slopes[1], by_qdd + slopes[2]
        by_c = by_q.T @ self.basis.value + by_qd.T @ self.basis.rate + by_qdd.T @ self.basis.acceleration
        return value + penalty, np.concatenate([by_q.sum(axis=0), by_c.ravel()])

    def log_det(self, start: Array, c: Array) -> float:
        """log det A of the motion with these coefficients."""
        A = self.information(*motion_of(self.basis, start, c))
        scale = 1.0 / np.sqrt(np.diag(A))
        return float(np.linalg.slogdet(scale[:, None] * A * scale)[1] - 2.0 * np.log(scale).sum())

    def deviations(self, start: Array, c: Array, rows: float) -> Array:
        """sqrt(diag A^-1) for a number of independent rows, in the order of the columns."""
        A = self.information(*motion_of(self.basis, start, c))
        scale = 1.0 / np.sqrt(np.diag(A))
        covariance = scale[:, None] * np.linalg.pinv(scale[:, None] * A * scale, rcond=1e-13) * scale / rows
        return np.asarray(np.sqrt(np.diag(covariance)))

    def _of_criterion(self, criterion: Criterion, q: Array, qd: Array, qdd: Array) -> tuple[float, Array, Array, Array]:
        rows = self.rows(q, qd, qdd) / self.noise[:, None]
        flat = rows.reshape(-1, rows.shape[-1])
        A = flat.T @ flat / len(q)
        scale = 1.0 / np.sqrt(np.maximum(np.diag(A), np.finfo(float).tiny))
        scaled = scale[:, None] * A * scale + RIDGE * np.eye(len(A))
        sign, logarithm = np.linalg.slogdet(scaled)
        if sign <= 0.0:
            return SINGULAR, np.zeros_like(q), np.zeros_like(q), np.zeros_like(q)
        C = scale[:, None] * np.linalg.inv(scaled) * scale
        if criterion == "information":
            value, by_A = -(logarithm - 2.0 * np.log(scale).sum()), C
        else:  # parameters times the logarithm of their deviations' mean, which is as steep as log det
            deviations = np.sqrt(np.diag(C))
            value = len(A) * np.log(deviations.mean())
            by_A = C @ (C / deviations[:, None]) / (2.0 * deviations.mean())
        by_rows = -2.0 / len(q) * (rows @ by_A) / self.noise[:, None]
        cotangent = np.zeros((*q.shape, len(self.base.standard)))
        cotangent[..., self.independent] = by_rows
        by_q, by_qd, by_qdd = self.adjoint(q, qd, qdd, cotangent_out=cotangent, **self.options)
        return float(value), by_q, by_qd, by_qdd

    def _of_limits(self, q: Array, qd: Array, qdd: Array, weight: float) -> tuple[float, Array, Array, Array]:
        bounds, count = self.bounds, len(q)
        value, by_q = _beyond((q - bounds.middle) / bounds.half, 1.0 / bounds.half)
        more, by_qd = _beyond(qd / bounds.velocity, 1.0 / bounds.velocity)
        value += more
        more, by_qdd = _beyond(qdd / bounds.acceleration, 1.0 / bounds.acceleration)
        value += more
        if np.isfinite(bounds.effort).any():
            tau = self.robot.inverse_dynamics(q, qd, qdd)
            more, by_tau = _beyond(tau / bounds.effort, 1.0 / bounds.effort)
            value += more
            if more:
                result = self.torques(q, qd, qdd, cotangent_out=by_tau)
                by_q, by_qd, by_qdd = by_q + result[0], by_qd + result[1], by_qdd + result[2]
        factor = weight / count
        return factor * value, factor * by_q, factor * by_qd, factor * by_qdd

    def within_limits(self, x: Array) -> tuple[Array, Array, float]:
        """q_0, the coefficients times the largest factor that keeps all limits, and the part of a limit it uses."""
        start, c = x[: self.n], x[self.n :].reshape(self.n, -1)
        start = np.clip(start, self.bounds.lower + 1e-9, self.bounds.upper - 1e-9)

        def part(factor: float) -> float:
            return self.bounds.part(self.robot, *motion_of(self.fine, start, factor * c))

        low, high = 0.0, 1.0
        if part(high) <= 1.0:
            return start, c, part(high)
        if part(0.0) > 1.0:
            return start, 0.0 * c, part(0.0)
        for _ in range(HALVINGS):
            middle = 0.5 * (low + high)
            low, high = (middle, high) if part(middle) <= 1.0 else (low, middle)
        return start, low * c, part(low)

    def random(self, generator: np.random.Generator) -> Array:
        """q_0 near the middle, and coefficients of a motion that uses about half of the limits."""
        bounds = self.bounds
        start = bounds.middle + 0.2 * bounds.half * generator.uniform(-1.0, 1.0, self.n)
        c = generator.normal(size=(self.n, 2 * self.harmonics))
        q, qd, _ = motion_of(self.basis, np.zeros(self.n), c)
        size = np.maximum(np.abs(q).max(axis=0) / (0.6 * bounds.half), np.abs(qd).max(axis=0) / (0.6 * bounds.velocity))
        return np.concatenate([start, (c / size[:, None]).ravel()])


def _beyond(parts: Array, slope: Array) -> tuple[float, Array]:
    """The sum of squares of what exceeds 1, and its slope."""
    excess = np.maximum(np.abs(parts) - 0.999, 0.0)
    return float((excess**2).sum()), 2.0 * excess * np.sign(parts) * slope
