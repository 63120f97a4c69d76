"""A program on tensors of the CPU: the compiled kernel reads and writes their memory through NumPy's views of it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from armdyn.base.extras import extra
from armdyn.base.threads import cached_property
from armdyn.program.guard import guarded
from armdyn.program.interpret import interpret
from armdyn.program.ports import Port
from armdyn.program.program import Program
from armdyn.targets.kernels import Kernel, kernel_of
from armdyn.targets.parallel import run_in_parallel

if TYPE_CHECKING:
    from torch import Tensor

torch: Any = extra("torch", "armdyn.targets.torch", library="PyTorch")


class KernelCalls:
    """Calls of a program's kernel, without empty arrays, for which NumPy makes no ufunc."""

    def __init__(self, program: Program, workers: int | None) -> None:
        self.program = program
        self.workers = workers
        self._inputs, self._outputs = _with_numbers(program.inputs), _with_numbers(program.outputs)

    def __call__(self, *tensors: object) -> list[Tensor]:
        """The results, new tensors; the leading axes of all tensors are equal."""
        return self.of_arrays(tensors, list(map(as_array, tensors)))

    def of_arrays(self, tensors: Sequence[Tensor], arrays: Sequence[object]) -> list[object]:
        """The results for tensors, given their views as arrays."""
        results = self.empty_results(tensors[0], batch_of(tensors[0], self.program.inputs[0]))
        out = tuple(results[k].numpy() for k in self._outputs)
        if not self._inputs:
            for place, constant in zip(out, self.constants(), strict=True):
                place[...] = constant
        elif out:
            self._run(tensors[0].dtype)(*(arrays[k] for k in self._inputs), out=out)
        return results

    def empty_results(self, like: Tensor, batch: Sequence[int]) -> list[Tensor]:
        """Tensors for the results, of any contents; on the device and of the type of ``like``."""
        return [like.new_empty((*batch, *port.shape)) for port in self.program.outputs]

    def constants(self) -> list[Tensor]:
        """The results of a program without numbers as inputs, as arrays."""
        some = [np.empty(port.shape) for port in self.program.inputs]
        results = interpret(self.program, *some)
        return [results[k] for k in self._outputs]

    def _run(self, dtype: object) -> Callable[..., Any]:
        kernel = self._kernel
        function = kernel.for_float64 if dtype is torch.float64 else kernel.for_any()
        return function if self.workers is None else partial(run_in_parallel, function, self.workers)

    @cached_property
    def _kernel(self) -> Kernel:
        inputs, outputs = (
            tuple(ports[k] for k in cache)
            for ports, cache in ((self.program.inputs, self._inputs), (self.program.outputs, self._outputs))
        )
        return kernel_of(guarded(replace(self.program, inputs=inputs, outputs=outputs)))


def _with_numbers(ports: Sequence[Port]) -> list[int]:
    return [k for k, port in enumerate(ports) if port.size]


def batch_of(tensor: Tensor, port: Port) -> tuple[int, ...]:
    """The leading axes of a tensor."""
    return tuple(tensor.shape[: tensor.ndim - len(port.shape)])


def as_array(tensor: Tensor) -> Any:
    """NumPy's view of a tensor's memory."""
    return tensor.detach().resolve_neg().numpy()
