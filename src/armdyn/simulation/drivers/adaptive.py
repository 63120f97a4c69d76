"""Integration with error control, by SciPy's solvers: each state of a batch by itself."""

from __future__ import annotations

from collections.abc import Generator
from itertools import pairwise
from typing import Any

import numpy as np

from armdyn.base.advice import either
from armdyn.simulation.divergence import diverged, not_kept
from armdyn.simulation.drivers import compiled_adaptive
from armdyn.simulation.drivers.chattering import Quiet, Stretch, Watch, in_turns
from armdyn.simulation.drivers.one_by_one import one_by_one_through_chattering
from armdyn.simulation.forces import Forces, Index
from armdyn.simulation.progress import Report
from armdyn.simulation.results.dense import Dense, Line
from armdyn.simulation.results.samples import Samples
from armdyn.simulation.system.problem import Problem
from armdyn.simulation.unfinished import SimulationError
from armdyn.spatial.rotations import Array


def integrate(problem: Problem, report: Report) -> None:
    """Integrate each state to the duration and fill the samples, without joints that stick."""
    samples, method = problem.samples, problem.method
    states = list(np.ndindex(problem.batch))
    if not problem.corrects and compiled_adaptive.has_loop(problem):
        states = compiled_adaptive.integrate(problem, report)
        if not states:
            return
    chattered: list[Stretch] = []
    if problem.dense_output:
        samples.dense |= {index: problem.interpolant() for index in states}

    def alone(index: Index, own: Samples) -> Generator[float]:
        run = _Run(problem, problem.forces.of(index), own, samples.dense.get(index), chattered)
        return run.integrate(*(each[index] for each in problem.start))

    def names() -> list[str]:
        return [*problem.system.names_of_friction(), *problem.system.names_of_forces()]

    one_by_one_through_chattering(samples, alone, report, method, chattered, names, states)


class _Run:
    """One state on its way: y = (x, v, z, W) with y' = (v, dv/dt, dz/dt, P)."""

    def __init__(
        self, problem: Problem, forces: Forces, samples: Samples, dense: Dense | None, chattered: list[Stretch]
    ) -> None:
        self.system, self.method, self.duration = problem.system, problem.method, problem.duration
        self.forces, self.samples, self.dense, self.corrector = forces, samples, dense, problem.corrector
        self.m, self.carries, self.chattered = self.system.size, self.system.carries, chattered
        self.hold = self.steps = 0
        self.acting = forces
        self.all_finite = True
        may_jump = bool(self.system.rubbing) or not forces.held
        self.watches = self.method.chattering_step is not None and may_jump
        on_springs = bool(self.system.places)  # which vibrate: steps between two switches are short, and not all equal
        self.watch = Watch(self.duration, self.method.chattering_step if on_springs else None)

    def rates(self, t: float, y: Array) -> Array:
        """The rates of change y' at time t."""
        m, system = self.m, self.system
        x, v = y[:m], y[m : 2 * m]
        acting = forces = self.acting.at(self.hold, t, *system.seen(x, v))
        result = np.empty(len(y))
        if self.carries:
            bending, result[2 * m : -1] = system.bending(y[2 * m : -1], v)
            acting = (forces[0] - bending, *forces[1:])
        result[m : 2 * m], result[-1] = system.motion(x, v, *acting)
        result[:m] = v
        self.samples.effort.evaluations += 1
        if self.watches:
            self.watch.saw(t, y, self._watched(v, forces))
        return result

    def _watched(self, v: Array, forces: tuple[Array, ...]) -> tuple[Array, ...]:
        """Quantities that may jump: the directions of friction, tau, f_tip."""
        return (self.system.directions(v), *forces) if self.system.rubbing else forces

    def integrate(self, x: Array, v: Array, *z: Array) -> Generator[float]:
        """Integrate from 0 to the end, starting anew at jumps and kinks of known forces; yields the fraction done."""
        y = np.concatenate([x, v, *z, [-self.system.stored(*z)]])
        edges = self.forces.edges(self.duration)
        t = 0.0
        try:
            for self.hold, (begin, end) in enumerate(pairwise(edges)):
                t, self.acting = begin, self.forces.between(begin, end)
                for after in in_turns((self._by_solver, self._through_chattering), begin, end, y):
                    t, y = after
                    yield t / self.duration
        except Exception:  # also of a torque that is a user's own function
            self.samples.keep_end(t, lambda: self._record(t, y), self._forget_forces)
            raise
        self._record(self.duration, y)

    def _forget_forces(self) -> None:
        self.acting = self.acting.unknown(self.system.dof)

    def _by_solver(self, begin: float, end: float, y: Array) -> Any:
        """Times and states after each step, to the end or until the law chatters."""
        self.watch.rest()
        solver = self._solver(begin, end, y)
        while solver.status == "running":
            t = solver.t
            if not self._step(solver):
                return
            self._keep(solver)
            self._correct(solver)
            yield solver.t, solver.y
            if self.watch.collapsed(solver.t - t) and self._chatters():
                return

    def _chatters(self) -> bool:
        return self.watches and bool(self.watch.jumps().any())

    def _through_chattering(self, t: float, end: float, y: Array) -> Any:
        """Times and states after each semi-implicit Euler step, to the end or until the law has ceased to switch."""
        if t == end:
            return
        jumps, m, longest = self.watch.jumps(), self.m, self.method.chattering_step or np.inf
        quiet, begin, steps = Quiet(self.watch.in_turn(jumps)), t, 0
        while t < end:
            if self.samples.t[self.samples.count] <= t:
                self._record(t, y)
            t_next = min(t + longest, self.samples.t[self.samples.count], end)
            h, rate = t_next - t, self.rates(t, y)
            after = y + h * rate
            after[:m] = y[:m] + h * after[m : 2 * m]
            if self.carries:
                after[2 * m : -1] = self.system.along(y[2 * m : -1], after[:m] - y[:m], after[m : 2 * m])
            if not np.isfinite(after).all():
                shorter = either(
                    "Use a shorter Adaptive(chattering_step=...).", "Use --method rk4 with a short --step."
                )
                raise self._lost(t, y, shorter)
            if self.dense is not None:
                self.dense.add(t_next, Line(t, t_next, y, after))
            t, y, steps = t_next, after, steps + 1
            yield t, y
            v = y[m : 2 * m]
            if quiet.after(self._watched(v, self.acting.at(self.hold, t, *self.system.seen(y[:m], v)))):
                break
        self.samples.effort.steps += steps
        self.chattered.append(Stretch(begin, t, steps, tuple(np.flatnonzero(jumps).tolist())))

    def _solver(self, begin: float, end: float, y: Array) -> Any:
        import scipy.integrate  # noqa: PLC0415 - slow to import, and fixed steps do without

        if not np.isfinite(self.rates(begin, y)).all():
            raise self._stuck(begin, y)
        solver = getattr(scipy.integrate, self.method.scipy_method)
        return solver(self._watched_rates, begin, y, end, rtol=self.method.rtol, atol=self.method.atol)

    def _watched_rates(self, t: float, y: Array) -> Array:
        result = self.rates(t, y)
        self.all_finite = self.all_finite and bool(np.isfinite(result).all())
        return result

    def _step(self, solver: Any) -> bool:
        """Make one step; returns False if the law chatters; raises the error if a step fails for another reason."""
        before = solver.y
        if self.steps == self.method.max_steps:
            raise self._stuck(solver.t, before, f"after {self.steps} steps (max_steps)")
        self.steps += 1
        self.samples.effort.steps += 1
        self.all_finite = True
        try:
            solver.step()
        except (ValueError, np.linalg.LinAlgError):
            if self.all_finite:
                raise
            raise self._stuck(solver.t, before) from None  # an implicit solver met NaN
        if solver.status == "failed":
            if self._chatters():
                return False
            raise self._stuck(solver.t, before)
        return True

    def _keep(self, solver: Any) -> None:
        """Keep the samples of the step just made, its end not counted: there, a table may jump."""
        to = int(np.searchsorted(self.samples.t, solver.t))
        if to > self.samples.count or self.dense is not None:
            state_at = solver.dense_output()
            for t in self.samples.t[self.samples.count : to]:
                self._record(float(t), state_at(t))
            if self.dense is not None:
                self.dense.add(solver.t, state_at)

    def _correct(self, solver: Any) -> None:
        """Put the state after a step onto the constraints; the solver goes on from there, with the rates there."""
        if self.corrector is not None:
            m, y = self.m, solver.y.copy()
            y[:m], y[m : 2 * m] = self.corrector.after_step(y[:m], y[m : 2 * m], since=solver.y_old[:m])
            if not np.array_equal(y, solver.y):
                solver.y, solver.f = y, self.rates(solver.t, y)

    def _record(self, t: float, y: Array) -> None:
        m = self.m
        x, v, z = y[:m], y[m : 2 * m], (y[2 * m : -1],) if self.carries else ()
        if self.corrector is not None:
            x, v = self.corrector.onto(x, v)
        forces = self.acting.at(self.hold, t, *self.system.seen(x, v))
        self.samples.record((x, v, y[-1] + self.system.stored(*z), *z), forces)

    def _stuck(self, t: float, y: Array, why: str = "however short the step") -> SimulationError:
        return self._lost(t, y, not_kept(self.method, f" {why}"))

    def _lost(self, t: float, y: Array, remedy: str) -> SimulationError:
        return diverged(self.system.robot, t, *self.system.seen(y[: self.m], y[self.m : 2 * self.m]), remedy)
