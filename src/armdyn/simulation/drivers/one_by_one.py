"""The states of a batch, integrated one after the other."""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from contextlib import closing

import numpy as np

from armdyn.simulation.drivers.chattering import Stretch, note_on
from armdyn.simulation.forces import Index
from armdyn.simulation.methods.catalogue import Adaptive, Method
from armdyn.simulation.progress import Report
from armdyn.simulation.results.samples import Samples
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
    if len(failures) == len(states):
        raise failures[0]


def one_by_one_through_chattering(
    samples: Samples,
    alone: Alone,
    report: Report,
    method: Method,
    chattered: list[Stretch],
    names: Callable[[], list[str]],
    some: Sequence[Index] | None = None,
) -> None:
    """`one_by_one`, after which, however it ends, events are sorted by time and a note reports chattering.

    Args:
        samples, alone, report: of `one_by_one`.
        method: of the simulation.
        chattered: the stretches that Euler steps have carried the motions through.
        names: of the quantities that are watched for them.
        some: of `one_by_one`.
    """
    try:
        one_by_one(samples, alone, report, some)
    finally:
        samples.events.sort(key=lambda one: one.t)
        if chattered and isinstance(method, Adaptive) and method.chattering_step is not None:
            samples.notes.append(note_on(chattered, method.chattering_step, names()))
