"""Integration with steps of one length: the whole batch in one call a stage."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from armdyn.constraints.arguments import Redundant
from armdyn.robot import Robot
from armdyn.simulation.divergence import diverged
from armdyn.simulation.equations import motion_of
from armdyn.simulation.forces import Forces
from armdyn.simulation.grid import StepGrid
from armdyn.simulation.methods import FixedStep
from armdyn.simulation.progress import Report
from armdyn.simulation.samples import Samples
from armdyn.simulation.schemes import Rates, State
from armdyn.spatial.rotations import Array

Advance = Callable[[int, float, Any, State, tuple[Array, ...]], State]
"""The state a step later, from the number of the step, its time and length, the state and the forces there."""

REPORTS = 200
"""How often progress is reported."""


def integrate(
    robot: Robot,
    method: FixedStep,
    forces: Forces,
    start: tuple[Array, Array],
    *,
    grid: StepGrid,
    saved: Array,
    samples: Samples,
    report: Report,
    redundant: Redundant = "error",
) -> None:
    """Advance from (q, qd) over the grid, and record the state after each of the ``saved`` steps."""
    advance = _advance(robot, method, forces, redundant)
    remedy = f"Use a step shorter than {grid.step:g} s, or method='adaptive'."
    single, effort = start[0].ndim == 1, samples.effort
    state: State = (*start, np.zeros(start[0].shape[:-1]))
    steps, step, h = grid.steps, grid.step, np.float64(grid.step)
    upcoming = iter(saved.tolist())
    next_saved = next(upcoming)
    every = max(1, steps // REPORTS)
    for k in range(steps):
        t = k * step
        acting = forces.at(k, t, state[0], state[1])
        if k == next_saved:
            samples.record(*state, acting)
            next_saved = next(upcoming)
        if k == steps - 1:
            h = np.float64(grid.last_step)
        before, state = state, advance(k, t, h, state, acting)
        effort.steps, effort.evaluations = effort.steps + 1, effort.evaluations + method.scheme.evaluations
        if single and not math.isfinite(state[1].dot(state[1])):
            raise diverged(robot, min(t + step, grid.duration), before[1], remedy)
        if k % every == 0:
            report(k / steps)
    samples.record(*state, forces.at(steps - 1, grid.duration, state[0], state[1]))


def _advance(robot: Robot, method: FixedStep, forces: Forces, redundant: Redundant) -> Advance:
    """One compiled call a step where the forces are held during it; else the formula around calls of the equations."""
    scheme = method.scheme
    by_least_squares = redundant != "error" and bool(robot.model.constraints)
    if (forces.held or scheme.evaluations == 1) and not by_least_squares:
        step = robot.compile(scheme.held_step)
        return lambda k, t, h, state, acting: step(*state, h, *acting)

    equations = motion_of(robot, redundant)

    def advance(k: int, t: float, h: Any, state: State, acting: tuple[Array, ...]) -> State:
        def f(t: float, q: Array, qd: Array) -> Rates:
            return equations(q, qd, *(acting if forces.held else forces.at(k, t, q, qd)))

        return scheme.formula(f, equations(*state[:2], *acting), t, state, h)

    return advance
