"""`TorchFunction`: a program as a function of tensors."""

from __future__ import annotations

from typing import Any

from armdyn.base.extras import extra
from armdyn.program.program import Program
from armdyn.targets.named_calls import NamedCall
from armdyn.targets.parallel import checked_workers
from armdyn.targets.torch.checking import align_tensors
from armdyn.targets.torch.operator import Operator, operator_of
from armdyn.targets.torch.rules import Call, in_graph

torch: Any = extra("torch", "to_torch", library="PyTorch")


class TorchFunction(NamedCall):
    """A program as a function of tensors, made by `Program.to_torch`."""

    KIND, LANGUAGE = "tensors", "PyTorch"

    def __init__(self, program: Program, *, name: str | None = None, workers: int | None = None) -> None:
        """Declare it; kernels are compiled when they are first needed."""
        super().__init__(program, name)
        self.workers = workers if workers is None else checked_workers(workers)
        self._operator: Operator = operator_of(program, workers)
        self._in_graph = in_graph(self._operator)

    def __call__(self, *tensors: object, **by_name: object) -> Any:
        """The results for tensors of shape (..., *shape of the array); `align_tensors` raises errors."""
        values = self._bound(tensors, by_name)
        if not values:
            return self._result(*self._constants())
        ready = align_tensors(values, self.program.inputs)
        if torch.compiler.is_compiling():
            return self._result(*self._in_graph(*ready))
        return self._result(*Call.apply(self._operator, *ready))

    @property
    def operator(self) -> Any:
        """The operator of the program, a `torch.library.CustomOpDef`, registered with torch on first use.

        Its tensors have equal leading axes. A graph of `torch.export` can be loaded once its operators are registered.
        """
        return self._operator.op

    def _constants(self) -> list[object]:
        """The results of a program without inputs, in torch's default type."""
        return [torch.as_tensor(array).to(torch.get_default_dtype()) for array in self._operator.evaluation.constants()]

    def __reduce__(self) -> tuple[Any, ...]:
        return _revived, (self.program, self.__name__, self.workers)


def _revived(program: Program, name: str, workers: int | None) -> TorchFunction:
    return TorchFunction(program, name=name, workers=workers)
