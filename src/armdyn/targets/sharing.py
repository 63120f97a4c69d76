"""A batch in pieces for threads that share it, without Python in between.

Python's threads hand the interpreter's lock to each other, and who waits for it sleeps longer than a piece takes. So
threads meet in a C function. Who works on a `Job` takes its next piece by adding to a counter in memory, calls the
kernel's inner loop for that piece, and comes again until nothing is left.

Waking a sleeping thread takes longer than many a batch. So a helper who has nothing left to do looks out for the next
job for some milliseconds before it goes to sleep, as the threads of OpenMP and of linear algebra libraries do.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Sequence
from functools import cache
from typing import Any

from numpy.typing import NDArray

from armdyn.targets.gufunc import keep
from armdyn.targets.machine_code import helper
from armdyn.targets.sharing_ir import ENTRY, MEETING_WORDS, meeting_ir

PATIENCE = 200_000
"""Looks for the next job before a helper goes to sleep: from one to ten milliseconds, as processors differ."""


class Job:
    """An inner loop over a batch, given out in pieces. It keeps the arrays alive.

    Args:
        loop: the address of the inner loop.
        arrays: arguments and results, shape (states, ...); or (1, ...) where all states share it.
        states: how many there are.
        piece: how many are given out at a time.
        helpers: how many may join in.
    """

    def __init__(self, loop: int, arrays: Sequence[NDArray[Any]], states: int, piece: int, helpers: int) -> None:
        self._arrays, self.helpers = arrays, helpers
        addresses = [array.__array_interface__["data"][0] for array in arrays]
        outer = [array.strides[0] if len(array) > 1 else 0 for array in arrays]
        inner = [stride for array in arrays for stride in array.strides[1:]]
        words = [0, helpers, states, piece, loop, len(arrays), *addresses, *outer, *inner]
        self.words = (ctypes.c_int64 * len(words))(*words)


class Meeting:
    """Where helpers find jobs. One leader at a time."""

    def __init__(self) -> None:
        self._words = (ctypes.c_int64 * MEETING_WORDS)()

    def help(self) -> None:
        """Join in jobs until there has been none for some time, or there have been many."""
        meet()(self._words, None, PATIENCE)

    def lead(self, job: Job) -> None:
        """Call out a job, work on it, and return when it is finished and nobody looks at it any more."""
        meet()(self._words, job.words, PATIENCE)


def do_alone(job: Job) -> None:
    """Work on a job where no helper can find it."""
    Meeting().lead(job)


def meet() -> Callable[..., None]:
    """The C function; an error where it cannot be had."""
    function = _meet()
    if function is None:
        raise RuntimeError("there is no machine code for threads to meet in")
    return function


def is_available() -> bool:
    """Whether threads can meet."""
    return _meet() is not None


@cache
def _meet() -> Callable[..., None] | None:
    try:
        code = helper("threads that share a batch", meeting_ir, ENTRY)
    except Exception:  # no compiler, for example; who needs one is told so where the kernels are made
        return None
    if code is None:
        return None
    keep(code)
    return ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int64)(code[0])
