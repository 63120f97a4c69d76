"""A function of one robot repeated over time, as one compiled loop over steps and states."""

from __future__ import annotations

from collections import namedtuple
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from armdyn.arrays import are_plain, plain_arguments
from armdyn.checks import whole_number
from armdyn.declaration import Function
from armdyn.errors import ShapeError, TraceError, UnknownName, shown
from armdyn.functions.compiled import CompiledFunction
from armdyn.functions.derivatives import identifier
from armdyn.functions.explain import check_argument
from armdyn.functions.rollout_runs import Arrays, Batch, Loop, Report, Stored, backward
from armdyn.program import OperationCounts, Rollout, guarded
from armdyn.program.rollout_products import adjoint_rollout
from armdyn.targets import kernel_of, load_or_compile
from armdyn.targets.kernels import Kernel
from armdyn.threads import undivided

if TYPE_CHECKING:
    from armdyn.functions.arm import Arm

COSTS = 16
"""Costs that a rollout keeps compiled, of those it was differentiated by last."""


@dataclass(frozen=True, eq=False)
class Rolled:
    """What a rollout gave.

    Args:
        final: the state after the last step, each array of shape (..., *shape), by name.
        rows: what was recorded, each array of shape (rows, ..., *shape), by name: row k belongs to step k ``every``,
            and holds the state when that step begins.
        every: how many steps lie between two rows.
        steps: how many were made.
        shapes: *shape, by name.
    """

    final: Any
    rows: Any
    every: int = 1
    steps: int = 0
    shapes: Mapping[str, tuple[int, ...]] = field(default_factory=dict)

    def first_not_finite(self) -> NotFinite | None:
        """The first number in time that is NaN or infinite, among the rows and then in the final state; None: none.

        >>> Next = namedtuple("Next", ["q"])
        >>> @armdyn.function("(n)->(n)", result=Next)
        ... def squared(model, q):
        ...     return Next(q * q)
        >>> grows = armdyn.functions.CompiledRollout(armdyn.load("planar_2r"), squared, record=["q"])
        >>> grows([[1.0, 0.5], [0.5, 2.0]], steps=20).first_not_finite()
        NotFinite(name='q', step=10, state=(1,), entry=(1,), value=inf, states=1)
        """
        found = [
            one
            for arrays, rows in ((self.rows, True), (self.final, False))
            for name in arrays._fields
            if (one := self._not_finite(name, getattr(arrays, name), rows)) is not None
        ]
        return min(found, key=lambda one: one.step, default=None)

    def _not_finite(self, name: str, array: NDArray[Any], rows: bool) -> NotFinite | None:
        """The first of one array."""
        bad = ~np.isfinite(array if rows else array[None])
        if not bad.any():
            return None
        row, *rest = map(int, np.unravel_index(int(bad.argmax()), bad.shape))
        place, rank = tuple(rest), len(self.shapes[name])
        batch = len(place) - rank
        states = bad[-1].any(axis=tuple(range(batch, len(place)))).sum()
        step = row * self.every if rows else self.steps
        value = float((array[row] if rows else array)[place])
        return NotFinite(name, step, place[:batch], place[batch:], value, int(states))


class NotFinite(NamedTuple):
    """Where a rollout is not finite first.

    Args:
        name: of the array.
        step: at whose beginning it is a state; of a signal, the step in which it is computed.
        state: the place in the batch.
        entry: the place in the array of that state.
        value: NaN or infinity.
        states: how many of the batch are not finite in the array's last row.
    """

    name: str
    step: int
    state: tuple[int, ...]
    entry: tuple[int, ...]
    value: float
    states: int


class CompiledRollout:
    """A `Function` of one robot repeated: results that have the name of an argument are that argument in the next step.

    Call it with the arguments of the first step, each of shape (..., *shape); leading axes are a batch and broadcast.
    Arguments named in ``over_time`` have the axis of time before all others: (steps, ..., *shape). float32 arrays are
    computed in float32 where all are.

    Args:
        arm: the robot.
        function: one step. Its ``result`` is a NamedTuple, whose fields name the results.
        over_time: arguments with an axis of time.
        record: arguments that are carried, and results, to be kept over time.
        parameters: of the model, that become inputs.

    >>> from collections import namedtuple
    >>> Next = namedtuple("Next", ["q", "qd"])
    >>> @armdyn.function("(n),(n),(n),()->(n),(n)", result=Next)
    ... def step(model, q, qd, tau, h):
    ...     qd = qd + h * armdyn.algorithms.forward_dynamics(model, q, qd, tau)
    ...     return Next(q + h * qd, qd)
    >>> robot = armdyn.load("planar_2r")
    >>> falls = armdyn.functions.CompiledRollout(robot, step, record=["q"])
    >>> rolled = falls(np.zeros((5, 2)), np.zeros(2), np.zeros(2), 1e-3, steps=1000)
    >>> rolled.final.q.shape, rolled.rows.q.shape
    ((5, 2), (1000, 5, 2))
    """

    def __init__(
        self,
        arm: Arm,
        function: Function,
        *,
        over_time: Iterable[str] = (),
        record: Iterable[str] = (),
        parameters: Iterable[str] = (),
    ) -> None:
        self.arm = arm
        self.function = function
        self.over_time = tuple(over_time)
        self.record = tuple(record)
        self._step = CompiledFunction(arm, function, parameters)
        self._inputs = self._step._inputs
        self.parameters = self._inputs.parameters
        results = getattr(function.result, "_fields", ())
        self.state = tuple(name for name in results if name in self._inputs.positional)
        self._refuse_unknown()
        self._kernels: dict[Any, Kernel] = {}
        self._adjoints: dict[Any, Loop] = {}
        self._cost_function = lru_cache(maxsize=COSTS)(self._compiled_cost)
        self._final_type = named_tuple("Final", self.state)
        self._rows_type = named_tuple("Rows", self.record)
        self.__name__, self.__doc__ = function.name, function.__doc__

    def _refuse_unknown(self) -> None:
        name, results = self.function.name, getattr(self.function.result, "_fields", ())
        if not self.state:
            shown = ", ".join(results) or "(no names)"
            raise UnknownName(
                f"{name} carries nothing from step to step: none of its results {shown} has the name of an argument "
                f"({', '.join(self._inputs.positional)}). Declare it with result=, a NamedTuple"
            )
        for one in self.over_time:
            known = [n for n in self._inputs.positional if n not in self.state]
            if one not in known:
                raise UnknownName.of("input", one, known, name)
        for one in self.record:
            known = [*self.state, *results]
            if one not in known:
                raise UnknownName.of("state or result", one, known, name)

    def program(self, *, given: Iterable[str] = ()) -> Rollout:
        """The rollout behind it.

        Args:
            given: names of the optional arrays that count as given.
        """
        names = [n for n in self._inputs.positional if n in self._inputs.required or n in set(given)]
        return self._rollout(tuple(names), self.record)

    @property
    def op_counts(self) -> OperationCounts:
        """What one step of one state costs."""
        return self.program().op_counts

    def __call__(
        self,
        *arrays: Any,
        steps: int,
        every: int = 1,
        out: Mapping[str, NDArray[Any]] | None = None,
        workers: int | None = None,
        report: Report | None = None,
        **named: Any,
    ) -> Rolled:
        """Repeat the step.

        Args:
            arrays: the arguments of the function, in order; or by name.
            steps: how many.
            every: record each so many steps.
            out: arrays for what is recorded, by name, of shape (rows, ..., *shape).
            workers: how many threads share the batch; -1: one a core.
            report: called now and then with the fraction that is done.

        Raises:
            ShapeError: an array that does not fit the robot, the batch or the steps.
            DTypeError: one that does not hold real numbers.
        """
        given = self._given(arrays, named)
        batch, values = self._flat(given, steps, workers)
        whole_number("every", every, least=1, error=ShapeError)
        loop = self._loop(tuple(given), self.record)
        rows = self._rows(batch, -(-steps // every), out or {})
        final = loop.run(batch, values, rows, steps, every, report)
        return Rolled(
            self._final_type(*map(batch.unflat, final.values())),
            self._rows_type(*((out or {}).get(n, batch.rows_unflat(a)) for n, a in rows.items())),
            every,
            steps,
            {name: batch.shapes[name] for name in (*self.state, *self.record)},
        )

    def _rows(self, batch: Batch, rows: int, out: Mapping[str, Any]) -> Arrays:
        """Room for what is recorded."""
        for name in out:
            if name not in self.record:
                raise UnknownName.of("recorded array", name, self.record, self.function.name)
        return {
            name: batch.rows_of(name, out[name], rows) if name in out else batch.rows(rows, batch.shapes[name])
            for name in self.record
        }

    def gradient(
        self, cost: Function, wrt: Iterable[str], /, *arrays: Any, steps: int, workers: int | None = None, **named: Any
    ) -> Any:
        """A cost of the final state, and its gradients, by one run forward and one of the adjoint backward.

        A running cost is a cost of the final state too, of a state that sums it up.

        Args:
            cost: a `Function` of some of the state, with a scalar result.
            wrt: arguments, of which those over time have gradients of shape (steps, ..., *shape), all others
                (..., *shape), one for each state of the batch; names of the state mean the initial state.
            arrays: the arguments of the function, in order; or by name.
            steps: how many.
            workers: how many threads share the batch.

        Returns:
            A named tuple: ``cost``, shape (...), and ``d_X`` for each name X of ``wrt``.

        >>> @armdyn.function("(n)->()")
        ... def miss(model, q):
        ...     return (q - 1.0) @ (q - 1.0)
        """
        wrt = (wrt,) if isinstance(wrt, str) else tuple(wrt)
        given = self._given(arrays, named)
        for name in wrt:
            if name not in given:
                raise UnknownName.of("argument", name, given, self.function.name)
        compiled_cost = self._cost_function(cost)
        batch, values = self._flat(given, steps, workers)
        stored = Stored(batch, self._loop(tuple(given), self.state), values, steps)
        value, cotangents = self._seeds(compiled_cost, batch, stored.final)
        initial, over_time = self._backward(stored, cotangents, wrt)
        return named_tuple("Gradient", ["cost", *(f"d_{identifier(name)}" for name in wrt)])(
            batch.unflat(value),
            *(batch.rows_unflat(over_time[n]) if n in over_time else batch.unflat(initial[n]) for n in wrt),
        )

    def _compiled_cost(self, cost: Function) -> CompiledFunction:
        """A cost, checked."""
        if not isinstance(cost, Function):
            raise TraceError(f"cost={shown(cost)} is no declared function; write @armdyn.function('(n)->()') above it")
        for argument in cost.arguments:
            if argument.name not in self.state:
                raise UnknownName.of("state", argument.name, self.state, f"the final state of {self.function.name}")
        if cost.outputs != ((),):
            shapes = ",".join(f"({','.join(map(str, shape))})" for shape in cost.outputs)
            raise ShapeError(f"{cost.name} gives {shapes}; expected one scalar, (), the cost of the final state")
        return CompiledFunction(self.arm, cost)

    def _seeds(self, cost: CompiledFunction, batch: Batch, final: Arrays) -> tuple[Any, Arrays]:
        """The cost of the final state, and its derivatives by all of it."""
        names = [argument.name for argument in cost.function.arguments]
        at = [final[name] for name in names]
        value = cost(*at)
        found = cost.vjp(*names)(*at, cotangent_out=np.ones_like(value))
        by = dict(zip(names, found if isinstance(found, tuple) else (found,), strict=True))
        zeros = {name: np.zeros(batch.shapes[name], batch.dtype) for name in self.state if name not in by}
        return value, by | zeros

    def _adjoint(self, names: tuple[str, ...], wrt: tuple[str, ...]) -> Loop:
        """The loop of the adjoint rollout."""
        if (names, wrt) not in self._adjoints:
            rollout = adjoint_rollout(self._rollout(names, (), guard=False), wrt)
            kernel = self._made(("adjoint", names, wrt), lambda: rollout)
            inputs, state = (tuple(port.name for port in ports) for ports in (rollout.inputs, rollout.state))
            self._adjoints[names, wrt] = Loop(kernel, inputs, frozenset(rollout.stepwise), state, rollout.recorded)
        return self._adjoints[names, wrt]

    def _backward(self, stored: Stored, cotangents: Arrays, wrt: tuple[str, ...]) -> tuple[Arrays, Arrays]:
        """The gradients by the initial state and by held inputs, and those by inputs over time."""
        batch, adjoint = stored.batch, self._adjoint(tuple(stored.values), wrt)
        start = {f"cotangent_{name}": value for name, value in cotangents.items()}
        sums = [name for name in adjoint.state if name.startswith("sum_")]
        start |= {name: np.zeros(batch.shapes[name], batch.dtype) for name in sums}
        found, over_time = backward(stored, adjoint, start, [name for name in wrt if name in self.over_time])
        by = {name: found[f"cotangent_{name}"] for name in self.state}
        return by | {name: found[f"sum_{name}"] for name in wrt if f"sum_{name}" in found}, over_time

    def _given(self, arrays: tuple[Any, ...], named: dict[str, Any]) -> dict[str, Any]:
        """The arguments of a call by name, as NumPy's arrays of the right shapes."""
        given = self._inputs.bind(arrays, named)
        if named:
            known = [*self._inputs.positional, "steps", "every", "out", "workers", "report"]
            raise UnknownName.of("argument", next(iter(named)), known, self.function.name)
        if not are_plain(given.values()):
            given = plain_arguments(given, self._inputs.names_along, repr(self.arm.model.name))
        return given

    def _flat(self, given: Mapping[str, Any], steps: int, workers: int | None) -> tuple[Batch, Arrays]:
        """The batch of a call, and its arrays as kernels take them."""
        whole_number("steps", steps, least=0, error=ShapeError)
        for name, value in given.items():
            over_time = steps if name in self.over_time else None
            check_argument(self._inputs, self._inputs.port(name), value, steps=over_time)
        arrays = {name: np.asarray(value) for name, value in given.items()}
        results = map(self._inputs.lengths, self.function.outputs)
        shapes = dict(zip(getattr(self.function.result, "_fields", ()), results, strict=True))
        shapes |= {name: self._inputs.port(name).shape for name in given}
        shapes |= {f"{word}_{name}": shape for name, shape in shapes.items() for word in ("cotangent", "sum")}
        batch = Batch.of(arrays, shapes, self.over_time, workers)
        return batch, {n: batch.flat(a, n, over_time=n in self.over_time) for n, a in arrays.items()}

    def _loop(self, names: tuple[str, ...], record: tuple[str, ...]) -> Loop:
        kernel = self._made(("forward", names, record), lambda: self._rollout(names, record))
        return Loop(kernel, names, frozenset(self.over_time), self.state, record)

    def _made(self, key: Any, make: Callable[[], Rollout]) -> Kernel:
        """A kernel from memory, from disk by what it is traced from, or compiled."""
        kernel = self._kernels.get(key)
        if kernel is None:
            source = self._step._source_key((key[1], ()))
            with undivided():
                if source is None:
                    kernel = kernel_of(make())
                else:
                    kernel = load_or_compile(f"rollout {key} {self.over_time} {source}", make)
            self._kernels[key] = kernel
        return kernel

    def _rollout(self, names: tuple[str, ...], record: Sequence[str], *, guard: bool = True) -> Rollout:
        step = self._step.program(given=names)
        carry = [(name, name) for name in self.state]
        over_time = [name for name in self.over_time if name in names]
        return Rollout(guarded(step) if guard else step, carry, over_time, record)

    def __repr__(self) -> str:
        return f"<rollout of {self.function.name} of {self.arm.model.name!r}, state {', '.join(self.state)}>"


def named_tuple(name: str, fields: Iterable[str]) -> Any:
    """The type of results whose names are known at run time only."""
    return namedtuple(name, list(fields))
