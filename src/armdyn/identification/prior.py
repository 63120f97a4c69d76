"""The description as a prior, and the weight of it by data that are held out."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from armdyn.identification.design import NO_JOINTS, Parameters
from armdyn.identification.errors import IdentificationError
from armdyn.identification.factors import JointFactor, join_factors, stack_factors
from armdyn.identification.friction_alone import friction_alone
from armdyn.identification.identifiability.combinations import own_length
from armdyn.identification.pseudo_inertia import TEN, parameters_of, pseudo_inertias, with_volume
from armdyn.identification.solver import Prior, solve
from armdyn.model.standard_parameters import standard_parameters
from armdyn.spatial.rotations import Array

if TYPE_CHECKING:
    from armdyn.functions.robot_like import RobotLike

WEIGHTS = 10.0 ** np.arange(4.0, -1.01, -1.0)
"""Weights of the divergence that are tried, the largest first: each solution begins at the one before."""

ROUGHLY = 1e-7
"""The precision of the solutions that are tried."""

ERRORS = 0.5
"""Standard errors of the difference to the best within which a larger weight is taken."""

AS_GOOD = 5e-4
"""A larger weight is taken whose held-out cost is above the least by less than this part of it."""

WIDE = 1e3
"""The spread of parameters of joints, in units of the largest that their columns allow."""


def prior_of(description: RobotLike, parameters: Parameters, factors: Sequence[JointFactor]) -> tuple[Prior, list[str]]:
    """The prior of a description, and the names of links whose inertia it made positive definite.

    Args:
        description: with the same links.
        parameters: of the regression.
        factors: of the rows, which give the units of the parameters of joints.
    """
    standard = standard_parameters(description.model, **NO_JOINTS)
    count, n = parameters.links * TEN, parameters.robot.dof
    P, changed = with_volume(pseudo_inertias(standard.values[:count]), own_length(description.mechanism))
    values = np.zeros(len(parameters.names))
    values[:count] = parameters_of(P)
    values[count : len(standard)] = standard.values[count:]
    spread = np.full(len(values), np.inf)
    spread[count:] = np.tile(_largest(factors), -(-len(values[count:]) // n))[: len(values) - count] * WIDE
    for term in parameters.terms:
        place = parameters.place(term.name)
        spread[place] = np.minimum(spread[place], term.spread)
    if parameters.gain_spread is not None:
        spread[parameters.place("gain")] = parameters.gain_spread
    links = [link.name for link in description.model.links[1:]]
    return Prior(P, values, spread), [name for name, was in zip(links, changed, strict=True) if was]


def _largest(factors: Sequence[JointFactor]) -> Array:
    """The root of the mean square of the torques of each joint, N m or N; 1 without torques."""
    sizes = [np.linalg.norm(f.triangle[:, -1]) / np.sqrt(max(f.weight, 1.0)) for f in factors]
    return np.array([size or 1.0 for size in sizes])


class PriorWeight(NamedTuple):
    """The weight of the prior, the weights that were tried, and the held-out cost of each, per row and joint."""

    weight: float
    tried: Array
    costs: Array


def select_weight(
    folds: Sequence[Sequence[JointFactor]],
    parameters: Parameters,
    prior: Prior,
    deviations: Array,
    held_out: Sequence[JointFactor] | None = None,
) -> PriorWeight:
    """The weight of the divergence by its error on rows that a fit has not seen.

    Args:
        folds: factors of groups of rows, each for each joint; one after the other is held out.
        parameters: of the regression.
        prior: of the parameters.
        deviations: of each joint's residual.
        held_out: factors of other logs to be predicted by all folds, in place of holding out one after the other.
    """
    if held_out is not None:
        tasks = [(list(range(len(folds))), held_out)]
    elif len(folds) > 1:
        tasks = [([k for k in range(len(folds)) if k != out], folds[out]) for out in range(len(folds))]
    else:
        return PriorWeight(1.0, np.array([1.0]), np.array([np.nan]))
    n = len(deviations)
    costs = np.full((len(tasks), len(WEIGHTS), n), np.inf)
    alone = np.zeros((len(tasks), n))
    bodies = prior.values[: len(parameters.standard)]
    for number, (training, out) in enumerate(tasks):
        factors = [join_factors([folds[k][j] for k in training]) for j in range(n)]
        R, z = stack_factors(factors, parameters, 1.0 / deviations)
        costs[number] = _held_out_costs(R @ parameters.lift, z, out, parameters, prior, deviations)
        x = friction_alone(factors, parameters, bodies, deviations)
        alone[number] = _costs_of(parameters.lift @ x, out, parameters, deviations)
    sizes = np.array([[factor.weight for factor in out] for _, out in tasks])
    shares = sizes.sum(axis=1) / max(sizes.sum(), 1.0)
    return _largest_as_good(costs.mean(axis=2), shares, allowed=_no_joint_is_worse(costs, alone, sizes))


WORSE = 1.01
"""The ratio of a joint's held-out error to that of friction alone above which a weight of the prior is too small."""


def _no_joint_is_worse(costs: Array, alone: Array, sizes: Array) -> Array:
    """A mask of the weights with which no joint is worse than with friction alone, by one standard error of the tasks.

    A joint whose errors are those of its friction gains nothing by other bodies, and can lose on motions of another
    kind. Its excess over friction alone varies from task to task; by chance it is negative in sum.

    Args:
        costs: of each task, weight and joint, per row.
        alone: of each task and joint, of friction alone.
        sizes: rows of each task and joint.
    """
    count = len(costs)
    with np.errstate(invalid="ignore"):
        excess = sizes[:, None] * (costs - WORSE**2 * alone[:, None])
        error = np.sqrt(count) * np.std(excess, axis=0, ddof=1) if count > 1 else 0.0
        worse = excess.sum(axis=0) + error > 0.0
    return np.asarray(~(worse | ~np.isfinite(costs).all(axis=0)).any(axis=1))


def _held_out_costs(
    R: Array, z: Array, out: Sequence[JointFactor], parameters: Parameters, prior: Prior, deviations: Array
) -> Array:
    """The cost of held-out rows, per row, for each weight of the prior and each joint."""
    costs = np.full((len(WEIGHTS), len(deviations)), np.inf)
    x: Array | None = None
    for number, weight in enumerate(WEIGHTS):
        try:
            x = solve(R, z, prior, float(weight), parameters.not_negative, x, solved=ROUGHLY).x
        except IdentificationError:  # so little prior leaves parameters open
            break
        costs[number] = _costs_of(parameters.lift @ x, out, parameters, deviations)
    return costs


def _costs_of(reduced: Array, out: Sequence[JointFactor], parameters: Parameters, deviations: Array) -> Array:
    """The cost of held-out rows of each joint, per row."""
    return np.array(
        [
            factor.cost(reduced[places]) / deviation**2 / max(factor.weight, 1.0)
            for factor, places, deviation in zip(out, parameters.of_row, deviations, strict=True)
        ]
    )


def _largest_as_good(costs: Array, shares: Array, allowed: Array) -> PriorWeight:
    """The largest weight that is about as good as the best, by the standard error of the difference over the tasks.

    Args:
        costs: of each task and weight.
        shares: of the rows of each task in all.
        allowed: a mask of the weights with which no joint is worse than with friction alone.
    """
    mean = shares @ costs
    best = int(np.argmin(np.where(allowed, mean, np.inf))) if allowed.any() else int(np.argmin(mean))
    worse = costs - costs[:, [best]]
    count = len(costs)
    error = np.std(worse, axis=0) / np.sqrt(count) if count > 1 else np.zeros(len(mean))
    as_good = mean - mean[best] <= np.maximum(error * ERRORS, AS_GOOD * mean[best])
    good = np.flatnonzero(as_good & (allowed | ~allowed.any()))
    return PriorWeight(float(WEIGHTS[good[0]]), WEIGHTS, mean)
