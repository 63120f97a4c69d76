"""`TorchFunction`: a program as a function of tensors."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from inspect import Parameter, Signature
from keyword import kwlist
from typing import Any

from armdyn.extras import extra
from armdyn.named_tuples import named_tuple
from armdyn.program.program import Port, Program
from armdyn.targets.identifiers import identifier, identifiers
from armdyn.targets.torch.checking import aligned
from armdyn.targets.torch.operator import Operator, operator_of
from armdyn.targets.torch.rules import Call, in_graph

torch: Any = extra("torch", "to_torch", library="PyTorch")


class TorchFunction:
    """A program as a function of tensors, made by `Program.to_torch`, where it is described."""

    def __init__(self, program: Program, *, name: str | None = None, workers: int | None = None) -> None:
        """Declare it; kernels are compiled when they are first needed."""
        self.program = program
        self.workers = workers
        self.__name__ = name or program.name
        self._operator: Operator = operator_of(program, workers)
        self._in_graph = in_graph(self._operator)
        self._names = list(identifiers((port.name for port in program.inputs), "PyTorch", kwlist).values())
        fields = list(identifiers((port.name for port in program.outputs), "PyTorch", kwlist).values())
        self._result = named_tuple(identifier(self.__name__, kwlist), fields) if len(fields) > 1 else _only
        self.__signature__ = Signature([Parameter(n, Parameter.POSITIONAL_OR_KEYWORD) for n in self._names])

    def __call__(self, *tensors: Any, **by_name: Any) -> Any:
        """The results for tensors of shape (..., *shape of the array); see `aligned` for errors."""
        given = self._bound(tensors, by_name) if by_name or len(tensors) != len(self._names) else tensors
        if not given:
            return self._result(*self._constants())
        ready = aligned(given, self.program.inputs)
        if torch.compiler.is_compiling():
            return self._result(*self._in_graph(*ready))
        return self._result(*Call.apply(self._operator, *ready))

    @property
    def operator(self) -> Any:
        """The operator behind it, a `torch.library.CustomOpDef`, registered with torch when it is first asked for.

        Its tensors have equal leading axes. A graph of `torch.export` is loaded where its operators are registered.
        """
        return self._operator.op

    def _bound(self, tensors: Sequence[Any], by_name: Mapping[str, Any]) -> list[Any]:
        """The tensors in the order of the arrays."""
        rest = self._names[len(tensors) :]
        if len(tensors) > len(self._names) or set(rest) != set(by_name):
            names = ", ".join(self._names)
            got = ", ".join([f"{len(tensors)} by position", *by_name])
            raise TypeError(f"{self.__name__}() takes {len(self._names)} tensors ({names}); got {got}")
        return [*tensors, *(by_name[name] for name in rest)]

    def _constants(self) -> list[Any]:
        """The results of a program without inputs, in torch's default type."""
        return [torch.as_tensor(array).to(torch.get_default_dtype()) for array in self._operator.evaluation.constants()]

    def __repr__(self) -> str:
        inputs, outputs = (", ".join(map(_shown, ports)) for ports in (self.program.inputs, self.program.outputs))
        return f"<{self.__name__}({inputs}) -> {outputs} of PyTorch tensors>"

    def __reduce__(self) -> tuple[Any, ...]:
        return _revived, (self.program, self.__name__, self.workers)


def _revived(program: Program, name: str, workers: int | None) -> TorchFunction:
    return TorchFunction(program, name=name, workers=workers)


def _only(result: Any) -> Any:
    return result


def _shown(port: Port) -> str:
    return f"{port.name}[{'x'.join(map(str, port.shape))}]" if port.shape else port.name
