"""A compiled function over a large batch, in several threads."""

from __future__ import annotations

import math
import operator
import os
import threading
from collections.abc import Sequence
from contextlib import suppress
from functools import cache
from itertools import combinations
from typing import Any

import numpy as np

from armdyn.base.errors import excerpt
from armdyn.base.threads import undivided
from armdyn.targets.gufunc import LoopTable, Shape, core_shapes
from armdyn.targets.kernels import NumpyFunction
from armdyn.targets.native.work_queue import WorkQueue, queue_loop
from armdyn.targets.native.work_queue_ir import GROUP

SMALLEST_SHARE = 1 << 16
"""The fewest numbers, read and written, of a thread that is worth waking."""


def run_in_parallel(kernel: NumpyFunction, workers: int, /, *arrays: Any, out: Any = None) -> Any:
    """Call ``kernel`` on a batch, in chunks, by up to ``workers`` threads, at most one per core; -1: one per core.

    One thread computes a small batch, and results that overlap each other, because the last write counts.
    """
    threads = _number_of_threads(workers)
    if threads > 1 and not _overlap(out):
        arrays = tuple(a if isinstance(a, int | float) else np.asarray(a) for a in arrays)
        arrays = _in_one_row(arrays, core_shapes(kernel)[0])
        kernel = _helped(kernel, *_states_and_share(kernel, arrays), threads - 1)
    return kernel(*arrays) if out is None else kernel(*arrays, out=out)


def run_shared(kernel: NumpyFunction, workers: int | None, states: int, /, *arrays: object, out: object) -> Any:
    """Call the kernel of a rollout on a batch of ``states``, shared by up to ``workers`` threads; None: no sharing."""
    threads = 1 if workers is None else _number_of_threads(workers)
    if threads > 1:
        kernel = _helped(kernel, states, GROUP, threads - 1)
    return kernel(*arrays, out=out)


def _overlap(out: object) -> bool:
    """True if arrays for results share memory. NumPy copies arguments that share memory with results."""
    arrays = out if isinstance(out, tuple) else ()
    return any(a is not None and b is not None and np.may_share_memory(a, b) for a, b in combinations(arrays, 2))


def _in_one_row(arrays: tuple[Any, ...], cores: Sequence[Shape]) -> tuple[Any, ...]:
    """The arrays such that NumPy sees one long row of states, which can be cut into chunks, and not many short ones.

    The states are copied only if a batch of several axes results from broadcasting.
    """
    batches = [np.shape(a)[: np.ndim(a) - len(core)] for a, core in zip(arrays, cores, strict=True)]
    whole = max(batches, key=len)
    if len(whole) < 2 or all(batch == whole or math.prod(batch) == 1 for batch in batches):
        return arrays
    whole = np.broadcast_shapes(*batches)
    return tuple(
        np.ascontiguousarray(np.broadcast_to(a, whole + core)) if math.prod(batch) != 1 else a
        for a, batch, core in zip(arrays, batches, cores, strict=True)
    )


def _states_and_share(kernel: NumpyFunction, arrays: Sequence[Any]) -> tuple[int, int]:
    """The number of states of a batch, and the fewest states for which a thread is worth waking."""
    inputs, outputs = core_shapes(kernel)
    fewest = max(1, SMALLEST_SHARE // sum(map(math.prod, (*inputs, *outputs))))
    return max(np.size(a) // math.prod(core) for a, core in zip(arrays, inputs, strict=True)), fewest


def _helped(kernel: NumpyFunction, states: int, fewest: int, helpers: int) -> NumpyFunction:
    """A function like ``kernel`` with helper threads, woken, each of which gets the ``fewest`` states or more.

    It is ``kernel`` itself if there can be no threads, or if a second one would get fewer states.
    """
    if states < 2 * fewest:
        return kernel
    try:
        team = _team()
    except RuntimeError:  # the interpreter shuts down
        return kernel
    shared = team.ufunc(kernel, helpers, fewest)
    if shared is not kernel:
        team.wake(min(helpers, states // fewest - 1))
    return shared


class Team:
    """Persistent threads, because starting one takes as long as some thousands of states, and the ufuncs they share."""

    def __init__(self) -> None:
        with undivided():
            from concurrent.futures import ThreadPoolExecutor  # noqa: PLC0415 - ten modules that a single thread does not need

        self._pool = ThreadPoolExecutor(os.cpu_count(), thread_name_prefix="armdyn")
        self._queue = WorkQueue()
        self._waking = threading.Lock()
        self._helpers: list[threading.Event] = []  # for each that was woken: set when it sleeps again
        self.ufunc = cache(self._ufunc)

    def _ufunc(self, kernel: NumpyFunction, helpers: int, fewest: int) -> NumpyFunction:
        """A ufunc like ``kernel`` whose batches are shared, one thread for each ``fewest`` states; else ``kernel``."""
        table, share = LoopTable.of(kernel), queue_loop()
        if table is None or share is None:
            return kernel
        arrays = kernel.nin + kernel.nout
        plans = {letter: self._queue.plan(loop, arrays, helpers, fewest) for letter, loop in table.loops.items()}
        return LoopTable(table.interface, dict.fromkeys(plans, share), plans).ufunc

    def wake(self, helpers: int) -> None:
        """Wake helpers up to this number, as far as threads can be started."""
        if not self._waking.acquire(blocking=False):
            return  # another thread does
        try:
            self._helpers = [gone for gone in self._helpers if not gone.is_set()]
            with suppress(RuntimeError):  # no thread can be started: there are too many, or the interpreter shuts down
                while len(self._helpers) < helpers:
                    gone = threading.Event()
                    self._pool.submit(self._help, gone)
                    self._helpers.append(gone)
        finally:
            self._waking.release()

    def _help(self, gone: threading.Event) -> None:
        try:
            self._queue.help()
        finally:
            gone.set()


_team = cache(Team)

if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_team.cache_clear)  # threads do not survive a fork


def checked_workers(workers: int) -> int:
    """The requested number of threads.

    Raises:
        TypeError: not an integer.
        ValueError: neither positive nor -1.
    """
    expected = f"workers is {excerpt(workers)}; expected a positive number of threads, or -1 for one a core"
    try:
        count = operator.index(workers)
    except TypeError:
        raise TypeError(expected) from None
    if count < 1 and count != -1:
        raise ValueError(expected)
    return count


def _number_of_threads(workers: int) -> int:
    count = checked_workers(workers)
    return count if count == 1 else _processors() if count == -1 else min(count, _processors())


def _processors() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
