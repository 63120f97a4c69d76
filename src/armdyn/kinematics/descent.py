"""Damped least squares, DLS (Levenberg and Marquardt): one compiled step repeated for the states not yet solved."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np

from armdyn.functions import CompiledFunction
from armdyn.kinematics.aims import Aim
from armdyn.kinematics.step import declared
from armdyn.robot import Robot
from armdyn.spatial.rotations import Array

FIRST_DAMPING = 0.3
"""Relative to the length of the residual."""

FLAT = 1e-10
"""Where the free joints lower the residual by less than this part of it, it is as small as it gets near here."""


@dataclass(frozen=True, eq=False)
class DampedLeastSquares:
    """The compiled step of damped least squares, and when to stop.

    Args:
        step: `armdyn.kinematics.step.search_step` without its options.
        tolerance: m and rad.
        iterations: at most, from one start.
    """

    step: Callable[..., Any]
    tolerance: float
    iterations: int

    @classmethod
    def of(
        cls,
        robot: Robot,
        aims: Sequence[Aim],
        bounds: Sequence[tuple[float, float]],
        *,
        length: float,
        tolerance: float,
        iterations: int,
        workers: int | None,
    ) -> DampedLeastSquares:
        """Compile the step, or find the one compiled before."""
        compiled = _compiled(robot, tuple(aims))
        options = {"aims": tuple(aims), "bounds": tuple(bounds), "length": length, "workers": workers}
        return cls(lambda *arrays: compiled(*arrays, **options), tolerance, iterations)

    def descend(self, start: Array, target: Array) -> tuple[Array, Array]:
        """Where each start leads, shape (N, n), and after how many steps, shape (N,)."""
        count = len(start)
        found, steps = start.copy(), np.full(count, self.iterations)
        waiting: Array = np.arange(count)
        trial, accepted = start, start
        cost: Array
        cost, promised, damping = np.full(count, np.inf), np.ones(count), np.full(count, FIRST_DAMPING)
        for taken in range(1, self.iterations + 1):
            tried = trial
            trial, accepted, cost, promised, damping, left, steepness = self.step(
                tried, accepted, cost, promised, damping, target
            )
            there = np.maximum(left[:, 0], left[:, 1]) <= self.tolerance
            ends = there | (steepness <= FLAT)
            if ends.any():
                out, on = np.flatnonzero(ends), np.flatnonzero(~ends)
                found[waiting[out]] = np.where(there[out, None], tried[out], accepted[out])
                steps[waiting[out]] = taken
                waiting, target, trial, accepted, cost, promised, damping = (
                    a.take(on, axis=0) for a in (waiting, target, trial, accepted, cost, promised, damping)
                )
                if not len(waiting):
                    break
        found[waiting] = accepted
        return found, steps


@lru_cache(maxsize=64)
def _compiled(robot: Robot, aims: tuple[Aim, ...]) -> CompiledFunction:
    return robot.compile(declared(aims))
