"""Delays of torques behind positions: stated by the caller, or estimated with the other parameters.

A torque that is recorded d seconds late is tau(t - d), about tau - d dtau/dt. The rate of the filtered torque is one
more column of each joint, and its number is d. A delay is applied if it exceeds `SURE` deviations and `LEAST`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from armdyn.checks import array
from armdyn.identification.errors import IdentificationError
from armdyn.identification.factors import triangle_of
from armdyn.identification.regression import Regression
from armdyn.spatial.rotations import Array

SURE = 2.0
"""Deviations of the estimate above which a delay is applied."""

LEAST = 5e-4
"""The smallest delay that is applied, s."""

LONGEST = 0.1
"""The longest delay that is taken for one, s."""

ESTIMATE = "estimate"


def given_delays(delay: Any, joints: int) -> tuple[Array, bool]:
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


def estimated_delays(regression: Regression, reduced: Array) -> tuple[Array, list[str]]:
    """The delay of each joint's torque, s, 0 of joints whose delay is not sure; and a sentence on them.

    Each joint is regressed on its own columns, which its forces depend on alone, and on the rate of its torque.

    Args:
        regression: of the logs.
        reduced: parameters of the regression.
    """
    delays = np.zeros(regression.joints)
    for j in range(regression.joints):
        delay, deviation = _delay_of(regression, j, reduced)
        if abs(delay) > max(LEAST, SURE * deviation) and abs(delay) < LONGEST:
            delays[j] = delay
    names = regression.parameters.robot.joint_names
    shown = ", ".join(f"{name} {1e3 * delay:.2g} ms" for name, delay in zip(names, delays, strict=True) if delay)
    return delays, [f"torques lag behind positions, and are taken earlier by: {shown}"] if shown else []


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
    if abs(triangle[-2, -2]) < 1e-6:
        return 0.0, np.inf
    last = triangle[-2, -2]  # of the rate, after all other columns
    count = sum(int(part.usable[:, j].sum()) for part in regression.parts)
    left = abs(triangle[-1, -1]) / np.sqrt(max(count - triangle.shape[1], 1))  # the residual's deviation with the delay
    chain = regression.pieces[0].chain
    correlation = np.sqrt(len(chain.slow_kernel) / chain.step)
    return float(triangle[-2, -1] / last / scale[-1]), float(left * correlation / abs(last) / scale[-1])
