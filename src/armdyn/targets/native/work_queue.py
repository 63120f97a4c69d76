"""A work queue for a batch of states, shared by threads without Python in between.

Python's threads pass the interpreter's lock to each other, and a thread that waits for it sleeps longer than a chunk
of states takes. So threads share a batch in a C function, which NumPy calls as the inner loop of a ufunc. Every thread
claims the next chunk with an atomic counter, calls the loop that computes on it, and repeats until no chunk is left.

Waking a sleeping thread takes longer than many batches. So a helper thread without work spins for some milliseconds
before it sleeps, as the threads of OpenMP and of linear algebra libraries do.
"""

from __future__ import annotations

import ctypes
from functools import cache

from armdyn.targets.gufunc import Loop, keep
from armdyn.targets.machine_code import helper
from armdyn.targets.native import is_on
from armdyn.targets.native.work_queue_ir import ENTRY, QUEUE_WORDS, queue_ir

SPINS = 200_000
"""The iterations for which a helper spins before it sleeps: one to ten milliseconds, by processor."""


class WorkQueue:
    """The queue from which helpers take batches. One leader at a time; another thread computes its batch alone."""

    def __init__(self) -> None:
        self._words = (ctypes.c_int64 * QUEUE_WORDS)()
        keep(self._words)  # ufuncs refer to it

    def help(self) -> None:
        """Work on batches until there has been none for some time, or there have been many."""
        address = queue_loop()
        if address is None:
            raise RuntimeError("there is no machine code for a work queue")
        Loop(address)(None, SPINS, None, ctypes.addressof(self._words))

    def plan(self, loop: int, arrays: int, helpers: int, fewest: int) -> int:
        """The address of the plan that `queue_loop` reads as NumPy's ``data``; never freed.

        ``arrays`` is the number of arguments and results of the inner loop; ``fewest`` of states worth a thread.
        """
        words = (ctypes.c_int64 * 5)(ctypes.addressof(self._words), helpers, loop, arrays, fewest)
        keep(words)
        return ctypes.addressof(words)


@cache
def queue_loop() -> int | None:
    """The address of the inner loop that shares a batch; None if it is turned off or not available."""
    return helper("work queue", queue_ir, ENTRY) if is_on("sharing") else None
