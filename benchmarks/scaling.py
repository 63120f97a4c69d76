"""What a second core and single precision bring."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from benchmarks.cases import Case
from benchmarks.functions import FUNCTIONS, Function
from benchmarks.states import States
from benchmarks.timing import available_cores, interleaved, quiet

if TYPE_CHECKING:
    from armdyn import Robot

CORES = 2
CONTROL_SIZE, CONTROL_REPEATS = 10_000, 100
LARGEST_RESULT = 2**28  # bytes; a batch whose result would be larger is cut


@dataclass(frozen=True)
class Gain:
    """A speed-up of armdyn against itself."""

    robot: str
    function: str
    what: str
    states: int
    before_ns: float
    after_ns: float
    deviation: float

    @property
    def ratio(self) -> float:
        """How many times quicker."""
        return self.before_ns / self.after_ns


def control_gain(rounds: int) -> list[Gain]:
    """Two threads that share nothing, against one after the other: what a second core is worth here and now."""
    if available_cores() < CORES:
        return []
    arrays = [np.linspace(0.0, 1.0, CONTROL_SIZE) for _ in range(CORES)]
    results = [np.empty(CONTROL_SIZE) for _ in range(CORES)]

    def work(thread: int) -> None:
        for _ in range(CONTROL_REPEATS):
            np.sin(arrays[thread], out=results[thread])

    with quiet(CORES), ThreadPoolExecutor(CORES) as pool:
        calls = {1: lambda: list(map(work, range(CORES))), CORES: lambda: list(pool.map(work, range(CORES)))}
        timings = interleaved(calls, rounds)
    count = CORES * CONTROL_REPEATS * CONTROL_SIZE
    ns = {workers: timing.median / count * 1e9 for workers, timing in timings.items()}
    return [Gain("none", "control", f"{CORES} cores / 1", count, ns[1], ns[CORES], 0.0)]


def core_gains(case: Case, functions: list[str], states: States, rounds: int) -> list[Gain]:
    """Two cores (``workers=2``) against one, on two pinned cores."""
    if available_cores() < CORES:
        return []
    gains = []
    robot = _robot(case)
    for name in functions:
        function, method = FUNCTIONS[name], getattr(robot, name)
        own = _cut(states, function, case.size).ordered(robot.joint_names)
        arguments, out = function.arguments(own), function.empty(len(own), case.size)
        calls = {workers: partial(method, *arguments, out=out, workers=workers) for workers in (1, CORES)}
        order = robot.joint_names
        results = {workers: function.reordered(call(), order, order) for workers, call in calls.items()}
        with quiet(CORES):
            timings = interleaved(calls, rounds)
        ns = {workers: timing.median / len(own) * 1e9 for workers, timing in timings.items()}
        deviation = float(np.abs(results[1] - results[CORES]).max())
        gains.append(Gain(case.name, name, f"{CORES} cores / 1", len(own), ns[1], ns[CORES], deviation))
    return gains


def precision_gains(case: Case, functions: list[str], states: States, rounds: int) -> list[Gain]:
    """float32 against float64, one core; the deviation is relative to the largest number of each state."""
    gains = []
    robot = _robot(case)
    for name in functions:
        function, method = FUNCTIONS[name], getattr(robot, name)
        own = _cut(states, function, case.size).ordered(robot.joint_names)
        calls, results = {}, {}
        for dtype in (np.float64, np.float32):
            arguments = function.arguments(own.astype(dtype))
            calls[dtype] = partial(method, *arguments, out=function.empty(len(own), case.size, dtype))
            results[dtype] = function.reordered(calls[dtype](), robot.joint_names, robot.joint_names)
        with quiet():
            timings = interleaved(calls, rounds)
        double, single = (timings[dtype].median / len(own) * 1e9 for dtype in (np.float64, np.float32))
        difference = function.largest(results[np.float64] - results[np.float32])
        deviation = float((difference / function.largest(results[np.float64])).max())
        gains.append(Gain(case.name, name, "float32 / float64", len(own), double, single, deviation))
    return gains


def _cut(states: States, function: Function, size: int) -> States:
    return states.head(min(len(states), LARGEST_RESULT // (8 * function.results * size**function.rank)))


def _robot(case: Case) -> Robot:
    import armdyn

    return armdyn.Robot.from_urdf(case.urdf)
