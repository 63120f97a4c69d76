"""A batch in pieces for threads that share it, without Python in between.

Python's threads hand the interpreter's lock to each other, and who waits for it sleeps longer than a piece takes. So a
thread enters a C function once and stays there until nothing is left: it takes the next piece by adding to a counter in
memory, calls the kernel's inner loop for that piece, and comes again. The function is the same for all kernels: LLVM
IR, compiled once for this processor and kept on disk as kernels are.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Sequence
from functools import cache
from typing import Any

from numpy.typing import NDArray

from armdyn.targets.gufunc import keep
from armdyn.targets.machine_code import helper

ENTRY = "armdyn_share"
_FINISHED = 1


class Job:
    """An inner loop over a batch, given out in pieces. Memory of the arrays stays referred to as long as the job.

    Args:
        loop: the address of the inner loop.
        arrays: arguments and results, shape (states, ...); or (1, ...) where all states share it.
        states: how many there are.
        piece: how many are given out at a time.
    """

    def __init__(self, loop: int, arrays: Sequence[NDArray[Any]], states: int, piece: int) -> None:
        self._arrays, self._states = arrays, states
        addresses = [array.__array_interface__["data"][0] for array in arrays]
        outer = [array.strides[0] if len(array) > 1 else 0 for array in arrays]
        inner = [stride for array in arrays for stride in array.strides[1:]]
        words = [0, 0, states, piece, loop, len(arrays), *addresses, *outer, *inner]  # the counters first
        self._words = (ctypes.c_int64 * len(words))(*words)

    def work(self) -> None:
        """Compute pieces until none is left: for every thread to call, which holds no lock meanwhile."""
        share = function()
        if share is not None:
            share(self._words)

    def is_finished(self) -> bool:
        """Whether all states are computed."""
        return self._words[_FINISHED] == self._states


@cache
def function() -> Callable[[Any], None] | None:
    """The C function; None where it cannot be had."""
    try:
        code = helper("pieces of a batch", share_ir, ENTRY)
    except Exception:  # no compiler, for example; who needs one is told so where the kernels are made
        return None
    if code is None:
        return None
    keep(code)
    return ctypes.CFUNCTYPE(None, ctypes.c_void_p)(code[0])


def share_ir(triple: str) -> str:
    """``void armdyn_share(int64_t *job)`` as LLVM IR; the job's words are those of `Job`."""
    return f"""\
target triple = "{triple}"

declare i64 @llvm.umin.i64(i64, i64)

define void @{ENTRY}(ptr %job) nounwind {{
entry:
  %finished = getelementptr i64, ptr %job, i64 {_FINISHED}
  %states.at = getelementptr i64, ptr %job, i64 2
  %states = load i64, ptr %states.at
  %piece.at = getelementptr i64, ptr %job, i64 3
  %piece = load i64, ptr %piece.at
  %loop.at = getelementptr i64, ptr %job, i64 4
  %loop = load ptr, ptr %loop.at
  %arrays.at = getelementptr i64, ptr %job, i64 5
  %arrays = load i64, ptr %arrays.at
  %addresses = getelementptr i64, ptr %job, i64 6
  %strides = getelementptr i64, ptr %addresses, i64 %arrays
  %own = alloca ptr, i64 %arrays
  %count.at = alloca i64
  br label %next
next:
  %first = atomicrmw add ptr %job, i64 %piece monotonic
  %is.left = icmp slt i64 %first, %states
  br i1 %is.left, label %take, label %nothing
take:
  %left = sub i64 %states, %first
  %count = call i64 @llvm.umin.i64(i64 %left, i64 %piece)
  store i64 %count, ptr %count.at
  br label %array
array:
  %k = phi i64 [ 0, %take ], [ %k.next, %array ]
  %address.at = getelementptr ptr, ptr %addresses, i64 %k
  %address = load ptr, ptr %address.at
  %stride.at = getelementptr i64, ptr %strides, i64 %k
  %stride = load i64, ptr %stride.at
  %distance = mul i64 %first, %stride
  %start = getelementptr i8, ptr %address, i64 %distance
  %own.at = getelementptr ptr, ptr %own, i64 %k
  store ptr %start, ptr %own.at
  %k.next = add i64 %k, 1
  %more = icmp ult i64 %k.next, %arrays
  br i1 %more, label %array, label %compute
compute:
  call void %loop(ptr %own, ptr %count.at, ptr %strides, ptr %states.at)
  %before = atomicrmw add ptr %finished, i64 %count release
  br label %next
nothing:
  ret void
}}
"""
