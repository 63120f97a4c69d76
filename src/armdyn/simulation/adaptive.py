"""Integration with controlled error, by SciPy's solvers: each state of a batch by itself."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np

from armdyn.constraints.arguments import Redundant
from armdyn.robot import Robot
from armdyn.simulation.divergence import diverged
from armdyn.simulation.equations import motion_of
from armdyn.simulation.errors import SimulationError
from armdyn.simulation.forces import Forces
from armdyn.simulation.methods import Adaptive
from armdyn.simulation.progress import Report
from armdyn.simulation.samples import Samples
from armdyn.spatial.rotations import Array


def integrate(
    robot: Robot,
    method: Adaptive,
    forces: Forces,
    start: tuple[Array, Array],
    *,
    duration: float,
    samples: Samples,
    report: Report,
    redundant: Redundant = "error",
) -> None:
    """Integrate from (q, qd) to ``duration`` and fill the samples.

    A state of a batch that cannot be continued keeps NaN from there on, unless none of them can.
    """
    q, qd = start
    states = list(np.ndindex(q.shape[:-1]))
    failures = []
    for place, index in enumerate(states):
        run = _Run(robot, method, forces.of(index), duration, samples.of(index), redundant)
        try:
            for part in run.integrate(q[index], qd[index]):
                report((place + part) / len(states))
        except SimulationError as error:
            failures.append(error)
        samples.count = max(samples.count, run.samples.count)
    if len(failures) == len(states):
        raise failures[0]


class _Run:
    """One state on its way: y = (q, qd, W) with y' = (qd, qdd, P)."""

    def __init__(
        self,
        robot: Robot,
        method: Adaptive,
        forces: Forces,
        duration: float,
        samples: Samples,
        redundant: Redundant,
    ) -> None:
        self.robot, self.method, self.forces, self.duration, self.samples = robot, method, forces, duration, samples
        self.equations = motion_of(robot, redundant)
        self.hold = self.steps = 0
        self.all_finite = True

    def rates(self, t: float, y: Array) -> Array:
        """The rates of change y' = (qd, qdd, P) at time t."""
        n = self.robot.dof
        q, qd = y[:n], y[n : 2 * n]
        qdd, power = self.equations(q, qd, *self.forces.at(self.hold, t, q, qd))
        result = np.empty(2 * n + 1)
        result[:n], result[n : 2 * n], result[2 * n] = qd, qdd, power
        self.samples.effort.evaluations += 1
        return result

    def integrate(self, q: Array, qd: Array) -> Any:
        """From 0 to the duration, starting anew wherever a table of forces jumps; yields the fraction that is done."""
        y = np.array([*q, *qd, 0.0])
        holds = self.forces.rows or 1
        edges = np.linspace(0.0, self.duration, holds + 1)
        for self.hold, (begin, end) in enumerate(pairwise(edges)):
            solver = self._solver(begin, end, y)
            while solver.status == "running":
                self._step(solver)
                self._record_before(solver)
                yield solver.t / self.duration
            y = solver.y
        self._record(self.duration, y)

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

    def _step(self, solver: Any) -> None:
        """One accepted step, or the reason why there is none."""
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
            raise self._stuck(solver.t, before)

    def _record_before(self, solver: Any) -> None:
        """Keep the samples of the step just made, its end not counted: there, a table may jump."""
        to = int(np.searchsorted(self.samples.t, solver.t))
        if to > self.samples.count:
            state_at = solver.dense_output()
            for t in self.samples.t[self.samples.count : to]:
                self._record(float(t), state_at(t))

    def _record(self, t: float, y: Array) -> None:
        n = self.robot.dof
        q, qd, work = y[:n], y[n : 2 * n], y[2 * n]
        self.samples.record((q, qd, work), self.forces.at(self.hold, t, q, qd))

    def _stuck(self, t: float, y: Array, why: str = "however short the step") -> SimulationError:
        remedy = f"{self.method} could not keep its tolerance {why}. Check torque and f_tip, or allow a larger rtol."
        return diverged(self.robot, t, y[self.robot.dof : -1], remedy)
