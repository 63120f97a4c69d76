"""Motion through dead points: states at which A loses rank, because two branches of a mechanism's motion cross there.

A parallelogram is at one if its bars lie on one line: it may continue as a parallelogram, or with crossed bars. A
motion stays on its branch. With v the left singular vector of the least singular value s of A,

    v^T (A qdd + Adot qd) = 0                        the row that is lost: v^T A and v^T Adot qd are zero at s = 0
    v^T (Adot qdd + d(Adot qd)/dt + A qddd) = 0      its rate, whose row v^T Adot(qd) is regular if the motion passes

so that near s = 0 the rate, without the last term, which is proportional to s, replaces the row. Its error in the
acceleration is proportional to s, that of the row to phi / s^2, and both change their sign with s.

Singular values are those of L^-1 A^T, M = L L^T, with each row divided by its usual length.
"""

from __future__ import annotations

from functools import reduce

import numpy as np

from armdyn.algorithms.factors import factored_mass_matrix
from armdyn.base.scalars import Scalar
from armdyn.base.threads import cached_property
from armdyn.constraints.arguments import ConstrainedRobot, Redundant, finite
from armdyn.constraints.equations import all_equations, function
from armdyn.constraints.multipliers import schur_complement
from armdyn.constraints.row_sizes import unit_rows
from armdyn.functions.robot_like import compile_for
from armdyn.model.constraints import rows_of
from armdyn.model.mechanism import Mechanism
from armdyn.program import less, maximum, minimum, rate, select
from armdyn.spatial.rotations import Array

PASSES = 5e-4
"""Part of the usual least singular value: at it, row and rate have equal weight for a motion that passes quickly."""

NEAR = 20.0 * PASSES
"""Part of the usual least singular value; below, the rate counts too."""

APPROACHING = 0.1
"""Part of the usual least singular value; below, a motion is put onto its constraints before it is near."""

KEPT = 5.0 * PASSES
"""Part of the usual least singular value; below, a correction would be this much larger than what it corrects."""

SHARPNESS = 8
"""Power of the singular value with which the rate ceases to count."""

DEPENDENT = 1e-6
"""Part of the greatest singular value; below, rows depend on others, which drift separates that little."""

FAR_ABOVE = 100.0
"""Least s^2, by the drift phi, at which a motion without projection does not leave its branch."""

MOST_PARTS = 50
"""Parts of the path between two saved states that are checked."""

STATES = 9
"""Number of random states; the medians of their values are the usual ones."""


@function("(n)->(constraints)")
def pivots(model: Mechanism, q: Array) -> Array:
    """Squares of the parts of the rows of A that are square to the rows before them, in the metric of M^-1.

    Args:
        q: joint positions, rad or m, shape (..., n).
    """
    _, S = schur_complement(model, factored_mass_matrix(model, q), all_equations(model, q).A)
    return np.array(S.D)


@function("(n),(n),(n)->(constraints)")
def rate_of_rows(model: Mechanism, q: Array, qd: Array, qdd: Array) -> Array:
    """d(A qdd + Adot qd)/dt with qdd held constant: Adot qdd + d(Adot qd)/dt, shape (..., constraints).

    Args:
        q: joint positions, rad or m, shape (..., n).
        qd: joint velocities, rad/s or m/s, shape (..., n).
        qdd: joint accelerations, rad/s^2 or m/s^2, shape (..., n).
    """
    n = model.dof

    def rows(x: Array) -> Array:
        _, A, drift = all_equations(model, x[:n], x[n:])
        return np.asarray(A @ qdd + drift)

    return np.asarray(rate(rows, np.array([*q, *qd]), np.array([*qd, *qdd])))


def nan_near(model: Mechanism, q: Array, usual: Array) -> Scalar:
    """1, or NaN so near to a dead point that the drift phi, or rounding, affects the branch: s^2 is not far above phi.

    Args:
        model: the traced arm.
        q: joint positions.
        usual: usual pivots, as of `pivots`.
    """
    phi = all_equations(model, q).phi
    holonomic = [row.holonomic for row in rows_of(model.model.constraints)]
    drifts = [abs(x) / np.sqrt(one) for x, one in zip(phi, np.asarray(usual)[holonomic], strict=True)]
    s2 = reduce(minimum, [pivot / one for pivot, one in zip(pivots(model, q), usual, strict=True)])
    least = reduce(maximum, [FAR_ABOVE * drift for drift in drifts], (2.0 * PASSES) ** 2)
    return np.sqrt(select(less(least, s2), 1.0, -1.0))


class DeadPoints:
    """The dead points of a robot with constraints.

    Args:
        robot: with constraints.
        redundant: "error" if its rows are independent at most states, "least_squares" if some may depend on others.
    """

    def __init__(self, robot: ConstrainedRobot, redundant: Redundant) -> None:
        self.robot, self.independent = robot, redundant == "error"
        self._rank = len(robot.constraint_rows) if self.independent else 0

    def near(self, q: Array, part: float = NEAR) -> Array:
        """True for states whose least singular value is below a part of the usual one, shape (...)."""
        if self.independent:
            small = np.asarray(compile_for(pivots, self.robot)(q)) < (2.0 * part) ** 2 * self.usual_pivots
            return np.asarray(small.any(axis=-1))
        fine = finite(q)
        least = np.full(q.shape[:-1], np.inf)
        if fine.any():
            s = np.linalg.svd(self._unit_rows(q[fine]), compute_uv=False)
            self._rank = self._rank or max(1, int((s[0] > DEPENDENT * s[0, 0]).sum()))
            least[fine] = s[:, self._rank - 1]
        return np.asarray(least < part * self.usual)

    def on_path(self, q: Array, part: float = NEAR) -> Array:
        """True for paths, straight between positions, that come near a dead point, as `near`, shape (...).

        Args:
            q: joint positions, rad or m, shape (T, ..., n).
            part: of the usual least singular value.
        """
        ways = np.diff(q, axis=0)
        longest = np.abs(ways[np.isfinite(ways)]).max(initial=0.0)
        count = min(int(2.0 * longest / part) + 1, MOST_PARTS)
        parts = np.arange(count).reshape(-1, *np.ones(q.ndim, dtype=int)) / count
        near: Array = self.near(q[:-1] + parts * ways, part).any(axis=(0, 1)) | self.near(q[-1], part)
        return near

    def continued(self, q: Array, qd: Array, qdd: Array, free: Array) -> Array:
        """Accelerations that stay on the branch of the motion, rad/s^2 or m/s^2, shape (n,).

        Args:
            q: joint positions, rad or m, shape (n,).
            qd: joint velocities, rad/s or m/s, shape (n,).
            qdd: accelerations by the rows of A, shape (n,).
            free: accelerations of the same forces without constraints, shape (n,).
        """
        L, A = np.linalg.cholesky(self.robot.mass_matrix(q)), self._rows(q)
        _, s, Vt = np.linalg.svd(np.linalg.solve(L, A.T), full_matrices=False)
        weak = s[: self._rank] < NEAR * self.usual
        if not weak.any():
            return qdd
        strong, vanishing = Vt[: self._rank][~weak], Vt[: self._rank][weak]
        slope, rest = self._rate(q, qd)
        weight = self._weight(s[self._rank - 1], L, vanishing @ slope, vanishing @ self._rate(q, free)[0])
        if weight == 0.0:
            return qdd
        drift = np.asarray(self.robot.constraint_drift(q, qd)) / self.lengths
        rows, target = np.vstack([strong @ A, vanishing @ slope]), -np.concatenate([strong @ drift, vanishing @ rest])
        Y = np.linalg.solve(L, rows.T)
        multipliers = np.linalg.lstsq(Y.T @ Y, target - rows @ free, rcond=None)[0]
        by_rate: Array = free + np.linalg.solve(L.T, Y @ multipliers)
        return by_rate if weight == 1.0 else weight * by_rate + (1.0 - weight) * qdd

    def _weight(self, s: float, L: Array, passing: Array, turning: Array) -> float:
        """The weight of the rate relative to the row, between 0 and 1.

        Args:
            s: the least singular value.
            L: of M = L L^T.
            passing: the rows of the rate, about 3 times the rate of s.
            turning: these rows at the accelerations in place of the velocities, for the acceleration of s.
        """
        speed, bend = (
            np.linalg.norm(np.linalg.solve(L, rows.T), ord=side) for rows, side in ((passing, -2), (turning, 2))
        )
        if speed == 0.0:
            return 0.0
        at = PASSES * self.usual * (speed**2 / (speed**2 + bend)) ** 0.25
        return float(1.0 / (1.0 + (s / at) ** SHARPNESS))

    def _rate(self, q: Array, qd: Array) -> tuple[Array, Array]:
        """G and g of d(A qdd + Adot qd)/dt = G qdd + g, rows by their usual lengths."""
        of_unit = np.vstack([np.zeros(len(q)), np.eye(len(q))])
        values = np.asarray(compile_for(rate_of_rows, self.robot)(q, qd, of_unit)) / self.lengths
        return (values[1:] - values[0]).T, values[0]

    def _rows(self, q: Array) -> Array:
        """A by the usual lengths of its rows, shape (..., constraints, n)."""
        return np.asarray(self.robot.constraint_jacobian(q)) / self.lengths[:, None]

    def _unit_rows(self, q: Array) -> Array:
        """L^-1 A^T of these rows, shape (..., n, constraints)."""
        L = np.linalg.cholesky(np.asarray(self.robot.mass_matrix(q)))
        B: Array = np.linalg.solve(L, np.swapaxes(self._rows(q), -1, -2))
        return B

    @cached_property
    def _states(self) -> Array:
        """Random states, equal at every call, at which A is finite."""
        q = np.random.default_rng(0).uniform(-1.0, 1.0, (STATES, self.robot.dof))
        q = q * [np.pi if joint.kind == "revolute" else 1.0 for joint in self.robot.joints]
        fine = np.isfinite(np.asarray(self.robot.constraint_jacobian(q))).all(axis=(-2, -1))
        return q[fine] if fine.any() else q

    @cached_property
    def usual_pivots(self) -> Array:
        """The usual pivots, as `pivots`, shape (constraints,)."""
        usual: Array = np.median(compile_for(pivots, self.robot)(self._states), axis=0)
        return usual

    @cached_property
    def lengths(self) -> Array:
        """The usual lengths of the rows of A in the metric of M^-1, infinite for rows that are usually zero."""
        q = self._states
        lengths = unit_rows(np.asarray(self.robot.constraint_jacobian(q)), np.asarray(self.robot.mass_matrix(q)))[1]
        usual = np.median(lengths, axis=0)
        return np.where(usual > 0.0, usual, np.inf)

    @cached_property
    def usual(self) -> float:
        """The usual least singular value."""
        s = np.linalg.svd(self._unit_rows(self._states), compute_uv=False)
        return float(np.median(s[:, self._rank - 1]))
