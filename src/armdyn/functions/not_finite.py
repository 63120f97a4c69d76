"""Rollouts that end in NaN or infinity: the number of such states, and the step of the first one."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from armdyn.functions.rollout_runs import Arrays, Batch, RolloutKernel


class DivergenceWarning(UserWarning):
    """States of a rollout, or runs of a study, that end in NaN or infinity; they do not change the others."""


class DivergedStates(NamedTuple):
    """The states of a batch that end in NaN or infinity, and the divergence of the first of them.

    Args:
        number: of these states.
        states: the number of all states.
        place: of the first in the batch.
        arguments: its arguments of the first step, those over time with all steps, by name.
        step: the number of steps after which it is not finite; 0 if it began so.
        before: its state one step before, and the records of that step, by name; the initial state if it began so.
        names: of the states that are not finite after that step.
    """

    number: int
    states: int
    place: tuple[int, ...]
    arguments: Arrays
    step: int
    before: Arrays
    names: tuple[str, ...]


def are_finite(arrays: Mapping[str, Any]) -> bool:
    """True if all numbers of all arrays are finite; NaN in a state persists, so the last state suffices."""
    return all(math.isfinite(np.vdot(array, array)) or np.isfinite(array).all() for array in arrays.values())


def diverged_states(loop: RolloutKernel, batch: Batch, values: Arrays, final: Arrays, steps: int) -> DivergedStates:
    """The diverged states at the end of a run; the first of them runs again, by bisection, until the step is found.

    Args:
        loop: the loop of the run.
        batch: of the run.
        values: its arguments.
        final: the state after the last step, in which something is not finite.
        steps: the number of steps.
    """
    states, first = places_of(final)
    arguments = of_state(values, first, batch, loop.over_time)
    one, low, high = dataclasses.replace(batch, shape=(), workers=None), 0, steps
    state = {name: arguments[name] for name in loop.state}
    if not are_finite(state):
        high = 0
    while high - low > 1:
        middle = (low + high) // 2
        later = loop.between(one, arguments | state, low, middle)
        if are_finite(later):
            low, state = middle, later
        else:
            high = middle
    place = tuple(map(int, np.unravel_index(first, batch.shape))) if batch.shape else ()
    rows, names = loop.room(one, 1), names_of_lost(state)
    if high:
        names = names_of_lost(loop.between(one, arguments | state, high - 1, high, rows))
        state = rows | state
    before = {name: array.reshape(batch.shapes[name]) for name, array in state.items()}
    return DivergedStates(states, batch.states, place, arguments, high, before, names)


def names_of_lost(state: Mapping[str, Any]) -> tuple[str, ...]:
    """The states that are not finite."""
    return tuple(name for name, array in state.items() if not np.isfinite(array).all())


def places_of(final: Arrays) -> tuple[int, int]:
    """The number of states that are not finite, and the first of them, for arrays of shape (states, *shape)."""
    bad: Any = False
    for array in final.values():
        bad = bad | ~np.isfinite(array.reshape(len(array), -1)).all(axis=1)
    return int(bad.sum()), int(np.argmax(bad))


def of_state(values: Arrays, number: int, batch: Batch, over_time: frozenset[str]) -> Arrays:
    """The arguments of one state of the batch, without the axis of states."""
    ranks = {name: len(batch.shapes[name]) + (name in over_time) for name in values}
    return {name: array[number] if array.ndim > ranks[name] else array for name, array in values.items()}
