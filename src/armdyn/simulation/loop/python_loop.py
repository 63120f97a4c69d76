"""A closed loop whose controller runs in Python, once per step and arm, between compiled steps of the arms."""

from __future__ import annotations

import dataclasses
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from armdyn.base.checks import array
from armdyn.base.scalars import Array
from armdyn.functions.not_finite import DivergedStates, names_of_lost, of_state, places_of
from armdyn.functions.rollout_runs import Arrays, Batch, Report, RolloutKernel, Until
from armdyn.functions.unfinished import StepsSoFar
from armdyn.model.mechanism import Mechanism
from armdyn.model.parameters import with_parameters
from armdyn.simulation.loop.controller import Controller
from armdyn.simulation.loop.friction import BRAKES

SECONDS_BETWEEN_REPORTS = 0.1

FORCES = ("tau", BRAKES)
"""Results of a controller that act on the arm."""

MOVING = ("q", "qd", "theta", "thetad")
"""States of the arm that its controller reads: once they are not finite, it is not called any more."""


@dataclass
class PythonLoop:
    """A loop over steps and arms that takes the place of a compiled `RolloutKernel`.

    Each arm's controller gets arrays of its own, as they are declared, and the model with the arm's own parameters. If
    the positions or velocities of an arm are not finite, its results are NaN; the others go on.

    Args:
        controller: the controller that runs in Python.
        mechanism: of the arm, in float64.
        motion: one compiled step of the arm under tau, which records the quantities ``of_motion``.
        motion_shapes: the shapes of its arguments and results, by name.
        parameters: of the model, that are inputs.
        over_time: inputs with an axis of time.
        state: names of the carried states.
        recorded: names of the quantities kept over time.
        of_motion: names of those that the compiled step records, the forces of stops and contacts.
        began: called when the controller has run for the first time.
        why: the reason it is not traced, for notes on its errors.
    """

    controller: Controller
    mechanism: Mechanism
    motion: RolloutKernel
    motion_shapes: Mapping[str, tuple[int, ...]]
    parameters: Sequence[str]
    over_time: frozenset[str]
    state: tuple[str, ...]
    recorded: tuple[str, ...]
    of_motion: tuple[str, ...]
    began: Callable[[], None]
    why: str
    _lost: dict[int, tuple[int, Arrays, tuple[str, ...]]] = field(default_factory=dict)
    _mechanisms: dict[int, Mechanism] = field(default_factory=dict)

    def run(
        self,
        batch: Batch,
        values: Arrays,
        rows: Arrays,
        steps: int,
        every: int = 1,
        report: Report | None = None,
        made: StepsSoFar | None = None,
        last: Arrays | None = None,
        until: Until | None = None,
    ) -> Arrays:
        """As of a compiled `RolloutKernel`."""
        values = values | {name: batch.of_all(name, values[name]) for name in self.state}
        told = time.perf_counter()
        for k in range(steps):
            now = values | {n: _in_step(values[n], k, batch.shapes[n]) for n in self.over_time if n in values}
            results = self._controlled(batch, now, k)
            if k == 0:
                self.began()
            acting = now | {name: results[name] for name in FORCES if name in results}
            if BRAKES in results:  # as in a traced step
                acting[BRAKES] = np.clip(results[BRAKES], 0.0, 1.0)
            later, pushes = self._moved(batch, acting)
            results.update(pushes)
            if k % every == 0:
                self._record({name: array[:, k // every] for name, array in rows.items()}, now, results)
            if last is not None and k == steps - 1:
                self._record({name: array[:, 0] for name, array in last.items()}, now, results)
            values |= later
            values |= {name: results[name] for name in self.controller.state}
            self._note_lost(values, now | results, k + 1)
            if made is not None:
                made.so_far = k + 1, {name: values[name] for name in self.state}
            if until is not None and (ended := until(k + 1, {name: values[name] for name in self.state})) is not None:
                if made is not None:
                    made.so_far = ended
                return ended[1]
            if report is not None and (k + 1 == steps or time.perf_counter() - told > SECONDS_BETWEEN_REPORTS):
                told = time.perf_counter()
                report((k + 1) / steps)
        final = {name: np.array(values[name]) for name in self.state}
        if made is not None:
            made.so_far = steps, final
        return final

    def diverged_states(self, batch: Batch, values: Arrays, final: Arrays, steps: int) -> DivergedStates:
        """The states that are not finite after a run, noted during it: a controller in Python may not run again."""
        places, first = places_of(final)
        state = of_state(values, first, batch, self.over_time)
        at_first: Arrays = {name: state[name] for name in self.state}
        step, before, names = self._lost.get(first, (steps, at_first, ()))
        place = tuple(map(int, np.unravel_index(first, batch.shape))) if batch.shape else ()
        if names_of_lost(at_first):
            step, before, names = 0, at_first, names_of_lost(at_first)
        return DivergedStates(places, batch.states, place, state, step, before, names)

    def _record(self, row: Arrays, now: Arrays, found: Arrays) -> None:
        """Fill a row."""
        for name in self.recorded:
            row[name][:] = now[name] if name in self.state else found[name]

    def _controlled(self, batch: Batch, now: Arrays, k: int) -> Arrays:
        """The results of the controller for all arms, by name, each of shape (arms, *shape)."""
        results = self.controller.results
        results_of_states = {
            name: np.full((batch.states, *batch.shapes[name]), np.nan, batch.dtype) for name in results
        }
        moves = np.all([np.isfinite(now[name]).all(axis=-1) for name in MOVING if name in self.state], axis=0)
        for number in np.flatnonzero(moves):
            own = of_state(now, int(number), batch, frozenset())
            try:
                results_of_one = self.controller.run_on_numbers(self._mechanism(int(number), own), _for_python(own))
                for name, value in results_of_one.items():
                    results_of_states[name][number] = array(f"{name} of {self.controller.function.name}", value)
            except Exception as error:
                error.add_note(self._note(batch, own, int(number), k))
                raise
        return results_of_states

    def _mechanism(self, number: int, own: Arrays) -> Mechanism:
        """The arm with parameters of its own."""
        if not self.parameters:
            return self.mechanism
        if number not in self._mechanisms or self.over_time.intersection(self.parameters):
            parameters = {name: own[name].astype(np.float64)[()] for name in self.parameters}
            self._mechanisms[number] = with_parameters(self.mechanism, parameters)
        return self._mechanisms[number]

    def _moved(self, batch: Batch, now: Arrays) -> tuple[Arrays, Arrays]:
        """The states of the arms a step later, and the quantities that the step records."""
        shapes = self.motion_shapes
        rows = {name: np.empty((batch.states, 1, *shapes[name]), batch.dtype) for name in self.of_motion}
        later = self.motion.run(dataclasses.replace(batch, shapes=shapes), now, rows, 1)
        return later, {name: values[:, 0] for name, values in rows.items()}

    def _note_lost(self, later: Arrays, before: Arrays, steps: int) -> None:
        """Keep the last finite state of each arm that diverged, and the names of its states that diverged first."""
        finite = [np.isfinite(later[n]).reshape(len(later[n]), -1).all(axis=1) for n in self.state]
        for number in map(int, np.flatnonzero(~np.all(finite, axis=0))):
            if number not in self._lost:
                names = names_of_lost({n: later[n][number] for n in self.state})
                self._lost[number] = steps, {n: np.array(before[n][number]) for n in ("tau", *self.state)}, names

    def _note(self, batch: Batch, own: Arrays, number: int, k: int) -> str:
        """Step, arm and time of an error of the controller."""
        t = float(own["t"]) if "t" in own else k * float(own["h"])
        arm = f" of arm {tuple(map(int, np.unravel_index(number, batch.shape)))}" if batch.shape else ""
        name = self.controller.function.name
        return f"while ClosedLoop called {name} in Python in step {k}{arm}, t = {t:g} s. It is not traced: {self.why}"


def _in_step(array: Array, k: int, shape: tuple[int, ...]) -> Array:
    """An array over time in step k."""
    index: Any = (..., k, *(slice(None) for _ in shape))
    row: Array = array[index]
    return row


def _for_python(own: Arrays) -> dict[str, Any]:
    """Arrays of one arm as its controller sees them: numbers and arrays of its own, in float64."""
    return {name: float(value) if value.ndim == 0 else np.array(value, np.float64) for name, value in own.items()}
