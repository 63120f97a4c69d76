"""How a program takes part in torch's transforms outside of `torch.compile`: reverse and forward mode, vmap.

Operators of `torch.library` have no forward mode, so there is an `autograd.Function` round them, which has. Its rules
call itself, with the operators of derivatives: so every transform takes the result of every other.
"""

from __future__ import annotations

from typing import Any

from armdyn.extras import extra
from armdyn.targets.torch.operator import Operator, in_front

torch: Any = extra("torch", "armdyn.targets.torch", library="PyTorch")


class Call(torch.autograd.Function):  # type: ignore[misc]  # torch is Any here, installed or not
    """The results of an operator, a tuple; its arguments are the operator and the tensors."""

    @staticmethod
    def forward(operator: Operator, *tensors: Any) -> tuple[Any, ...]:
        """The results."""
        return operator(*tensors)

    @staticmethod
    def setup_context(ctx: Any, inputs: tuple[Any, ...], output: Any) -> None:
        """Keep the inputs; derivatives are functions of them."""
        operator, *tensors = inputs
        ctx.operator = operator
        ctx.save_for_backward(*tensors)
        ctx.save_for_forward(*tensors)
        ctx.set_materialize_grads(False)

    @staticmethod
    def backward(ctx: Any, *cotangents: Any) -> tuple[Any, ...]:
        """J^T y_bar for the tensors that need it."""
        return None, *ctx.operator.backward(ctx.saved_tensors, cotangents, ctx.needs_input_grad[1:], Call.apply)

    @staticmethod
    def jvp(ctx: Any, _: None, *tangents: Any) -> tuple[Any, ...]:
        """J x_dot along the tangents there are."""
        wrt = tuple(k for k, tangent in enumerate(tangents) if tangent is not None)
        along = ctx.operator.tangent(wrt)
        results: tuple[Any, ...] = Call.apply(along, *ctx.saved_tensors, *(tangents[k] for k in wrt))
        return results

    @staticmethod
    def vmap(info: Any, in_dims: tuple[Any, ...], operator: Operator, *tensors: Any) -> tuple[Any, Any]:
        """The mapped axis is one more leading axis."""
        results = Call.apply(operator, *in_front(info.batch_size, in_dims[1:], tensors))
        return results, (0,) * len(results)
