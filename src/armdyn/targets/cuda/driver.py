"""`Driver`: the functions of NVIDIA's driver that kernels need, by ctypes, from libcuda of the GPU's driver.

Work is done in the primary context of a GPU, which CuPy, PyTorch, JAX and CUDA's runtime use as well; so their arrays
and streams are valid here.
"""

from __future__ import annotations

import ctypes
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from ctypes import byref, c_char_p, c_int, c_uint, c_void_p
from functools import cache
from typing import Any

from armdyn.base.errors import ArmdynError, MissingLibrary
from armdyn.targets.cuda.ptxas import AssemblerError

# Constants of cuda.h.
_MAJOR, _MINOR = 75, 76
_DEVICE_ORDINAL = 9
_MOST_THREADS, _LOCAL_BYTES, _REGISTERS = 0, 3, 4
_ERROR_LOG, _ERROR_LOG_BYTES = 5, 6
_LOG_BYTES = 8192
_NO_DEVICE = 100

_MISSING = "without it there are .ptx and .source, and the same function on the processor"


class CudaError(ArmdynError, RuntimeError):
    """A call that NVIDIA's driver refuses, with the driver's error message."""


class DeviceError(ArmdynError, ValueError):
    """Arrays that are not on one GPU together."""


class Driver:
    """NVIDIA's driver, initialised.

    Args:
        library: a `ctypes.CDLL` with the functions of libcuda.

    Raises:
        MissingLibrary: if there is no GPU.
        CudaError: if the driver does not start.
    """

    def __init__(self, library: Any) -> None:
        self._library = library
        code = int(library.cuInit(c_uint(0)))
        count = c_int(0)
        if code == 0:
            self._call("cuDeviceGetCount", byref(count))
        if code == _NO_DEVICE or (code == 0 and count.value == 0):
            raise MissingLibrary(f"NVIDIA's driver is here, but no GPU that it can use; {_MISSING}")
        if code:
            raise CudaError(f"cuInit: {self._error_text(code)}; is the GPU's driver loaded (nvidia-smi)?")
        self.count: int = count.value
        self._contexts: dict[int, c_void_p] = {}

    def capability(self, device: int) -> tuple[int, int]:
        """The compute capability of a GPU, e.g. (9, 0)."""
        return self._attribute(device, _MAJOR), self._attribute(device, _MINOR)

    def device_of(self, pointer: int) -> int:
        """The GPU whose memory a pointer points to."""
        device = c_int(-1)
        self._call("cuPointerGetAttribute", byref(device), c_int(_DEVICE_ORDINAL), c_void_p(pointer))
        return int(device.value)

    @contextmanager
    def active(self, device: int) -> Iterator[None]:
        """A context manager with the primary context of a GPU as this thread's current one."""
        if device not in self._contexts:
            context = c_void_p()
            self._call("cuDevicePrimaryCtxRetain", byref(context), c_int(device))
            self._contexts[device] = context
        self._call("cuCtxPushCurrent_v2", self._contexts[device])
        try:
            yield
        finally:
            self._call("cuCtxPopCurrent_v2", byref(c_void_p()))

    def load(self, ptx: str, kernel: str) -> c_void_p:
        """The kernel of a PTX module, compiled for the GPU of the active context; it stays loaded.

        Raises:
            AssemblerError: if the driver refuses the PTX, with its compiler's message.
        """
        module, function = c_void_p(), c_void_p()
        log = ctypes.create_string_buffer(_LOG_BYTES)
        options = (c_int * 2)(_ERROR_LOG, _ERROR_LOG_BYTES)
        values = (c_void_p * 2)(ctypes.addressof(log), _LOG_BYTES)
        text = ctypes.create_string_buffer(ptx.encode())
        code = int(self._library.cuModuleLoadDataEx(byref(module), text, c_uint(2), options, values))
        if code:
            label = log.value.decode(errors="replace").strip()
            raise AssemblerError(f"the driver refuses the PTX of {kernel}: {self._error_text(code)} {label}".strip())
        self._call("cuModuleGetFunction", byref(function), module, kernel.encode())
        return function

    def registers(self, function: c_void_p) -> int:
        """The registers per thread of a loaded kernel."""
        return self._function_attribute(function, _REGISTERS)

    def local_bytes(self, function: c_void_p) -> int:
        """The local memory per thread of a loaded kernel, for spilled registers and stack, bytes."""
        return self._function_attribute(function, _LOCAL_BYTES)

    def most_threads(self, function: c_void_p) -> int:
        """The most threads per block that the registers of a loaded kernel allow."""
        return self._function_attribute(function, _MOST_THREADS)

    def launch(
        self, function: c_void_p, blocks: int, threads: int, stream: int, values: Sequence[Any], shared: int = 0
    ) -> None:
        """Run a kernel on a stream.

        Args:
            function: the kernel.
            blocks: the number of blocks.
            threads: the threads per block.
            stream: the stream's handle; 0 is the default stream.
            values: the values of the parameters, ctypes objects.
            shared: the shared memory of a block, bytes.
        """
        places = (c_void_p * max(len(values), 1))(*(ctypes.addressof(v) for v in values))
        shape = [c_uint(n) for n in (blocks, 1, 1, threads, 1, 1, shared)]
        self._call("cuLaunchKernel", function, *shape, c_void_p(stream or None), places, None)

    def wait(self, stream: int) -> None:
        """Wait for all work on a stream."""
        self._call("cuStreamSynchronize", c_void_p(stream or None))

    def _attribute(self, device: int, attribute: int) -> int:
        value = c_int(0)
        self._call("cuDeviceGetAttribute", byref(value), c_int(attribute), c_int(device))
        return int(value.value)

    def _function_attribute(self, function: c_void_p, attribute: int) -> int:
        value = c_int(0)
        self._call("cuFuncGetAttribute", byref(value), c_int(attribute), function)
        return int(value.value)

    def _call(self, name: str, *arguments: object) -> None:
        code = int(getattr(self._library, name)(*arguments))
        if code:
            raise CudaError(f"{name}: {self._error_text(code)}")

    def _error_text(self, code: int) -> str:
        """The driver's name and description of an error code."""
        words = []
        for name in ("cuGetErrorName", "cuGetErrorString"):
            text = c_char_p()
            getattr(self._library, name)(c_int(code), byref(text))
            words.append((text.value or b"?").decode())
        return f"{words[0]} ({code}, {words[1]})"


@cache
def the_driver() -> Driver:
    """The driver of this machine.

    Raises:
        MissingLibrary: if there is no driver, or no GPU.
    """
    name = "nvcuda.dll" if sys.platform == "win32" else "libcuda.so.1"
    try:
        library = ctypes.CDLL(name)
    except OSError:
        raise MissingLibrary(
            f"to_cuda runs kernels by NVIDIA's driver ({name}), which is not here; {_MISSING}"
        ) from None
    return Driver(library)
