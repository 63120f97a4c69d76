"""The rules of a program in torch's transforms outside of `torch.compile`: reverse and forward mode, vmap.

Operators of `torch.library` have no forward mode, so an `autograd.Function` wraps them, which has. Its rules call
the function itself with the operators of derivatives, so that all transforms can be nested.
"""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module
from inspect import signature
from typing import TYPE_CHECKING, Any

from armdyn.base.extras import extra
from armdyn.targets.torch.evaluation import as_array
from armdyn.targets.torch.operator import Operator, in_front

if TYPE_CHECKING:
    from torch import Tensor

torch: Any = extra("torch", "armdyn.targets.torch", library="PyTorch")


is_in_torch_dispatch_mode = import_module("torch.utils._python_dispatch").is_in_torch_dispatch_mode
_PLAIN = (torch.Tensor, torch.nn.Parameter)


class Call(torch.autograd.Function):  # type: ignore[misc]  # torch is Any here, installed or not
    """The results of an operator, a tuple; its arguments are the operator and the tensors."""

    @staticmethod
    def forward(operator: Operator, *tensors: object) -> tuple[object, ...]:
        """The results."""
        arrays = _memory_of(tensors)
        return operator(*tensors) if arrays is None else tuple(operator.evaluation.of_arrays(tensors, arrays))

    @staticmethod
    def setup_context(ctx: Any, inputs: tuple[object, ...], output: object) -> None:
        """Save the inputs; derivatives are functions of them."""
        operator, *tensors = inputs
        ctx.operator = operator
        ctx.save_for_backward(*tensors)
        ctx.save_for_forward(*tensors)
        ctx.set_materialize_grads(False)

    @staticmethod
    def backward(ctx: Any, *cotangents: object) -> tuple[object, ...]:
        """J^T y_bar for the tensors that need it."""
        return None, *ctx.operator.backward(ctx.saved_tensors, cotangents, ctx.needs_input_grad[1:], Call.apply)

    @staticmethod
    def jvp(ctx: Any, _: None, *tangents: object) -> tuple[object, ...]:
        """J x_dot along the given tangents."""
        wrt = tuple(k for k, tangent in enumerate(tangents) if tangent is not None)
        along = ctx.operator.tangent(wrt)
        results: tuple[Any, ...] = Call.apply(along, *ctx.saved_tensors, *(tangents[k] for k in wrt))
        return results

    @staticmethod
    def vmap(info: Any, in_dims: tuple[object, ...], operator: Operator, *tensors: object) -> tuple[object, object]:
        """The results with the mapped axis as one more leading axis."""
        results = Call.apply(operator, *in_front(info.batch_size, in_dims[1:], tensors))
        return results, (0,) * len(results)


def _memory_of(tensors: Sequence[Tensor]) -> list[object] | None:
    """The tensors as arrays; None if torch records or simulates operators, so that the operator must be called."""
    if is_in_torch_dispatch_mode() or not all(type(tensor) in _PLAIN and tensor.is_cpu for tensor in tensors):
        return None
    try:
        return list(map(as_array, tensors))
    except RuntimeError:  # tensors of transforms, e.g. functionalize and the vmap inside torch.autograd.functional
        return None


# torch binds the arguments of each call to its signature; with a stored signature that takes a third of the time.
Call.forward.__signature__ = signature(Call.forward)  # type: ignore[attr-defined]


def in_graph(operator: Operator) -> Any:
    """The results of an operator, as a function that `torch.compile` puts into its graph as one node."""

    def call(*tensors: object) -> tuple[object, ...]:
        results: tuple[Any, ...] = Call.apply(operator, *tensors)
        return results

    return torch.compiler.allow_in_graph(call)
