"""The derivative of a rollout along tangents: forward sensitivity, carried with the state in one compiled loop."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from armdyn.declaration import Argument
from armdyn.functions.rollout_call import RolloutCall
from armdyn.functions.rollout_runs import Arrays, Batch, RolloutKernel
from armdyn.program import Rollout, guarded
from armdyn.program.ports import unused
from armdyn.program.rollout_products import tangent_rollout

if TYPE_CHECKING:
    from armdyn.functions.rollouts import CompiledRollout


class RolloutJvp(RolloutCall):
    """J v of a rollout: x_dot[k+1] = f_x x_dot[k] + f_u u_dot[k], with x the state and u the inputs of each step f.

    Its results are named and shaped as those of the rollout; they are the rates of those. It takes one more array
    ``tangent_X`` for each X of ``wrt``, over time if X is. Tangents of states that are not in ``wrt`` begin at zero.

    Args:
        primal: the rollout.
        wrt: arguments of the step that change, checked.
    """

    def __init__(self, primal: CompiledRollout, wrt: Sequence[str]) -> None:
        self.primal, self.wrt = primal, tuple(wrt)
        function, inputs = primal.function, primal._inputs
        self._changing = (*primal.state, *(name for name in self.wrt if name not in primal.state))
        self._tangents: dict[str, str] = {}
        for name in self._changing:
            names = [*inputs.positional, *self._tangents.values()]
            self._tangents[name] = unused(f"tangent_{inputs.words.get(name, name)}", names)
        arguments = [dataclasses.replace(a, optional=a.optional and a.name not in wrt) for a in function.arguments]
        vectors = [Argument(self._tangents[name], inputs.shapes[name]) for name in self.wrt]
        super().__init__(
            primal.arm,
            dataclasses.replace(
                function,
                name="_".join([function.name, "jvp", *(inputs.words.get(name, name) for name in self.wrt)]),
                arguments=(*arguments, *vectors),
            ),
            parameters=primal.parameters,
            behind=[vector.name for vector in vectors],
            over_time=[*primal.over_time, *(self._tangents[name] for name in self.wrt if name in primal.over_time)],
            state=primal.state,
            record=primal.record,
        )

    def _rollout(self, names: tuple[str, ...], record: Sequence[str]) -> Rollout:
        tangent = tangent_rollout(self.primal._unguarded(self._of_primal(names), record), self._changing)
        return dataclasses.replace(tangent, step=guarded(tangent.step))

    def _loop(self, names: tuple[str, ...], record: tuple[str, ...]) -> RolloutKernel:
        own = self._of_primal(names)
        kernel = self.primal._kernel_of("tangent", own, record, self.wrt, make=lambda: self._rollout(names, record))
        tangents = [self._tangents[name] for name in self._changing]
        state = (*self.state, *map(self._in_loop, self.state))
        return RolloutKernel(kernel, (*own, *tangents), frozenset(self.over_time), state, record)

    def _of_primal(self, names: Iterable[str]) -> tuple[str, ...]:
        """The arguments that the rollout itself takes."""
        return tuple(name for name in names if name in self.primal._inputs.positional)

    def _in_loop(self, name: str) -> str:
        """The loop carries the state, and its tangents under the names of arguments."""
        return self._tangents[name]

    def _shapes(self, names: Iterable[str]) -> dict[str, tuple[int, ...]]:
        """The shapes of the rollout, and those of all tangents."""
        shapes = super()._shapes(names)
        return shapes | {tangent: shapes[name] for name, tangent in self._tangents.items()}

    def _flat(self, arguments: Mapping[str, Any], steps: int, workers: int | None) -> tuple[Batch, Arrays]:
        """The arrays of the rollout, and the tangents that begin at zero."""
        batch, values = super()._flat(arguments, steps, workers)
        still = [self._tangents[name] for name in self.state if name not in self.wrt]
        return batch, values | {tangent: np.zeros(batch.shapes[tangent], batch.dtype) for tangent in still}

    def __reduce__(self) -> tuple[Any, ...]:
        return RolloutJvp, (self.primal, self.wrt)

    def __repr__(self) -> str:
        return f"<derivative of {self.primal!r} along tangents of {', '.join(self.wrt)}>"
