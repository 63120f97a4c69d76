"""Intervals of 95 % for the parameters: the residuals' autocorrelation and the prior's uncertainty are counted.

With residuals r of the rows a (each times the scale of its joint), G = sum a a^T + w H the matrix of Newton's method,
and H the second derivative of the divergence, the covariance of the parameters is

    G^-1 (S + w H) G^-1,    S = sum_k (1 - |k|/(L+1)) sum_t s_t s_(t+k)^T,    s_t = sum_joints a r

(Newey and West, Econometrica 55(3), 1987, with the lags of the filter's length). The rows come at twice the cut-off:
neighbours are nearly independent if the residual is noise. Errors of the friction model last longer, and count.
Errors of estimated delays add their part, and the description counts as right to `DESCRIBED` at best, whatever weight
predicts best.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from armdyn.identification.delays import Delays
from armdyn.identification.pseudo_inertia import TEN, divergence_slopes, pseudo_inertias
from armdyn.identification.regression import Regression
from armdyn.identification.solver import FitSolution
from armdyn.spatial.rotations import Array

NORMAL = 1.959963984540054
"""Deviations of the interval of 95 % of a normal distribution."""


class Uncertainty(NamedTuple):
    """The covariance of all parameters, and the part of the information on each that comes from the data, 0 to 1."""

    covariance: Array
    from_data: Array


def uncertainty(
    regression: Regression, solution: FitSolution, deviations: Array, weight: float = 1.0, delays: Delays | None = None
) -> Uncertainty:
    """The covariance of the parameters of a solution.

    Args:
        regression: of the logs.
        solution: of `armdyn.identification.solver.solve`.
        deviations: of each joint's residual.
        weight: of the divergence. One that is above that of a description right to `DESCRIBED` was chosen for its
            predictions, and does not state a better description: its error counts as large as that.
        delays: estimates, whose errors move the parameters; None if delays are stated.
    """
    lift = regression.parameters.lift
    information, meat = sums_of_scores(regression, lift @ solution.x, deviations)
    if delays is not None:
        meat = meat + _of_delays(regression, deviations, delays)
    information, meat = lift.T @ information @ lift, lift.T @ meat @ lift
    excess = weight * max(0.0, weight * DESCRIBED**2 - 1.0)
    P = pseudo_inertias(solution.x[: regression.parameters.links * TEN])
    for link, block in enumerate(divergence_slopes(P, P)[1]):  # the second derivative does not depend on the prior
        places = slice(link * TEN, (link + 1) * TEN)
        meat[places, places] += excess * block
    return covariance_of(solution.hessian, information, meat)


DESCRIBED = 0.2
"""The relative error of a description's inertias that intervals assume, one deviation."""


def _of_delays(regression: Regression, deviations: Array, delays: Delays) -> Array:
    """The covariance of the scores by the errors of estimated delays: d moves a torque by its rate."""
    width = len(regression.parameters.lift)
    slopes = np.zeros((regression.joints, width))
    for number, part in enumerate(regression.parts):
        weights = np.ones(part.torques.shape) if regression.weights is None else regression.weights[number]
        for j, places in enumerate(regression.parameters.of_row):
            weight = weights[:, j] * part.usable[:, j] / deviations[j] ** 2
            slopes[j, places] += part.columns[j].T @ (weight * part.torque_rates[:, j])
    slopes *= delays.deviations[:, None]
    together = slopes[delays.common].sum(axis=0)
    own = slopes[~delays.common]
    return np.asarray(np.outer(together, together) + own.T @ own)


def covariance_of(hessian: Array, information: Array, meat: Array) -> Uncertainty:
    """G^-1 (S + w H) G^-1, and the part of the information on each parameter that comes from the data.

    Args:
        hessian: G, Newton's matrix.
        information: sum a a^T; the prior's part w H of G is what remains.
        meat: S.
    """
    prior_part = hessian - information
    prior_part = 0.5 * (prior_part + prior_part.T)
    scale = 1.0 / np.sqrt(np.maximum(np.diag(hessian), np.finfo(float).tiny))
    inverse = scale[:, None] * np.linalg.pinv(hessian * scale[:, None] * scale, rcond=1e-14) * scale
    covariance = inverse @ (meat + prior_part) @ inverse
    from_data = 1.0 - np.clip(np.einsum("ij,ji->i", inverse, prior_part), 0.0, 1.0)
    return Uncertainty(0.5 * (covariance + covariance.T), from_data)


def sums_of_scores(regression: Regression, reduced: Array, deviations: Array) -> tuple[Array, Array]:
    """The information sum a a^T, and S, the sum of the scores' autocovariances, of the reduced parameters.

    Args:
        regression: of the logs.
        reduced: its parameters.
        deviations: of each joint's residual.
    """
    information = np.zeros((len(reduced),) * 2)
    meat = np.zeros_like(information)
    for number in range(len(regression.parts)):
        gram, autocovariance = scores_of_part(regression, number, reduced, deviations)
        information += gram
        meat += autocovariance
    return information, meat


def scores_of_part(regression: Regression, number: int, reduced: Array, deviations: Array) -> tuple[Array, Array]:
    """The information sum a a^T and S of one part, of the reduced parameters."""
    scores, gram = _scores(regression, number, reduced, deviations)
    return gram, autocovariance_of(scores, lags_of(regression, number, len(regression.parts[number])))


def _scores(regression: Regression, number: int, reduced: Array, deviations: Array) -> tuple[Array, Array]:
    """s_t of each row of a part, shape (rows, reduced), and the sum of a a^T."""
    part, places = regression.parts[number], regression.parameters.of_row
    weights = np.ones(part.torques.shape) if regression.weights is None else regression.weights[number]
    scores, gram = np.zeros((len(part), len(reduced))), np.zeros((len(reduced),) * 2)
    for j, columns in enumerate(part.columns):
        weight = weights[:, j] * part.usable[:, j] / deviations[j] ** 2
        residual = part.torques[:, j] - columns @ reduced[places[j]]
        scores[:, places[j]] += columns * (weight * residual)[:, None]
        gram[np.ix_(places[j], places[j])] += (columns * weight[:, None]).T @ columns
    return scores, gram


def lags_of(regression: Regression, number: int, rows: int) -> int:
    """The rows that a filter's length spans, and no more than a quarter of all."""
    chain = regression.pieces[number].chain
    return int(min(np.ceil(len(chain.slow_kernel) / chain.step), rows // 4))


def autocovariance_of(scores: Array, lags: int) -> Array:
    """The sum over lags of s_t s_(t+k)^T with Bartlett's weights."""
    total = scores.T @ scores
    for lag in range(1, lags + 1):
        cross = scores[lag:].T @ scores[:-lag]
        total += (1.0 - lag / (lags + 1.0)) * (cross + cross.T)
    return np.asarray(total)
