"""A function of one robot repeated over time, as one compiled loop over steps and states."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from functools import lru_cache, partial
from typing import TYPE_CHECKING, Any

import numpy as np

from armdyn.base.errors import ShapeError, TraceError, UnknownName, excerpt
from armdyn.base.named_tuples import named_tuple
from armdyn.base.threads import undivided
from armdyn.declaration import Function
from armdyn.functions.c_notes import OfProgramWithNotes
from armdyn.functions.compiled import CompiledFunction
from armdyn.functions.of_program import OfProgram
from armdyn.functions.pickling import require_picklable
from armdyn.functions.rollout_call import RolloutCall, names_of
from armdyn.functions.rollout_jvp import RolloutJvp
from armdyn.functions.rollout_runs import Arrays, Batch, RolloutKernel, StoredStates, backward
from armdyn.functions.unfinished import nothing_is_kept
from armdyn.program import Rollout, guarded
from armdyn.program.rollout_products import adjoint_rollout
from armdyn.targets import kernel_of, load_or_compile
from armdyn.targets.kernels import Kernel

if TYPE_CHECKING:
    from armdyn.functions.arm import Arm

COSTS = 16
"""The number of costs that a rollout keeps compiled, the last ones that were differentiated."""


class CompiledRollout(RolloutCall):
    """A `Function` of one robot repeated: results that have the name of an argument are that argument in the next step.

    Call it with the arguments of the first step, each of shape (..., *shape); leading axes are a batch and broadcast.
    Arguments named in ``over_time`` have the axis of time before all others: (steps, ..., *shape). float32 arrays are
    computed in float32 if all are.

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
        self._step = CompiledFunction(arm, function, parameters)
        results = getattr(function.result, "_fields", ())
        state = [name for name in results if name in self._step._inputs.positional]
        super().__init__(
            arm, function, parameters=self._step.parameters, over_time=over_time, state=state, record=record
        )
        self._refuse_unknown(results)
        self._kernels: dict[Any, Kernel] = {}
        self._adjoints: dict[Any, RolloutKernel] = {}
        self._jvps: dict[tuple[str, ...], RolloutJvp] = {}
        self._cost_function = lru_cache(maxsize=COSTS)(self._compiled_cost)

    to_c = OfProgramWithNotes()
    to_cuda = OfProgram()

    def _refuse_unknown(self, results: Sequence[str]) -> None:
        name = self.function.name
        if not self.state:
            named = ", ".join(results) or "(no names)"
            raise UnknownName(
                f"{name} carries nothing from step to step: none of its results {named} has the name of an argument "
                f"({', '.join(self._inputs.positional)}). Declare it with result=, a NamedTuple"
            )
        for one in self.over_time:
            choices = [n for n in self._inputs.positional if n not in self.state]
            if one not in choices:
                raise UnknownName.of("input", one, choices, name)
        for one in self.record:
            choices = [*dict.fromkeys((*self.state, *results))]
            if one not in choices:
                raise UnknownName.of("state or result", one, choices, name)

    def jvp(self, *wrt: str) -> RolloutJvp:
        """J v, the rates of the results for rates of arguments: forward sensitivity, as one more compiled rollout.

        It is called as the rollout is. For every name X it takes one more array ``tangent_X``, the rate of X or a
        direction, given by name: of the initial state, of parameters and other inputs, and of inputs over time, of
        shape (steps, ..., *shape). Its results are named and shaped as those of the rollout. One direction takes two to
        three times the operations of the rollout.

        Args:
            wrt: arguments, and ``parameters`` of the model; all change together. All required arguments if none is
                named.

        Raises:
            UnknownName: an argument that the step does not have.

        The change of the end of a fall if all joints begin a little further:

        >>> from collections import namedtuple
        >>> Next = namedtuple("Next", ["q", "qd"])
        >>> @armdyn.function("(n),(n)->(n),(n)", result=Next)
        ... def step(model, q, qd):
        ...     qd = qd + 1e-3 * armdyn.algorithms.forward_dynamics(model, q, qd, 0.0 * q)
        ...     return Next(q + 1e-3 * qd, qd)
        >>> falls = armdyn.functions.CompiledRollout(armdyn.load("planar_2r"), step)
        >>> q, qd, v = np.full(2, 0.3), np.zeros(2), np.ones(2)
        >>> along = falls.jvp("q")(q, qd, tangent_q=v, steps=100).final.q
        >>> moved = [falls(q + s * v, qd, steps=100).final.q for s in (1e-4, -1e-4)]
        >>> bool(np.allclose(along, (moved[0] - moved[1]) / 2e-4))
        True
        """
        required = [a.name for a in self.function.arguments if not a.optional]
        wrt = self._differentiated_by(wrt or required, self._inputs.positional)
        if wrt not in self._jvps:
            self._jvps[wrt] = RolloutJvp(self, wrt)
        return self._jvps[wrt]

    def _differentiated_by(self, wrt: Iterable[str], choices: Iterable[str]) -> tuple[str, ...]:
        """The checked names of a derivative."""
        names, choices = (wrt,) if isinstance(wrt, str) else tuple(wrt), list(choices)
        keywords = {word: name for name, word in self._inputs.words.items()}
        names = tuple(keywords.get(name, name) for name in names)
        for name in names:
            if name not in choices and name in self._inputs.positional:
                raise UnknownName(
                    f"{name} is an optional argument of {self.function.name} and was not given, so there is no "
                    f"gradient by it; give {name}=, such as zeros of shape {self.shape_of(name)}"
                )
            if name not in choices:
                raise UnknownName.of("argument", name, choices, self.function.name)
        return names_of(names, "differentiated by", self.function)

    def gradient(
        self, cost: Function, wrt: Iterable[str], /, *arrays: Any, steps: int, workers: int | None = None, **named: Any
    ) -> Any:
        """A cost of the final state, and its gradients, by one run forward and one of the adjoint backward.

        A running cost is a cost of the final state too, of a state that sums it up.

        Args:
            cost: a `Function` of some of the state, with a scalar result.
            wrt: arguments, of which those over time have gradients of shape (steps, ..., *shape), all others
                (..., *shape), one for each state of the batch; names of the state are those of the initial state.
            arrays: the arguments of the function, in order; or by name.
            steps: the number of steps.
            workers: the number of threads that share the batch.

        Returns:
            A named tuple: ``cost``, shape (...), and ``d_X`` for each name X of ``wrt``.

        Raises:
            KeyboardInterrupt: Ctrl-C. Gradients are complete only after the adjoint has returned to the first step:
                until then there are no results to keep.

        >>> from collections import namedtuple
        >>> Next = namedtuple("Next", ["q"])
        >>> @armdyn.function("(n),()->(n)", result=Next)
        ... def shrinking(model, q, factor):
        ...     return Next(factor * q)
        >>> @armdyn.function("(n)->()")
        ... def size(model, q):
        ...     return q @ q
        >>> shrinks = armdyn.functions.CompiledRollout(armdyn.load("planar_2r"), shrinking)
        >>> found = shrinks.gradient(size, ["q", "factor"], [1.0, 2.0], 0.5, steps=3)
        >>> found.cost, found.d_q, found.d_factor  # 0.5^6 q.q, 2 0.5^6 q, 6 0.5^5 q.q
        (array(0.078125), array([0.03125, 0.0625 ]), array(0.9375))
        """
        arguments = self._named_arguments(arrays, named)
        wrt = self._differentiated_by(wrt, arguments)
        compiled_cost = self._cost_function(cost)
        batch, values = self._flat(arguments, steps, workers)
        with nothing_is_kept(f"the gradient of {cost.name} after {steps:,} steps of {self.function.name}"):
            stored = StoredStates(batch, self._loop(tuple(arguments), self.state), values, steps)
            self._hear(stored.loop, batch, values, stored.final, steps)
            value, cotangents = self._seeds(compiled_cost, batch, stored.final)
            initial, over_time = self._backward(stored, cotangents, wrt)
        return named_tuple("Gradient", ["cost", *(f"d_{self._inputs.words.get(name, name)}" for name in wrt)])(
            batch.unflat(value),
            *(batch.rows_unflat(over_time[n]) if n in over_time else batch.unflat(initial[n]) for n in wrt),
        )

    def _compiled_cost(self, cost: Function) -> CompiledFunction:
        """A cost as a compiled function, checked."""
        if not isinstance(cost, Function):
            raise TraceError(
                f"cost={excerpt(cost)} is not a declared function; write @armdyn.function('(n)->()') above it"
            )
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
        result = cost.vjp(*names)(*at, cotangent_out=np.ones_like(value))
        by = dict(zip(names, result if isinstance(result, tuple) else (result,), strict=True))
        zeros = {name: np.zeros(batch.shapes[name], batch.dtype) for name in self.state if name not in by}
        return value, by | zeros

    def _adjoint(self, names: tuple[str, ...], wrt: tuple[str, ...]) -> RolloutKernel:
        """The loop of the adjoint rollout, derived once for each choice of names."""
        if (names, wrt) not in self._adjoints:
            rollout = adjoint_rollout(self._unguarded(names, ()), wrt)
            kernel = self._kernel_of("adjoint", names, wrt, make=lambda: rollout)
            inputs, state = (tuple(port.name for port in ports) for ports in (rollout.inputs, rollout.state))
            self._adjoints[names, wrt] = RolloutKernel(
                kernel, inputs, frozenset(rollout.stepwise), state, rollout.recorded
            )
        return self._adjoints[names, wrt]

    def _backward(self, stored: StoredStates, cotangents: Arrays, wrt: tuple[str, ...]) -> tuple[Arrays, Arrays]:
        """The gradients by the initial state and by held inputs, and those by inputs over time."""
        batch, adjoint = stored.batch, self._adjoint(tuple(stored.values), wrt)
        start = {f"cotangent_{name}": value for name, value in cotangents.items()}
        sums = [name for name in adjoint.state if name.startswith("sum_")]
        start |= {name: np.zeros(batch.shapes[name], batch.dtype) for name in sums}
        result, over_time = backward(stored, adjoint, start, [name for name in wrt if name in self.over_time])
        by = {name: result[f"cotangent_{name}"] for name in self.state}
        return by | {name: result[f"sum_{name}"] for name in wrt if f"sum_{name}" in result}, over_time

    def _shapes(self, names: Iterable[str]) -> dict[str, tuple[int, ...]]:
        """The shapes of the rollout, and those of an adjoint rollout."""
        shapes = super()._shapes(names)
        return {f"{word}_{name}": shape for name, shape in shapes.items() for word in ("cotangent", "sum")} | shapes

    def _loop(self, names: tuple[str, ...], record: tuple[str, ...]) -> RolloutKernel:
        kernel = self._kernel_of("forward", names, record, make=lambda: self._rollout(names, record))
        return RolloutKernel(kernel, names, frozenset(self.over_time), self.state, record)

    def _kernel_of(
        self, kind: str, names: tuple[str, ...], *settings: tuple[str, ...], make: Callable[[], Rollout]
    ) -> Kernel:
        """The kernel of a rollout of a kind, from memory, from disk by its sources, or compiled.

        Args:
            kind: "forward", or which derivative.
            names: the arguments of the step that are given.
            settings: further settings that distinguish it from others of its kind.
            make: traces it.
        """
        key = (kind, names, *settings)
        kernel = self._kernels.get(key)
        if kernel is None:
            source = self._step._source_key((names, ()))
            with undivided():
                if source is None:
                    kernel = kernel_of(make())
                else:
                    kernel = load_or_compile(f"rollout {key} {self.over_time} {source}", make)
            self._kernels[key] = kernel
        return kernel

    def _rollout(self, names: tuple[str, ...], record: Sequence[str]) -> Rollout:
        rollout = self._unguarded(names, record)
        return replace(rollout, step=guarded(rollout.step))

    def _unguarded(self, names: tuple[str, ...], record: Sequence[str]) -> Rollout:
        """The rollout as it is differentiated: a NaN does not spread to independent results."""
        carry = [(name, name) for name in self.state]
        over_time = [name for name in self.over_time if name in names]
        return Rollout(self._step.program(optional_inputs=names), carry, over_time, record)

    def __reduce__(self) -> tuple[Any, ...]:
        require_picklable(self.function)
        settings: dict[str, Any] = {"over_time": self.over_time, "record": self.record, "parameters": self.parameters}
        return partial(CompiledRollout, self.arm, self.function, **settings), ()

    def __repr__(self) -> str:
        return f"<rollout of {self.function.name} of {self.arm.model.name!r}, state {', '.join(self.state)}>"
