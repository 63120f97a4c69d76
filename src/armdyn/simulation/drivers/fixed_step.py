"""Integration with steps of one length: the whole batch in one call per stage."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np

from armdyn.base.progress import Report
from armdyn.declaration import Function
from armdyn.simulation.divergence import diverged, shorter_step
from armdyn.simulation.drivers import side_by_side
from armdyn.simulation.drivers.compiled_steps import CompiledSteps
from armdyn.simulation.drivers.steps_before import StepsBefore
from armdyn.simulation.elements.bristles import bristles_along
from armdyn.simulation.forces import Force, Forces
from armdyn.simulation.loop.step import step_function
from armdyn.simulation.methods.formulas import Equations, Rates, Scheme, State
from armdyn.simulation.samples import Effort, Samples
from armdyn.simulation.system.momenta import Momenta
from armdyn.simulation.system.problem import Problem
from armdyn.simulation.system.system import System
from armdyn.spatial.rotations import Array

Advance = Callable[[int, float, Any, State, tuple[Array, ...]], State]
"""The state a step later, from the number of the step, its time and length, the state and the forces there."""

REPORTS = 200
"""Number of progress reports."""


def integrate(problem: Problem, report: Report) -> None:
    """Advance from the start over the grid, and record the state after each of the ``saved`` steps."""
    if _in_compiled_loop(problem, report):
        return
    system, method, forces, start = problem.system, problem.method, problem.forces, problem.start
    grid, saved, samples, corrector = problem.grid, problem.saved, problem.samples, problem.corrector
    single = start[0].ndim == 1
    samples.count = samples.effort.steps = samples.effort.evaluations = 0
    stepper = Stepper(system, method.scheme, forces, samples.effort)
    state = method.scheme.start(*start)
    steps, step, h = grid.steps, grid.step, np.float64(grid.step)
    upcoming = iter(saved.tolist())
    next_saved = next(upcoming)
    every = max(1, steps // REPORTS)
    last: tuple[float, State, tuple[Array, ...]] = (0.0, state, ())
    try:
        for k in range(steps):
            t = k * step
            last = t, state, ()
            acting = forces.at(k, t, *system.seen(*state[:2]))
            last = t, state, acting
            if forces.ended:
                _keep_last(samples, *last)
                return
            if k == next_saved:
                samples.record(state, acting)
                next_saved = next(upcoming)
            if k == steps - 1:
                h = np.float64(grid.last_step)
            state = stepper.advance(k, t, h, state, acting)
            if corrector is not None:
                state = (*corrector.after_step(state[0], state[1], since=last[1][0]), *state[2:])
            if single and not math.isfinite(state[1].dot(state[1])):
                q, qd = system.seen(*last[1][:2])
                raise diverged(system.robot, min(t + step, grid.duration), q, qd, shorter_step(system.robot, method, q))
            if k % every == 0:
                report(k / steps)
    except Exception:  # also of a torque that is a user's own function
        _keep_last(samples, *last)
        raise
    samples.record(state, forces.at(steps - 1, grid.duration, *system.seen(*state[:2])))
    samples.memory = dict(zip(method.scheme.memory, state[len(start) + 1 :], strict=True))


def _in_compiled_loop(problem: Problem, report: Report) -> bool:
    """True if a compiled loop made all steps, without coming near a dead point of constraints."""
    forces, corrector = problem.forces, problem.corrector
    if side_by_side.has_loop(problem):
        return not side_by_side.Run(problem, report).integrate()
    independent = problem.redundant == "error" and not problem.corrects
    if not (forces.are_known and independent and problem.method.scheme.starter is None):
        return False
    compiled = CompiledSteps(problem)
    compiled.integrate(report)
    if corrector is not None and corrector.points.on_path(problem.samples.q).any():
        return False
    if not problem.batch:
        compiled.refuse_divergence()
    return True


def _keep_last(samples: Samples, t: float, state: State, acting: tuple[Array, ...]) -> None:
    """Keep the state at which the motion ends; forces that cannot be computed there are NaN."""
    if samples.make_last_row(t):
        samples.record(state, acting)


class Stepper:
    """The step of a scheme on one robot: by its starter until it has the past it needs."""

    def __init__(self, system: System, scheme: Scheme, forces: Forces, effort: Effort) -> None:
        self.scheme, self.forces, self.effort = scheme, forces, effort
        self._step = _advance(system, scheme, forces)
        self._starter = None if scheme.starter is None else _advance(system, scheme.starter, forces)
        self._before = StepsBefore(forces)

    def advance(self, k: int, t: float, h: Any, state: State, acting: tuple[Array, ...]) -> State:
        """The state a step of length h from t later."""
        self.effort.steps += 1
        starter = self.scheme.starter
        if self._starter is not None and starter is not None and self._begins(t, h, acting):
            self.effort.evaluations += starter.evaluations
            return self._starter(k, t, h, state, acting)
        self.effort.evaluations += self.scheme.evaluations
        return self._step(k, t, h, state, acting)

    def _begins(self, t: float, h: Any, acting: tuple[Array, ...]) -> bool:
        """True if the formula has not the past that it needs."""
        constant = tuple(map(_if_held, (self.forces.torque, self.forces.f_tip), acting))
        return self._before.count(t, h, constant) < self.scheme.starting_steps


def _if_held(force: Force | None, value: Array) -> Array | None:
    return value if force is not None and force.held else None


@cache
def held_step(scheme: Scheme) -> Function:
    """A step of (q, qd, W) and the memory of a scheme, the forces held."""
    return step_function(scheme, None, None, energy=True)


def _advance(system: System, scheme: Scheme, forces: Forces) -> Advance:
    """One compiled call a step if the forces are held during it; else the formula around calls of the equations."""
    by_least_squares = system.redundant != "error" and bool(system.robot.model.constraints)
    if system.carries:
        return _bent_steps(system, scheme, forces)
    if (forces.held or scheme.once) and not by_least_squares and not system.places:
        step = system.robot.compile(held_step(scheme))
        return lambda k, t, h, state, acting: step(*state, h, *acting)

    called = Called(system, forces)
    equations = called.equations(scheme)

    def advance(k: int, t: float, h: Any, state: State, acting: tuple[Array, ...]) -> State:
        called.hold = (k, acting)
        return scheme.formula(equations, system.motion(state[0], state[1], *acting), t, state, h)

    return advance


def _bent_steps(system: System, scheme: Scheme, forces: Forces) -> Advance:
    """Steps of the state (x, v, W, z), and the memory of the scheme, around calls of the equations."""
    called = Called(system, forces)
    equations = called.equations(scheme)

    def advance(k: int, t: float, h: Any, state: State, acting: tuple[Array, ...]) -> State:
        x, v, work, z, *memory = state
        bristles_at = bristles_along(system.along, x, v, z)
        called.hold = (k, acting)
        called.bending = lambda x, v: system.bending(bristles_at(x, v), v)[0]
        first = system.motion(x, v, acting[0] - system.bending(z, v)[0], *acting[1:])
        x, v, work, *memory = scheme.formula(equations, first, t, (x, v, work, *memory), h)
        after = bristles_at(x, v)
        return x, v, work + system.stored(after) - system.stored(z), after, *memory

    return advance


class Called:
    """The equations of motion of numbers: compiled, and the forces evaluated at each of their evaluations."""

    def __init__(self, system: System, forces: Forces) -> None:
        self.system, self.forces = system, forces
        self.hold: tuple[int, tuple[Array, ...]] = (0, ())
        self.bending: Callable[[Array, Array], Array] | None = None
        """The force of bristles in a state of the step."""

    def __call__(self, t: float, x: Array, v: Array) -> Rates:
        """Accelerations, and the power of the forces."""
        return self.system.motion(x, v, *self._acting(t, x, v))

    def equations(self, scheme: Scheme) -> Equations:
        """The equations that the formula of a scheme calls: these, or those of momenta by them."""
        return Momenta.of(self.system.bare, self) if scheme.by_momenta else self

    def _acting(self, t: float, x: Array, v: Array) -> tuple[Array, ...]:
        k, held = self.hold
        acting = held if self.forces.held else self.forces.at(k, t, *self.system.seen(x, v))
        return acting if self.bending is None else (acting[0] - self.bending(x, v), *acting[1:])
