"""Motions in compiled loops by explicit formulas under known forces: all states of a batch side by side.

Embedded pairs have steps of their own for each state; the steps of other formulas have one length.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from itertools import pairwise
from typing import Any

import numpy as np

from armdyn.base.progress import Report
from armdyn.constraints.dead_points import DeadPoints
from armdyn.functions.integrations import Arrays, CompiledIntegration, IntegrationProgress, polynomial
from armdyn.program import DORMAND_PRINCE_54, DORMAND_PRINCE_853, EmbeddedPair
from armdyn.program.fixed_formulas import FIXED_FORMULAS
from armdyn.robot import Robot
from armdyn.simulation.divergence import diverged, not_kept
from armdyn.simulation.drivers.known_rates import Kind, rates_under_known_forces, state_of
from armdyn.simulation.elements.spring_steps import shorter_step
from armdyn.simulation.forces import Constant, Forces, Index, Table
from armdyn.simulation.methods.catalogue import Adaptive, FixedStep, Method
from armdyn.simulation.over_time import Scheduled
from armdyn.simulation.system.problem import Problem
from armdyn.simulation.unfinished import SimulationError
from armdyn.spatial.rotations import Array

PAIRS = {"DOP853": DORMAND_PRINCE_853, "RK45": DORMAND_PRINCE_54}
"""The pairs that have a compiled loop, by the names that SciPy's solvers have."""

SECONDS_AT_ONCE = 0.1
"""A loop runs for about so long: then Python handles signals and reports progress."""

ATTEMPTS_AT_FIRST, OF_ALL_AT_FIRST, MOST_ATTEMPTS = 256, 50_000, 1 << 20
"""Steps that the first call tries of each state at most, and of all states together; the most of any call."""

PIECES_AT_ONCE = 4096
"""The most steps of all states together whose polynomials a call keeps."""


def formula_of(method: Method) -> EmbeddedPair | None:
    """The explicit formula of a method: a pair, or a formula with steps of one length; None if it has none."""
    if isinstance(method, FixedStep):
        return FIXED_FORMULAS.get(method.scheme.name)
    return PAIRS.get(method.scipy_method) if isinstance(method, Adaptive) else None


def loop_of(
    robot: Robot, kind: Kind, scipy_method: str, *, linear: bool, parameters: tuple[str, ...] = ()
) -> CompiledIntegration:
    """The compiled loop of a robot, which keeps it for the next motion.

    Args:
        robot: the robot that moves, with all its laws of friction.
        kind: the parts of the state.
        scipy_method: a name of `PAIRS`.
        linear: true if the forces are piecewise linear in time; else they are held.
        parameters: parameters of the model that each state has of its own.
    """
    kept, name = vars(robot), f"_{scipy_method}_{kind}_{linear}_{parameters}"
    if name not in kept:
        rates = rates_under_known_forces(kind, linear=linear)
        time = "t" if linear else None
        pair = PAIRS[scipy_method]
        kept[name] = CompiledIntegration(robot, rates, kind.rates, pair, time=time, parameters=parameters)
    loop: CompiledIntegration = kept[name]
    return loop


def are_known(forces: Forces) -> bool:
    """True if the forces are numbers that are known beforehand."""
    return all(isinstance(f, Constant | Table | Scheduled | None) for f in (forces.torque, forces.f_tip))


def has_loop(problem: Problem) -> bool:
    """True if a compiled loop can make the motion: an explicit pair, known forces, no friction that jumps.

    Within constraints, the coordinates are those of joints alone.
    """
    system = problem.system
    constrained = bool(system.robot.model.constraints)
    by_rows = not constrained or (system.redundant == "error" and not (system.places or system.carries))
    explicit = problem.method.scipy_method in PAIRS and by_rows
    return explicit and not system.rubbing and are_known(problem.forces)


def integrate(problem: Problem, report: Report) -> list[Index]:
    """Integrate all states to the duration and fill the samples.

    Returns the states that are to be integrated again: for a robot with constraints those that could not be continued,
    because the rates are NaN near dead points.
    """
    run = Run(problem, report)
    try:
        return run.to_the_end()
    finally:
        run.keep_forces()


class Run:
    """A batch on its way: its progress, its state (q, qd, W), and the rows of the samples.

    Args:
        problem: to solve.
        report: called with the fraction that is done.
        parameters: parameters of the model by name, a value for each state.
    """

    def __init__(self, problem: Problem, report: Report, parameters: Arrays | None = None) -> None:
        robot, samples, forces, batch = problem.robot, problem.samples, problem.forces, problem.batch
        self.robot, self.method, self.forces, self.duration = robot, problem.method, forces, problem.duration
        self.samples, self.report, self.batch = samples, report, batch
        self.states, self.kind, self.system = int(np.prod(self.batch)), Kind.of(problem.system), problem.system
        self.state: Arrays = {}
        for name, values in state_of(self.kind, robot, problem.start).items():
            self.state[name] = np.ascontiguousarray(values, dtype=float).reshape(self.states, values.shape[-1])
        stored = problem.system.stored(*problem.start[2:])
        self.state["work"] = np.zeros(self.states) - np.reshape(stored, -1)
        self.rotors = {
            n: np.full((self.states, len(samples.t), a.shape[1]), np.nan) for n, a in self.state.items() if "theta" in n
        }
        for name, values in self.state.items():
            self._rows(name)[:, 0] = values
        samples.count = 1
        self.progress = IntegrationProgress.at_start(self.states, 1)
        self.grid = problem.grid
        self.edges = forces.edges(problem.duration) if self.grid is None else self._edges_on_grid()
        self.linear = not forces.held
        self.constant: Arrays = dict(parameters or {})
        self.loop = self._loop()
        self.attempts = max(min(ATTEMPTS_AT_FIRST, OF_ALL_AT_FIRST // self.states), 1)
        self.failures: dict[int, SimulationError] = {}
        """The errors of states that could not be continued, by number; steps that are too short have none yet."""
        self.gaps: Array = np.zeros(self.states, dtype=bool)
        if robot.model.constraints:
            self.constant["usual"] = DeadPoints(robot, "error").usual_pivots
        self.dense = [problem.interpolant() for _ in range(self.states)] if problem.dense_output else []
        samples.dense = dict(zip(np.ndindex(batch), self.dense, strict=True)) if self.dense else {}

    def _edges_on_grid(self) -> Array:
        """The times of steps if tables of forces have a row for each, else 0 and the duration."""
        if self.forces.rows is None:
            return np.array([0.0, self.duration])
        return np.asarray(self.grid.times(np.arange(self.grid.steps + 1)))

    def _loop(self) -> CompiledIntegration:
        parameters = tuple(self.constant)
        return loop_of(self.robot, self.kind, self.method.scipy_method, linear=self.linear, parameters=parameters)

    def _rows(self, name: str) -> Array:
        """The samples of a part of the state, seen as (states, times, *shape)."""
        if name in self.rotors:
            return self.rotors[name]
        array: Array = getattr(self.samples, name)
        return array.reshape((len(array), self.states, *array.shape[1 + len(self.batch) :])).swapaxes(0, 1)

    def to_the_end(self) -> list[Index]:
        """Integrate from hold to hold of the forces; a state whose step becomes too short keeps NaN from there on."""
        for k, (begin, end) in enumerate(pairwise(map(float, self.edges))):
            held = self._held(k, begin, end)
            for _ in self._calls(end):
                self._call(held, end)
            self.progress = self.progress.to_next_hold()
        if "usual" in self.constant:
            return self._without_failed()
        self._finish()
        return []

    def _without_failed(self) -> list[Index]:
        """The states that could not be continued, or not between steps: not counted, and nothing of them kept."""
        gaps = self.gaps | ~np.isfinite(self._rows("qd")[:, : self.samples.count]).all(axis=(1, 2))
        failed = np.flatnonzero(self.progress.failed | gaps)
        if len(failed) < self.states:
            self._finish()
        else:
            self.samples.count = 0
        effort = self.samples.effort
        effort.steps -= int(self.progress.steps[failed].sum())
        effort.evaluations -= int(self.progress.evaluations[failed].sum())
        for name in self.state:
            self._rows(name)[failed] = np.nan
        return [tuple(map(int, np.unravel_index(k, self.batch))) if self.batch else () for k in failed]

    def _calls(self, end: float) -> Iterator[None]:
        """Yield once for each call of the loop that is needed to reach the end of a hold."""
        while ((self.progress.t < end) & ~self.progress.failed).any():
            yield
            if self.grid is None and self.progress.steps.max() >= self.method.max_steps:
                self._refuse_more_steps()

    def _call(self, held: Arrays, end: float) -> None:
        attempts = self.attempts
        if self.grid is None:
            attempts = min(attempts, self.method.max_steps - int(self.progress.steps[~self.progress.failed].max()))
        pieces = None
        if self.dense:
            attempts = max(min(attempts, PIECES_AT_ONCE // self.states), 1)
            pieces = self.loop.piece_room(self.state, attempts)
        limits = self._limits(end, attempts)
        rows = {name: self._rows(name) for name in self.state}
        began, before = time.perf_counter(), self.progress
        self.progress, self.state = self.loop.advance(
            before, self.state, held, self.samples.t, rows, limits=limits, pieces=pieces
        )
        if pieces is not None:
            self._keep_pieces(pieces)
        effort = self.samples.effort
        effort.steps += int((self.progress.steps - before.steps).sum())
        effort.evaluations += int((self.progress.evaluations - before.evaluations).sum())
        self.samples.count = max(self.samples.count, int(self.progress.row.max()))
        faster = SECONDS_AT_ONCE / max(time.perf_counter() - began, 1e-6)
        self.attempts = min(max(int(self.attempts * min(faster, 64.0)), 1), MOST_ATTEMPTS)
        self.report(float(self.progress.t.mean()) / self.duration)

    def _limits(self, end: Any, attempts: int) -> dict[str, Any]:
        if self.grid is not None:
            return {"end": end, "step": self.grid.step, "attempts": attempts}
        return {"end": end, "rtol": self.method.rtol, "atol": self.method.atol, "attempts": attempts}

    def _keep_pieces(self, pieces: Array) -> None:
        self.gaps |= ~np.isfinite(pieces).all(axis=(1, 2))
        for dense, own in zip(self.dense, pieces, strict=True):
            for piece in own[own[:, 1] > 0.0]:
                dense.add(float(piece[0] + piece[1]), polynomial(piece, self.loop.pair))

    def _held(self, k: int, begin: float, end: float) -> Arrays:
        """The arguments of the rates during hold k."""
        between = self.forces.between(begin, end)
        given = {"tau": between.torque, "f_tip": between.f_tip}
        times = (begin, end) if self.linear else (begin,)
        at = {name: [self._values(f, k, t) for t in times] for name, f in given.items() if f is not None}
        held = {name: values[0] for name, values in at.items()}
        if not self.linear:
            return held | self.constant
        rates = {f"{name}_rate": (last - first) / (end - begin) for name, (first, last) in at.items()}
        return held | rates | {"t_0": np.array(begin)} | self.constant

    def _values(self, force: Any, k: int, t: float) -> Array:
        value = np.asarray(force.at(k, t, self.state["q"], self.state["qd"]))
        return np.ascontiguousarray(np.broadcast_to(value, (*self.batch, value.shape[-1]))).reshape(self.states, -1)

    def _refuse_more_steps(self) -> None:
        """States that have made ``max_steps`` are not continued."""
        over = (self.progress.steps >= self.method.max_steps) & (self.progress.t < self.duration)
        if over.any():
            self.progress = self.progress.with_failed(over)

    def _finish(self) -> None:
        done = ~self.progress.failed
        for name, values in self.state.items():
            self._rows(name)[done, -1] = values[done]
        if done.any():
            self.samples.count = len(self.samples.t)
            return
        if not self.batch:
            self._keep_end()
        raise self._stuck()

    def _keep_end(self) -> None:
        """The last state of a single motion that cannot be continued."""
        t, own = float(self.progress.t[0]), {name: values[0] for name, values in self.state.items()}
        unknown = self.forces.unknown(self.robot.dof).at(0, t, own["q"], own["qd"])

        def record() -> None:
            for name, values in own.items():
                self._rows(name)[0, self.samples.count] = values
            for kept, force in zip(self.samples.forces, unknown, strict=True):
                kept[self.samples.count] = force
            self.samples.count += 1

        self.samples.keep_end(t, record, lambda: None)

    def _stuck(self) -> SimulationError:
        """The error of the first state."""
        if self.failures:
            return self.failures[min(self.failures)]
        progress, n, t = self.progress, 0, float(self.progress.t[0])
        if self.grid is not None:
            q, later = self.state["q"][n], min(t + self.grid.step, self.duration)
            return diverged(self.robot, later, q, self.state["qd"][n], shorter_step(self.robot, self.method, q))
        many = progress.steps[n] >= self.method.max_steps
        why = f"after {int(progress.steps[n])} steps (max_steps)" if many else "however short the step"
        remedy = not_kept(self.method, f" {why}")
        return diverged(self.robot, t, self.state["q"][n], self.state["qd"][n], remedy)

    def keep_forces(self) -> None:
        """The forces at the samples that were reached, the rotors, and the energy in bristles, which is no work."""
        count = self.samples.count
        for name, rotors in self.rotors.items():
            of_links = self.samples.q if name == "theta" else self.samples.qd
            kept = self.samples.signals[name]
            kept[:count] = of_links[:count]
            kept[:count, ..., list(self.system.places)] = (
                rotors[:, :count].swapaxes(0, 1).reshape((count, *self.batch, -1))
            )
        if self.samples.bristles is not None:
            self.samples.work[:count] += self.system.stored(self.samples.bristles[:count])
        t, lost = self.samples.t[:count], ~np.isfinite(self.samples.work[:count])
        holds = np.zeros(count, dtype=int)
        if len(self.edges) > 2:
            holds = np.clip(np.searchsorted(self.edges, t, side="right") - 1, 0, len(self.edges) - 2)
        for kept, force in zip(self.samples.forces, (self.forces.torque, self.forces.f_tip), strict=False):
            kept[:count] = force.at_times(t) if isinstance(force, Scheduled) else force.at_steps(holds)  # type: ignore[union-attr]
            if lost.any():
                kept[:count][lost] = np.nan
