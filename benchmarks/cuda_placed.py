"""A kernel with its arrays in the memory of NVIDIA's GPU, by its driver alone."""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from typing import Any

import numpy as np

from armdyn.targets.cuda.driver import Driver
from armdyn.targets.cuda.kernel import THREADS
from benchmarks.cuda_cases import FEW_STEPS, GpuCase
from benchmarks.cuda_memory import Memory

CHECKED = 1000
"""States that are compared."""


class Placed:
    """A kernel with its arrays in the GPU's memory, ready to be launched."""

    def __init__(self, driver: Driver, case: GpuCase, dtype: str, layout: str) -> None:
        self.driver, self.case, self.memory = driver, case, Memory(driver)
        self.kernel = case.source.to_cuda(dtype=dtype)
        self._values: dict[int, list[ctypes.c_int64]] = {}
        self.layout, self.states = layout, case.arrays[0].shape[-1]
        self.function = self.kernel.function(driver, 0, layout)
        self.inputs = [self._laid(a.astype(dtype)) for a in case.arrays]
        outputs = [one for one in self.kernel._arguments if one.is_output]
        shapes = [
            (*one.port.shape, self.states) if layout == "strided" else (self.states, *one.port.shape) for one in outputs
        ]
        self.outputs = [np.empty(shape, dtype) for shape in shapes]
        self.places = [self.memory.sent(a) for a in self.inputs] + [self.memory.new(a.nbytes) for a in self.outputs]

    def _laid(self, array: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
        """The states along the first axis in rows."""
        return array if self.layout == "strided" else np.ascontiguousarray(np.moveaxis(array, -1, 0))

    @property
    def bytes(self) -> int:
        """Read and written, of a state."""
        return sum(a.nbytes for a in (*self.inputs, *self.outputs) if self._is_batch(a)) // self.states

    def _is_batch(self, array: np.ndarray[Any, Any]) -> bool:
        axis = -1 if self.layout == "strided" else 0
        return bool(array.ndim) and array.shape[axis] == self.states

    def launch(self, steps: int = 0) -> None:
        """Run it; of a rollout so many steps."""
        if steps not in self._values:
            self._values[steps] = [ctypes.c_int64(v) for v in self._numbers(steps)]
        shared = THREADS * self.kernel.shared_bytes if self.layout == "packed" else 0
        self.driver.launch(self.function, -(-self.states // THREADS), THREADS, 0, self._values[steps], shared)

    def _numbers(self, steps: int) -> list[int]:
        """The kernel's parameters."""
        numbers = [self.states, *([steps, max(steps, 1)] if self.case.steps else [])]
        for place, array in zip(self.places, (*self.inputs, *self.outputs), strict=True):
            strides = list(array.strides)
            if not self._is_batch(array):
                numbers += [place, 0, *(strides if self.layout == "strided" else [])]
            elif self.layout == "strided":
                numbers += [place, strides[-1], *strides[:-1]]
            else:
                numbers += [place, strides[0]]
        return numbers

    def error(self) -> float:
        """The largest error of the first result, relative to its largest number, beside the processor's float64."""
        self.launch(FEW_STEPS)
        self.driver.wait(0)
        self.memory.fetch(self.outputs[0], self.places[len(self.inputs)])
        few = [a.astype(float) for a in self._few([*self.inputs, self.outputs[0]])]
        expected = self.case.expected(*few[:-1])
        return float(np.abs(few[-1] - expected).max() / np.abs(expected).max())

    def _few(self, arrays: Sequence[np.ndarray[Any, Any]]) -> list[np.ndarray[Any, Any]]:
        """Of the first states, which come first."""
        first = [np.moveaxis(a, -1, 0) if self.layout == "strided" and self._is_batch(a) else a for a in arrays]
        return [a[:CHECKED] if self._is_batch(b) else a for a, b in zip(first, arrays, strict=True)]
