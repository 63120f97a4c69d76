"""Statements on a fit: what the motion does not determine, what contradicts the description, logs that disagree."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from armdyn.identification.design import NO_JOINTS
from armdyn.identification.factors import JointFactor, stack_factors
from armdyn.identification.intervals import NORMAL
from armdyn.identification.pseudo_inertia import TEN, divergence_slopes
from armdyn.identification.regression import Regression
from armdyn.identification.solver import Prior
from armdyn.logs.log import Log
from armdyn.model.standard_parameters import standard_parameters
from armdyn.spatial.rotations import Array

if TYPE_CHECKING:
    from armdyn.robot import Robot

SEEN = 0.5
"""A base parameter is not determined if the logs do not halve the variance that a prior of one row's weight leaves."""

CONTRADICTION = 5.0
"""Deviations between the description and the fit from which they contradict each other."""

OF_TORQUES = 0.25
"""The part of a joint's torques that a contradiction amounts to, at least."""

SHOWN = 3
"""Names in one sentence."""

DISAGREEMENT = 3.0
"""The ratio of a log's residual to that of its own best fit from which it does not go with the other logs."""


def undetermined_note(regression: Regression, prior: Prior, deviations: Array) -> list[str]:
    """A sentence on base parameters that the motion does not determine, and what to record.

    Args:
        regression: of the logs.
        prior: of the parameters.
        deviations: of each joint's residual.
    """
    parameters = regression.parameters
    R, _ = regression.problem(deviations)
    bodies = len(prior.P) * TEN
    if not bodies or parameters.rotors:
        return []
    blocks = divergence_slopes(prior.P, prior.inverse)[1]
    K = parameters.base.matrix[:, :bodies]
    before = np.concatenate([np.linalg.inv(block) for block in blocks]).reshape(-1, TEN, TEN)
    of_links = K.reshape(len(K), -1, TEN)
    variance = np.einsum("ilj,ljk,ilk->i", of_links, before, of_links)
    precision = R.T @ R + np.diag(1.0 / prior.spread**2)
    for link, block in enumerate(blocks):
        places = slice(link * TEN, (link + 1) * TEN)
        precision[places, places] += block
    scale = 1.0 / np.sqrt(np.maximum(np.diag(precision), np.finfo(float).tiny))
    inverse = scale[:, None] * np.linalg.pinv(precision * scale[:, None] * scale, rcond=1e-15) * scale
    share = np.einsum("ij,jk,ik->i", K, inverse[:bodies, :bodies], K) / np.maximum(variance, np.finfo(float).tiny)
    open_ones = np.flatnonzero(share > SEEN)
    if not len(open_ones):
        return []
    names = [parameters.base.names[k] for k in open_ones]
    units = [parameters.standard.units[parameters.base.independent[k]] for k in open_ones]
    inertias = sum("m^2" in unit for unit in units)
    remedies = []
    if inertias:
        remedies.append("inertias need fast and different accelerations of each joint")
    if inertias < len(names):
        remedies.append("first moments need joints that turn links against gravity: other postures, or a tilted base")
    condition = _condition(regression, deviations)
    return [
        f"the motion does not determine {len(names)} of {len(K)} base parameters ({_some(names)}), which come from the "
        f"description; the condition of the columns is {condition:,.3g}. Record another motion "
        f"for them (armdyn excite): {', and '.join(remedies)}"
    ]


def _condition(regression: Regression, deviations: Array) -> float:
    """The condition of the base columns, each of unit length; infinite if their rank falls."""
    rank = len(regression.parameters.base.matrix)
    R, _ = stack_factors(regression.factors(), regression.parameters, 1.0 / deviations)
    sizes = np.linalg.norm(R[:, :rank], axis=0)
    s = np.linalg.svd(R[:, :rank] / np.where(sizes > 0.0, sizes, 1.0), compute_uv=False)
    return float(s[0] / s[-1]) if s[-1] > 1e-12 * s[0] else np.inf


def contradictions(regression: Regression, description: Robot, base: Array, deviations: Array) -> list[str]:
    """A sentence on base parameters of the description that the logs contradict.

    Args:
        regression: of the logs.
        description: with the parameters in question.
        base: fitted base parameters.
        deviations: of them.
    """
    parameters = regression.parameters
    described = parameters.base.matrix @ standard_parameters(description.model, **NO_JOINTS).values
    difference = np.abs(base - described)
    shares = np.zeros(len(base))
    for j, factor in enumerate(regression.factors()):
        torque = float(np.linalg.norm(factor.triangle[:, -1]))
        places = parameters.of_row[j][parameters.of_row[j] < len(base)]
        sizes = np.linalg.norm(factor.triangle[:, : len(places)], axis=0)
        if torque > 0.0:
            shares[places] = np.maximum(shares[places], sizes * difference[places] / torque)
    wrong = np.flatnonzero((difference > CONTRADICTION * deviations) & (shares > OF_TORQUES))
    if not len(wrong):
        return []
    wrong = wrong[np.argsort(-shares[wrong])][:SHOWN]
    units = parameters.standard.units
    each = [
        f"{parameters.base.names[k]} is {described[k]:.3g} {units[parameters.base.independent[k]]} in the description, "
        f"{base[k] - NORMAL * deviations[k]:.3g} to {base[k] + NORMAL * deviations[k]:.3g} by the logs"
        for k in wrong
    ]
    return [
        f"the logs contradict the description: {'; '.join(each)}. A mass, a centre of mass or a tool is not as "
        "described, or the gains of the drives are wrong"
    ]


def disagreeing_logs(regression: Regression, logs: Sequence[Log], reduced: Array) -> list[str]:
    """A sentence on logs whose joint forces the fit of all explains much worse than a fit of their own would.

    Args:
        regression: of the logs.
        logs: in the order of their numbers.
        reduced: parameters of the regression.
    """
    numbers = sorted({part.log for part in regression.parts})
    if len(numbers) < 2:
        return []
    names = regression.parameters.robot.joint_names
    apart = []
    for number in numbers:
        factors = regression.factors([k for k, part in enumerate(regression.parts) if part.log == number])
        joints = [
            name
            for name, factor, places in zip(names, factors, regression.parameters.of_row, strict=True)
            if _disagrees(factor, reduced[places])
        ]
        if joints:
            apart.append(f"number {number + 1}, {logs[number].name!r} ({_some(joints)})")
    if not apart:
        return []
    return [
        f"logs disagree: the joint forces of {'; '.join(apart)} have residuals more than {DISAGREEMENT:g} times those "
        "of a fit of one log alone. Logs of another robot, tool or payload are among them; fit them apart"
    ]


def _disagrees(factor: JointFactor, x: Array) -> bool:
    own = float(factor.triangle[-1, -1] ** 2)
    return factor.cost(x) > DISAGREEMENT**2 * max(own, 1e-6 * float(np.sum(factor.triangle[:, -1] ** 2)))


def _some(names: Sequence[str]) -> str:
    return ", ".join(names[:SHOWN]) + (", ..." if len(names) > SHOWN else "")
