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

    def _cuDeviceGetName(self, text: Any, size: Any, device: Any) -> None:
        text.value = b"a GPU of tests"

    def _cuEventElapsedTime(self, passed: Any, begin: Any, end: Any) -> None:
        passed._obj.value = 1.0

    def _cuDeviceGetAttribute(self, value: Any, attribute: Any, device: Any) -> None:
        value._obj.value = {75: 9, 76: 0, 13: 1_980_000, 16: 132}[attribute.value]

    def _cuFuncGetAttribute(self, value: Any, attribute: Any, function: Any) -> None:
        value._obj.value = {0: 1024, 3: 0, 4: 64}[attribute.value]


@pytest.mark.slow
def test_report(monkeypatch: pytest.MonkeyPatch) -> None:
    fake = WithMemory()
    load = CudaKernel.function

    def noted(kernel: CudaKernel, *given: Any) -> Any:
        fake.kernel = kernel
        return load(kernel, *given)

    monkeypatch.setattr(CudaKernel, "function", noted)
    sizes = {"states": "2000", "arms": "1001", "steps": "60", "rounds": "1", "robots": "ur5", "peer-states": "0"}
    given = [part for name, size in sizes.items() for part in (f"--{name}", size)]
    head, *lines = cuda.lines(Driver(fake), cuda.options(given))
    assert head.startswith("a GPU of tests, compute capability 9.0, ")
    errors = {
        (found[1].strip(), found[2]): float(found[4])
        for line in lines
        if (found := re.match(r"(.{20}) (float\d\d) (\w+) .*largest error (\S+)$", line))
    }
    assert len(errors) == 12
    for (name, dtype), error in errors.items():
        assert error < {"float32": 1e-5, "float64": 1e-11}[dtype], name


def test_instructions() -> None:
    """As many as the program's operations, fewer by those that are fused, more by the sines'."""
    import armdyn

    kernel = armdyn.load("ur5").inverse_dynamics.to_cuda(dtype="float32")
    counts = kernel.program.op_counts
    assert 0.6 < cuda.instructions(kernel, "rows") / (counts.multiplications + counts.additions) < 2.0
