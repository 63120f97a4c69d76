"""Integration with controlled error, by SciPy's solvers: each state of a batch by itself."""

from __future__ import annotations

from collections.abc import Generator
from itertools import pairwise
from typing import Any

import numpy as np

from armdyn.constraints.arguments import Redundant
from armdyn.robot import Robot
from armdyn.simulation.divergence import diverged, not_kept
from armdyn.simulation.drift import Corrector
from armdyn.simulation.equations import motion_of
from armdyn.simulation.forces import Forces, Index
from armdyn.simulation.integration import compiled_adaptive
from armdyn.simulation.integration.chattering import Quiet, Stretch, Watch, in_turns
from armdyn.simulation.integration.one_by_one import one_by_one_through_chattering
from armdyn.simulation.methods.catalogue import Adaptive
from armdyn.simulation.progress import Report
from armdyn.simulation.results.dense import Dense, Line
from armdyn.simulation.results.samples import Samples
from armdyn.simulation.sticking.bristles import OnNumbers
from armdyn.simulation.sticking.dry_joints import rubbing_bodies, rubbing_names
from armdyn.simulation.unfinished import SimulationError
from armdyn.spatial.rotations import Array


def integrate(
    robot: Robot,
    method: Adaptive,
    forces: Forces,
    start: tuple[Array, ...],
    *,
    duration: float,
    samples: Samples,
    report: Report,
    dense_output: bool = False,
    redundant: Redundant = "error",
    corrector: Corrector | None = None,
) -> None:
    """Integrate each state from (q, qd), and bristles, to ``duration`` and fill the samples."""
    q, _, *bristles = start
    states = list(np.ndindex(q.shape[:-1]))
    corrects = corrector is not None and corrector.always
    if not bristles and not corrects and compiled_adaptive.has_loop(robot, method, forces, redundant):
        states = compiled_adaptive.integrate(
            robot, method, forces, start, duration=duration, samples=samples, report=report, dense_output=dense_output
        )
        if not states:
            return
    bends = OnNumbers(robot, redundant) if bristles else None
    slides = robot if bends is None else bends.bare
    chattered: list[Stretch] = []
    if dense_output:
        samples.dense |= {index: Dense(robot.dof) for index in states}

    def alone(index: Index, own: Samples) -> Generator[float]:
        dense = samples.dense.get(index)
        run = _Run(robot, method, forces.of(index), duration, own, dense, redundant, corrector, chattered, bends)
        return run.integrate(*(each[index] for each in start))

    one_by_one_through_chattering(samples, alone, report, method, chattered, lambda: _watched(slides), states)


def _watched(robot: Robot) -> list[str]:
    """Names of what a `_Run` watches, in its order."""
    return [
        *(f"the torque of {name!r}" for name in robot.joint_names),
        *rubbing_names(robot),
        *(f"f_tip[{place}]" for place in range(6)),
    ]


class _Run:
    """One state on its way: y = (q, qd, z, W) with y' = (qd, qdd, dz/dt, P); z where something bends."""

    def __init__(
        self,
        robot: Robot,
        method: Adaptive,
        forces: Forces,
        duration: float,
        samples: Samples,
        dense: Dense | None,
        redundant: Redundant,
        corrector: Corrector | None,
        chattered: list[Stretch],
        bends: OnNumbers | None = None,
    ) -> None:
        self.robot, self.method, self.forces, self.duration, self.samples = robot, method, forces, duration, samples
        self.dense, self.corrector, self.chattered = dense, corrector, chattered
        self.bends, self.equations = bends, motion_of(robot, redundant)
        self.hold = self.steps = 0
        self.acting = forces
        self.all_finite = True
        self.drive = (robot if bends is None else bends.bare).mechanism.drive
        self.rubbing = rubbing_bodies(self.drive)  # no joint sticks here: what holds joints at rest is in hybrid.py
        self.watches = method.chattering_step is not None and (not forces.held or bool(self.rubbing))
        self.watch = Watch(duration)

    def rates(self, t: float, y: Array) -> Array:
        """The rates of change y' at time t."""
        n = self.robot.dof
        q, qd = y[:n], y[n : 2 * n]
        forces = self.acting.at(self.hold, t, q, qd)
        result = np.empty(len(y))
        if self.bends is None:
            qdd, power = self.equations(q, qd, *forces)
        else:
            qdd, power, result[2 * n : -1], _ = self.bends.motion(q, qd, y[2 * n : -1], *forces)
        result[:n], result[n : 2 * n], result[-1] = qd, qdd, power
        self.samples.effort.evaluations += 1
        if self.watches:
            self.watch.saw(t, y, self._watched(qd, forces))
        return result

    def _watched(self, qd: Array, forces: tuple[Array, ...]) -> tuple[Array, ...]:
        """Forces that may jump: tau, the directions of friction, f_tip."""
        if not self.rubbing:
            return forces
        return forces[0], np.sign(self.drive.rates(qd)[self.rubbing]), *forces[1:]

    def integrate(self, q: Array, qd: Array, *bristles: Array) -> Generator[float]:
        """From 0 to the duration, starting anew where known forces jump or bend; yields the fraction that is done."""
        y = np.concatenate([q, qd, *bristles, [-self._stored(*bristles)]])
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
        self.acting = self.acting.unknown(self.robot.dof)

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
        jumps, n, longest = self.watch.jumps(), self.robot.dof, self.method.chattering_step or np.inf
        quiet, begin, steps = Quiet(jumps), t, 0
        while t < end:
            if self.samples.t[self.samples.count] <= t:
                self._record(t, y)
            t_next = min(t + longest, self.samples.t[self.samples.count], end)
            h, rate = t_next - t, self.rates(t, y)
            y_next = y + h * rate
            y_next[:n] = y[:n] + h * y_next[n : 2 * n]
            if self.bends is not None:
                y_next[2 * n : -1] = self.bends.along(y[2 * n : -1], y_next[:n] - y[:n], y_next[n : 2 * n])
            if not np.isfinite(y_next).all():
                raise self._stuck(t, y)
            if self.dense is not None:
                self.dense.add(t_next, Line(t, t_next, y, y_next))
            t, y, steps = t_next, y_next, steps + 1
            yield t, y
            qd = y[n : 2 * n]
            if quiet.after(self._watched(qd, self.acting.at(self.hold, t, y[:n], qd))):
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
        """One accepted step; False where there is none because the law chatters, or the reason why there is none."""
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
            n, y = self.robot.dof, solver.y.copy()
            y[:n], y[n : 2 * n] = self.corrector.after_step(y[:n], y[n : 2 * n], since=solver.y_old[:n])
            if not np.array_equal(y, solver.y):
                solver.y, solver.f = y, self.rates(solver.t, y)

    def _record(self, t: float, y: Array) -> None:
        n = self.robot.dof
        q, qd, z, work = y[:n], y[n : 2 * n], y[2 * n : -1], y[-1]
        if self.corrector is not None:
            q, qd = self.corrector.onto(q, qd)
        self.samples.record((q, qd, work + self._stored(z), z), self.acting.at(self.hold, t, q, qd))

    def _stored(self, *bristles: Array) -> float:
        """The energy of what is bent."""
        return 0.0 if self.bends is None else float(self.bends.energy(*bristles))

    def _stuck(self, t: float, y: Array, why: str = "however short the step") -> SimulationError:
        remedy = not_kept(self.method, f" {why}")
        n = self.robot.dof
        return diverged(self.robot, t, y[:n], y[n : 2 * n], remedy)
