"""The array libraries that kernels support: their streams, and their functions that make arrays.

Results are made by the library of the first array: they are its own arrays, on its GPU, freed by it.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Any, Protocol

from armdyn.base.errors import DTypeError


class CudaLibrary(Protocol):
    """The functions of an array library that the call of a kernel uses."""

    def stream(self, like: object) -> int:
        """The handle of the stream on which the library works now, 0 for the default stream."""

    def ready(self, array: object) -> None:
        """Wait for an array if its library computes it on an unknown stream."""

    def empty(self, shape: Sequence[int], like: object) -> Any:
        """A new array on the GPU of another one, with its type; row-major."""

    def repeated(self, array: object, shape: Sequence[int]) -> Any:
        """A copy with axes repeated."""

    def transposed(self, array: object, axes: Sequence[int]) -> Any:
        """A view with the axes in another order, without a copy; None if the library has no such views."""

    def must_wait(self) -> bool:
        """True if results must be complete before they are returned, because the library's own stream is unknown."""


class CuPy:
    """The functions of CuPy."""

    def __init__(self) -> None:
        self.cupy = sys.modules["cupy"]

    def stream(self, like: Any) -> int:
        """CuPy's current stream on the array's GPU."""
        with like.device:
            return int(self.cupy.cuda.get_current_stream().ptr)

    def ready(self, array: object) -> None:
        """Nothing: it is made on the same stream."""

    def empty(self, shape: Sequence[int], like: Any) -> Any:
        """On the same device."""
        with like.device:
            return self.cupy.empty(tuple(shape), like.dtype)

    def repeated(self, array: object, shape: Sequence[int]) -> Any:
        """A copy."""
        return self.cupy.ascontiguousarray(self.cupy.broadcast_to(array, tuple(shape)))

    def transposed(self, array: Any, axes: Sequence[int]) -> Any:
        """A view."""
        return array.transpose(tuple(axes))

    def must_wait(self) -> bool:
        """No: what follows is on the same stream."""
        return False


class Torch:
    """The functions of PyTorch."""

    def __init__(self) -> None:
        self.torch = sys.modules["torch"]

    def stream(self, like: Any) -> int:
        """PyTorch's current stream on the array's GPU."""
        return int(self.torch.cuda.current_stream(like.device).cuda_stream)

    def ready(self, array: object) -> None:
        """Nothing: it is made on the same stream."""

    def empty(self, shape: Sequence[int], like: Any) -> Any:
        """On the same device."""
        return self.torch.empty(tuple(shape), dtype=like.dtype, device=like.device)

    def repeated(self, array: Any, shape: Sequence[int]) -> Any:
        """A copy."""
        return array.expand(tuple(shape)).contiguous()

    def transposed(self, array: Any, axes: Sequence[int]) -> Any:
        """A view."""
        return array.permute(tuple(axes))

    def must_wait(self) -> bool:
        """No: what follows is on the same stream."""
        return False


class Jax:
    """The functions of JAX; its streams are private, so arrays and results are complete before they are passed on."""

    def __init__(self) -> None:
        from importlib import import_module  # noqa: PLC0415

        self.jax = import_module("jax")

    def stream(self, like: object) -> int:
        """The default stream."""
        return 0

    def ready(self, array: Any) -> None:
        """Wait until the array is computed."""
        array.block_until_ready()

    def empty(self, shape: Sequence[int], like: Any) -> Any:
        """A new array on the device of another one, not shared with other code."""
        result = self.jax.device_put(self.jax.numpy.empty(tuple(shape), like.dtype), next(iter(like.devices())))
        result.block_until_ready()
        return result

    def repeated(self, array: object, shape: Sequence[int]) -> Any:
        """A copy."""
        result = self.jax.numpy.broadcast_to(array, tuple(shape))
        result.block_until_ready()
        return result

    def transposed(self, array: object, axes: Sequence[int]) -> Any:
        """None, because JAX's arrays are row-major."""
        return None

    def must_wait(self) -> bool:
        """True: JAX's stream is unknown."""
        return True


LIBRARIES: dict[str, Any] = {"cupy": CuPy, "torch": Torch, "jaxlib": Jax, "jax": Jax}
"""The libraries by the package of an array's type."""


def library_of(name: str, array: object) -> CudaLibrary:
    """The library of an array.

    Raises:
        DTypeError: if the array is of another library.
    """
    if "Tracer" in {kind.__name__ for kind in type(array).__mro__}:
        raise DTypeError(
            f"{name} is traced by JAX; kernels of to_cuda() run on arrays, outside of jax.jit and jax.grad"
        )
    for kind in type(array).__mro__:
        results = LIBRARIES.get(kind.__module__.split(".")[0])
        if results is not None:
            result: CudaLibrary = results()
            return result
    named = f"{type(array).__module__.split('.')[0]}.{type(array).__qualname__}".removeprefix("builtins.")
    raise DTypeError(
        f"{name} is a {named}; expected an array of CuPy, PyTorch or JAX on a GPU, such as cupy.asarray({name})"
    )
