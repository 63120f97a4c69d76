"""The libraries whose arrays kernels take, each as what its tests need: arrays to and from the GPU, streams, work."""

import os
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import Any

import numpy as np
import pytest

os.environ.setdefault("XLA_PYTHON_CLIENT_PREALLOCATE", "false")  # JAX leaves memory to the other libraries

SLOW = 4096
"""Rows of matrices whose product takes a GPU longer than a processor takes to call a kernel."""


class CuPyArrays:
    """Of CuPy."""

    has_views = True

    def __init__(self) -> None:
        self.cupy = pytest.importorskip("cupy")
        if not self.cupy.cuda.is_available():
            pytest.skip("CuPy has no GPU here")

    def given(self, numbers: np.ndarray) -> Any:
        """A copy on the GPU."""
        return self.cupy.array(numbers)

    def numbers(self, array: Any) -> np.ndarray:
        """A copy on the processor, when all work of the current stream is done."""
        return self.cupy.asnumpy(array)

    def stream(self) -> AbstractContextManager[Any]:
        """A new stream, the current one for a while."""
        return self.cupy.cuda.Stream(non_blocking=True)

    def is_idle(self) -> bool:
        """Whether all work on the current stream is done."""
        return bool(self.cupy.cuda.get_current_stream().done)

    def slow(self) -> Callable[[], Any]:
        """Work on the current stream, prepared; its result is a zero."""
        a = self.cupy.ones((SLOW, SLOW))

        def work() -> Any:
            b = a
            for _ in range(20):
                b = (b @ a) * (1.0 / SLOW)
            return b[0, 0] - 1.0

        work()  # so that libraries are loaded
        self.cupy.cuda.Device().synchronize()
        return work


class TorchArrays:
    """Of PyTorch."""

    has_views = True

    def __init__(self) -> None:
        self.torch = pytest.importorskip("torch")
        if not self.torch.cuda.is_available():
            pytest.skip("PyTorch has no GPU here")

    def given(self, numbers: np.ndarray) -> Any:
        """A copy on the GPU."""
        return self.torch.tensor(numbers, device="cuda")

    def numbers(self, array: Any) -> np.ndarray:
        """A copy on the processor, when all work of the current stream is done."""
        return array.cpu().numpy()

    @contextmanager
    def stream(self) -> Iterator[None]:
        """A new stream, the current one for a while."""
        with self.torch.cuda.stream(self.torch.cuda.Stream()):
            yield

    def is_idle(self) -> bool:
        """Whether all work on the current stream is done."""
        return bool(self.torch.cuda.current_stream().query())

    def slow(self) -> Callable[[], Any]:
        """Work on the current stream, prepared; its result is a zero."""
        a = self.torch.ones((SLOW, SLOW), device="cuda", dtype=self.torch.float64)

        def work() -> Any:
            b = a
            for _ in range(20):
                b = (b @ a) * (1.0 / SLOW)
            return b[0, 0] - 1.0

        work()
        self.torch.cuda.synchronize()
        return work


class JaxArrays:
    """Of JAX."""

    has_views = False

    def __init__(self) -> None:
        self.jax = pytest.importorskip("jax")
        if self.jax.default_backend() != "gpu":
            pytest.skip("JAX has no GPU here")
        self.jax.config.update("jax_enable_x64", True)

    def given(self, numbers: np.ndarray) -> Any:
        """A copy on the GPU."""
        return self.jax.device_put(numbers)

    def numbers(self, array: Any) -> np.ndarray:
        """A copy on the processor."""
        return np.array(array)

    def slow(self) -> Callable[[], Any]:
        """Work on JAX's own stream, prepared; its result is a zero."""
        a = self.jax.numpy.ones((SLOW, SLOW))

        @self.jax.jit
        def work(a: Any) -> Any:
            return self.jax.lax.fori_loop(0, 20, lambda _, b: (b @ a) * (1.0 / SLOW), a)[0, 0] - 1.0

        work(a).block_until_ready()
        return lambda: work(a)


ARRAYS = {"cupy": CuPyArrays, "torch": TorchArrays, "jax": JaxArrays}
