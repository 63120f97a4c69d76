"""Motions of all states of a batch side by side in one compiled loop, under forces that are known beforehand.

Embedded pairs have steps of their own for each state; the steps of other formulas have one length. States may be put
onto constraints after each step. `armdyn.simulation.drivers.sticking_side_by_side` has joints that stick.
"""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np

from armdyn.base.progress import Report
from armdyn.constraints.dead_points import DeadPoints
from armdyn.functions.integrations import Arrays, CompiledIntegration, IntegrationProgress, polynomial
from armdyn.simulation.divergence import diverged, not_kept, shorter_step
from armdyn.simulation.drivers.compiled_loops import ATTEMPTS_AT_FIRST, Attempts, has_steps, loop_of
from armdyn.simulation.forces import Index
from armdyn.simulation.methods.catalogue import Adaptive
from armdyn.simulation.over_time import Scheduled
from armdyn.simulation.samples import ELEMENTS
from armdyn.simulation.system.corrections import put_on_constraints
from armdyn.simulation.system.problem import Problem
from armdyn.simulation.system.state_parts import DRIFT, StateParts
from armdyn.simulation.unfinished import SimulationError
from armdyn.spatial.rotations import Array

OF_ALL_AT_FIRST = 50_000
"""The steps of all states together that the first call tries at most."""

PIECES_AT_ONCE = 4096
"""The most steps of all states together whose polynomials a call keeps."""


def has_loop(problem: Problem) -> bool:
    """True if a compiled loop can make the motion: an explicit formula, known forces, no friction that jumps.

    Steps of one length are those whose states are put onto constraints; others are faster in a rollout
    (`armdyn.simulation.drivers.compiled_steps`). Within constraints, the coordinates are those of joints alone.
    """
    system, method, corrects = problem.system, problem.method, problem.corrects
    by_loop = corrects or isinstance(method, Adaptive) or (system.own_states > 0 and not system.carries)
    explicit = has_steps(method, problem.forces) and by_loop
    explicit = explicit and not problem.within_steps
    constrained = corrects or bool(system.robot.model.constraints)
    by_rows = not constrained or (system.redundant == "error" and not (system.places or system.carries))
    return explicit and by_rows and not system.rubbing


class Run:
    """A batch on its way: its progress, its state by name, and the rows of the samples.

    Each state has values of its own of the ``parameters`` of the model.
    """

    def __init__(self, problem: Problem, report: Report, parameters: Arrays | None = None) -> None:
        robot, samples, forces, batch = problem.robot, problem.samples, problem.forces, problem.batch
        self.robot, self.method, self.forces, self.duration = robot, problem.method, forces, problem.duration
        self.samples, self.report, self.batch, self.system = samples, report, batch, problem.system
        self.states, self.corrector = int(np.prod(batch)), problem.corrector if problem.corrects else None
        self.parts = StateParts.of(problem.system, correction="positions" if problem.corrects else "")
        self.state: Arrays = {}
        for name, values in self.parts.split(robot, problem.start).items():
            self.state[name] = np.ascontiguousarray(values, dtype=float).reshape(self.states, values.shape[-1])
        stored = problem.system.energy_of_states(problem.start[2], problem.start[0]) if self.system.has_states else 0.0
        self.state["work"] = np.zeros(self.states) - np.reshape(stored, -1)
        self.numbers = sum(values[0].size for values in self.state.values())
        """The count of numbers of the state of the arm, those of all names but the drift."""
        self.state |= {DRIFT: np.zeros((self.states, 2))} if problem.corrects else {}
        self.apart = {
            name: np.full((self.states, len(samples.t), values.shape[1]), np.nan)
            for name, values in self.state.items()
            if name in ("theta", "thetad", DRIFT)
        }
        """Rows of the parts of the state that the samples do not have in one array."""
        for name, values in self.state.items():
            self._rows(name)[:, 0] = values
        samples.count = 1
        self.progress = IntegrationProgress.at_start(self.states, 1)
        self.again: Array = np.zeros(self.states, dtype=bool)
        """The states that are to be integrated again without this loop."""
        self.grid = problem.grid
        self.edges = self._edges(problem)
        self.linear = not forces.held
        self.constant: Arrays = dict(parameters or {})
        self.loop = self._loop()
        self.attempts = Attempts(max(min(ATTEMPTS_AT_FIRST, OF_ALL_AT_FIRST // self.states), 1))
        self.has_dead_points = bool(robot.model.constraints)
        if self.has_dead_points:
            self.constant["usual"] = DeadPoints(robot, "error").usual_pivots
        self.dense = [problem.interpolant() for _ in range(self.states)] if problem.dense_output else []
        samples.dense = dict(zip(np.ndindex(batch), self.dense, strict=True)) if self.dense else {}

    @staticmethod
    def _edges(problem: Problem) -> Array:
        """The times at which forces change: those of steps if tables of forces have a row for each."""
        grid, forces = problem.grid, problem.forces
        if grid is None:
            return np.asarray(forces.edges(problem.duration))
        if forces.rows is None:
            return np.array([0.0, problem.duration])
        return np.asarray(grid.times(np.arange(grid.steps + 1)))

    def _loop(self) -> CompiledIntegration:
        return loop_of(self.robot, self.method, self.parts, linear=self.linear, parameters=tuple(self.constant))

    def _rows(self, name: str) -> Array:
        """The samples of a part of the state, seen as (states, times, *shape)."""
        if name in self.apart:
            return self.apart[name]
        array: Array = self.samples.signals[name] if name == ELEMENTS else getattr(self.samples, name)
        return array.reshape((len(array), self.states, *array.shape[1 + len(self.batch) :])).swapaxes(0, 1)

    def integrate(self) -> list[Index]:
        """Integrate all states to the duration and fill the samples; returns the states to be integrated again."""
        try:
            return self.to_the_end()
        finally:
            self.keep_forces()

    def to_the_end(self) -> list[Index]:
        """Integrate from hold to hold of the forces; a state whose step becomes too short keeps NaN from there on.

        Returns the states that are to be integrated again: nothing of them is kept, and their steps do not count.
        """
        for k, (begin, end) in enumerate(pairwise(map(float, self.edges))):
            forces = self._held(k, begin, end)
            self._enter(k, begin, forces)
            while ((self.progress.t < end) & ~self.progress.failed).any():
                self._advance(forces, end)
                if self.grid is None and self.progress.steps.max() >= self.method.max_steps:
                    self._refuse_more_steps()
            self.progress = self.progress.to_next_hold()
        if self.has_dead_points:  # near which rates are NaN
            there = np.isfinite(self._rows("qd")[:, : self.samples.count]).all(axis=(1, 2))
            self.again |= self.progress.failed | ~there
        self._finish()
        again = np.flatnonzero(self.again)
        effort = self.samples.effort
        effort.steps -= int(self.progress.steps[again].sum())
        effort.evaluations -= int(self.progress.evaluations[again].sum())
        for name in self.state:
            self._rows(name)[again] = np.nan
        return [self._index(n) for n in again.tolist()]

    def _index(self, n: int) -> Index:
        return tuple(map(int, np.unravel_index(n, self.batch))) if self.batch else ()

    def _enter(self, k: int, begin: float, held: Arrays) -> None:
        """Begin hold k of the forces."""

    def _advance(self, held: Arrays, end: float) -> None:
        """Steps of all states, at most to the end of a hold."""
        attempts = self.attempts.count
        if self.grid is None:
            attempts = min(attempts, self.method.max_steps - int(self.progress.steps[~self.progress.failed].max()))
        pieces = None
        if self.dense:
            attempts = max(min(attempts, PIECES_AT_ONCE // self.states), 1)
            pieces = self.loop.piece_room(self.state, attempts)
        limits: dict[str, Any] = {"end": end, "attempts": attempts}
        if self.grid is None:
            limits |= {"rtol": self.method.rtol, "atol": self.method.atol}
        else:
            limits["step"] = self.grid.step
        rows, before = {name: self._rows(name) for name in self.state}, self.progress
        with self.attempts:
            self.progress, self.state = self.loop.advance(
                before, self.state, held, self.samples.t, rows, limits=limits, pieces=pieces
            )
        if pieces is not None:
            self._keep_pieces(pieces)
        effort = self.samples.effort
        effort.steps += int((self.progress.steps - before.steps).sum())
        effort.evaluations += int((self.progress.evaluations - before.evaluations).sum())
        self.samples.count = max(self.samples.count, int(self.progress.row.max()))
        self.report(float(self.progress.t.mean()) / self.duration)

    def _keep_pieces(self, pieces: Array) -> None:
        if self.has_dead_points:
            self.again |= ~np.isfinite(pieces).all(axis=(1, 2))
        places = np.arange(self.numbers)
        for dense, own in zip(self.dense, pieces, strict=True):
            for piece in own[own[:, 1] > 0.0]:
                dense.add(float(piece[0] + piece[1]), polynomial(piece, self.loop.pair, places))

    def _held(self, k: int, begin: float, end: float) -> Arrays:
        """The arguments of the rates during hold k."""
        between = self.forces.between(begin, end)
        force_arguments = {"tau": between.torque, "f_tip": between.f_tip}
        times = (begin, end) if self.linear else (begin,)
        at = {name: [self._values(f, k, t) for t in times] for name, f in force_arguments.items() if f is not None}
        values_of_forces = {name: values[0] for name, values in at.items()}
        if not self.linear:
            return values_of_forces | self.constant
        rates = {f"{name}_rate": (last - first) / (end - begin) for name, (first, last) in at.items()}
        return values_of_forces | rates | {"t_0": np.array(begin)} | self.constant

    def _values(self, force: Any, k: int, t: float) -> Array:
        value = np.asarray(force.at(k, t, self.state["q"], self.state["qd"]))
        return np.ascontiguousarray(np.broadcast_to(value, (*self.batch, value.shape[-1]))).reshape(self.states, -1)

    def _refuse_more_steps(self) -> None:
        """States that have made ``max_steps`` are not continued."""
        over = (self.progress.steps >= self.method.max_steps) & (self.progress.t < self.duration)
        if over.any():
            self.progress = self.progress.with_failed(over)

    def _finish(self) -> None:
        """The last rows; an error if all states diverged."""
        done = ~self.progress.failed
        for name, values in self.state.items():
            self._rows(name)[done, -1] = values[done]
        if done.any() and not self.again.all():
            self.samples.count = len(self.samples.t)
        elif self.again.any():
            self.samples.count = 0
        else:
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
            for force_rows, force in zip(self.samples.forces, unknown, strict=True):
                force_rows[self.samples.count] = force
            self.samples.count += 1

        self.samples.keep_end(t, record, lambda: None)

    def _stuck(self) -> SimulationError:
        """The error of the first state."""
        progress, t = self.progress, float(self.progress.t[0])
        q, qd = self.state["q"][0], self.state["qd"][0]
        if self.grid is not None:
            later = min(t + self.grid.step, self.duration)
            return diverged(self.robot, later, q, qd, shorter_step(self.robot, self.method, q))
        many = progress.steps[0] >= self.method.max_steps
        why = f"after {int(progress.steps[0])} steps (max_steps)" if many else "however short the step"
        return diverged(self.robot, t, q, qd, not_kept(self.method, f" {why}"))

    def keep_forces(self) -> None:
        """The forces at the samples that were reached, the rotors, and the energy in bristles, which is no work.

        Projected states are on the constraints between steps too.
        """
        samples, count = self.samples, self.samples.count
        if self.corrector is not None:
            on, still = self.robot.compile(put_on_constraints), np.zeros(self.robot.dof)
            samples.q[1:count], samples.qd[1:count] = on(samples.q[1:count], samples.qd[1:count], still)
            self.corrector.saw(*self.state[DRIFT][~self.progress.failed].max(axis=0, initial=0.0))
        for name, of_links in (("theta", samples.q), ("thetad", samples.qd)):
            if name in self.apart:
                rotors, values = self.apart[name][:, :count].swapaxes(0, 1), samples.signals[name]
                values[:count] = of_links[:count]
                values[:count, ..., list(self.system.places)] = rotors.reshape((count, *self.batch, -1))
        if self.system.has_states:
            samples.work[:count] += self.system.energy_of_states(samples.states(slice(count)), samples.q[:count])
        t, unfinished = samples.t[:count], ~np.isfinite(samples.work[:count])
        holds = np.zeros(count, dtype=int)
        if len(self.edges) > 2:
            holds = np.clip(np.searchsorted(self.edges, t, side="right") - 1, 0, len(self.edges) - 2)
        for values, force in zip(samples.forces, (self.forces.torque, self.forces.f_tip), strict=False):
            values[:count] = force.at_times(t) if isinstance(force, Scheduled) else force.at_steps(holds)  # type: ignore[union-attr]
            if unfinished.any():
                values[:count][unfinished] = np.nan
