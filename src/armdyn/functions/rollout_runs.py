"""The arrays of a rollout's call, and the kernel called for some steps at a time, so that signals are handled.

Inside, arrays have one axis of states at most, then that of time, then those of one step: (states, steps, *shape).
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np

from armdyn.base.arrays import takes_results
from armdyn.base.errors import DTypeError, ShapeError, excerpt
from armdyn.base.fields import set_fields
from armdyn.base.scalars import Array
from armdyn.functions.not_finite import DivergedStates, diverged_states
from armdyn.functions.unfinished import StepsSoFar
from armdyn.targets.kernels import Kernel
from armdyn.targets.parallel import run_shared

SECONDS_AT_ONCE = 0.1
"""The approximate duration of a call of the kernel; then Python handles signals, and progress is reported."""

STEPS_AT_FIRST = 64
MOST_STEPS_AT_ONCE = 1 << 20
"""A number of steps that float32 holds exactly."""

STORED_BYTES = 1 << 28
"""Memory for states that an adjoint stores at once. For longer rollouts it stores some, and recomputes the others."""

Arrays = dict[str, Array]
Report = Callable[[float], None]
"""A callback for the fraction that is done."""


Until = Callable[[int, Arrays], tuple[int, Arrays] | None]
"""The number of steps after which a run ends early, and the state then, from the steps so far and their state; or None.
"""


class RunWatch(Protocol):
    """Reads a run step by step, and may end it."""

    def begin(self, rollout: Any, given: Mapping[str, Any], rows: Arrays) -> None:
        """Take the rollout, its arguments, and the arrays that it fills, a row for each step, (steps, ..., *shape)."""

    def steps_kept(self, done: int, state: Arrays) -> int | None:
        """The number of steps after which the run ends, from the steps so far and the state after them; or None."""


@dataclass(frozen=True)
class RolloutKernel:
    """A compiled rollout and the names of its arguments and results, in the order of its arrays."""

    kernel: Kernel
    inputs: tuple[str, ...]
    over_time: frozenset[str]
    state: tuple[str, ...]
    recorded: tuple[str, ...]

    def run(
        self,
        batch: Batch,
        values: Arrays,
        rows: Arrays,
        steps: int,
        every: int = 1,
        report: Report | None = None,
        progress: StepsSoFar | None = None,
        last: Arrays | None = None,
        until: Until | None = None,
    ) -> Arrays:
        """Fill ``rows`` from the first step on; returns the last state, and stores others in ``progress``.

        If there is a row for the ``last`` step, that is filled too; the step then has a call of its own. ``until`` is
        called now and then, and may end the run.
        """
        values, done, at_once = dict(values), 0, STEPS_AT_FIRST
        while True:
            own_call = last is not None and done < steps - 1
            count = min(_to_call_for(at_once, every, since_row=done % every), steps - own_call - done)
            began = time.perf_counter()
            own_row = last if done == steps - 1 else None
            values |= self._piece(batch, values, rows, slice(done, done + count), every, own_row)
            done += count
            if progress is not None:
                progress.so_far = done, {name: values[name] for name in self.state}
            if until is not None and (ended := until(done, {name: values[name] for name in self.state})) is not None:
                if progress is not None:
                    progress.so_far = ended
                return ended[1]
            if report is not None and steps:
                report(done / steps)
            if done >= steps:
                return {name: values[name] for name in self.state}
            faster = SECONDS_AT_ONCE / max(time.perf_counter() - began, 1e-6)
            at_once = min(max(int(count * min(faster, 64.0)), 1), MOST_STEPS_AT_ONCE)

    def room(self, batch: Batch, rows: int) -> Arrays:
        """Arrays for the records."""
        return {name: batch.rows(rows, batch.shapes[name]) for name in self.recorded}

    def between(self, batch: Batch, values: Arrays, first: int, last: int, rows: Arrays | None = None) -> Arrays:
        """The state after some steps of a run, from that before the first of them; only that one may be recorded."""
        now = values | {
            n: during(values[n], slice(first, last), batch.shapes[n]) for n in self.over_time if n in values
        }
        return self.run(batch, now, self.room(batch, 1) if rows is None else rows, last - first, last - first)

    def diverged_states(self, batch: Batch, values: Arrays, final: Arrays, steps: int) -> DivergedStates:
        """The states that are not finite after a run, as of `armdyn.functions.not_finite.diverged_states`."""
        return diverged_states(self, batch, values, final, steps)

    def _piece(
        self, batch: Batch, values: Arrays, rows: Arrays, steps: slice, every: int, own_row: Arrays | None
    ) -> Arrays:
        final = {name: batch.room(batch.shapes[name]) for name in self.state}
        arrays = [
            during(values[name], steps, batch.shapes[name]) if name in self.over_time else values[name]
            for name in self.inputs
        ]
        if own_row is not None:
            places = [own_row[name] for name in self.recorded]
        elif steps.start % every:  # between two rows; but the kernel records its first step
            places = [batch.rows(1, batch.shapes[name]) for name in self.recorded]
        else:
            own = slice(steps.start // every, -(-steps.stop // every))
            places = [rows[name][:, own] for name in self.recorded]
        function = self.kernel.for_float64 if batch.dtype == np.float64 else self.kernel.for_any()
        counts = batch.dtype.type(steps.stop - steps.start), batch.dtype.type(every)
        run_shared(function, batch.workers, batch.states, *counts, *arrays, out=(*final.values(), *places))
        return final


def _to_call_for(at_once: int, every: int, *, since_row: int) -> int:
    """Steps of the next call: those of some rows, or a part of those of one row."""
    to_row = every - since_row
    return min(at_once, to_row) if since_row or at_once < every else at_once // every * every


def during(array: Array, steps: slice, shape: tuple[int, ...]) -> Array:
    """Some steps of an array over time, whose last axes are those of one value of this shape."""
    index: Any = (..., steps, *(slice(None) for _ in shape))
    chosen: Array = array[index]
    return chosen


@dataclass(frozen=True)
class Batch:
    """The states of a call: the shape of their axes, the type of the numbers, and the shape of each array of a step."""

    shape: tuple[int, ...]
    dtype: np.dtype[Any]
    shapes: Mapping[str, tuple[int, ...]]
    workers: int | None = None

    @classmethod
    def of(
        cls,
        values: Mapping[str, Array],
        shapes: Mapping[str, tuple[int, ...]],
        over_time: Sequence[str],
        workers: int | None,
    ) -> Batch:
        """The batch that the arrays of a call have together, those over time without their first axis."""
        leading = {name: a.shape[name in over_time : a.ndim - len(shapes[name])] for name, a in values.items()}
        try:
            shape = np.broadcast_shapes(*leading.values())
        except ValueError:
            text = ", ".join(f"{name} {axes}" for name, axes in leading.items())
            raise ShapeError(f"the batches of the arguments do not broadcast together: {text}") from None
        types = [a.dtype for a in values.values() if a.ndim]
        single = bool(types) and all(np.can_cast(one, np.float32) for one in types)
        return cls(shape, np.dtype(np.float32 if single else np.float64), shapes, workers)

    @property
    def states(self) -> int:
        """The number of states."""
        return math.prod(self.shape)

    def room(self, shape: tuple[int, ...]) -> Array:
        """An array for one value of each state."""
        return np.empty((self.states, *shape), self.dtype)

    def rows(self, rows: int, shape: tuple[int, ...]) -> Array:
        """An array for values over time; in memory the time comes first, because a row is written at once."""
        return np.empty((rows, self.states, *shape), self.dtype).swapaxes(0, 1)

    def flat(self, array: Array, name: str, *, over_time: bool) -> Array:
        """An argument with at most one axis of states, and time after it."""
        core = self.shapes[name]
        array = array.astype(self.dtype, copy=False)
        own, time_axis = array.shape[over_time : array.ndim - len(core)], array.shape[:over_time]
        if math.prod(own) == 1:
            return array.reshape(time_axis + core)
        array = np.broadcast_to(array, time_axis + self.shape + core).reshape((*time_axis, self.states, *core))
        return array.swapaxes(0, 1) if over_time else array

    def of_all(self, name: str, array: Array) -> Array:
        """A value that may be common to all states, with an axis of states."""
        if array.ndim > len(self.shapes[name]):
            return array
        return np.array(np.broadcast_to(array, (self.states, *array.shape)))

    def unflat(self, array: Array) -> Array:
        """One value of each state, with the axes of the batch."""
        return array.reshape((*self.shape, *array.shape[1:]))

    def rows_unflat(self, array: Array) -> Array:
        """Values over time: time first, then the axes of the batch."""
        return array.swapaxes(0, 1).reshape((array.shape[1], *self.shape, *array.shape[2:]))

    def rows_of(self, name: str, array: Any, rows: int) -> Array:
        """An array of the caller for the records, viewed in the layout of `rows`."""
        shape = (rows, *self.shape, *self.shapes[name])
        if not takes_results(array) or array.dtype != self.dtype or not array.flags.writeable:
            kind = f"is of {array.dtype}" if isinstance(array, np.ndarray) else f"is {excerpt(array)}"
            fault = "is read-only" if takes_results(array) and array.dtype == self.dtype else kind
            raise DTypeError(f"out[{name!r}] cannot be written to: it {fault}; expected a NumPy array of {self.dtype}")
        if array.shape != shape:
            raise ShapeError(f"out[{name!r}] has shape {array.shape}; expected {shape}: rows, batch, {name}")
        flat = array.reshape(rows, self.states, *self.shapes[name])
        if not np.shares_memory(flat, array):
            raise ShapeError(f"out[{name!r}] has gaps between the axes of its batch; expected an array without")
        seen: Array = flat.swapaxes(0, 1)
        return seen


@dataclass(frozen=True)
class StoredStates:
    """The states of a forward run, to be visited backward a segment at a time.

    Args:
        batch: of the run.
        loop: the loop, which records all of the state.
        values: the arguments of the first step.
        steps: the number of all steps.
        segment: the number of steps whose states are stored together.
    """

    batch: Batch
    loop: RolloutKernel
    values: Arrays
    steps: int
    segment: int = field(init=False)
    recorded: Arrays = field(init=False, default_factory=dict)
    final: Arrays = field(init=False, default_factory=dict)

    def __post_init__(self) -> None:
        size = sum(math.prod(self.batch.shapes[name]) for name in self.loop.state) * self.batch.dtype.itemsize
        segment = max(STORED_BYTES // max(size * self.batch.states, 1), 1)
        set_fields(self, segment=min(segment, max(self.steps, 1)))
        every = 1 if self.segment >= self.steps else self.segment
        self.recorded.update(self._recorded(self.values, 0, self.steps, every))

    def _recorded(self, values: Arrays, first: int, last: int, every: int) -> Arrays:
        rows = {n: self.batch.rows(-(-(last - first) // every), self.batch.shapes[n]) for n in self.loop.state}
        now = dict(values)
        for name in self.loop.over_time:
            now[name] = during(values[name], slice(first, last), self.batch.shapes[name])
        final = self.loop.run(self.batch, now, rows, last - first, every)
        if last == self.steps:
            self.final.update(final)
        return rows

    def backward(self) -> Iterator[tuple[slice, Arrays]]:
        """Segments from the last to the first: steps, and states at their beginnings, (states, steps, *shape)."""
        if self.segment >= self.steps:
            yield slice(0, self.steps), self.recorded
            return
        for k in reversed(range(-(-self.steps // self.segment))):
            steps = slice(k * self.segment, min((k + 1) * self.segment, self.steps))
            start = {name: rows[:, k] for name, rows in self.recorded.items()}
            yield steps, self._recorded(self.values | start, steps.start, steps.stop, 1)


def backward(
    stored: StoredStates, adjoint: RolloutKernel, cotangents: Arrays, over_time: Sequence[str]
) -> tuple[Arrays, Arrays]:
    """The state of an adjoint rollout at the beginning, and its gradients by inputs over time, (states, steps, *shape).

    Args:
        stored: the states forward.
        adjoint: its loop, by `armdyn.program.rollout_products.adjoint_rollout`.
        cotangents: its state after the last step.
        over_time: the inputs over time with gradients.
    """
    batch = stored.batch
    gradients = {name: batch.rows(stored.steps, batch.shapes[name]) for name in over_time}
    for steps, states in stored.backward():
        values = stored.values | states | cotangents
        for name in adjoint.over_time:
            rank = len(batch.shapes[name])
            rows = values[name] if name in states else during(values[name], steps, batch.shapes[name])
            values[name] = np.flip(rows, axis=-1 - rank)
        places = {f"cotangent_{name}": np.flip(rows[:, steps], axis=1) for name, rows in gradients.items()}
        cotangents = adjoint.run(batch, values, places, steps.stop - steps.start)
    return cotangents, gradients
