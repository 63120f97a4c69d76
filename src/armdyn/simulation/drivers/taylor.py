"""Integration by Taylor series to machine precision, by heyoka: each state of a batch by itself.

The program of the equations of motion is replayed on heyoka's expressions. heyoka differentiates them up to the
order of the series, by recurrence, and compiles one step; the series of a step is its interpolant too.
"""

from __future__ import annotations

from collections.abc import Generator
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

from armdyn.base.advice import option
from armdyn.base.errors import MissingLibrary, SettingError, Unsupported
from armdyn.base.progress import Report
from armdyn.motion.dense import Dense
from armdyn.program.replay import ARITHMETIC
from armdyn.robot import Robot
from armdyn.simulation.divergence import diverged
from armdyn.simulation.equations import motion
from armdyn.simulation.forces import Forces, Index
from armdyn.simulation.methods.catalogue import Taylor
from armdyn.simulation.samples import Samples
from armdyn.simulation.system.problem import Problem
from armdyn.spatial.rotations import Array

SAME_NAMES = ("sin", "cos", "tan", "asin", "acos", "atan", "atan2", "sqrt", "exp", "log", "tanh")
"""Operations of programs that heyoka has under the same name."""

STEPS_AT_ONCE = 256
"""heyoka makes this many steps in one call; in between, progress is reported and Ctrl-C is checked."""


def integrate(problem: Problem, report: Report) -> None:
    """Integrate each state to the duration and fill the samples."""
    robot, method, forces, samples = problem.robot, problem.method, problem.forces, problem.samples
    if not forces.held:
        raise SettingError(
            f"{method} differentiates the forces, which it cannot where torque or f_tip is a callable; give numbers or "
            f"a table, or use {option('method', 'adaptive')}"
            if forces.by_callables
            else f"{method} takes forces that are held; give OverTime(..., 'hold'), or use "
            f"{option('method', 'adaptive')}"
        )
    if problem.redundant != "error" and robot.model.constraints:
        raise SettingError(f"{method} needs constraints that are independent; redundant must be 'error'")
    q, qd = problem.start
    solver = _solver(robot, method, with_f_tip=forces.f_tip is not None)
    if problem.dense_output:
        samples.dense = {index: problem.interpolant() for index in np.ndindex(problem.batch)}

    def alone(index: Index, own: Samples) -> Generator[float]:
        y = np.array([*q[index], *qd[index], 0.0, 0.0])
        return _integrate_one(problem, forces.of(index), y, solver, own, samples.dense.get(index))

    samples.one_by_one(alone, report)


def _solver(robot: Robot, method: Taylor, *, with_f_tip: bool) -> Any:
    """heyoka's integrator of y = (q, qd, W, z), y' = (qd, qdd, P, sum sin(1 + q)); the forces are its parameters.

    It takes the length of a step from the last two coefficients of the series. From rest at q = 0 and the like most of
    a planar arm's vanish by symmetry, and steps would be as long as the motion. Those of z do not vanish.
    """
    try:
        import heyoka  # noqa: PLC0415 - an extra
    except ImportError as error:
        raise MissingLibrary("method='taylor' needs heyoka, which is not installed: pip install heyoka") from error
    if hasattr(heyoka.llvm_state, "get_diskcache_path") and heyoka.llvm_state.get_diskcache_path() == Path():
        heyoka.llvm_state.set_diskcache_enabled(False)  # without a HOME it has no place, and says so on standard output
    program = robot.compile(motion).program(optional_inputs=("f_tip",) if with_f_tip else ())
    n = robot.dof
    y = heyoka.make_vars(*(f"y{k}" for k in range(2 * n + 2)))
    forces = [heyoka.par[k] for k in range(sum(port.size for port in program.inputs) - 2 * n)]
    operations = ARITHMETIC | {name: getattr(heyoka, name) for name in SAME_NAMES}
    try:
        qdd, (power,) = program.replay([*y[: 2 * n], *forces], operations, heyoka.expression)
    except Unsupported as error:
        raise Unsupported(
            f"{method} needs analytic equations, as those of friction that depends on |qd| or sign(qd) or whose "
            f"bristles slip are not: {error}. Use {option('method', 'adaptive')}, or a smooth law"
        ) from None
    rates = [*y[n : 2 * n], *qdd, power, heyoka.sum([heyoka.sin(1.0 + x) for x in y[:n]])]
    return heyoka.taylor_adaptive(
        list(zip(y, rates, strict=True)), np.zeros(len(y)), tol=method.tolerance, compact_mode=True
    )


def _integrate_one(
    problem: Problem, forces: Forces, y: Array, solver: Any, samples: Samples, dense: Dense | None
) -> Generator[float]:
    """Integrate from 0 to the duration, starting anew when a table of forces jumps; yields the fraction done."""
    import heyoka  # noqa: PLC0415 - an extra, which made the solver

    solver.state[:], solver.time, n, duration = y, 0.0, problem.robot.dof, problem.duration
    edges = forces.edges(duration)
    for hold, (begin, end) in enumerate(pairwise(edges)):
        acting = forces.at(hold, begin, y[:n], y[n : 2 * n])
        solver.pars[:] = np.concatenate(acting)
        reached, outcome = begin, heyoka.taylor_outcome.step_limit
        while outcome == heyoka.taylor_outcome.step_limit:
            outcome, _, _, steps, series, _ = solver.propagate_until(end, c_output=True, max_steps=STEPS_AT_ONCE)
            samples.effort.steps += steps
            samples.effort.evaluations += steps
            if series is not None:
                reached = series.bounds[1]
                if dense is not None:
                    dense.add(reached, _Series(series))
                for t in samples.t[samples.count : int(np.searchsorted(samples.t, reached))]:
                    samples.record(_parts(series(t), n), acting)
                y = np.array(series(reached))
            yield reached / duration
        if outcome != heyoka.taylor_outcome.time_limit:
            if samples.make_last_row(reached):
                samples.record(_parts(y, n), acting)
            remedy = f"{problem.method} ended with {outcome}. Check torque and f_tip."
            raise diverged(problem.robot, reached, y[:n], y[n : 2 * n], remedy)
        y = np.array(solver.state)
    samples.record(_parts(y, n), acting)


class _Series:
    """The series of a propagation, as a function of time that leaves its results alone."""

    def __init__(self, series: Any) -> None:
        self._series = series

    def __call__(self, t: float) -> Array:
        """y(t)."""
        return np.array(self._series(t))


def _parts(y: Array, n: int) -> tuple[Array, Array, Any]:
    return y[:n], y[n : 2 * n], y[2 * n]
