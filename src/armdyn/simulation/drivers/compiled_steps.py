"""Integration with steps of one length and forces known beforehand: all steps in one compiled loop."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from armdyn.actuators.flexible_joints import parted, stacked
from armdyn.base.progress import Report
from armdyn.functions import CompiledRollout
from armdyn.simulation.divergence import diverged, shorter_step
from armdyn.simulation.elements.bristles import NAME as BRISTLES
from armdyn.simulation.forces import Constant, StepValues
from armdyn.simulation.loop.step import step_function
from armdyn.simulation.methods.formulas import State
from armdyn.simulation.system.problem import Problem
from armdyn.spatial.rotations import Array

RECORDED, ROTORS = ("q", "qd", "work"), ("theta", "thetad")


class CompiledSteps:
    """Steps of a system under torques and a wrench that are constant, or a table over time."""

    def __init__(self, problem: Problem) -> None:
        system, method, forces = problem.system, problem.method, problem.forces
        self.problem, self.system, self.method = problem, system, method
        force_arguments: dict[str, Any] = {"tau": forces.torque, "f_tip": forces.f_tip}
        self._given: dict[str, Constant | StepValues] = {
            name: one for name, one in force_arguments.items() if one is not None
        }
        over_time = [name for name, force in self._given.items() if isinstance(force, StepValues)]
        flexible, bends = bool(system.places), system.carries
        step = step_function(method.scheme, None, None, energy=True, flexible=flexible, bristles=bends)
        self._after = (*RECORDED[2:], *([BRISTLES] if bends else []), *method.scheme.memory)
        self._recorded = (*RECORDED, *([BRISTLES] if bends else []), *(ROTORS if flexible else ()))
        self._loop = CompiledRollout(system.robot, step, over_time=over_time, record=self._recorded)
        self._loop.warns = False  # a simulation has words of its own

    def run(
        self,
        state: State,
        first: int,
        last: int,
        h: float,
        *,
        every: int | None = None,
        rows: Sequence[Array] = (),
        report: Report | None = None,
    ) -> State:
        """The state after the steps first, ..., last - 1.

        There are ``every`` steps between two states that ``rows`` keep: positions, velocities, work, bristles and
        rotors. By default none is kept.
        """
        forces = {name: force.during(slice(first, last)) for name, force in self._given.items()}
        x, v, *after = state
        arguments: dict[str, Any] = (
            self._positions(x, v) | dict(zip(self._after, after, strict=True)) | forces | {"h": h}
        )
        out = dict(zip(self._recorded, rows, strict=True)) if rows else None
        steps = last - first
        final = self._loop(**arguments, steps=steps, every=every or steps, out=out, report=report).final
        x, v = final.q, final.qd
        if self.system.places:
            x, v = stacked(x, final.theta, self.system.places), stacked(v, final.thetad, self.system.places)
        return x, v, *(getattr(final, name) for name in self._after)

    def _positions(self, x: Array, v: Array) -> dict[str, Any]:
        """Positions and velocities by name, those of rotors among them if they are coordinates."""
        if not self.system.places:
            return {"q": x, "qd": v}
        (q, theta), (qd, thetad) = (parted(of_all, self.system.dof, self.system.places) for of_all in (x, v))
        return {"q": q, "qd": qd, "theta": theta, "thetad": thetad}

    def integrate(self, report: Report) -> None:
        """Advance from the start over the grid; keep the state after each of the saved steps."""
        grid, saved, samples = self.problem.grid, self.problem.saved, self.problem.samples
        state = self.method.scheme.start(*self.problem.start)
        full = grid.steps if grid.last_step == grid.step else grid.steps - 1
        before = saved[saved < full]  # rows at the beginning of steps of full length
        every = _spacing(before, full)
        for force_rows, force in zip(samples.forces, self._given.values(), strict=True):
            force_rows[:] = force.at_steps(saved)

        def report_steps(steps: int) -> None:
            samples.effort.steps, samples.effort.evaluations = steps, steps * self.method.scheme.evaluations
            report(steps / grid.steps)

        def recorded(part: float) -> None:
            steps = round(part * full)
            samples.count = -(-steps // every)
            report_steps(steps)

        if every:
            kept_of = (samples.q, samples.qd, samples.work, samples.bristles, *map(samples.signals.get, ROTORS))
            rows = [array[: len(before)] for array in kept_of if array is not None]
            state = self.run(state, 0, full, grid.step, every=every, rows=rows, report=recorded)
            samples.count = len(before)
        else:
            for k, following in pairwise([*before, full]):
                samples.record(state, ())
                state = self.run(state, int(k), int(following), grid.step)
                report_steps(int(following))
        if full < grid.steps:
            if full in saved:
                samples.record(state, ())
            state = self.run(state, full, grid.steps, grid.last_step)
        samples.record(state, ())
        samples.memory = dict(zip(self.method.scheme.memory, state[3 + self.system.carries :], strict=True))
        report_steps(grid.steps)

    def refuse_divergence(self) -> None:
        """Raise an error with the time and the joint if a motion that is not in a batch diverged."""
        grid, saved, samples = self.problem.grid, self.problem.saved, self.problem.samples
        finite = np.isfinite(samples.qd).all(axis=-1) & np.isfinite(samples.q).all(axis=-1)
        if finite.all():
            return
        row = int(np.argmin(finite))
        k, end = int(saved[row - 1]), int(saved[row])
        memory = self.method.scheme.start(*samples.state(0)[:2])[3:]
        state: State = (*samples.state(row - 1), *memory)
        while k < end:
            h = grid.last_step if k == grid.steps - 1 else grid.step
            following = self.run(state, k, k + 1, h)
            if not np.isfinite(following[1]).all():
                break
            k, state = k + 1, following
        samples.count = row
        if samples.make_last_row(k * grid.step):
            samples.record(state, tuple(force.at_steps(np.array([k]))[0] for force in self._given.values()))
        q, qd = self.system.seen(*state[:2])
        remedy = shorter_step(self.system.robot, self.method, q)
        raise diverged(self.system.robot, min((k + 1) * grid.step, grid.duration), q, qd, remedy)


def _spacing(saved: Array, full: int) -> int:
    """The steps between two saved states if their number is constant; else 0."""
    if len(saved) < 2:
        return full if len(saved) and full else 0
    every = int(saved[1] - saved[0])
    regular = np.array_equal(saved, np.arange(0, full, every))
    return every if regular else 0
