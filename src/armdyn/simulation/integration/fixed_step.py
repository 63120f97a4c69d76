"""Integration with steps of one length: the whole batch in one call a stage."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from armdyn.constraints.arguments import Redundant
from armdyn.robot import Robot
from armdyn.simulation.divergence import diverged, shorter_than
from armdyn.simulation.drift import Corrector
from armdyn.simulation.equations import lagrangian_derivatives, motion_of, velocity_of_momentum
from armdyn.simulation.forces import Forces
from armdyn.simulation.integration.compiled_steps import CompiledSteps
from armdyn.simulation.integration.grid import ROUNDING, StepGrid
from armdyn.simulation.integration.held_step import held_step
from armdyn.simulation.methods.catalogue import FixedStep
from armdyn.simulation.methods.formulas import Rates, State
from armdyn.simulation.methods.scheme import Scheme
from armdyn.simulation.over_time import Scheduled
from armdyn.simulation.progress import Report
from armdyn.simulation.results.samples import Effort, Samples
from armdyn.simulation.sticking.bristles import OnNumbers, Path
from armdyn.spatial.rotations import Array

Advance = Callable[[int, float, Any, State, tuple[Array, ...]], State]
"""The state a step later, from the number of the step, its time and length, the state and the forces there."""

REPORTS = 200
"""How often progress is reported."""


def integrate(
    robot: Robot,
    method: FixedStep,
    forces: Forces,
    start: tuple[Array, ...],
    *,
    grid: StepGrid,
    saved: Array,
    samples: Samples,
    report: Report,
    redundant: Redundant = "error",
    corrector: Corrector | None = None,
) -> None:
    """Advance from (q, qd), and bristles, over the grid, and record the state after each of the ``saved`` steps."""
    remedy = shorter_than(grid.step)
    single = start[0].ndim == 1
    corrects = corrector is not None and corrector.always
    if forces.are_known and redundant == "error" and method.scheme.starter is None and not corrects:
        compiled = CompiledSteps(robot, method, forces)
        compiled.integrate(start, grid=grid, saved=saved, samples=samples, report=report)
        if corrector is None or not corrector.points.on_path(samples.q).any():
            if single:
                compiled.refuse_divergence(grid, saved, samples, remedy)
            return
        samples.count = samples.effort.steps = samples.effort.evaluations = 0  # again, with a look at each step
    stepper = Stepper(robot, method.scheme, forces, redundant, samples.effort, bends=len(start) > 2)
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
            acting = forces.at(k, t, state[0], state[1])
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
                before = last[1]
                raise diverged(robot, min(t + step, grid.duration), before[0], before[1], remedy)
            if k % every == 0:
                report(k / steps)
    except Exception:  # also of a torque that is a user's own function
        _keep_last(samples, *last)
        raise
    samples.record(state, forces.at(steps - 1, grid.duration, state[0], state[1]))
    samples.memory = dict(zip(method.scheme.memory, state[len(start) + 1 :], strict=True))


def _keep_last(samples: Samples, t: float, state: State, acting: tuple[Array, ...]) -> None:
    """Keep the state at which the motion ends; forces that cannot be computed there are NaN."""
    if samples.make_last_row(t):
        samples.record(state, acting)


class Stepper:
    """The step of a scheme on one robot: by its starter until it has the past it needs."""

    def __init__(
        self,
        robot: Robot,
        scheme: Scheme,
        forces: Forces,
        redundant: Redundant,
        effort: Effort,
        *,
        bends: bool = False,
    ) -> None:
        self.scheme, self.forces, self.effort = scheme, forces, effort
        self._step = _advance(robot, scheme, forces, redundant, bends=bends)
        starter = scheme.starter
        self._starter = None if starter is None else _advance(robot, starter, forces, redundant, bends=bends)
        given = [force for force in (forces.torque, forces.f_tip) if force is not None]
        self._held = [force.held for force in given]
        bent = [force.times for force in given if isinstance(force, Scheduled) and not force.held]
        self._corners: Array = np.sort(np.concatenate([np.zeros(0), *bent]))
        self._corners_passed = 0
        self._past = 0
        self._of_past: tuple[Any, tuple[Array, ...]] = (0.0, ())

    def advance(self, k: int, t: float, h: Any, state: State, acting: tuple[Array, ...]) -> State:
        """The state a step of length h from t later."""
        self.effort.steps += 1
        if self._starter is None or self.scheme.starter is None or self._has_past(t, h, acting):
            self.effort.evaluations += self.scheme.evaluations
            return self._step(k, t, h, state, acting)
        self._past += 1
        self.effort.evaluations += self.scheme.starter.evaluations
        return self._starter(k, t, h, state, acting)

    def _has_past(self, t: float, h: Any, acting: tuple[Array, ...]) -> bool:
        """Whether there are enough steps of this length behind the last jump or corner of the forces."""
        length, forces = self._of_past
        passed = int(np.searchsorted(self._corners, t + ROUNDING * h, side="right"))
        if h != length or passed != self._corners_passed or any(map(self._jumped, self._held, acting, forces)):
            self._past = 0
        self._corners_passed = passed
        self._of_past = h, acting
        return self._past >= self.scheme.starting_steps

    @staticmethod
    def _jumped(held: bool, now: Array, before: Array) -> bool:
        """Whether a force that is held during each step is not the one before."""
        return held and not np.array_equal(now, before)


def _advance(robot: Robot, scheme: Scheme, forces: Forces, redundant: Redundant, *, bends: bool = False) -> Advance:
    """One compiled call a step where the forces are held during it; else the formula around calls of the equations."""
    by_least_squares = redundant != "error" and bool(robot.model.constraints)
    if bends:
        return _bent_steps(robot, scheme, forces, redundant)
    if (forces.held or scheme.once) and not by_least_squares:
        step = robot.compile(held_step(scheme))
        return lambda k, t, h, state, acting: step(*state, h, *acting)

    called = Called(robot, forces, redundant)

    def advance(k: int, t: float, h: Any, state: State, acting: tuple[Array, ...]) -> State:
        called.hold = (k, acting)
        return scheme.formula(called, called.accelerations(state[0], state[1], acting), t, state, h)

    return advance


def _bent_steps(robot: Robot, scheme: Scheme, forces: Forces, redundant: Redundant) -> Advance:
    """Steps of the state (q, qd, W, z), and the memory of the scheme, around calls of the equations."""
    own = OnNumbers(robot, redundant)
    called = Called(own.bare, forces, redundant)

    def advance(k: int, t: float, h: Any, state: State, acting: tuple[Array, ...]) -> State:
        q, qd, work, z, *memory = state
        path = Path(own.along, q, qd, z)
        called.hold = (k, acting)
        called.bending = lambda q, qd: own.bending(path.bent(q, qd), qd)[0]
        first = called.accelerations(q, qd, (acting[0] - own.bending(z, qd)[0], *acting[1:]))
        q, qd, work, *memory = scheme.formula(called, first, t, (q, qd, work, *memory), h)
        after = path.bent(q, qd)
        return q, qd, work + own.energy(after) - own.energy(z), after, *memory

    return advance


class Called:
    """The equations of motion of numbers: compiled, and the forces asked for at each of their evaluations."""

    def __init__(self, robot: Robot, forces: Forces, redundant: Redundant) -> None:
        self.robot, self.forces = robot, forces
        self.motion = motion_of(robot, redundant)
        self.derivatives = robot.compile(lagrangian_derivatives)
        self.solve = robot.compile(velocity_of_momentum)
        self.hold: tuple[int, tuple[Array, ...]] = (0, ())
        self.bending: Callable[[Array, Array], Array] | None = None
        """What friction with a state of its own takes in a state of the step."""

    def __call__(self, t: float, q: Array, qd: Array) -> Rates:
        """Accelerations, and the power of the forces."""
        return self.accelerations(q, qd, self._acting(t, q, qd))

    def accelerations(self, q: Array, qd: Array, acting: tuple[Array, ...]) -> Rates:
        """The same under forces that are known already."""
        return self.motion(q, qd, *acting)

    def joint_forces(self, t: float, q: Array, qd: Array) -> Array:
        """tau - friction - J^T f_tip."""
        tau, *f_tip = acting = self._acting(t, q, qd)
        drive = self.robot.mechanism.drive
        if drive.has_friction:
            loaded = (self.accelerations(q, qd, acting)[0], *f_tip) if drive.depends_on_load else ()
            tau = tau - self.robot.friction_forces(q, qd, *loaded)
        return tau - self.robot.tip_forces(q, *f_tip) if f_tip else tau

    def _acting(self, t: float, q: Array, qd: Array) -> tuple[Array, ...]:
        k, held = self.hold
        acting = held if self.forces.held else self.forces.at(k, t, q, qd)
        return acting if self.bending is None else (acting[0] - self.bending(q, qd), *acting[1:])
