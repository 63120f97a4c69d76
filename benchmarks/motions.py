"""Ten seconds of parallelograms and of Bricard's six-bar, and Andrews' squeezer: the error and the time of each."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from benchmarks.timing import interleaved, quiet

SIZES = (1, 2, 10)
START = 1.2


@dataclass(frozen=True)
class Motion:
    """A simulation: what its error is against, the largest error, phi at most, J over J of the account, s it took."""

    mechanism: str
    method: str
    against: str
    error: float
    open_by: float
    energy: float
    seconds: float


def motions(rounds: int) -> Iterator[Motion]:
    """Each mechanism by the adaptive method and, where it has no stiff torque, by Runge-Kutta steps; projected."""
    import armdyn
    from benchmarks import mechanisms as m

    bricard = m.bricard()
    bricard = bricard.with_independent_constraints(bricard.close_loop([0.5, 0.3, 0.5, 0.3, 0.5]))
    squeezer, q = m.squeezer(), np.empty(7)
    q[m.SQUEEZER_ORDER] = m.SQUEEZER_START
    for n in SIZES:
        robot, start = m.four_bars(n), m.four_bars_state(n, START)
        for options in ({}, {"method": armdyn.simulation.RungeKutta4(step=1e-3)}):
            run = _run(armdyn, robot, start, duration=10.0, save=armdyn.simulation.SaveAt(every=0.1), **options)
            yield _measured(f"four_bars({n}), 10 s", "one pendulum", robot, run, rounds, _from_pendulum(n))
    run = _run(armdyn, squeezer, q, duration=0.03, torque=m.squeezer_forces, save=armdyn.simulation.SaveAt(every=0.03))
    yield _measured("squeezer, 0.03 s", "test set", squeezer, run, rounds, _from_test_set)
    for options in ({}, {"method": armdyn.simulation.RungeKutta4(step=1e-3)}):
        run = _run(armdyn, bricard, np.zeros(5), duration=10.0, save=armdyn.simulation.SaveAt(every=0.1), **options)
        yield _measured("bricard, 10 s", "energy alone", bricard, run, rounds, lambda motion: float("nan"))


def _run(armdyn: Any, robot: Any, start: Any, **options: Any) -> Callable[[], Any]:
    return lambda: armdyn.simulate(robot, start, elements=[armdyn.simulation.Constraints(project=True)], **options)


def _measured(
    mechanism: str, against: str, robot: Any, run: Callable[[], Any], rounds: int, error: Callable[[Any], float]
) -> Motion:
    motion = run()
    with quiet():
        seconds = interleaved({"run": run}, rounds)["run"].median
    open_by = float(np.abs(robot.constraint_error(motion.q)).max())
    energy = float(np.abs(motion.energy.relative_drift).max()) if not motion.tau.any() else float("nan")
    return Motion(mechanism, motion.statistics.method, against, error(motion), open_by, energy, seconds)


def _from_pendulum(n: int) -> Callable[[Any], float]:
    from benchmarks.mechanisms import four_bars_swing

    return lambda motion: float(np.abs(motion.q[:, 0] + np.pi / 2 - four_bars_swing(n, START, motion.t)).max())


def _from_test_set(motion: Any) -> float:
    from benchmarks.mechanisms import SQUEEZER_END, SQUEEZER_ORDER

    return float(np.abs(motion.q[-1][SQUEEZER_ORDER] - SQUEEZER_END).max())
