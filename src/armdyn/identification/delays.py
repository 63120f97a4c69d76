"""Delays of torques after positions: stated by the caller, or estimated with the other parameters.

A torque that is recorded d seconds late is tau(t - d), about tau - d dtau/dt. The rate of the filtered torque is one
more column of each joint, and its number is d. Joints whose estimates agree have their weighted mean: one controller
records all. A delay is applied if it exceeds `SURE` deviations and `LEAST`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from armdyn.base.checks import array
from armdyn.identification.errors import IdentificationError
from armdyn.identification.factors import triangle_of
from armdyn.identification.regression import Regression
from armdyn.spatial.rotations import Array

SURE = 2.0
"""Deviations of the estimate above which a delay is applied."""

APART = 2.0
"""Deviations from the mean of the joints above which a joint has a delay of its own."""

LEAST = 5e-4
"""The smallest delay that is applied, s."""

LONGEST = 0.1
"""The longest delay that is taken for one, s."""

RANK = 1e-9
"""Singular values of a joint's columns below this, relative to the largest, count as zero."""

ESTIMATE = "estimate"


def given_delays(delay: object, joints: int) -> tuple[Array, bool]:
    """The delays of the joints, s, shape (n,), and True if they are to be estimated.

    Raises:
        IdentificationError: another text, or numbers that are not finite.
    """
    if delay is None or (isinstance(delay, str) and delay == ESTIMATE):
        return np.zeros(joints), delay is not None
    if isinstance(delay, str):
        raise IdentificationError(
            f"delay is {delay!r}; expected seconds, one or {joints}, 'estimate', or None for zero"
        )
    values = array("delay", delay, None, f"seconds, one or {joints}", finite=IdentificationError)
    return np.broadcast_to(values, (joints,)).astype(np.float64), False


class Delays(NamedTuple):
    """Delays of the joints, s, 0 of those whose delay is not sure; their deviations; and joints with a common delay."""

    values: Array
    deviations: Array
    common: Array

    def note(self, names: Sequence[str]) -> list[str]:
        """A sentence on delays that are applied."""
        text = ", ".join(f"{name} {1e3 * d:.2g} ms" for name, d in zip(names, self.values, strict=True) if d)
        return [f"torques lag behind positions, and are taken earlier by: {text}"] if text else []


def estimated_delays(regression: Regression, reduced: Array) -> Delays:
    """The delay of each joint's torque.

    Each joint is regressed on its own columns, which its forces depend on alone, and on the rate of its torque.

    Args:
        regression: of the logs.
        reduced: parameters of the regression.
    """
    each = [_delay_of(regression, j, reduced) for j in range(regression.joints)]
    values, deviations = (np.array(part) for part in zip(*each, strict=True))
    common = np.isfinite(deviations) & (deviations > 0.0)
    for _ in range(len(values)):
        if common.sum() < 2:
            break
        precision = 1.0 / deviations[common] ** 2
        mean = float(precision @ values[common] / precision.sum())
        apart = np.where(common, np.abs(values - mean) / np.where(common, deviations, 1.0), 0.0)
        if apart.max() <= APART:
            values = np.where(common, mean, values)
            deviations = np.where(common, precision.sum() ** -0.5, deviations)
            break
        common[int(np.argmax(apart))] = False
    else:
        common[:] = False
    common &= common.sum() > 1
    sure = (np.abs(values) > np.maximum(LEAST, SURE * deviations)) & (np.abs(values) < LONGEST)
    if common.any():  # a joint apart, whose own delay is not sure, has that of the others
        first = int(np.flatnonzero(common)[0])
        values, deviations = (np.where(sure, each, each[first]) for each in (values, deviations))
        common, sure = common | ~sure, np.where(sure, sure, sure[first])
    return Delays(np.where(sure, values, 0.0), np.where(np.isfinite(deviations), deviations, 0.0), common)


def _delay_of(regression: Regression, j: int, reduced: Array) -> tuple[float, float]:
    """The delay of a joint's torque and its deviation, s."""
    triangles = []
    places = regression.parameters.of_row[j]
    for number, part in enumerate(regression.parts):
        usable = part.usable[:, j]
        residual = part.torques[:, j] - part.columns[j] @ reduced[places]
        rows = np.column_stack([part.columns[j], -part.torque_rates[:, j], residual])[usable]
        if regression.weights is not None:
            rows = rows * np.sqrt(regression.weights[number][usable, j])[:, None]
        triangles.append(triangle_of(rows))
    rows = np.vstack(triangles)
    scale = np.linalg.norm(rows[:, :-1], axis=0)
    scale[scale == 0.0] = 1.0
    triangle = triangle_of(np.column_stack([rows[:, :-1] / scale, rows[:, -1]]))
    U, sizes, _ = np.linalg.svd(triangle[:, :-2])  # columns may depend on each other, such as armature and an inertia
    basis = U[:, : int((sizes > RANK * sizes[0]).sum())]
    rate, residual = (triangle[:, -2:] - basis @ (basis.T @ triangle[:, -2:])).T
    last = float(np.linalg.norm(rate))  # of the rate, after all other columns
    if last < 1e-6:
        return 0.0, np.inf
    delay = float(rate @ residual) / last**2
    count = sum(int(part.usable[:, j].sum()) for part in regression.parts)
    remaining = np.linalg.norm(residual - delay * rate) / np.sqrt(max(count - triangle.shape[1], 1))
    chain = regression.pieces[0].chain
    correlation = np.sqrt(len(chain.slow_kernel) / chain.step)
    return delay / float(scale[-1]), float(remaining * correlation / last / scale[-1])
