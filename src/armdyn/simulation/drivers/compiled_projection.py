"""Motions in compiled loops whose states are projected onto the constraints after each step."""

from __future__ import annotations

import numpy as np

from armdyn.base.progress import Report
from armdyn.functions.integrations import CompiledIntegration
from armdyn.program import EmbeddedPair
from armdyn.robot import Robot
from armdyn.simulation.drivers import corrections
from armdyn.simulation.drivers.compiled_adaptive import Run, are_known, formula_of
from armdyn.simulation.drivers.corrections import DRIFT, put_on_constraints
from armdyn.simulation.drivers.known_rates import Kind, rates_under_known_forces
from armdyn.simulation.forces import Index
from armdyn.simulation.methods.catalogue import Adaptive
from armdyn.simulation.system.problem import Problem
from armdyn.spatial.rotations import Array


def has_loop(problem: Problem) -> bool:
    """True if a compiled loop can make the motion: an explicit formula, known forces, independent rows, rigid joints.

    Forces that change during the steps of a fixed formula are evaluated by the formula.
    """
    system, forces = problem.system, problem.forces
    plain = system.redundant == "error" and not (system.places or system.carries or system.rubbing)
    in_loop = are_known(forces) and (forces.held or isinstance(problem.method, Adaptive))
    return problem.corrects and plain and in_loop and formula_of(problem.method) is not None


def integrate(problem: Problem, report: Report) -> list[Index]:
    """Integrate all states to the duration and fill the samples.

    Returns the states that are to be integrated again, which come near dead points, or from which a projection goes
    far.
    """
    run = _ProjectedRun(problem, report)
    try:
        return run.to_the_end()
    finally:
        run.keep_forces()


class _ProjectedRun(Run):
    """A batch on its way, whose state includes the largest violations of the constraints that steps have led to."""

    def __init__(self, problem: Problem, report: Report) -> None:
        super().__init__(problem, report)
        self.corrector = problem.corrector
        self.state[DRIFT] = np.zeros((self.states, 2))
        self._drifts = np.empty((self.states, len(self.samples.t), 2))

    def _loop(self) -> CompiledIntegration:
        formula = formula_of(self.method)
        assert formula is not None  # noqa: S101 - by `has_loop`
        return loop_of(self.robot, self.kind, formula, linear=self.linear)

    def _rows(self, name: str) -> Array:
        return self._drifts if name == DRIFT else super()._rows(name)

    def _keep_pieces(self, pieces: Array) -> None:
        """Keep the polynomials of the state without the violations, which are its last two numbers."""
        terms = 1 + len(self.loop.pair.dense)
        numbers = pieces[..., 2:].reshape(*pieces.shape[:-1], terms, -1)[..., :-2]
        super()._keep_pieces(np.concatenate([pieces[..., :2], numbers.reshape(*pieces.shape[:-1], -1)], axis=-1))

    def keep_forces(self) -> None:
        """The samples, projected between steps; the largest violations; and the results of `Run.keep_forces`."""
        samples, count, still = self.samples, self.samples.count, np.zeros(self.robot.dof)
        on = self.robot.compile(put_on_constraints)
        samples.q[1:count], samples.qd[1:count] = on(samples.q[1:count], samples.qd[1:count], still)
        if self.corrector is not None:
            self.corrector.saw(*self.state[DRIFT][~self.progress.failed].max(axis=0, initial=0.0))
        super().keep_forces()


def loop_of(robot: Robot, kind: Kind, formula: EmbeddedPair, *, linear: bool) -> CompiledIntegration:
    """The compiled loop of a robot, which keeps it for the next motion; arguments as of `rates_under_known_forces`."""
    loops, name = vars(robot), f"_{formula.name}_{kind}_{linear}_projected"
    if name not in loops:
        rates = rates_under_known_forces(kind, linear=linear, correction="positions")
        state = corrections.state(kind.rates, "positions")
        options = corrections.options("positions")
        loops[name] = CompiledIntegration(robot, rates, state, formula, time="t" if linear else None, **options)
    compiled: CompiledIntegration = loops[name]
    return compiled
