"""The solver for a state at which phi(q) = 0: least squares with a trust region, then Newton's steps."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from armdyn.constraints.arguments import RANK_TOLERANCE, ConstrainedRobot
from armdyn.constraints.row_sizes import (
    VANISHED_GRADIENT,
    ZERO_ROW,
    gradients_near,
    holonomic,
    holonomic_rows,
    row_sizes,
)
from armdyn.spatial.rotations import Array

STEP_TOLERANCE = 1e-15
"""Least squares ends when the relative change of a step is below this."""

NEWTON_STEPS = 60
"""Newton's steps at most after least squares. If A has full rank the second changes nothing; if a function only
touches zero, each halves the remaining distance."""

PERTURBATION, PERTURBED_GUESSES = 1e-2, 2
"""Distance of the new starts from a guess without success, rad or m, and their number."""


class ClosureCandidate(NamedTuple):
    """The state at which the solver ended.

    Args:
        q: the state, shape (n,).
        phi: phi there, shape (holonomic,).
        size: divisors of phi, shape (holonomic,), of `row_sizes`.
    """

    q: Array
    phi: Array
    size: Array

    @property
    def violation(self) -> Array:
        """Violation of the constraints, rad or m."""
        return self.phi / self.size


class _NotFinite(ArithmeticError):
    """The solver reached a state at which a constraint has no value or no gradient."""


class ClosureSolver:
    """A solver for states at which the constraints hold, by moving the free joints, from starts near one guess."""

    def __init__(self, robot: ConstrainedRobot, guess: Array, free: Array) -> None:
        self.robot, self.guess, self.free = robot, guess, free
        self.holonomic = holonomic(robot)
        self.rows = holonomic_rows(robot)
        self.phi(guess)  # raises if there are no rows
        self.sizes = np.ones(len(self.rows))
        if not all(row.unit for row in self.rows):
            self.sizes = row_sizes(
                self.rows, self.A(guess), gradients_near(robot, guess)[self.holonomic] / VANISHED_GRADIENT
            )

    def phi(self, q: Array) -> Array:
        """The values of the constraints, shape (holonomic,)."""
        return np.asarray(self.robot.constraint_error(q))

    def A(self, q: Array) -> Array:
        """Its derivative by all joints, shape (holonomic, n)."""
        return np.asarray(self.robot.constraint_jacobian(q))[self.holonomic]

    def solve_from(self, start: Array) -> ClosureCandidate | None:
        """Trust-region least squares from a start, polished by Newton's steps; None if phi or A is not finite."""
        from scipy.optimize import least_squares  # noqa: PLC0415 - slow to import

        def at(x: Array) -> Array:
            state = start.copy()
            state[self.free] = x
            return state

        def phi(x: Array) -> Array:
            return self.phi(at(x)) / self.sizes

        def A(x: Array) -> Array:
            whole = self.A(at(x)) / self.sizes[:, None]
            if not np.isfinite(whole).all():
                raise _NotFinite
            rows = whole[:, self.free]
            moved = np.linalg.norm(rows, axis=1) > ZERO_ROW * np.linalg.norm(whole, axis=1)
            return np.where(moved[:, None], rows, 0.0)  # else only locked joints move the row, except for rounding

        if not np.isfinite(phi(start[self.free])).all():
            return None
        try:
            tolerances = dict.fromkeys(("xtol", "ftol", "gtol"), STEP_TOLERANCE)
            x = least_squares(phi, start[self.free], jac=A, **tolerances).x
            for _ in range(NEWTON_STEPS):
                step = np.linalg.lstsq(A(x), -phi(x), rcond=RANK_TOLERANCE)[0]
                if not np.abs(phi(x + step)).max() < np.abs(phi(x)).max():
                    break
                x = x + step
        except _NotFinite:
            return None
        q = at(x)  # measured by the gradients there, or if one has vanished by a part of those near the guess
        return ClosureCandidate(q, self.phi(q), row_sizes(self.rows, self.A(q), self.sizes))


def perturbed_guesses(guess: Array, free: Array) -> list[Array]:
    """Starts next to a guess without success; equal at every call."""
    asides = np.random.default_rng(0).uniform(-1.0, 1.0, (PERTURBED_GUESSES, len(guess)))
    return list(guess + free * PERTURBATION * asides)
