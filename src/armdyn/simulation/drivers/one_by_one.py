"""The states of a batch, integrated one after the other."""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from contextlib import closing

import numpy as np

from armdyn.base.progress import Report
from armdyn.simulation.forces import Index
from armdyn.simulation.samples import Samples
from armdyn.simulation.unfinished import SimulationError

Alone = Callable[[Index, Samples], Generator[float]]
"""Integrates the state at this place of the batch, fills its samples, and yields the fraction that is done."""


def one_by_one(samples: Samples, alone: Alone, report: Report, some: Sequence[Index] | None = None) -> None:
    """Integrate each state of the batch on its own, into its part of the samples.

    A state that cannot be continued keeps NaN from there on, unless none of them can. However this ends, samples.count
    is the count of the state that came furthest, and samples.alone the place of the last one.

    Args:
        samples: of the whole batch.
        alone: integrates one state.
        report: called with the fraction that is done.
        some: the states that are integrated, the others being integrated already; all by default.

    Raises:
        SimulationError: that of the first state, if none could be continued.
    """
    states, failures = list(np.ndindex(samples.q.shape[1:-1])), list[SimulationError]()
    for place, index in enumerate(states if some is None else some):
        own, samples.alone = samples.of(index), place
        try:
            with closing(alone(index, own)) as parts:
                for part in parts:
                    report((place + part) / len(states))
        except SimulationError as error:
            failures.append(error)
        finally:
            samples.count = max(samples.count, own.count)
    if failures and len(failures) == len(states):
        raise failures[0]
