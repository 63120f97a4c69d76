"""What is measured on a GPU: functions and rollouts of an arm, each with its arrays and the processor's results."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from benchmarks.rollouts import computed_torque

FUNCTIONS = ("inverse_dynamics", "mass_matrix", "forward_dynamics")
STEP = 1e-3
FEW_STEPS = 50
"""After so many steps of float32 a rollout's states are compared: before rounding has grown much."""

Array = np.ndarray[Any, Any]


@dataclass(frozen=True)
class GpuCase:
    """A program or rollout to be measured.

    Args:
        name: of the function or method.
        source: its program or rollout.
        arrays: its inputs, the states along the last axis; of those all share, without that axis.
        expected: the first result on the processor for arrays with the states first; of a rollout after some steps.
        steps: of a rollout; 0 of a function.
    """

    name: str
    source: Any
    arrays: Sequence[Array]
    expected: Callable[..., Array]
    steps: int = 0


def functions(robot: Any, states: int) -> list[GpuCase]:
    """The functions of an arm, in general states."""
    rng, n = np.random.default_rng(1), len(robot.model.coordinates)
    given = [rng.uniform(-2.0, 2.0, (n, states)) for _ in range(3)]
    methods = {name: getattr(robot, name) for name in FUNCTIONS}
    return [GpuCase(name, m.program(), given[: len(m.program().inputs)], m) for name, m in methods.items()]


def rollouts(robot: Any, arms: int, steps: int) -> list[GpuCase]:
    """Arms that fall, by two methods, and arms under computed torque."""
    import armdyn

    rng, n = np.random.default_rng(2), len(robot.model.coordinates)
    q, qd = (rng.uniform(-1.0, 1.0, (n, arms)) for _ in range(2))
    euler = armdyn.simulation.SemiImplicitEuler(step=STEP)
    runge_kutta = armdyn.simulation.RungeKutta4(step=STEP)
    free = {"tau": np.zeros(n)}
    held = {"target": np.zeros(n), "kp": np.full(n, 100.0), "kd": np.full(n, 20.0)}
    settings: list[tuple[str, Any, Any, dict[str, Array]]] = [
        ("semi-implicit Euler", euler, None, free),
        ("Runge-Kutta 4", runge_kutta, None, free),
        ("computed torque", euler, computed_torque(), held),
    ]
    cases = []
    for name, method, law, given in settings:
        loop = armdyn.ClosedLoop(robot, law, method=method, record=())
        named = {"q": q, "qd": qd, "h": np.array(STEP)} | given
        source = loop.program()
        arrays = [named[port.name] for port in source.inputs]
        cases.append(GpuCase(name, source, arrays, _final(loop, given), steps))
    return cases


def _final(loop: Any, given: dict[str, Array]) -> Callable[..., Array]:
    """The positions after a few steps."""

    def final(q: Array, qd: Array, *_: Array) -> Array:
        found: Array = loop(q, qd, steps=FEW_STEPS, **given).final.q
        return found

    return final
