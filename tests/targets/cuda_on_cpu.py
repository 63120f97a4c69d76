"""Kernels for GPUs run on this processor: the same LLVM IR but for the number of the thread, called once a thread."""

import ctypes
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from armdyn.program import Program, Rollout
from armdyn.targets.cuda.arguments import arguments
from armdyn.targets.cuda.kernel_ir import kernel_ir, parameters
from armdyn.targets.llvm.compiler import compile_ir, load_object
from armdyn.targets.llvm.machine import host

THREADS = 2
"""Fewer than there are states, so that the loop over states is run through too."""

Call = Callable[[int, Sequence[int], Sequence[np.ndarray]], None]
"""Runs a kernel: how many threads, its parameters, and the arrays that these point to."""


class OnCpu:
    """A kernel as a function of the number of threads and its parameters."""

    def __init__(self, source: Program | Rollout, dtype: str, layout: str) -> None:
        ir = kernel_ir(source, dtype, "kernel", layout, host().triple)
        address, self._memory = load_object(compile_ir(ir, host(), 0, anywhere=True), "kernel", {})
        kinds = [ctypes.c_int64 if one.startswith("i64") else ctypes.c_void_p for one in parameters(source, layout)]
        self._call = ctypes.CFUNCTYPE(None, ctypes.c_int64, ctypes.c_int64, *kinds)(address)

    def __call__(self, threads: int, values: Sequence[int], arrays: Sequence[np.ndarray] = ()) -> None:
        """All threads, one after the other."""
        for thread in range(threads):
            self._call(thread, threads, *values)


def run(
    source: Program | Rollout,
    arrays: Sequence[Any],
    *,
    dtype: str = "float64",
    layout: str = "strided",
    steps: int = 0,
    every: int = 1,
) -> list[np.ndarray]:
    """The outputs for arrays with the states along the first axis; where there are none, of one state."""
    return computed(OnCpu(source, dtype, layout), source, arrays, dtype, layout, steps, every)


def computed(
    call: Call,
    source: Program | Rollout,
    arrays: Sequence[Any],
    dtype: str,
    layout: str,
    steps: int = 0,
    every: int = 1,
) -> list[np.ndarray]:
    """The outputs of a call of the kernel of a program or rollout.

    Where strided, the arrays lie with the states along their last axis, as a GPU likes them, and an array over time
    with its steps first.
    """
    ports = arguments(source)
    given = [np.array(a, dtype) for a in arrays]
    states = len(given[0]) if given else 1
    rows = -(-steps // every)
    for argument in ports[len(given) :]:
        timed = (rows,) if argument.over_time else ()
        given.append(np.full((states, *timed, *argument.port.shape), np.nan, dtype))
    kept = [a if layout != "strided" else np.moveaxis(np.moveaxis(a, 0, -1).copy(), -1, 0) for a in given]
    values = [states, *([steps, every] if isinstance(source, Rollout) else [])]
    for argument, array in zip(ports, kept, strict=True):
        outer = array.ndim if layout == "strided" else 1 + argument.over_time
        values += [array.ctypes.data, *array.strides[:outer]]
    call(THREADS, values, kept)
    return kept[len(arrays) :]
