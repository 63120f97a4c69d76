"""Rounding errors: each library against 50-digit arithmetic on the same states."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from mpmath import mpf

from benchmarks.cases import Case
from benchmarks.exact import Exact, ExactRobot
from benchmarks.functions import FUNCTIONS
from benchmarks.peers.peer import Peer
from benchmarks.states import Array, States


@dataclass(frozen=True)
class Accuracy:
    """The error of a state, its largest one relative to its largest exact number; over the states."""

    robot: str
    function: str
    peer: str
    way: str
    states: int
    median: float
    most: float  # of 99 states in a hundred
    largest: float


def accuracies(case: Case, peers: Iterable[Peer], functions: list[str], states: States) -> list[Accuracy]:
    """The errors of every library that can do ``states`` in a batch."""
    exact = ExactRobot(case)
    rows = []
    for function in (FUNCTIONS[name] for name in functions if hasattr(exact, name)):
        truth = [getattr(exact, function.name)(*row) for row in zip(*function.arguments(states), strict=True)]
        for peer in peers:
            for way, call in peer.ways(function, states.ordered(peer.joint_names)).items():
                results = function.reordered(call(), peer.joint_names, case.joint_names)
                errors = [_error(result, correct) for result, correct in zip(results, truth, strict=True)]
                middle, most = np.quantile(errors, [0.5, 0.99]).tolist()
                rows.append(Accuracy(case.name, function.name, peer.name, way, len(states), middle, most, max(errors)))
    return rows


def _error(result: Array, correct: Exact) -> float:
    difference = max(abs(mpf(float(a)) - b) for a, b in zip(result.ravel(), correct.ravel(), strict=True))
    return float(difference / max(abs(b) for b in correct.ravel()))
