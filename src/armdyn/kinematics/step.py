"""One step of damped least squares (DLS, Levenberg-Marquardt) within joint limits, without a branch.

Around q the residual is e - J s after a step s. The step minimises |e - J s|^2 + damping |s|^2 over the joints that are
not at an active limit (Nocedal and Wright 2006, 10.3); joints are scaled so that a metre of slide counts like
``length`` metres' worth of radians.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from armdyn.base.scalars import Scalar
from armdyn.declaration import Function, function
from armdyn.kinematics.aims import Aim, TaskAim, conditions, stack_aims, weighted_residuals
from armdyn.model.mechanism import Mechanism
from armdyn.program import clip, maximum, select
from armdyn.spatial.positive_definite import Cholesky
from armdyn.spatial.rotations import Array

LEAST_DAMPING = 1e-14
"""Least damping, relative to the trace of the system: keeps it positive definite in singularities."""

LARGEST_STEP = 1.0
"""Largest step, rad or lengths, because a linear model is not valid for more."""

SHORTEST_STEP = 1e-15
"""Shortest step, rad or lengths; shorter ones are rounding."""


def search_step(
    model: Mechanism,
    trial: Array,
    accepted: Array,
    cost: Scalar,
    promised: Scalar,
    damping: Scalar,
    target: Array,
    *,
    aims: Sequence[Aim | TaskAim] = (),
    bounds: Sequence[tuple[float, float]] = (),
    length: float = 1.0,
) -> tuple[Scalar, ...]:
    """Evaluate the trial configuration, rad or m, and compute the next one by damped least squares.

    Args:
        trial: the configuration to evaluate, rad or m, shape (..., n).
        accepted: the best one so far, rad or m, shape (..., n).
        cost: e.e / 2 there; infinite before the first step.
        promised: the reduction of the cost that the linear model predicts for the trial.
        damping: damping, relative to the norm of the residual.
        target: numbers of all aims.
        aims: the conditions to meet.
        bounds: least and greatest position of each joint.
        length: length equivalent to one radian, m.

    Returns:
        The next trial, the accepted configuration, its cost, the next predicted reduction and damping; for the trial:
        the remaining distance (m) and angle (rad), and the fraction of the residual, from 0 to 1, that the free joints
        could still lower.
    """
    at_trial = conditions(model, trial, aims, target)
    e, J = stack_aims(at_trial)
    scale = np.array([1.0 if one.kind == "revolute" else length for one in model.model.coordinates])
    J = J * scale
    squares = e @ e
    new_cost = 0.5 * squares
    better = new_cost < cost

    # The gain ratio, actual by predicted reduction of the cost, sets the damping (Nielsen's rule).
    x = 2.0 * (cost - new_cost) / promised - 1.0  # twice the gain ratio, minus 1
    next_damping = damping * select(better, maximum(1.0 / 3.0, 1.0 - x * x * x), 4.0)

    downhill = J.T @ e
    free = np.array([_free(*arguments) for arguments in zip(trial, downhill, bounds, strict=True)])
    s = _damped_step(J * free, e, next_damping * np.sqrt(squares + 1e-300)) * scale
    s = s * (LARGEST_STEP / maximum(LARGEST_STEP, _largest(s / scale)))
    s = np.array([_clip(x, dx, bound) for x, dx, bound in zip(trial, s, bounds, strict=True)])
    rest = e - J @ (s / scale)
    promise = new_cost - 0.5 * (rest @ rest)

    # A trial that is not better is moved back to a quarter of its distance from the accepted configuration.
    quarter = accepted + 0.25 * (trial - accepted)
    steepness = np.sqrt((free * downhill) @ (free * downhill) / (squares + 1e-300))
    next_trial, now = _choose(better, trial + s, quarter), _choose(better, trial, accepted)
    moves = _largest((next_trial - now) / scale) > SHORTEST_STEP
    return (
        next_trial,
        now,
        select(better, new_cost, cost),
        select(better, promise, 0.4375 * promised),
        next_damping,
        np.array([_greatest_left(aims, at_trial, angular=False), _greatest_left(aims, at_trial, angular=True)]),
        moves * select(better, steepness, 1.0),
    )


def declare_step(aims: Sequence[Aim | TaskAim]) -> Function:
    """`search_step` for these aims, ready to be compiled."""
    shapes = f"(n),(n),(),(),(),({_size(aims)})->(n),(n),(),(),(),(2),()"
    return function(shapes, sources=("algorithms", "kinematics"))(search_step)


def declared_residuals(aims: Sequence[Aim | TaskAim]) -> Function:
    """`weighted_residuals` for these aims, ready to be compiled."""
    rows = sum(aim.rows for aim in aims)
    return function(f"(n),({_size(aims)})->({rows}),({rows},n)", sources=("algorithms", "kinematics"))(
        weighted_residuals
    )


def _size(aims: Sequence[Aim | TaskAim]) -> int:
    return sum(aim.size for aim in aims)


def _damped_step(J: Array, e: Array, damping: Scalar) -> Array:
    """(J^T J + damping 1)^-1 J^T e, or the equal J^T (J J^T + damping 1)^-1 e, whichever system is smaller."""
    rows, columns = J.shape
    wide = columns > rows
    A = J @ J.T if wide else J.T @ J
    A = A + (damping + LEAST_DAMPING * np.trace(A) + 1e-300) * np.eye(len(A))
    return J.T @ Cholesky.of(A).solve(e) if wide else Cholesky.of(A).solve(J.T @ e)


def _free(q: Scalar, downhill: Scalar, bound: tuple[float, float]) -> Scalar:
    """0 if the joint is at a limit and the descent direction leads beyond it, otherwise 1."""
    lower, upper = bound
    free: Scalar = 1.0
    if np.isfinite(upper):
        free = free * select(q < upper, 1.0, select(downhill > 0.0, 0.0, 1.0))
    if np.isfinite(lower):
        free = free * select(lower < q, 1.0, select(downhill < 0.0, 0.0, 1.0))
    return free


def _clip(q: Scalar, step: Scalar, bound: tuple[float, float]) -> Scalar:
    """The step clipped to the limits."""
    return step if not np.isfinite(bound).any() else clip(q + step, *bound) - q


def _largest(values: Array) -> Scalar:
    result: Scalar = 0.0
    for value in values:
        result = maximum(result, abs(value))
    return result


def _choose(condition: Scalar, if_true: Array, if_false: Array) -> Array:
    return np.array([select(condition, a, b) for a, b in zip(if_true, if_false, strict=True)])


def _greatest_left(aims: Sequence[Aim | TaskAim], met: Sequence[Scalar], *, angular: bool) -> Scalar:
    """The largest remaining distance, or angle, of all aims."""
    result: Scalar = 0.0
    for aim, one in zip(aims, met, strict=True):
        if (aim.unit == "rad") == angular:
            result = maximum(result, one.distance)
    return result
