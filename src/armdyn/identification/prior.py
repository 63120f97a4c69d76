"""The description as a prior, and the weight of it by data that are held out."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from armdyn.identification.design import NO_JOINTS, Parameters
from armdyn.identification.errors import IdentificationError
from armdyn.identification.factors import JointFactor, joined, stacked
from armdyn.identification.pseudo_inertia import TEN, parameters_of, pseudo_inertias, with_volume
from armdyn.identification.solver import Prior, solve
from armdyn.model.base_parameters import own_length
from armdyn.model.standard_parameters import standard_parameters
from armdyn.spatial.rotations import Array

if TYPE_CHECKING:
    from armdyn.functions.robot_like import RobotLike

WEIGHTS = 10.0 ** np.arange(3.0, -2.01, -1.0)
"""Weights of the divergence that are tried, the largest first: each solution begins at the one before."""

ROUGHLY = 1e-7
"""The precision of the solutions that are tried."""

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
    links = [link.name for link in description.model.links[1:]]
    return Prior(P, values, spread), [name for name, was in zip(links, changed, strict=True) if was]


def _largest(factors: Sequence[JointFactor]) -> Array:
    """The root of the mean square of the torques of each joint, N m or N; 1 without torques."""
    sizes = [np.linalg.norm(f.triangle[:, -1]) / np.sqrt(max(f.weight, 1.0)) for f in factors]
    return np.array([size or 1.0 for size in sizes])


class Selection(NamedTuple):
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
) -> Selection:
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
        return Selection(1.0, np.array([1.0]), np.array([np.nan]))
    costs = np.zeros(len(WEIGHTS))
    rows = 0.0
    for kept, out in tasks:
        factors = [joined([folds[k][j] for k in kept]) for j in range(len(deviations))]
        R, z = stacked(factors, parameters, 1.0 / deviations)
        R = R @ parameters.lift
        rows += sum(factor.weight for factor in out)
        x: Array | None = None
        for number, weight in enumerate(WEIGHTS):
            try:
                x = solve(R, z, prior, float(weight), parameters.not_negative, x, solved=ROUGHLY).x
            except IdentificationError:  # so little prior leaves parameters open
                costs[number:] = np.inf
                break
            reduced = parameters.lift @ x
            costs[number] += sum(
                factor.cost(reduced[places]) / deviation**2
                for factor, places, deviation in zip(out, parameters.of_row, deviations, strict=True)
            )
    costs /= max(rows, 1.0)
    good = np.flatnonzero(costs <= costs.min() * (1.0 + AS_GOOD))
    return Selection(float(WEIGHTS[good[0]]), WEIGHTS, costs)
