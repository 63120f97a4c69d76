"""`Operator`: a program as an operator of torch, with the operators of its derivatives."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from armdyn.base.extras import extra
from armdyn.base.threads import Once, cached_property
from armdyn.program.program import Program
from armdyn.targets.identifiers import identifier
from armdyn.targets.torch.evaluation import KernelCalls, batch_of

if TYPE_CHECKING:
    from torch import Tensor

torch: Any = extra("torch", "armdyn.targets.torch", library="PyTorch")

Which = tuple[int, ...]
"""Some of a program's inputs or outputs, by position."""

_operators: Once[tuple[str, int | None], Operator] = Once()


def operator_of(program: Program, workers: int | None) -> Operator:
    """The operator of a program, one object for all calls; like its machine code it is never freed."""
    return _operators.get((program.digest, workers), lambda: Operator(program, workers))


class Operator:
    """A program as an operator of torch; the leading axes of all its tensors are equal.

    ``op`` is registered with torch by the digest of the program: it takes one tensor for each input and returns a list
    of tensors. In graphs of `torch.compile` it is the node, with its own derivatives. Elsewhere `rules` apply.
    """

    def __init__(self, program: Program, workers: int | None) -> None:
        self.program = program
        self.workers = workers
        self.evaluation = KernelCalls(program, workers)
        self._products: dict[tuple[str, Which, Which], Operator] = {}

    def adjoint(self, of: Which, wrt: Which) -> Operator:
        """The operator of the tensors and the cotangents of some outputs that returns the cotangents of some inputs."""
        return self._product("vjp", of, wrt)

    def tangent(self, wrt: Which) -> Operator:
        """The operator of the tensors and the tangents of some inputs that returns the tangents of all outputs."""
        return self._product("jvp", tuple(range(len(self.program.outputs))), wrt)

    def _product(self, kind: str, of: Which, wrt: Which) -> Operator:
        key = (kind, of, wrt)
        if key not in self._products:
            outputs, inputs = [self.program.outputs[k].name for k in of], [self.program.inputs[k].name for k in wrt]
            product = getattr(self.program, kind)(of=outputs, wrt=inputs)
            self._products[key] = operator_of(product, self.workers)
        return self._products[key]

    @cached_property
    def op(self) -> Any:
        """The operator registered with torch."""
        return _registered.get((self.program.digest, self.workers), self._register)

    def _register(self) -> Any:
        name = f"{identifier(self.program.name)}_{self.program.digest[:24]}"
        suffix = "" if self.workers is None else f"_{self.workers}_workers".replace("-", "minus_")
        arguments = ", ".join(f"Tensor x{k}" for k in range(len(self.program.inputs)))
        results = ", ".join(["Tensor"] * len(self.program.outputs))
        definition = torch.library.custom_op(
            f"armdyn::{name}{suffix}",
            lambda *tensors: self._as_schema(self.evaluation(*tensors)),
            mutates_args=(),
            device_types="cpu",
            schema=f"({arguments}) -> {results}" if len(self.program.outputs) == 1 else f"({arguments}) -> ({results})",
        )
        definition.register_fake(self._fake)
        definition.register_autograd(self._backward, setup_context=self._setup_context)
        definition.register_vmap(self._vmap)
        return definition

    def __call__(self, *tensors: object) -> tuple[Tensor, ...]:
        """The results by ``op``."""
        results = self.op(*tensors)
        return (results,) if len(self.program.outputs) == 1 else tuple(results)

    def _as_schema(self, results: list[Any]) -> Any:
        return results[0] if len(results) == 1 else tuple(results)

    def _fake(self, *tensors: object) -> Any:
        batch = batch_of(tensors[0], self.program.inputs[0])
        return self._as_schema(self.evaluation.empty_results(tensors[0], batch))

    @staticmethod
    def _setup_context(ctx: Any, inputs: tuple[object, ...], output: object) -> None:
        ctx.save_for_backward(*inputs)
        ctx.set_materialize_grads(False)

    def _backward(self, ctx: Any, *cotangents: object) -> tuple[object, ...]:
        return self.backward(ctx.saved_tensors, cotangents, ctx.needs_input_grad, Operator.__call__)

    def backward(self, tensors: Tensor, cotangents: Tensor, needed: Any, call: Any) -> tuple[Tensor, ...]:
        """The cotangents of the inputs that need one, None for others; ``call`` evaluates an operator."""
        of = tuple(k for k, cotangent in enumerate(cotangents) if cotangent is not None)
        wrt = tuple(k for k, is_needed in enumerate(needed) if is_needed)
        if not (of and wrt):
            return (None,) * len(needed)
        result = dict(zip(wrt, call(self.adjoint(of, wrt), *tensors, *(cotangents[k] for k in of)), strict=True))
        return tuple(result.get(k) for k in range(len(needed)))

    def _vmap(self, info: Any, in_dims: object, *tensors: object) -> Any:
        results = self(*in_front(info.batch_size, in_dims, tensors))
        return self._as_schema(list(results)), self._as_schema([0] * len(results))


_registered: Once[tuple[str, int | None], Any] = Once()


def in_front(size: int, in_dims: Any, tensors: Tensor) -> list[object]:
    """Tensors with the mapped axis in front; those without one are expanded along it, without copying memory."""
    return [
        tensor.expand(size, *tensor.shape) if dim is None else tensor.movedim(dim, 0)
        for dim, tensor in zip(in_dims, tensors, strict=True)
    ]
