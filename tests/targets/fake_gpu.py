"""A GPU that is this processor: a driver with the functions of libcuda, and arrays that say they lie on a GPU.

The driver runs kernels by the code of `targets.cuda_on_cpu`, from the addresses it finds in the launch's parameters. So
everything of a call but the GPU itself is tested, with its numbers.
"""

import ctypes
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from armdyn.targets.cuda.kernel import CudaKernel
from armdyn.targets.cuda.kernel_ir import parameters
from targets.cuda_on_cpu import OnCpu


class FakeArray:
    """An array of the fake library, on one of its GPUs; ``interface`` is how it says where it lies."""

    def __init__(self, numbers: np.ndarray, device: int = 0, interface: str = "cuda") -> None:
        self.numbers, self.device, self._interface = numbers, device, interface
        self.is_ready = False
        self.dtype, self.shape = numbers.dtype, numbers.shape
        PLACES.append((numbers.ctypes.data, device))

    @property
    def __cuda_array_interface__(self) -> dict[str, Any]:
        if self._interface != "cuda":
            raise AttributeError
        found = self.numbers.__array_interface__
        return {key: found[key] for key in ("data", "shape", "strides", "typestr")} | {"version": 3}

    def __dlpack_device__(self) -> tuple[int, int]:
        return (2, self.device)

    def __dlpack__(self, stream: int) -> Any:
        STREAMS.append(stream)
        return self.numbers.__dlpack__()

    def reshape(self, shape: Sequence[int]) -> "FakeArray":
        return FakeArray(self.numbers.reshape(shape), self.device, self._interface)


PLACES: list[tuple[int, int]] = []
STREAMS: list[int] = []


class FakeLibrary:
    """What `armdyn.targets.cuda.libraries` knows of a library."""

    waits = False
    views = True

    def stream(self, like: FakeArray) -> int:
        return 77

    def ready(self, array: FakeArray) -> None:
        array.is_ready = True

    def empty(self, shape: Sequence[int], like: FakeArray) -> FakeArray:
        return FakeArray(np.full(shape, np.nan, like.dtype), like.device, like._interface)

    def repeated(self, array: FakeArray, shape: Sequence[int]) -> FakeArray:
        return FakeArray(np.ascontiguousarray(np.broadcast_to(array.numbers, shape)), array.device, array._interface)

    def transposed(self, array: FakeArray, axes: Sequence[int]) -> FakeArray | None:
        view = array.numbers.transpose(axes)
        return FakeArray(view, array.device, array._interface) if self.views else None

    def must_wait(self) -> bool:
        return self.waits


class WaitingLibrary(FakeLibrary):
    """One whose streams nobody knows, and without transposed views, as JAX."""

    waits, views = True, False


class FakeCuda:
    """The functions of libcuda; ``calls`` are the names of those that were called."""

    def __init__(self, *, devices: int = 2, capability: tuple[int, int] = (9, 0), most_threads: int = 1024) -> None:
        self.devices, self.capability, self.most_threads = devices, capability, most_threads
        self.fails: dict[str, int] = {}
        self.kernel: CudaKernel | None = None
        self.calls: list[str] = []
        self.launches: list[dict[str, Any]] = []
        self.ptx: list[str] = []
        self.current: list[int] = []
        self._code: dict[tuple[str, str, str], OnCpu] = {}

    def __getattr__(self, name: str) -> Callable[..., int]:
        if not name.startswith("cu"):
            raise AttributeError(name)
        method = getattr(type(self), f"_{name}", None)

        def call(*arguments: Any) -> int:
            self.calls.append(name)
            if name in self.fails:
                return self.fails[name]
            if method is not None:
                method(self, *arguments)
            return 0

        return call

    def _cuDeviceGetCount(self, count: Any) -> None:
        count._obj.value = self.devices

    def _cuDeviceGetAttribute(self, value: Any, attribute: Any, device: Any) -> None:
        value._obj.value = {75: self.capability[0], 76: self.capability[1]}[attribute.value]

    def _cuPointerGetAttribute(self, value: Any, attribute: Any, pointer: Any) -> None:
        assert attribute.value == 9
        value._obj.value = next(device for at, device in reversed(PLACES) if at == pointer.value)

    def _cuDevicePrimaryCtxRetain(self, context: Any, device: Any) -> None:
        context._obj.value = 1000 + device.value

    def _cuCtxPushCurrent_v2(self, context: Any) -> None:
        self.current.append(context.value - 1000)

    def _cuCtxPopCurrent_v2(self, context: Any) -> None:
        self.current.pop()

    def _cuModuleLoadDataEx(self, module: Any, text: Any, count: Any, options: Any, values: Any) -> None:
        assert self.current
        self.ptx.append(text.value.decode())
        module._obj.value = len(self.ptx)

    def _cuModuleGetFunction(self, function: Any, module: Any, name: bytes) -> None:
        assert f".entry {name.decode()}(" in self.ptx[module.value - 1]
        function._obj.value = module.value

    def _cuFuncGetAttribute(self, value: Any, attribute: Any, function: Any) -> None:
        value._obj.value = {0: self.most_threads, 4: 64}[attribute.value]

    def _cuLaunchKernel(self, function: Any, *given: Any) -> None:
        grid, stream, places = [g.value for g in given[:7]], given[7].value, given[8]
        assert grid[1:3] == [1, 1]
        assert grid[4:6] == [1, 1]
        assert self.kernel is not None
        strided = len(parameters(self.kernel.program, "strided"))
        layout = "strided" if len(places) == strided else "packed" if grid[6] else "rows"
        assert grid[6] == (grid[3] * self.kernel.shared_bytes if layout == "packed" else 0)
        key = self.kernel.program.digest, self.kernel.dtype, layout
        if key not in self._code:
            self._code[key] = OnCpu(self.kernel.program, self.kernel.dtype, layout)
        code = self._code[key]
        values = [ctypes.c_int64.from_address(places[k]).value for k in range(len(places))]
        self.launches.append({"blocks": grid[0], "threads": grid[3], "stream": stream, "layout": layout})
        code(grid[0] * grid[3], values)

    def _cuGetErrorName(self, code: Any, text: Any) -> None:
        text._obj.value = b"CUDA_ERROR_OF_TEST"

    def _cuGetErrorString(self, code: Any, text: Any) -> None:
        text._obj.value = b"said by the driver"
