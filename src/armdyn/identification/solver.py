"""Least squares over parameters that a robot can have: pseudo-inertias positive definite, friction not negative.

    minimise  1/2 |R x - z|^2 + w sum_links D(P(x) || P_0) + 1/2 |(x - x_0)/d|^2
    subject to  x_i >= 0  for inertias of rotors, armatures and friction,

R is the triangular factor of all weighted rows, D the log-det divergence of `pseudo_inertia`. The problem is convex and
D is self-concordant, so that Newton's method with a line search converges from the description, without a library.
Bounds are kept by an active set: a parameter at zero whose gradient pushes it below stays there for the step.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from armdyn.identification.errors import IdentificationError
from armdyn.identification.pseudo_inertia import TEN, divergence, divergence_slopes, pseudo_inertias
from armdyn.spatial.rotations import Array

STEPS = 200
"""Newton steps before the problem counts as unsolved."""

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


class Solution(NamedTuple):
    """The parameters, Newton's matrix there, the number of steps, and the parameters held at zero (a mask)."""

    x: Array
    hessian: Array
    steps: int
    at_zero: Array


def solve(R: Array, z: Array, prior: Prior, weight: float, not_negative: Array, start: Array | None = None) -> Solution:
    """The minimum of the problem above.

    Args:
        R: shape (k, parameters).
        z: shape (k,).
        prior: of the parameters.
        weight: w of the divergence, above zero.
        not_negative: a mask of the parameters with a bound at zero.
        start: parameters to begin with, inside the bounds; the prior's if None.

    Raises:
        IdentificationError: no convergence, as of numbers that are not finite.
    """
    links = len(prior.P)
    inverse_prior = prior.inverse
    x = np.array(prior.values if start is None else start, dtype=np.float64)
    x[not_negative] = np.maximum(x[not_negative], 0.0)
    precision = 1.0 / prior.spread**2
    normal = R.T @ R + np.diag(precision)
    right = R.T @ z + precision * prior.values
    constant = 0.5 * float(z @ z) + 0.5 * float(precision @ prior.values**2)

    def cost(x: Array) -> float:
        quadratic = 0.5 * float(x @ normal @ x) - float(right @ x) + constant
        return quadratic + weight * divergence(pseudo_inertias(x[: links * TEN]), inverse_prior)

    value = cost(x)
    for step in range(STEPS):
        slopes, blocks = divergence_slopes(pseudo_inertias(x[: links * TEN]), inverse_prior)
        gradient = normal @ x - right
        gradient[: links * TEN] += weight * slopes.ravel()
        hessian = normal.copy()
        for link in range(links):
            block = slice(link * TEN, (link + 1) * TEN)
            hessian[block, block] += weight * blocks[link]
        at_zero = not_negative & (x <= 0.0) & (gradient > 0.0)
        direction = _newton_direction(hessian, gradient, ~at_zero)
        decrement = -float(gradient @ direction)
        if not np.isfinite(decrement):
            break
        if decrement <= SOLVED * (1.0 + abs(value)):
            return Solution(x, hessian, step, at_zero)
        x, value, moved = _line_search(cost, x, value, gradient, direction, not_negative)
        if not moved:  # the cost cannot be lowered in this arithmetic
            return Solution(x, hessian, step, at_zero)
    raise IdentificationError(
        "the fit with positive definite pseudo-inertias did not converge: the columns or torques hold numbers that are "
        "not of an arm. Look at the log's findings, and at its units"
    )


def _newton_direction(hessian: Array, gradient: Array, free: Array) -> Array:
    """-H^-1 g of the free parameters, scaled to a unit diagonal first; 0 of the others."""
    places = np.flatnonzero(free)
    part = hessian[np.ix_(places, places)]
    scale = 1.0 / np.sqrt(np.maximum(np.diag(part), np.finfo(float).tiny))
    scaled = part * scale[:, None] * scale
    direction = np.zeros(len(gradient))
    ridge = 1e-14
    while ridge < 1.0:
        try:
            L = np.linalg.cholesky(scaled + ridge * np.eye(len(places)))
        except np.linalg.LinAlgError:
            ridge *= 100.0
            continue
        direction[places] = -scale * np.linalg.solve(L.T, np.linalg.solve(L, scale * gradient[places]))
        return direction
    return np.full(len(gradient), np.nan)


def _line_search(
    cost: Callable[[Array], float], x: Array, value: float, gradient: Array, direction: Array, not_negative: Array
) -> tuple[Array, float, bool]:
    """The first of the halved steps that lowers the cost enough, with parameters below zero moved to it."""
    length = 1.0
    for _ in range(60):
        tried = x + length * direction
        tried[not_negative] = np.maximum(tried[not_negative], 0.0)
        lower = cost(tried)
        if lower <= value + 1e-4 * float(gradient @ (tried - x)):
            return tried, lower, True
        length *= 0.5
    return x, value, False
