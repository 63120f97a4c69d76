"""The call of a loop over steps and states: its arguments bound and checked, and its results under their names."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np

from armdyn.base.arrays import are_plain, overlapping, plain_arguments
from armdyn.base.checks import whole_number
from armdyn.base.errors import OverlapError, ShapeError, UnknownName, warn_outside
from armdyn.base.named_tuples import named_tuple
from armdyn.base.scalars import Array
from armdyn.declaration import Function
from armdyn.functions.binding import Inputs
from armdyn.functions.explain import check_argument
from armdyn.functions.not_finite import DivergedStates, DivergenceWarning, are_finite
from armdyn.functions.rolled import RolloutResults
from armdyn.functions.rollout_runs import Arrays, Batch, Report, RolloutKernel, RunWatch, Until
from armdyn.functions.unfinished import KEPT, RolloutInterrupted, StepsSoFar
from armdyn.functions.variants import array_names
from armdyn.model.possible import check_possible
from armdyn.program import OperationCounts, Rollout

if TYPE_CHECKING:
    from armdyn.functions.arm import Arm


def names_of(names: Iterable[str], meaning: str, function: Function) -> tuple[str, ...]:
    """One name, or several, each of them once."""
    result = (names,) if isinstance(names, str) else tuple(names)
    if len(set(result)) < len(result):
        raise TypeError(f"{function.name}: {', '.join(result)} are {meaning}; name each of them once")
    return result


class RolloutCall(ABC):
    """The common base of `CompiledRollout` and its derivative along tangents.

    A call whose last state is not finite emits a `DivergenceWarning`, unless the attribute ``hears`` receives the
    diverged states instead, or ``warns`` is false: then it emits no warnings.

    Args:
        arm: the robot.
        function: one step.
        parameters: of the model, that become inputs.
        behind: arguments of the function that come after the parameters.
        over_time: arguments with an axis of time.
        state: results whose values after the last step are given.
        record: results, and arguments that are carried, whose values over time are given.
    """

    warns = True
    hears: Callable[[DivergedStates], None] | None = None

    def __init__(
        self,
        arm: Arm,
        function: Function,
        *,
        parameters: Iterable[str],
        behind: Sequence[str] = (),
        over_time: Iterable[str],
        state: Iterable[str],
        record: Iterable[str],
    ) -> None:
        self.arm = arm
        self.function = function
        self._inputs = Inputs(function, arm.model, parameters, behind)
        self.parameters = self._inputs.parameters
        self.over_time, self.state = names_of(over_time, "over time", function), tuple(state)
        self.record = names_of(record, "recorded", function)
        self._final_type = named_tuple("Final", self.state)
        self._rows_type = named_tuple("Rows", self.record)
        self.__name__, self.__doc__ = function.name, function.__doc__

    def program(self, *, optional_inputs: str | Iterable[str] = ()) -> Rollout:
        """The rollout as a program.

        Args:
            optional_inputs: names of the optional arrays that count as given; or one name.

        Raises:
            UnknownName: an array that the step does not have.
        """
        return self._rollout(array_names(self._inputs, optional_inputs), self.record)

    @property
    def op_counts(self) -> OperationCounts:
        """The operation counts of one step of one state."""
        return self.program().op_counts

    def __call__(
        self,
        *arrays: object,
        steps: int,
        every: int = 1,
        out: Mapping[str, Array] | None = None,
        workers: int | None = None,
        report: Report | None = None,
        **named: object,
    ) -> RolloutResults:
        """Repeat the step.

        Args:
            arrays: the arguments of the function, in order; or by name.
            steps: the number of steps.
            every: record each step of this number.
            out: arrays for the records, by name, of shape (rows, ..., *shape).
            workers: the number of threads that share the batch; -1: one per core.
            report: called now and then with the fraction that is done.

        Raises:
            ShapeError: an array that does not fit the robot, the batch or the steps.
            DTypeError: one that does not hold real numbers.
            RolloutInterrupted: Ctrl-C, a KeyboardInterrupt; ``error.rolled`` holds the results until then. Other
                errors in the middle, of a controller in Python or of ``report``, have it too.
        """
        return self._repeated(self._named_arguments(arrays, named), steps, every, out or {}, workers, report)

    def with_last_row(
        self,
        *,
        steps: int,
        every: int = 1,
        workers: int | None = None,
        report: Report | None = None,
        watch: RunWatch | None = None,
        **named: Any,
    ) -> RolloutResults:
        """The rollout with ``last``, the records of the last step, which need not be one of each ``every``.

        A ``watch`` may end it early, if each step and all of the state are recorded.
        """
        return self._repeated(
            self._named_arguments((), named), steps, every, {}, workers, report, with_last=True, watch=watch
        )

    def _repeated(
        self,
        arguments: dict[str, Any],
        steps: int,
        every: int,
        out: Mapping[str, Array],
        workers: int | None,
        report: Report | None,
        *,
        with_last: bool = False,
        watch: RunWatch | None = None,
    ) -> RolloutResults:
        batch, values = self._flat(arguments, steps, workers)
        whole_number("every", every, least=1, error=ShapeError)
        loop = self._called(tuple(arguments))
        rows = self._rows(batch, -(-steps // every), out, values)
        last = _last_of(batch, rows, steps, every) if with_last and steps else None
        result = StepsSoFar((0, {name: values[name] for name in loop.state}))
        until = None if watch is None else self._ending(watch, arguments, batch, rows)

        try:
            final = loop.run(batch, values, rows, steps, every, report, result, last, until)
            if watch is not None and (done := result.so_far[0]) < steps:
                steps, last = done, {name: array[:, done - 1 : done] for name, array in rows.items()}
            divergence = self._hear(loop, batch, values, final, steps)
        except KeyboardInterrupt as interrupt:
            message = self._said_of_interrupt(batch, result.so_far[0], steps)
            raise RolloutInterrupted(message, self._rolled(batch, result, rows, every, {})) from interrupt
        except Exception as error:
            if result.so_far[0]:
                error.rolled = self._rolled(batch, result, rows, every, {})  # type: ignore[attr-defined]
                error.add_note(KEPT)
            raise
        return replace(self._rolled(batch, result, rows, every, out, last), divergence=divergence)

    def _rolled(
        self,
        batch: Batch,
        progress: StepsSoFar,
        rows: Arrays,
        every: int,
        out: Mapping[str, Array],
        last: Arrays | None = None,
    ) -> RolloutResults:
        """The results so far under their names; all rows of ``out`` are included."""
        done, state = progress.so_far
        final = {name: batch.of_all(self._in_loop(name), state[self._in_loop(name)]) for name in self.state}
        if not done:  # it is what the caller gave
            final = {name: array.copy() for name, array in final.items()}
        own = {name: array[:, : -(-done // every)] for name, array in rows.items()}
        return RolloutResults(
            self._final_type(*map(batch.unflat, final.values())),
            self._rows_type(*(out[name] if name in out else batch.rows_unflat(a) for name, a in own.items())),
            every,
            done,
            {name: batch.shapes[name] for name in (*self.state, *self.record)},
            last=None if last is None else self._rows_type(*(batch.unflat(last[name][:, 0]) for name in self.record)),
        )

    def _ending(self, watch: RunWatch, arguments: Mapping[str, Any], batch: Batch, rows: Arrays) -> Until:
        """The end of a run by what a watch reads: arrays with the axes of the batch."""
        watch.begin(self, arguments, {name: batch.rows_unflat(array) for name, array in rows.items()})

        def until(done: int, state: Arrays) -> tuple[int, Arrays] | None:
            steps = watch.steps_kept(done, {name: batch.unflat(batch.of_all(name, a)) for name, a in state.items()})
            if steps is None or steps >= done:
                return None if steps is None else (done, state)
            return steps, {name: rows[name][:, steps] for name in state}

        return until

    def _said_of_interrupt(self, batch: Batch, done: int, steps: int) -> str:
        """The message of a call that Ctrl-C ended, after this number of its steps."""
        of_each = f" of each of {batch.states:,} states" if batch.shape else ""
        return (
            f"{self.function.name} of {self.arm.model.name!r} was interrupted after {done:,} of {steps:,} steps"
            f"{of_each}. {KEPT}"
        )

    def _hear(self, loop: RolloutKernel, batch: Batch, values: Arrays, final: Arrays, steps: int) -> str:
        """Warn if the state after the last step is not finite; returns the text of the warning, empty without one."""
        if not (self.warns or self.hears) or are_finite(final):
            return ""
        states = loop.diverged_states(batch, values, final, steps)
        if self.hears is not None:
            self.hears(states)
            return ""
        result = self._said_of(states)
        warn_outside(result, DivergenceWarning)
        return result

    def _said_of(self, states: DivergedStates) -> str:
        """The message of a call about states that are not finite."""
        subject = (
            f"{states.number} of {states.states} states, the first of them {states.place},"
            if states.place
            else "the state"
        )
        return (
            f"{self.function.name} of {self.arm.model.name!r}: {subject} ended in NaN or infinity, "
            f"from step {states.step} on; first_not_finite() of what the call returns says where in what was recorded"
        )

    def _called(self, names: tuple[str, ...]) -> RolloutKernel:
        """The loop of a call that gives the arguments ``names``."""
        return self._loop(names, self.record)

    @abstractmethod
    def _rollout(self, names: tuple[str, ...], record: Sequence[str]) -> Rollout:
        """The rollout of a call that gives the arguments ``names``."""

    @abstractmethod
    def _loop(self, names: tuple[str, ...], record: tuple[str, ...]) -> RolloutKernel:
        """The compiled loop of a call that gives the arguments ``names``."""

    def _in_loop(self, name: str) -> str:
        """The name, in the loop, of the state that is given under ``name``."""
        return name

    def _shapes(self, names: Iterable[str]) -> dict[str, tuple[int, ...]]:
        """The shapes of arguments and results of one step, and of the other arrays that the loop carries, by name."""
        results = map(self._inputs.lengths, self.function.outputs)
        shapes = dict(zip(getattr(self.function.result, "_fields", ()), results, strict=True))
        return shapes | {name: self._inputs.port(name).shape for name in names}

    @property
    def required(self) -> list[str]:
        """The arguments that must be given."""
        return self._inputs.required

    def shape_of(self, name: str) -> tuple[int, ...]:
        """The shape of an argument, in one step."""
        return self._inputs.port(name).shape

    def _named_arguments(self, arrays: tuple[object, ...], named: dict[str, Any]) -> dict[str, Any]:
        """The arguments of a call by name, as NumPy's arrays."""
        result = self._inputs.bind(arrays, named)
        if named:
            choices = [*self._inputs.positional, "steps", "every", "out", "workers", "report"]
            raise UnknownName.of("argument", next(iter(named)), choices, self.function.name)
        if not are_plain(result.values()):
            result = plain_arguments(result, self._inputs.names_along, repr(self.arm.model.name))
        return result

    def _flat(self, arguments: Mapping[str, Any], steps: int, workers: int | None) -> tuple[Batch, Arrays]:
        """The batch of a call, and its arrays, checked, as kernels take them."""
        whole_number("steps", steps, least=0, error=ShapeError)
        for name, value in arguments.items():
            over_time = steps if name in self.over_time else None
            check_argument(self._inputs, self._inputs.port(name), value, steps=over_time)
        arrays = {name: np.asarray(value) for name, value in arguments.items()}
        check_possible({name: arrays[name] for name in self.parameters})
        batch = Batch.of(arrays, self._shapes(arguments), self.over_time, workers)
        return batch, {n: batch.flat(a, n, over_time=n in self.over_time) for n, a in arrays.items()}

    def _rows(self, batch: Batch, rows: int, out: Mapping[str, object], values: Arrays) -> Arrays:
        """Room for the records, which shares no memory with the arrays that the loop reads while it writes."""
        for name in out:
            if name not in self.record:
                raise UnknownName.of("recorded array", name, self.record, self.function.name)
        result = {
            name: batch.rows_of(name, out[name], rows) if name in out else batch.rows(rows, batch.shapes[name])
            for name in self.record
        }
        arguments = {f"out[{name!r}]": out[name] for name in out}
        read = {name: array for name, array in values.items() if name not in self.state} if out else {}
        for (name_of_one, array), (other, with_it) in combinations((arguments | read).items(), 2):
            if name_of_one in arguments and overlapping([array, with_it]) is not None:
                raise OverlapError(
                    f"{name_of_one} and {other} share memory; expected an array of its own for what is recorded"
                )
        return result


def _last_of(batch: Batch, rows: Arrays, steps: int, every: int) -> Arrays:
    """Room for the row of the last step: the last of the rows, if it is that one."""
    if (steps - 1) % every == 0:
        return {name: array[:, -1:] for name, array in rows.items()}
    return {name: batch.rows(1, batch.shapes[name]) for name in rows}
