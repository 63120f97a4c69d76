"""The winding's temperature in the periodic steady state of a repeated task."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from armdyn.actuators.motor import Motor
from armdyn.actuators.thermal import Rises, Thermal
from armdyn.base.errors import ModelError
from armdyn.sizing.pairs import Motors
from armdyn.spatial.rotations import Array

MOST_PASSES = 100
SETTLED = 1e-7
"""Tolerance of the magnets' temperatures between iterations of the currents, K."""


def periodic_rises(motors: Sequence[Motor], torques: Array, steps: Array) -> Rises:
    """Temperature rises of windings and housings over a cycle in periodic steady state, K above the ambient.

    In each interval the mean of I^2 at its ends heats the winding; the step is the exponential of the 2x2 matrix, R(T)
    included. A cycle is then an affine map of the temperatures, theta -> A theta + b; its fixed point is the result. If
    the magnets' temperature changes the currents, this is iterated to convergence.

    Args:
        motors: motors with thermal models.
        torques: k_t I of each motor at the samples, N m, shape (motors, samples).
        steps: intervals between the samples, s, shape (samples - 1,).

    Returns:
        Rises at the samples, shape (motors, samples) each; infinite if the temperature grows without bound.
    """
    winding, housing = np.full((2, *torques.shape), np.inf)
    places, warm = list(range(len(motors))), np.zeros(torques.shape)
    for _ in range(MOST_PASSES):
        if not places:
            break
        currents = np.stack([motors[m].at(0.0, h).current(torques[m]) for m, h in zip(places, warm, strict=True)])
        result = _periodic([motors[m] for m in places], currents, steps)
        moved = np.abs(result.housing - warm).max(axis=-1)
        remaining = []
        for k, m in enumerate(places):
            thermal = _thermal(motors[m])
            if thermal.magnet_coefficient == 0.0 or moved[k] <= SETTLED:
                winding[m], housing[m] = result.winding[k], result.housing[k]
            elif np.isfinite(moved[k]) and thermal.torque_factor(result.housing[k]).min() > 0.0:
                remaining.append(k)  # the others heat up until their magnets are demagnetised
        places, warm = [places[k] for k in remaining], result.housing[remaining]
    return Rises(winding, housing)


def _thermal(motor: Motor) -> Thermal:
    if motor.thermal is None:
        raise ModelError("thermal of Motor is not given; temperatures need it: Motor(thermal=Thermal(...))")
    return motor.thermal


def _periodic(motors: Sequence[Motor], currents: Array, steps: Array) -> Rises:
    """The fixed points of cycles with constant currents in each interval."""
    rms = np.sqrt(0.5 * (currents[:, :-1] ** 2 + currents[:, 1:] ** 2))
    maps = [_affine(motor, row, steps) for motor, row in zip(motors, rms, strict=True)]
    A, b = (np.stack(part) for part in zip(*maps, strict=True))
    cycle, shift = _composed(A, b)
    theta = np.full((len(steps) + 1, *shift.shape), np.inf)
    finite = np.atleast_1d(np.isfinite(cycle).all(axis=(-2, -1)))
    finite[finite] = np.abs(np.linalg.eigvals(cycle[finite])).max(axis=-1) < 1.0
    A, b = A[finite], b[finite]
    now = np.linalg.solve(np.eye(2) - cycle[finite], shift[finite, :, None])[..., 0]
    theta[0, finite] = now
    for k in range(len(steps)):
        now = np.einsum("mij,mj->mi", A[:, k], now) + b[:, k]
        theta[k + 1, finite] = now
    return Rises(*np.moveaxis(theta, (2, 1), (0, 1)))


def _affine(motor: Motor, I: Array, steps: Array) -> tuple[Array, Array]:  # noqa: E741
    """A and b of each interval's theta -> A theta + b, shapes (steps, 2, 2) and (steps, 2)."""
    zero, one = np.zeros(len(steps)), np.ones(len(steps))
    with np.errstate(divide="ignore", over="ignore", invalid="ignore"):  # windings that heat up without bound
        b = np.stack(motor.next_rises(Rises(zero, zero), I, steps), axis=-1)
        columns = [motor.next_rises(unit, I, steps) for unit in (Rises(one, zero), Rises(zero, one))]
        A = np.stack([np.stack(column, axis=-1) - b for column in columns], axis=-1)
    if _thermal(motor).housing_capacity == 0.0:
        A[:, 1], b[:, 1] = 0.0, 0.0  # the housing stays at the ambient temperature
    return A, b


def _composed(A: Array, b: Array) -> tuple[Array, Array]:
    """The composed map theta -> A theta + b of all steps, by pairwise reduction of neighbours."""
    with np.errstate(over="ignore", invalid="ignore"):
        while A.shape[1] > 1:
            even = A.shape[1] & ~1
            moved = np.einsum("mkij,mkj->mki", A[:, 1:even:2], b[:, :even:2]) + b[:, 1:even:2]
            A, b = (
                np.concatenate([A[:, 1:even:2] @ A[:, :even:2], A[:, even:]], axis=1),
                np.concatenate([moved, b[:, even:]], axis=1),
            )
    return A[:, 0], b[:, 0]


def winding_bounds(motors: Motors, mean_heat: Array, duration: float) -> tuple[Array, Array]:
    """Bounds of the highest rise of the winding over the cycle, K, from the mean of I^2 R at the ambient temperature.

    With P(t) = p(t) (1 + a theta), of mean heat p: the mean of theta is (R_wh + R_ha) mean P. The response to a pulse
    of heat is a sum of two decaying exponentials with positive factors, 1/C_w together at first, so that theta differs
    from its mean by at most d = (energy of a cycle)/C_w. As long as theta <= theta_max, that energy is at most
    p T (1 + a theta_max). Then

        mean theta <= R p (1 + a (mean theta + d)),    mean theta >= R p (1 + a (mean theta - d)).

    The upper bound is valid if it is not above theta_max; if the lower bound is above it, so is the winding.
    """
    R, a, hottest = motors.to_ambient, motors.feedback, motors.hottest_rise
    with np.errstate(invalid="ignore", divide="ignore", over="ignore"):
        limited = np.isfinite(hottest)
        d = mean_heat * duration / motors.winding_capacity * (1.0 + a * np.where(limited, hottest, 0.0))
        remainder = 1.0 - R * mean_heat * a
        upper = np.where(remainder > 0.0, R * mean_heat * (1.0 + a * d) / remainder + d, np.inf)
        stronger = np.where((remainder > 0.0) & (a * d < 1.0), R * mean_heat * (1.0 - a * d) / remainder, 0.0)
        lower = np.maximum(R * mean_heat, stronger)
    return np.where(limited, lower, 0.0), np.where(limited, upper, 0.0)
