"""The winding's temperature where a task has been repeated for ever."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from armdyn.actuators.motor import Motor
from armdyn.actuators.thermal import Rises
from armdyn.sizing.pairs import Motors
from armdyn.spatial.rotations import Array

MOST_PASSES = 100
SETTLED = 1e-10
"""K, by which the magnets' temperatures may differ from the ones that the currents were computed with."""


def periodic_rises(motor: Motor, currents: Callable[[Any], Array], steps: Array) -> Rises:
    """Temperatures of winding and housing at the samples of a cycle that has been repeated for ever, K above ambient.

    In each interval the mean of I^2 at its ends heats the winding; the step is the exponential of the 2x2 matrix, R(T)
    included. A cycle is then an affine map of the temperatures, theta -> A theta + b, of which the fixed point is wanted.
    Where the magnets' temperature changes the currents, that is repeated until it settles.

    Args:
        motor: with its thermal model.
        currents: I at the samples, A, as a function of the housing's rise there, K.
        steps: between the samples, s.

    Returns:
        Rises at the samples, shape (samples,) each; infinite where the heat grows without end.
    """
    thermal, samples = motor.thermal, len(steps) + 1
    housing: Array = np.zeros(samples)
    for _ in range(MOST_PASSES):
        if thermal is None or not (thermal.torque_factor(housing) > 0.0).all():
            break  # magnets that have lost all of their strength
        I = currents(housing)  # noqa: E741
        found = _periodic(motor, np.sqrt(0.5 * (I[:-1] ** 2 + I[1:] ** 2)), steps)
        moved = np.abs(found.housing - housing).max()
        if thermal.magnet_coefficient == 0.0 or moved <= SETTLED or not np.isfinite(moved):
            return found
        housing = found.housing
    return _endless(samples)


def _periodic(motor: Motor, I: Array, steps: Array) -> Rises:  # noqa: E741
    """The fixed point of the cycle at currents that are held in each interval."""
    zero, one = np.zeros(len(steps)), np.ones(len(steps))
    offset = motor.next_rises(Rises(zero, zero), I, steps)
    columns = [motor.next_rises(unit, I, steps) for unit in (Rises(one, zero), Rises(zero, one))]
    b = np.stack(offset, axis=-1)
    A = np.stack([np.stack(column, axis=-1) - b for column in columns], axis=-1)
    cycle, shift = _composed(A, b)
    if motor.thermal is not None and motor.thermal.housing_capacity == 0.0:
        cycle[1], shift[1] = 0.0, 0.0  # the housing stays at the ambient
    if not np.isfinite(cycle).all() or np.abs(np.linalg.eigvals(cycle)).max() >= 1.0:
        return _endless(len(steps) + 1)
    w, h = np.linalg.solve(np.eye(2) - cycle, shift).tolist()
    theta = [(w, h)]
    for ((a, b_), (c, d)), (e, f) in zip(A.tolist(), b.tolist(), strict=True):
        w, h = a * w + b_ * h + e, c * w + d * h + f
        theta.append((w, h))
    winding, housing = np.array(theta).T
    return Rises(winding, housing)


def _composed(A: Array, b: Array) -> tuple[Array, Array]:
    """The map theta -> A theta + b of many in a row, the first one first: of neighbours, and of neighbours of those."""
    with np.errstate(over="ignore", invalid="ignore"):
        while len(A) > 1:
            odd_A, odd_b = A[len(A) & ~1 :], b[len(b) & ~1 :]
            first, second = A[: len(A) & ~1 : 2], A[1::2]
            moved = np.einsum("kij,kj->ki", second, b[: len(b) & ~1 : 2]) + b[1::2]
            A, b = np.concatenate([second @ first, odd_A]), np.concatenate([moved, odd_b])
    return A[0].copy(), b[0].copy()


def _endless(samples: int) -> Rises:
    return Rises(np.full(samples, np.inf), np.full(samples, np.inf))


def winding_bounds(motors: Motors, mean_heat: Array, duration: float) -> tuple[Array, Array]:
    """Bounds of the highest rise of the winding over the cycle, K, from the mean of I^2 R at the ambient temperature.

    With P(t) = p(t) (1 + a theta), of mean heat p: the mean of theta is (R_wh + R_ha) mean P. The response to a pulse of
    heat is a sum of two decaying exponentials with positive factors, 1/C_w in all at once, so that theta differs from its
    mean by at most d = (energy of a cycle)/C_w. As long as theta <= theta_max, that energy is at most
    p T (1 + a theta_max). Then

        mean theta <= R p (1 + a (mean theta + d)),    mean theta >= R p (1 + a (mean theta - d)).

    The upper bound holds where it is not above theta_max; where the lower bound is above it, so is the winding.
    """
    R, a, hottest = motors.to_ambient, motors.feedback, motors.hottest_rise
    with np.errstate(invalid="ignore", divide="ignore", over="ignore"):
        limited = np.isfinite(hottest)
        d = mean_heat * duration / motors.winding_capacity * (1.0 + a * np.where(limited, hottest, 0.0))
        kept = 1.0 - R * mean_heat * a
        upper = np.where(kept > 0.0, R * mean_heat * (1.0 + a * d) / kept + d, np.inf)
        stronger = np.where((kept > 0.0) & (a * d < 1.0), R * mean_heat * (1.0 - a * d) / kept, 0.0)
        lower = np.maximum(R * mean_heat, stronger)
    return np.where(limited, lower, 0.0), np.where(limited, upper, 0.0)
