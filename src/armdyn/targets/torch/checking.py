"""Checks of the tensors given to a program: their shapes, types and devices."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from armdyn.base.errors import DTypeError, Unsupported
from armdyn.base.extras import extra
from armdyn.program.ports import Port
from armdyn.targets.shapes import leading_axes, no_broadcast
from armdyn.targets.torch.evaluation import batch_of

if TYPE_CHECKING:
    from torch import Tensor

torch: Any = extra("torch", "armdyn.targets.torch", library="PyTorch")

_TYPES = (torch.float64, torch.float32)
_LOWERED = (torch.bfloat16, torch.float16)
"""The types to which `torch.autocast` lowers the results of layers."""

_DEVICES = ("cpu", "meta")


def align_tensors(tensors: Sequence[Tensor], ports: Sequence[Port]) -> list[object]:
    """The tensors, checked, with leading axes broadcast; no memory is copied.

    Under `torch.autocast` tensors of lower precision are computed in float32, or in float64 if another one has that, as
    PyTorch does with its own functions that need the precision.

    Raises:
        TypeError: if a value is not a tensor.
        DTypeError: if tensors have other types than float32 and float64, or both.
        ShapeError: if a tensor's last axes are not the array's, or leading axes do not broadcast.
        Unsupported: if tensors are on other devices than the CPU, or have a sparse layout.
    """
    dtype = _common_type(tensors)
    tensors = [tensor.to(dtype) if _is_lowered(tensor) else tensor for tensor in tensors]
    for tensor, port in zip(tensors, ports, strict=True):
        _check(tensor, port, dtype)
    _check_same_type(tensors, ports)
    return _broadcast(tensors, ports)


def _common_type(tensors: Sequence[object]) -> Any:
    """The common type of the tensors: float64 if any has it, else float32."""
    types = [getattr(tensor, "dtype", None) for tensor in tensors]
    return next((dtype for dtype in _TYPES if dtype in types), torch.float32)


def _is_lowered(tensor: Tensor) -> bool:
    """True if `torch.autocast` is on and has lowered the precision of a tensor."""
    is_low = isinstance(tensor, torch.Tensor) and tensor.dtype in _LOWERED
    return is_low and bool(torch.is_autocast_enabled(tensor.device.type))


def _check(tensor: object, port: Port, dtype: Any) -> None:
    if not isinstance(tensor, torch.Tensor):
        kind = f"{type(tensor).__module__}.{type(tensor).__qualname__}".removeprefix("builtins.")
        raise TypeError(f"{port.name} is a {kind}; expected a torch.Tensor: torch.as_tensor({port.name})")
    if tensor.dtype not in _TYPES:
        raise DTypeError(
            f"{port.name} is a tensor of {tensor.dtype}; expected torch.float64 or torch.float32: "
            f"{port.name}.to({dtype})"
        )
    if tensor.device.type not in _DEVICES:
        raise Unsupported(
            f"{port.name} is on the device {str(tensor.device)!r}; these kernels run on the CPU: {port.name}.cpu(), "
            "and the result .to(device)"
        )
    if tensor.layout is not torch.strided:
        raise Unsupported(
            f"{port.name} has the layout {tensor.layout}; expected a dense tensor: {port.name}.to_dense()"
        )
    leading_axes(tensor.shape, port)


def _check_same_type(tensors: Sequence[Tensor], ports: Sequence[Port]) -> None:
    for tensor, port in zip(tensors, ports, strict=True):
        if tensor.dtype is not tensors[0].dtype:
            raise DTypeError(
                f"{ports[0].name} is a tensor of {tensors[0].dtype} and {port.name} one of {tensor.dtype}; expected "
                f"one type: {port.name}.to({ports[0].name}.dtype)"
            )
        if tensor.device != tensors[0].device:
            raise Unsupported(
                f"{ports[0].name} is on the device {str(tensors[0].device)!r} and {port.name} on "
                f"{str(tensor.device)!r}; expected one device"
            )


def _broadcast(tensors: Sequence[Tensor], ports: Sequence[Port]) -> list[Tensor]:
    batches = [batch_of(tensor, port) for tensor, port in zip(tensors, ports, strict=True)]
    if all(batch == batches[0] for batch in batches):
        return list(tensors)
    try:
        whole = torch.broadcast_shapes(*batches)
    except RuntimeError:
        raise no_broadcast(ports, batches) from None
    return [
        tensor if batch == whole else tensor.expand(*whole, *port.shape)
        for tensor, port, batch in zip(tensors, ports, batches, strict=True)
    ]
