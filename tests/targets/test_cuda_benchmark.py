"""benchmarks/cuda.py with a driver that stands in for NVIDIA's: it runs to its end, and what it compares agrees."""

import ctypes
import re
from typing import Any

import numpy as np
import pytest
from benchmarks import cuda

from armdyn.targets.cuda.driver import Driver
from armdyn.targets.cuda.kernel import CudaKernel
from targets.fake_gpu import FakeCuda

pytest.importorskip("pinocchio", reason="the robots of the benchmarks come with example-robot-data")


class WithMemory(FakeCuda):
    """Memory, copies, and events a millisecond apart."""

    def __init__(self) -> None:
        super().__init__()
        self._memory: list[np.ndarray] = []

    def _cuMemAlloc_v2(self, place: Any, size: Any) -> None:
        self._memory.append(np.empty(size.value, np.uint8))
        place._obj.value = self._memory[-1].ctypes.data

    def _cuMemcpyHtoD_v2(self, to: Any, source: Any, size: Any) -> None:
        ctypes.memmove(to.value, source.value, size.value)

    _cuMemcpyDtoH_v2 = _cuMemcpyDtoD_v2 = _cuMemcpyHtoD_v2  # noqa: N815 - names of libcuda

    def _cuEventElapsedTime(self, passed: Any, begin: Any, end: Any) -> None:
        passed._obj.value = 1.0

    def _cuDeviceGetAttribute(self, value: Any, attribute: Any, device: Any) -> None:
        value._obj.value = {75: 9, 76: 0, 13: 1_980_000, 16: 132}[attribute.value]

    def _cuFuncGetAttribute(self, value: Any, attribute: Any, function: Any) -> None:
        value._obj.value = {0: 1024, 3: 0, 4: 64}[attribute.value]


def test_report(monkeypatch: pytest.MonkeyPatch) -> None:
    fake = WithMemory()
    load = CudaKernel.function

    def noted(kernel: CudaKernel, *given: Any) -> Any:
        fake.kernel = kernel
        return load(kernel, *given)

    monkeypatch.setattr(CudaKernel, "function", noted)
    monkeypatch.setattr(cuda, "jax_peer", lambda *given: "no peer")
    head, *lines = cuda.lines(Driver(fake), ["ur5"], 2000, 1)
    assert head.startswith("compute capability 9.0, ")
    assert len(lines) == 6
    errors = [float(found[1]) for line in lines if (found := re.search(r"largest error (\S+)$", line))]
    assert len(errors) == 4
    assert max(errors[:2]) < 1e-6
    assert max(errors[2:]) < 1e-14


def test_instructions() -> None:
    """As many as the program's operations, fewer by those that are fused, more by the sines'."""
    import armdyn

    kernel = armdyn.load("ur5").inverse_dynamics.to_cuda(dtype="float32")
    counts = kernel.program.op_counts
    assert 0.6 < cuda.instructions(kernel, "rows") / (counts.multiplications + counts.additions) < 2.0
