"""The arm of Kazerounian and Gupta 1985: one inverse dynamics and one cycle of its simulation, beside their times."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import numpy as np

from benchmarks.timing import interleaved, quiet

CALLS, STEPS = 1000, 1000
"""Calls, and steps of a simulation, that make one time."""

INVERSE, CYCLE = ("816m + 708a + 12t", 0.003), ("2468m + 1879a + 12t and a step", 0.018)
"""Their operations and CPU seconds on an IBM 3081, in double precision Fortran."""


@dataclass(frozen=True)
class BesidePaper:
    """Operations and the median time of one evaluation, s, here and there."""

    what: str
    operations: str
    seconds: float
    their_operations: str
    their_seconds: float


def beside_paper(rounds: int) -> list[BesidePaper]:
    """One inverse dynamics, and one cycle of a simulation by Euler's formula and by Runge and Kutta's."""
    import armdyn

    robot = armdyn.load("kg_puma")
    q, qd, qdd = np.random.default_rng(1985).normal(size=(3, robot.dof))
    step = 1e-6  # whatever it is, a cycle takes the same time; a short one keeps the falling arm in reach

    def simulation(method: str) -> Callable[[], object]:
        return partial(armdyn.simulate, robot, q, qd, duration=STEPS * step, method=method, step=step)

    with quiet():
        calls = interleaved({"inverse": partial(robot.inverse_dynamics, q, qd, qdd)}, rounds, CALLS)
        cycles = interleaved({method: simulation(method) for method in ("euler", "rk4")}, rounds)
    inverse, forward = (str(method.op_counts) for method in (robot.inverse_dynamics, robot.forward_dynamics))
    return [
        BesidePaper("inverse dynamics, one call", inverse, calls["inverse"].median, *INVERSE),
        BesidePaper("cycle, Euler", f"{forward} and a step", cycles["euler"].median / STEPS, *CYCLE),
        BesidePaper("cycle, Runge and Kutta", f"4 ({forward}) and a step", cycles["rk4"].median / STEPS, *CYCLE),
    ]
