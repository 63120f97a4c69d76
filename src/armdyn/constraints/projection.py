"""States moved onto their constraints: phi(q) = 0 by Newton's steps, A qd = 0 by one, each in the metric of M.

    q+ = q - M^-1 A^T (A M^-1 A^T)^-1 phi(q)         the holonomic rows of A
    qd+ = qd - M^-1 A^T (A M^-1 A^T)^-1 A qd = P_qdd qd   at q+, all rows (Modern Robotics 8.102)

The corrections of an integrator's drift are so small that a single step brings phi to rounding, because its
error is of the order of the square of phi.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple, Protocol

import numpy as np

from armdyn.algorithms.factors import factored, links_mass
from armdyn.base.scalars import Scalar
from armdyn.constraints.arguments import ConstrainedRobot, Redundant
from armdyn.constraints.dead_points import KEPT, DeadPoints
from armdyn.constraints.dynamics import phi_by_row
from armdyn.constraints.equations import all_equations, function
from armdyn.constraints.multipliers import schur_complement
from armdyn.constraints.row_sizes import holonomic
from armdyn.constraints.solving import least_change
from armdyn.functions.robot_like import compile_for
from armdyn.model.constraints import rows_of
from armdyn.model.mechanism import Mechanism
from armdyn.spatial.rotations import Array

NEWTON_STEPS = 8
"""Largest number of Newton steps, for a state that is far from closed."""

CLOSE = 1e-9
"""Violation phi, m or rad, from which a Newton step reaches rounding."""

DRIFTED = 1e-6
"""Singular values of the rows as unit vectors below this count as zero: drift separates dependent rows that little."""


class Projected(NamedTuple):
    """A state a Newton step nearer to its constraints, and its violation before.

    Args:
        q: joint positions, rad or m, shape (..., n).
        qd: joint velocities, rad/s or m/s, shape (..., n); they satisfy the constraints at q.
        phi: phi(q) before, m or rad, zero for rows that are not holonomic, shape (..., constraints).
        rate: A qd before, m/s or rad/s, shape (..., constraints).
    """

    q: Array
    qd: Array
    phi: Array
    rate: Array


@function("(n),(n)->(n),(n),(constraints),(constraints)", result=Projected)
def projection_step(model: Mechanism, q: Array, qd: Array) -> Projected:
    """State (q, qd) a Newton step nearer to its constraints, and phi and A qd before, for constraints of full rank.

    Args:
        q: joint positions, rad or m, shape (..., n).
        qd: joint velocities, rad/s or m/s, shape (..., n).
    """
    phi, A, _ = all_equations(model, q)
    closer = nearer(model, q)
    slower = within(model, closer, qd)
    return Projected(closer, slower, np.array(phi_by_row(model, phi)), np.asarray(A @ qd))


def projected(model: Mechanism, q: Array, qd: Array) -> tuple[Array, Array]:
    """Positions two Newton steps nearer to the constraints, and velocities that satisfy them there.

    For an integrator's drift, one brings phi to its square, the second to rounding; both are compiled and
    differentiated with the step they follow.

    Args:
        model: the traced arm, with constraints of full rank.
        q: joint positions, rad or m, shape (n,).
        qd: joint velocities, rad/s or m/s, shape (n,).
    """
    closer = nearer(model, nearer(model, q))
    return closer, within(model, closer, qd)


def nearer(
    model: Mechanism, q: Array, moves: Sequence[Scalar] | None = None, active: Sequence[Scalar] | None = None
) -> Array:
    """Positions a Newton step nearer to phi = 0.

    Args:
        model: the traced arm, with constraints of full rank.
        q: joint positions, rad or m, shape (n,).
        moves: 1 for each coordinate that may move, 0 for one that is held; all may by default.
        active: 1 for each row that counts, 0 for one that is left out; all count by default. With it, all rows are
            holonomic.
    """
    phi, A, _ = all_equations(model, q)
    if not len(phi):
        return q
    chosen = np.array([row.holonomic for row in rows_of(model.model.constraints)])
    closer: Array = q - _least(model, q, A[chosen], phi, moves, active)
    return closer


def within(
    model: Mechanism,
    q: Array,
    qd: Array,
    moves: Sequence[Scalar] | None = None,
    active: Sequence[Scalar] | None = None,
) -> Array:
    """Velocities without the part that violates the constraints; arguments as of `nearer`."""
    A = all_equations(model, q).A
    allowed: Array = qd - _least(model, q, A, A @ qd, moves, active)
    return allowed


def _least(
    model: Mechanism, q: Array, A: Array, b: Array, moves: Sequence[Scalar] | None, active: Sequence[Scalar] | None
) -> Array:
    """The x of the least x . M x with A x = b: M^-1 A^T (A M^-1 A^T)^-1 b; zero of coordinates that are held."""
    factors = factored(model, model.drive, links_mass(model, q), moves)
    if active is not None:
        A, b = np.array(active)[:, None] * A, np.array(active) * b
    Y, S = schur_complement(model, factors, A, active)
    return np.array(factors.outwards(factors.over_D(list(S.solve(b) @ Y))))


class Projection(Protocol):
    """A state on its constraints, from one near them, and the violation of that."""

    def __call__(self, q: Array, qd: Array, locked_rows: Array | None = None, /) -> Projected:
        """``locked_rows``: rows of velocities that stay zero, (rows, n); positions do not move along them."""


Step = Callable[[Array, Array], Projected]
"""One Newton step."""


def projection_of(robot: ConstrainedRobot, redundant: Redundant, points: DeadPoints | None = None) -> Projection:
    """The projection of all states of a batch at once; those that are not finite stay unchanged.

    Near ``points`` the directions in which a correction would be far larger than the drift are not corrected.
    """
    whole = compile_for(projection_step, robot) if redundant == "error" else _by_singular_values(robot)

    def project(q: Array, qd: Array, locked_rows: Array | None = None) -> Projected:
        ways = None if locked_rows is None or not len(locked_rows) else _ways_beside(locked_rows)
        step = whole if ways is None else _by_singular_values(robot, ways)
        if points is not None and points.near(q).any():
            step = _near(points, step, _by_singular_values(robot, ways, points))
        first = last = step(q, qd)
        for _ in range(NEWTON_STEPS):
            size = np.abs(last.phi)
            open_ = np.asarray((size > CLOSE).any(axis=-1) & np.isfinite(size).all(axis=-1))
            if not open_.any():
                break
            q, qd, phi, rate = step(last.q, last.qd)  # other states of a batch stay: each moves independently
            chosen = open_[..., None]
            last = Projected(np.where(chosen, q, last.q), np.where(chosen, qd, last.qd), np.where(chosen, phi, 0), rate)
        return Projected(last.q, last.qd, first.phi, first.rate)

    return project


def _near(points: DeadPoints, step: Step, at_points: Step) -> Step:
    """A step of states near dead points and of others, each state independently."""

    def of_each(q: Array, qd: Array) -> Projected:
        near = points.near(q)[..., None]
        return Projected(*(np.where(near, a, b) for a, b in zip(at_points(q, qd), step(q, qd), strict=True)))

    return of_each


def _ways_beside(locked_rows: Array) -> Array:
    """The directions of q that do not move along some rows, as columns."""
    from scipy.linalg import null_space  # noqa: PLC0415 - large, and for few

    ways: Array = null_space(locked_rows)
    return ways


def _by_singular_values(robot: ConstrainedRobot, ways: Array | None = None, points: DeadPoints | None = None) -> Step:
    """A Newton step for rows that may depend on others: by the singular values of A in the metric of M^-1.

    Args:
        robot: with constraints.
        ways: the directions in which the arm may move, (n, ways), if some joints are held.
        points: dead points that the states are near.
    """
    rows = holonomic(robot)
    least, lengths = (DRIFTED, None) if points is None else (max(DRIFTED, KEPT * points.usual), points.lengths)

    def nearest(M: Array, A: Array, b: Array, some: Array) -> Array:
        return least_change(M, A[:, some], b[:, some], least, ways, None if lengths is None else lengths[some])

    def step(q: Array, qd: Array) -> Projected:
        phi: Array = np.zeros((*q.shape[:-1], len(rows)))
        if rows.any():
            phi[..., rows] = robot.constraint_error(q)
        rate = np.asarray(robot.constraint_velocity(q, qd))
        nearer, slower = q.copy(), qd.copy()
        fine = np.isfinite(phi).all(axis=-1) & np.isfinite(rate).all(axis=-1)
        if not fine.any():
            return Projected(nearer, slower, phi, rate)
        M, A = np.asarray(robot.mass_matrix(q[fine])), np.asarray(robot.constraint_jacobian(q[fine]))
        if rows.any():
            nearer[fine] -= nearest(M, A, phi[fine], rows)
            M, A = np.asarray(robot.mass_matrix(nearer[fine])), np.asarray(robot.constraint_jacobian(nearer[fine]))
        slower[fine] -= nearest(M, A, np.einsum("...ij,...j->...i", A, qd[fine]), np.ones(len(rows), dtype=bool))
        return Projected(nearer, slower, phi, rate)

    return step
