"""Voltage of a source V with an internal resistance R, from which drives take a power P together.

All drives are at one voltage U = V - R I, and P = U I, so U^2 - V U + R P = 0. Of its two solutions

    U = (V + s)/2,   I = 2 P/(V + s),   s = sqrt(V^2 - 4 R P)

is the one that a source reaches when P rises from 0; the other has U = 0 there. No U gives more than P = V^2/(4 R), at
U = V/2. A returned power, P < 0, lifts U above V.
"""

from __future__ import annotations

import math

import numpy as np

from armdyn.base.scalars import Scalar
from armdyn.spatial.rotations import Array

ROUNDING = 1e-12
"""Relative rounding of a power at `most_power`."""


def most_power(V: float, R: float) -> float:
    """V^2/(4 R), W, at V/2; infinite without a resistance."""
    return V * V / (4.0 * R) if R else math.inf


def power_at(V: float, R: float, current: float) -> float:
    """The power of a source at a current, W, which is negative if the source takes it back; at most `most_power`."""
    if math.isinf(current):
        return most_power(V, R) if current > 0.0 else -math.inf
    return (V - R * current) * current if 2.0 * R * current < V else most_power(V, R)


def voltage(V: float, R: float, power: Scalar) -> Array:
    """U, V; NaN if the source cannot give the power."""
    square = 1.0 - 4.0 * R * np.asarray(power) / (V * V)
    root: Array = np.sqrt(np.where(square < -ROUNDING, np.nan, np.maximum(square, 0.0)))
    return 0.5 * V * (1.0 + root)


def mean_loss(V: float, R: float, first: Array, last: Array) -> Array:
    """The mean of R I^2 while the power goes linearly from one to another, W: exact.

    P = V I - R I^2 is linear in time, so that the time is spread over the currents with the weight dP/dI = V - 2 R I.
    With c the middle of the currents at both ends, d half their difference and w = V - 2 R c, the mean is

        R (c^2 + d^2 (1 - 4 R c/w)/3).
    """
    i, j = (power / voltage(V, R, power) for power in (first, last))
    c, d = 0.5 * (i + j), 0.5 * (j - i)
    w = V - 2.0 * R * c  # at the most power 0, as d is
    result: Array = R * (c * c + d * d * (1.0 - 4.0 * R * c / np.where(w == 0.0, V, w)) / 3.0)
    return result
