"""Memory and times of NVIDIA's GPU, by its driver alone."""

from __future__ import annotations

from collections.abc import Callable
from ctypes import byref, c_float, c_size_t, c_uint, c_uint64, c_void_p
from statistics import median
from typing import Any

import numpy as np

from armdyn.targets.cuda.driver import Driver


class Memory:
    """Memory and times of the GPU whose context is active."""

    def __init__(self, driver: Driver) -> None:
        self.driver = driver
        self._places: list[c_uint64] = []

    def new(self, size: int) -> int:
        """So many bytes."""
        place = c_uint64()
        self.driver._call("cuMemAlloc_v2", byref(place), c_size_t(size))
        self._places.append(place)
        return place.value

    def sent(self, array: np.ndarray[Any, Any]) -> int:
        """A copy of a dense array."""
        place = self.new(array.nbytes)
        self.driver._call("cuMemcpyHtoD_v2", c_uint64(place), c_void_p(array.ctypes.data), c_size_t(array.nbytes))
        return place

    def fetch(self, array: np.ndarray[Any, Any], place: int) -> None:
        """Numbers from the GPU into a dense array."""
        self.driver._call("cuMemcpyDtoH_v2", c_void_p(array.ctypes.data), c_uint64(place), c_size_t(array.nbytes))

    def fetched(self, place: int, shape: tuple[int, ...], dtype: str) -> np.ndarray[Any, Any]:
        """Numbers from the GPU."""
        array = np.empty(shape, dtype)
        self.fetch(array, place)
        return array

    def free(self) -> None:
        """Give all back."""
        while self._places:
            self.driver._call("cuMemFree_v2", self._places.pop())

    def seconds(self, run: Callable[[], None], rounds: int) -> float:
        """The median time of a run, by the GPU's own clock, after two that do not count."""
        begin, end, found = c_void_p(), c_void_p(), []
        for event in (begin, end):
            self.driver._call("cuEventCreate", byref(event), c_uint(0))
        for _ in range(rounds + 2):
            self.driver._call("cuEventRecord", begin, c_void_p())
            run()
            self.driver._call("cuEventRecord", end, c_void_p())
            self.driver._call("cuEventSynchronize", end)
            passed = c_float()
            self.driver._call("cuEventElapsedTime", byref(passed), begin, end)
            found.append(passed.value * 1e-3)
        return median(found[2:])
