"""The search for a state at which phi(q) = 0: least squares with a trust region, then Newton's steps."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from armdyn.constraints.ranks import RANK_TOLERANCE
from armdyn.constraints.states import VANISHED, ConstrainedRobot, gradients_near, holonomic, row_sizes
from armdyn.spatial.rotations import Array

ENDED = 1e-15
"""Steps of the search that change nothing by more than this part are its end."""

POLISH = 60
"""Newton's steps at most after the search. The second finds nothing left to do where A has full rank; where a function
touches zero and does not cross it, each halves the way that is left."""

ASIDE, TRIES = 1e-2, 2
"""How far from a guess that leads nowhere the search starts again, rad or m, and how often."""


class Found(NamedTuple):
    """Where a search ended.

    Args:
        q: the state, shape (n,).
        left: phi there, shape (holonomic,).
        size: what it is measured by; see `row_sizes`.
    """

    q: Array
    left: Array
    size: Array

    @property
    def measured(self) -> Array:
        """How far from closed it is, rad or m."""
        return self.left / self.size


class _NoNumbers(ArithmeticError):
    """The search came to a state where a constraint has no value or no gradient."""


class Search:
    """For states at which the constraints hold, moving the free joints, from starts near one guess."""

    def __init__(self, robot: ConstrainedRobot, guess: Array, free: Array) -> None:
        self.robot, self.guess, self.free = robot, guess, free
        self.kept = holonomic(robot)
        self.rows = [row for row in robot.constraint_rows if row.holonomic]
        self.phi(guess)  # which says so where there are no rows
        self.sizes = np.ones(len(self.rows))
        if not all(row.unit for row in self.rows):
            self.sizes = row_sizes(self.rows, self.A(guess), gradients_near(robot, guess)[self.kept] / VANISHED)

    def phi(self, q: Array) -> Array:
        """What is left of the constraints, shape (holonomic,)."""
        return np.asarray(self.robot.constraint_error(q))

    def A(self, q: Array) -> Array:
        """Its derivative by all joints, shape (holonomic, n)."""
        return np.asarray(self.robot.constraint_jacobian(q))[self.kept]

    def from_start(self, start: Array) -> Found | None:
        """Where the search from a state ends; none where it comes to states that are no numbers."""
        from scipy.optimize import least_squares  # noqa: PLC0415 - slow to import

        def at(x: Array) -> Array:
            state = start.copy()
            state[self.free] = x
            return state

        def phi(x: Array) -> Array:
            return self.phi(at(x)) / self.sizes

        def A(x: Array) -> Array:
            rows = self.A(at(x))[:, self.free] / self.sizes[:, None]
            if not np.isfinite(rows).all():
                raise _NoNumbers
            return rows

        if not np.isfinite(phi(start[self.free])).all():
            return None
        try:
            x = least_squares(phi, start[self.free], jac=A, xtol=ENDED, ftol=ENDED, gtol=ENDED).x
            for _ in range(POLISH):
                step = np.linalg.lstsq(A(x), -phi(x), rcond=RANK_TOLERANCE)[0]
                if not np.abs(phi(x + step)).max() < np.abs(phi(x)).max():
                    break
                x = x + step
        except _NoNumbers:
            return None
        return self._found(at(x))

    def _found(self, q: Array) -> Found:
        """Measured by the gradients there, and where one has vanished by a part of those near the guess."""
        return Found(q, self.phi(q), row_sizes(self.rows, self.A(q), self.sizes))


def beside(guess: Array, free: Array) -> list[Array]:
    """Starts next to a guess that leads nowhere; the same at every call."""
    return list(guess + free * ASIDE * np.random.default_rng(0).uniform(-1.0, 1.0, (TRIES, len(guess))))
