"""Least squares over parameters that a robot can have: pseudo-inertias positive definite, friction not negative.

    minimise  1/2 |R x - z|^2 + w sum_links D(P(x) || P_0) + 1/2 |(x - x_0)/d|^2
    subject to  x_i >= 0  for inertias of rotors, armatures and friction,

R is the triangular factor of all weighted rows, D the log-det divergence of `pseudo_inertia`. The problem is convex and
D is self-concordant, so that Newton's method with a line search converges from the description, without a library.
Bounds are kept by an active set: a parameter at zero whose gradient pushes it below stays there for the step.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from armdyn.identification.errors import IdentificationError
from armdyn.identification.pseudo_inertia import TEN, divergence, divergence_slopes, pseudo_inertias
from armdyn.spatial.rotations import Array

STEPS = 100
"""Newton steps for one weight of the divergence before it counts as unsolved."""

SOLVED = 1e-12
"""Newton's decrement, relative to the cost, below which the problem is solved."""


@dataclass(frozen=True, eq=False)
class Prior:
    """The description, toward which parameters are drawn that motions do not determine.

    Args:
        P: pseudo-inertias of the links, positive definite, shape (links, 4, 4).
        values: x_0 of all parameters, shape (parameters,).
        spread: d of all parameters; infinite for those without a prior of their own.
    """

    P: Array
    values: Array
    spread: Array

    @property
    def inverse(self) -> Array:
        """P_0^-1 of each link."""
        return np.linalg.inv(self.P)


class FitSolution(NamedTuple):
    """The parameters, Newton's matrix there, the number of steps, and the parameters held at zero (a mask)."""

    x: Array
    hessian: Array
    steps: int
    at_zero: Array


def solve(
    R: Array,
    z: Array,
    prior: Prior,
    weight: float,
    not_negative: Array,
    start: Array | None = None,
    *,
    solved: float = SOLVED,
) -> FitSolution:
    """The minimum of the problem above.

    The divergence is a barrier as well: with a small weight Newton's method creeps along the edge of the bodies that
    are possible. Weights that fall to the requested one, by `SHRINKING` each, keep each solution near the next.

    Args:
        R: shape (k, parameters).
        z: shape (k,).
        prior: of the parameters.
        weight: w of the divergence, above zero.
        not_negative: a mask of the parameters with a bound at zero.
        start: a solution for a weight not much larger; the prior if None.
        solved: Newton's decrement, relative to the cost, that ends the steps.

    Raises:
        IdentificationError: no convergence, as of numbers that are not finite.
    """
    problem = _WeightedProblem(R, z, prior, not_negative, solved)
    if start is not None:
        solution = problem.minimum(np.array(start, dtype=np.float64), weight)
        if solution is not None:
            return solution
    x = np.array(prior.values, dtype=np.float64)
    barrier = max(weight, FIRST_WEIGHT)
    while barrier > weight:
        solution = problem.minimum(x, barrier)
        x = x if solution is None else solution.x
        barrier /= SHRINKING
    solution = problem.minimum(x, weight)
    if solution is None:
        raise IdentificationError(
            "the fit with positive definite pseudo-inertias did not converge: the columns or torques hold "
            "numbers that are not of an arm. Look at the log's findings, and at its units"
        )
    return solution


FIRST_WEIGHT = 1e3
SHRINKING = 4.0


class _WeightedProblem:
    """The problem above for any weight of the divergence."""

    def __init__(self, R: Array, z: Array, prior: Prior, not_negative: Array, solved: float) -> None:
        precision = 1.0 / prior.spread**2
        self.normal = R.T @ R + np.diag(precision)
        self.right = R.T @ z + precision * prior.values
        self.constant = 0.5 * float(z @ z) + 0.5 * float(precision @ prior.values**2)
        self.rounding = 8.0 * np.finfo(float).eps * self.constant
        self.solved = solved
        self.inverse_prior, self.not_negative, self.bodies = prior.inverse, not_negative, len(prior.P) * TEN

    def cost(self, x: Array, weight: float) -> float:
        quadratic = 0.5 * float(x @ self.normal @ x) - float(self.right @ x) + self.constant
        return quadratic + weight * divergence(pseudo_inertias(x[: self.bodies]), self.inverse_prior)

    def slopes(self, x: Array, weight: float) -> tuple[Array, Array]:
        """The gradient and the Hessian of the cost."""
        by_link, blocks = divergence_slopes(pseudo_inertias(x[: self.bodies]), self.inverse_prior)
        gradient, hessian = self.normal @ x - self.right, self.normal.copy()
        gradient[: self.bodies] += weight * by_link.ravel()
        for link, block in enumerate(blocks):
            places = slice(link * TEN, (link + 1) * TEN)
            hessian[places, places] += weight * block
        return gradient, hessian

    def minimum(self, x: Array, weight: float) -> FitSolution | None:
        """The minimum by Newton's method from x; None if it is not reached in `STEPS`."""
        x[self.not_negative] = np.maximum(x[self.not_negative], 0.0)
        value = self.cost(x, weight)
        for step in range(STEPS):
            gradient, hessian = self.slopes(x, weight)
            at_zero = self.not_negative & (x <= 0.0) & (gradient > 0.0)
            direction = _newton_direction(hessian, gradient, ~at_zero)
            decrement = -float(gradient @ direction)
            if not np.isfinite(decrement):
                return None
            if decrement <= max(self.solved * (1.0 + abs(value)), self.rounding):
                return FitSolution(x, hessian, step, at_zero)
            x, value, moved = self._line_search(x, value, weight, gradient, direction)
            if not moved:  # the cost cannot be lowered in this arithmetic
                return FitSolution(x, hessian, step, at_zero)
        return None

    def _line_search(
        self, x: Array, value: float, weight: float, gradient: Array, direction: Array
    ) -> tuple[Array, float, bool]:
        """The first of the halved steps that lowers the cost enough, with parameters below zero moved to it."""
        length = 1.0
        for _ in range(60):
            tried = x + length * direction
            tried[self.not_negative] = np.maximum(tried[self.not_negative], 0.0)
            lower = self.cost(tried, weight)
            if lower <= value + 1e-4 * float(gradient @ (tried - x)):
                return tried, lower, True
            length *= 0.5
        return x, value, False


def _newton_direction(hessian: Array, gradient: Array, free: Array) -> Array:
    """-H^-1 g of the free parameters, scaled to a unit diagonal first; 0 of the others."""
    from scipy.linalg.lapack import dpotrf, dpotrs  # noqa: PLC0415 - slow to import

    places = np.flatnonzero(free)
    part = hessian if len(places) == len(hessian) else hessian[np.ix_(places, places)]
    scale = 1.0 / np.sqrt(np.maximum(np.diag(part), np.finfo(float).tiny))
    scaled = part * scale[:, None] * scale
    direction = np.zeros(len(gradient))
    ridge = 1e-14
    while ridge < 1.0:
        scaled.flat[:: len(scaled) + 1] += ridge
        factor, failed = dpotrf(scaled, lower=1)
        if not failed:
            direction[places] = -scale * dpotrs(factor, scale * gradient[places], lower=1)[0]
            return direction
        ridge *= 100.0
    return np.full(len(gradient), np.nan)
