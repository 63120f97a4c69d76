"""Damped least squares, DLS (Levenberg and Marquardt): one compiled step, repeated for unsolved states."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from armdyn.functions import CompiledFunction
from armdyn.functions.robot_like import RobotLike
from armdyn.kinematics.aims import TINY, Aim, TaskAim
from armdyn.kinematics.step import declare_step, declared_residuals
from armdyn.spatial.rotations import Array

FIRST_DAMPING = 0.3
"""Initial damping, relative to the norm of the residual."""

FLAT = 1e-10
"""The search is at a minimum if the free joints can lower the residual by less than this fraction of it."""


class Distances(NamedTuple):
    """Remaining distance, m, and angle, rad, at configurations, the greatest of all aims, and weighted e.e / 2."""

    position: Array
    angle: Array
    cost: Array


class DampedLeastSquares:
    """The compiled functions of some aims: the step of damped least squares, and the residuals.

    Args:
        robot: the robot.
        aims: the aims to meet simultaneously.
        bounds: least and greatest position of each joint, rad or m.
        length: length equivalent to one radian, m.
        tolerance: tolerance at which a descent stops, m and rad.
        workers: number of threads for a large batch.
    """

    def __init__(
        self,
        robot: RobotLike,
        aims: Sequence[Aim | TaskAim],
        bounds: Sequence[tuple[float, float]],
        *,
        length: float,
        tolerance: float,
        workers: int | None,
    ) -> None:
        self.aims, self.tolerance = tuple(aims), tolerance
        self._step, self._residuals = _compiled(robot, self.aims)
        self._options = {"aims": self.aims, "bounds": tuple(bounds), "length": length, "workers": workers}

    def descend(self, start: Array, target: Array, iterations: int) -> tuple[Array, Array]:
        """Final configurations of descents from each start, shape (N, n), and their numbers of steps, shape (N,)."""
        count = len(start)
        ends, steps = start.copy(), np.full(count, iterations)
        waiting: Array = np.arange(count)
        trial, accepted = start, start
        cost: Array
        cost, promised, damping = np.full(count, np.inf), np.ones(count), np.full(count, FIRST_DAMPING)
        for iteration in range(1, iterations + 1):
            tried = trial
            trial, accepted, cost, promised, damping, remaining, steepness = self._step(
                tried, accepted, cost, promised, damping, target, **self._options
            )
            met = np.maximum(remaining[:, 0], remaining[:, 1]) <= self.tolerance
            stops = met | (steepness <= FLAT)
            if stops.any():
                out, on = np.flatnonzero(stops), np.flatnonzero(~stops)
                ends[waiting[out]] = np.where(met[out, None], tried[out], accepted[out])
                steps[waiting[out]] = iteration
                waiting, target, trial, accepted, cost, promised, damping = (
                    a.take(on, axis=0) for a in (waiting, target, trial, accepted, cost, promised, damping)
                )
                if not len(waiting):
                    break
        ends[waiting] = accepted
        return ends, steps

    def judged(self, q: Array, target: Array) -> Distances:
        """Errors of configurations (N, n), as computed by a step for its first trial."""
        _, _, cost, _, _, remaining, _ = self._step(q, q, np.inf, 1.0, FIRST_DAMPING, target, **self._options)
        remaining = np.where(remaining > 2.0 * np.sqrt(TINY), remaining, 0.0)  # the root of TINY means zero
        return Distances(remaining[:, 0], remaining[:, 1], cost)

    def residuals(self, q: Array, target: Array) -> tuple[Array, Array]:
        """`weighted_residuals` at configurations (N, n): e, shape (N, rows), and J, shape (N, rows, n)."""
        e, J = self._residuals(q, target, aims=self.aims)
        return e, J


@lru_cache(maxsize=64)
def _compiled(robot: RobotLike, aims: tuple[Aim | TaskAim, ...]) -> tuple[CompiledFunction, CompiledFunction]:
    return robot.compile(declare_step(aims)), robot.compile(declared_residuals(aims))
