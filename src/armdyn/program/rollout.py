"""A rollout: a program repeated over time, with results of a step as inputs of the next one.

The inputs of the step's program are of three kinds. *State* is carried: it has an initial value, and a result of each
step replaces it. *Stepwise* inputs have a time axis: step k reads row k. All others are *held* for all steps.
*Recorded* quantities are stored for the steps 0, ``every``, 2 ``every``, ...: a carried input with its value at the
beginning of the step, a result with its value in that step. So a row belongs to one time: the state, and the
quantities that act on it.

A target compiles a rollout as it compiles a program, with both loops, over steps and over states, inside
(`armdyn.targets.llvm.rollout_loop`).
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise

from armdyn.base.errors import TraceError, UnknownName
from armdyn.base.fields import set_fields
from armdyn.base.imported import exported
from armdyn.base.threads import cached_property
from armdyn.program.ports import Port
from armdyn.program.program import OperationCounts, Program


@dataclass(frozen=True)
class Rollout:
    """A program repeated.

    Args:
        step: the program of one step.
        carry: pairs (result, input): the result that takes the place of the input in the next step.
        stepwise: inputs with a leading time axis.
        recorded: carried inputs and results that are stored.

    >>> import numpy as np
    >>> from armdyn.program import Port, Rollout, trace
    >>> step = trace(lambda x, u: x + u, [Port("x", ()), Port("u", ())], ["next"])
    >>> total = Rollout(step, carry=[("next", "x")], stepwise=["u"])
    >>> [port.name for port in total.state], [port.name for port in total.outputs]
    (['x'], ['x'])
    """

    step: Program
    carry: tuple[tuple[str, str], ...]
    stepwise: tuple[str, ...] = ()
    recorded: tuple[str, ...] = ()

    def __init__(
        self,
        step: Program,
        carry: Iterable[tuple[str, str]],
        stepwise: Iterable[str] = (),
        recorded: Iterable[str] = (),
    ) -> None:
        set_fields(
            self,
            step=step,
            carry=tuple((result, carried) for result, carried in carry),
            stepwise=tuple(stepwise),
            recorded=tuple(recorded),
        )
        self._check()

    def _check(self) -> None:
        inputs, results = _by_name(self.step.inputs), _by_name(self.step.outputs)
        for result, carried in self.carry:
            for name, ports, kind in ((result, results, "result"), (carried, inputs, "input")):
                if name not in ports:
                    raise UnknownName.of(kind, name, ports, self.step.name)
            if results[result].shape != inputs[carried].shape:
                raise TraceError(
                    f"{self.step.name}: result {result!r} of shape {results[result].shape} cannot take the place of "
                    f"input {carried!r} of shape {inputs[carried].shape}"
                )
        for name in self.stepwise:
            if name not in inputs:
                raise UnknownName.of("input", name, inputs, self.step.name)
        choices = [*(name for _, name in self.carry), *results]
        for name in self.recorded:
            if name not in choices:
                raise UnknownName.of("carried input or result", name, choices, self.step.name)
        _refuse_repeated(self.step.name, [*(name for _, name in self.carry), *self.stepwise], "carried or stepwise")
        _refuse_repeated(self.step.name, self.recorded, "recorded")

    @property
    def name(self) -> str:
        """The name of the step's program."""
        return self.step.name

    @property
    def inputs(self) -> tuple[Port, ...]:
        """The inputs of one step, in the order of the program; those of `stepwise` have a leading time axis."""
        return self.step.inputs

    @property
    def state(self) -> tuple[Port, ...]:
        """The carried inputs, in the order of `carry`."""
        inputs = _by_name(self.step.inputs)
        return tuple(inputs[name] for _, name in self.carry)

    @property
    def held(self) -> tuple[str, ...]:
        """The inputs that are constant for all steps."""
        changing = {*self.stepwise, *(name for _, name in self.carry)}
        return tuple(port.name for port in self.step.inputs if port.name not in changing)

    @property
    def records(self) -> tuple[Port, ...]:
        """The quantities recorded in one step."""
        ports = _by_name(self.step.outputs) | _by_name(self.state)
        return tuple(ports[name] for name in self.recorded)

    @property
    def outputs(self) -> tuple[Port, ...]:
        """The state after the last step, then the records, which have a leading time axis."""
        return (*self.state, *self.records)

    @property
    def op_counts(self) -> OperationCounts:
        """The operation counts of one step."""
        return self.step.op_counts

    to_c = exported("armdyn.targets.c")
    to_cuda = exported("armdyn.targets.cuda")

    @cached_property
    def digest(self) -> str:
        """A fingerprint of everything that influences the numbers."""
        text = repr((self.step.digest, self.carry, self.stepwise, self.recorded))
        return hashlib.sha256(text.encode()).hexdigest()


def _by_name(ports: Sequence[Port]) -> dict[str, Port]:
    return {port.name: port for port in ports}


def _refuse_repeated(program: str, names: Sequence[str], meaning: str) -> None:
    for name, following in pairwise(sorted(names)):
        if name == following:
            raise TraceError(f"{program}: {name!r} is {meaning} twice")
