"""A compiled function over a large batch, in several threads; NumPy releases the interpreter lock in its loops."""

from __future__ import annotations

import operator
import os
from collections import deque
from collections.abc import Callable, Sequence
from functools import cache
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from armdyn.program import Port
from armdyn.targets.streaming import STREAMED_BYTES

if TYPE_CHECKING:
    from concurrent.futures import ThreadPoolExecutor

SMALLEST_SHARE = 512
"""States a thread must get to be worth starting, at some tens of nanoseconds a state."""

PIECES = 8
"""Pieces of a thread's share. Whoever is done first takes the next one, so that a slow core or a late start of a thread
is made up for by the others."""


def run_in_parallel(
    kernel: Callable[..., Any], ports: Sequence[Port], arrays: Sequence[Any], *, out: Any, workers: int
) -> Any:
    """Call ``kernel`` on slices of the first batch axis, a thread each; as many as cores where ``workers`` is -1."""
    threads = _number_of_threads(workers)
    prepared = [np.asarray(a) for a in arrays]
    batches = [a.shape[: a.ndim - len(port.shape)] for a, port in zip(prepared, ports, strict=True)]
    batch = np.broadcast_shapes(*batches)
    threads = min(threads, batch[0] // SMALLEST_SHARE if batch else 0)
    if threads <= 1:
        return kernel(*prepared) if out is None else kernel(*prepared, out=out)
    is_cut = [len(own) == len(batch) and own[0] != 1 for own in batches]  # the others are broadcast over the cuts

    def cut(first: int, last: int) -> list[NDArray[Any]]:
        return [a[first:last] if cuts else a for a, cuts in zip(prepared, is_cut, strict=True)]

    if out is not None and not _can_be_cut(_as_tuple(out), prepared, batch):
        return kernel(*prepared, out=out)
    results = _results(kernel(*cut(0, 1)), batch[0]) if out is None else _as_tuple(out)
    edges = np.linspace(0, batch[0], _number_of_pieces(batch[0], threads, results) + 1).astype(int)
    pieces = deque(pairwise(edges.tolist()))

    def run() -> None:
        while pieces:
            try:
                first, last = pieces.popleft()
            except IndexError:  # another thread was quicker
                return
            kernel(*cut(first, last), out=tuple(result[first:last] for result in results))

    waiting = [_pool().submit(run) for _ in range(threads - 1)]
    run()
    for done in waiting:
        done.result()
    return out if out is not None else results if len(results) > 1 else results[0]


def _can_be_cut(results: Sequence[Any], arrays: Sequence[NDArray[Any]], batch: tuple[int, ...]) -> bool:
    """Whether the arrays for results are cut as the batch is, and no slice overlaps what another still reads."""
    fit = all(isinstance(result, np.ndarray) and result.shape[: len(batch)] == batch for result in results)
    return fit and not any(np.may_share_memory(result, array) for result in results for array in arrays)


def _number_of_pieces(count: int, threads: int, results: Sequence[NDArray[Any]]) -> int:
    """As many for each thread. Results that are large enough to be streamed past the cache stay so in each piece."""
    share = count // threads
    smallest = max(share // PIECES, SMALLEST_SHARE)
    row = max(np.asarray(result[:1]).nbytes for result in results)
    streamed = -(-STREAMED_BYTES // max(row, 1))
    if share >= streamed:
        smallest = max(smallest, streamed)
    return threads * max(share // smallest, 1)


@cache
def _pool() -> ThreadPoolExecutor:
    """Threads that stay, for starting one takes as long as some thousands of states."""
    from concurrent.futures import ThreadPoolExecutor  # noqa: PLC0415 - ten modules that one thread does not need

    return ThreadPoolExecutor(os.cpu_count(), thread_name_prefix="armdyn")


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_pool.cache_clear)  # threads do not survive a fork


def _number_of_threads(workers: int) -> int:
    expected = f"workers is {workers!r}; expected a positive number of threads, or -1 for one a core"
    try:
        count = operator.index(workers)
    except TypeError:
        raise TypeError(expected) from None
    if count == -1:
        return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    if count < 1:
        raise ValueError(expected)
    return count


def _as_tuple(results: Any) -> tuple[Any, ...]:
    return results if isinstance(results, tuple) else (results,)


def _results(first: Any, length: int) -> tuple[NDArray[Any], ...]:
    """Empty arrays for ``length`` states, of the shape and type the kernel gave for the first one."""
    return tuple(np.empty((length, *r.shape[1:]), r.dtype) for r in _as_tuple(first))
