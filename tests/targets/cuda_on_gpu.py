"""Kernels run on NVIDIA's GPU with arrays of NumPy, which are copied there and back."""

import ctypes
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from benchmarks.cuda_memory import Memory

from armdyn.base.errors import MissingLibrary
from armdyn.program import Program, Rollout
from armdyn.targets.cuda.driver import Driver, the_driver
from armdyn.targets.cuda.kernel import CudaKernel
from armdyn.targets.cuda.staging import WARP
from targets.cuda_on_cpu import computed
from targets.test_cuda_source import text_of

try:
    the_driver()
except MissingLibrary as error:
    pytest.skip(str(error), allow_module_level=True)  # of the modules that import this one


def on_gpu(
    driver: Driver, function: Any, shared: int, threads: int, values: Sequence[int], arrays: Sequence[np.ndarray]
) -> None:
    """A call of a kernel, with whole warps where it takes shared memory; the context of the GPU is active."""
    memory = Memory(driver)
    try:
        places = {a.ctypes.data: memory.sent(a) for a in arrays if a.size}
        moved = [ctypes.c_int64(places.get(value, value)) for value in values]
        driver.launch(function, 1, WARP if shared else threads, 0, moved, shared)
        driver.wait(0)
        for array in arrays:
            if array.size:
                memory.fetch(array, places[array.ctypes.data])
    finally:
        memory.free()


def run(
    source: Program | Rollout,
    arrays: Sequence[Any],
    *,
    dtype: str = "float64",
    layout: str = "strided",
    steps: int = 0,
    every: int = 1,
) -> list[np.ndarray]:
    """As `targets.cuda_on_cpu.run`, by the kernel's PTX."""
    driver = the_driver()
    with driver.active(0):
        kernel = CudaKernel(source, dtype, "kernel")
        shared = WARP * kernel.shared_bytes if layout == "packed" else 0
        function = kernel.function(driver, 0, layout)
        return computed(partial(on_gpu, driver, function, shared), source, arrays, dtype, layout, steps, every)


class CompiledByNvrtc:
    """As `targets.test_cuda_source.Compiled`, by NVIDIA's run-time compiler, which CuPy calls."""

    def __init__(self, sources: Sequence[Program | Rollout], dtype: str, layout: str, folder: Path) -> None:
        cupy = pytest.importorskip("cupy")
        self.module = cupy.RawModule(code=text_of(sources, dtype, layout), backend="nvrtc")
        self.sources, self.dtype, self.layout = list(sources), dtype, layout

    def run(self, number: int, arrays: Sequence[np.ndarray], *, steps: int = 0, every: int = 1) -> list[np.ndarray]:
        """The outputs."""
        driver, function = the_driver(), ctypes.c_void_p(self.module.get_function(f"kernel{number}").kernel.ptr)
        with driver.active(0):
            call = partial(on_gpu, driver, function, 0)
            return computed(call, self.sources[number], arrays, self.dtype, self.layout, steps, every)
