"""A batch in pieces for threads that share it, without Python in between.

Python's threads hand the interpreter's lock to each other, and who waits for it sleeps longer than a piece takes. So
threads meet in a C function, which NumPy calls as the inner loop of a ufunc. Who works on a batch takes its next piece
by adding to a counter in memory, calls the loop that computes for that piece, and comes again until nothing is left.

Waking a sleeping thread takes longer than many a batch. So a helper who has nothing left to do looks out for the next
batch for some milliseconds before it goes to sleep, as the threads of OpenMP and of linear algebra libraries do.
"""

from __future__ import annotations

import ctypes
from functools import cache

from armdyn.targets.gufunc import Loop, keep
from armdyn.targets.machine_code import helper
from armdyn.targets.sharing_ir import ENTRY, MEETING_WORDS, sharing_ir

PATIENCE = 200_000
"""Looks for the next batch before a helper goes to sleep: from one to ten milliseconds, as processors differ."""


class Meeting:
    """Where helpers find batches to work on. One leader at a time; who else has a batch works alone."""

    def __init__(self) -> None:
        self._words = (ctypes.c_int64 * MEETING_WORDS)()
        keep(self._words)  # ufuncs refer to it

    def help(self) -> None:
        """Join in until there has been nothing to do for some time, or much."""
        address = sharing_loop()
        if address is None:
            raise RuntimeError("there is no machine code for threads to meet in")
        Loop(address)(None, PATIENCE, None, ctypes.addressof(self._words))

    def plan(self, loop: int, arrays: int, helpers: int, fewest: int) -> int:
        """The address of what `sharing_loop` has to know as NumPy's ``data``; kept for ever.

        Args:
            loop: the address of the inner loop that computes.
            arrays: its arguments and results.
            helpers: how many may join in.
            fewest: the states that are worth a thread.
        """
        words = (ctypes.c_int64 * 5)(ctypes.addressof(self._words), helpers, loop, arrays, fewest)
        keep(words)
        return ctypes.addressof(words)


@cache
def sharing_loop() -> int | None:
    """The address of the inner loop that shares a batch out; None where it cannot be had."""
    try:
        code = helper("threads that share a batch", sharing_ir, ENTRY)
    except Exception:  # no compiler, for example; who needs one is told so where the kernels are made
        return None
    if code is None:
        return None
    keep(code)
    return code[0]
