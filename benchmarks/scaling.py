"""What a second core and single precision bring."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from statistics import median
from typing import TYPE_CHECKING

import numpy as np

from benchmarks.cases import Case
from benchmarks.companion import Companion
from benchmarks.functions import FUNCTIONS, Function
from benchmarks.states import States
from benchmarks.timing import available_cores, interleaved, quiet, repeated

if TYPE_CHECKING:
    from armdyn import Robot

CORES = 2
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


def core_gains(case: Case, functions: list[str], states: States, rounds: int) -> list[Gain]:
    """Two cores (``workers=2``) against one, and two processes with a core each, which is all that a machine has."""
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
        deviation = float(np.abs(results[1] - results[CORES]).max())
        one, two, processes = (median(ns) for ns in zip(*_rounds(case, name, calls, len(own), rounds), strict=True))
        gains.append(Gain(case.name, name, f"{CORES} cores / 1", len(own), one, two, deviation))
        gains.append(Gain(case.name, name, f"{CORES} processes / 1", len(own), one, processes, 0.0))
    return gains


def _rounds(
    case: Case, name: str, calls: dict[int, Callable[[], object]], states: int, rounds: int
) -> Iterator[tuple[float, float, float]]:
    """For every round ns a state: one thread, two threads, two processes of one thread together.

    One core may be slower than another, for others of the machine's guests work there. So one thread is measured on
    both, and its mean speed counts.
    """
    with Companion(case, name, states) as companion:
        for _ in range(rounds):
            with quiet():
                here = repeated(calls[1])
                companion.start()
                there = companion.seconds()
                companion.start()
                beside = repeated(calls[1])
                other = companion.seconds()
            with quiet(CORES):
                two = repeated(calls[CORES])
            one, processes = 2 / (1 / here + 1 / there), 1 / (1 / beside + 1 / other)
            yield tuple(1e9 * seconds / states for seconds in (one, two, processes))


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
