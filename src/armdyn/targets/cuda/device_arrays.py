"""`DeviceArray`: an array of another library on a GPU, by ``__cuda_array_interface__`` or DLPack."""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from armdyn.base.errors import DTypeError
from armdyn.targets.cuda.driver import DeviceError

_CUDA = (2, 13)
"""DLPack's kinds of device for memory that a GPU reads: CUDA, and CUDA's managed memory."""

_MOVE = "move it to the GPU first: cupy.asarray(x), torch.as_tensor(x, device='cuda'), jax.device_put(x)"


@dataclass(frozen=True)
class DeviceArray:
    """An array in a GPU's memory.

    ``strides`` are in bytes, for each axis; ``dtype`` is NumPy's name of it; ``keep`` owns the memory.
    """

    pointer: int
    shape: tuple[int, ...]
    strides: tuple[int, ...]
    dtype: str
    keep: Any


def device_array(name: str, value: object, stream: int) -> DeviceArray:
    """The view of an array in a GPU's memory; its own library makes it ready for work on ``stream``.

    Raises:
        DTypeError: if the array has a mask, or holds no floating-point numbers.
    """
    interface = _interface(value)
    if interface is not None:
        return _by_interface(name, interface, value)
    return _by_dlpack(name, value, stream)


def require_on_gpu(name: str, value: object) -> None:
    """Raise for a value that kernels cannot read.

    Raises:
        DeviceError: if the value is not an array on a GPU.
        DTypeError: if the array records gradients.
    """
    if getattr(value, "requires_grad", False):
        raise DTypeError(f"{name} records gradients, which a kernel does not; give {name}.detach()")
    if _interface(value) is None and not _is_on_gpu(value):
        kind = f"{type(value).__module__.split('.')[0]}.{type(value).__qualname__}".removeprefix("builtins.")
        raise DeviceError(f"{name} is a {kind} on the processor; expected an array on a GPU: {_MOVE}")


def _interface(value: object) -> dict[str, object] | None:
    """The mapping ``__cuda_array_interface__``; None without one (PyTorch and JAX raise for arrays elsewhere)."""
    try:
        result = getattr(value, "__cuda_array_interface__", None)
    except (AttributeError, RuntimeError, TypeError):
        return None
    return result if isinstance(result, dict) else None


def _is_on_gpu(value: object) -> bool:
    where = getattr(value, "__dlpack_device__", None)
    return where is not None and int(where()[0]) in _CUDA


def _by_interface(name: str, interface: dict[str, Any], value: object) -> DeviceArray:
    if interface.get("mask") is not None:
        raise DTypeError(f"{name} has a mask, which a kernel does not read; fill it first")
    letter, shape = str(interface["typestr"]), tuple(interface["shape"])
    dtype = {"f4": "float32", "f8": "float64"}.get(letter[1:], letter) if letter[0] in "<|=" else letter
    size = int(letter[2:])
    strides = interface.get("strides")
    return DeviceArray(
        int(interface["data"][0] or 0),
        shape,
        _row_major(shape, size) if strides is None else tuple(strides),
        dtype,
        value,
    )


def _row_major(shape: Sequence[int], size: int) -> tuple[int, ...]:
    strides: list[int] = []
    for extent in reversed(shape):
        strides.insert(0, size)
        size *= max(int(extent), 1)
    return tuple(strides)


class _Tensor(ctypes.Structure):
    """DLTensor of dlpack.h."""

    _fields_ = (
        ("data", ctypes.c_void_p),
        ("device_type", ctypes.c_int32),
        ("device_id", ctypes.c_int32),
        ("ndim", ctypes.c_int32),
        ("code", ctypes.c_uint8),
        ("bits", ctypes.c_uint8),
        ("lanes", ctypes.c_uint16),
        ("shape", ctypes.POINTER(ctypes.c_int64)),
        ("strides", ctypes.POINTER(ctypes.c_int64)),
        ("byte_offset", ctypes.c_uint64),
    )


def _by_dlpack(name: str, value: Any, stream: int) -> DeviceArray:
    """The array by DLPack. The capsule is not consumed, so that it frees itself."""
    capsule = value.__dlpack__(stream=stream or 1)  # 1 is the default stream in DLPack
    pointer_of = ctypes.pythonapi.PyCapsule_GetPointer
    pointer_of.restype, pointer_of.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
    tensor = _Tensor.from_address(pointer_of(capsule, b"dltensor"))
    if tensor.lanes != 1 or tensor.code != 2:  # 2: IEEE floating point
        raise DTypeError(f"{name} holds no plain floating-point numbers; expected float32 or float64")
    shape, size = tuple(tensor.shape[: tensor.ndim]), tensor.bits // 8
    strides = tuple(s * size for s in tensor.strides[: tensor.ndim]) if tensor.strides else _row_major(shape, size)
    at = (tensor.data or 0) + tensor.byte_offset
    return DeviceArray(at, shape, strides, f"float{tensor.bits}", (value, capsule))
