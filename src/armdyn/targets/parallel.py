"""A compiled function over a large batch, in several threads."""

from __future__ import annotations

import math
import operator
import os
from collections.abc import Sequence
from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from armdyn.program import Port
from armdyn.targets import sharing
from armdyn.targets.kernels import machine_code_loop
from armdyn.targets.sharing import Job

if TYPE_CHECKING:
    from concurrent.futures import Future, ThreadPoolExecutor

SMALLEST_SHARE = 1 << 17
"""Numbers a thread must get to read and write to be worth waking, which takes a tenth of a millisecond."""

PIECES = 16
"""Pieces of a thread's share. Whoever is done first takes the next one, so that a slow core or a late start of a thread
is made up for by the others."""

GROUP = 16
"""States that a loop computes together at most; pieces are made of whole groups."""

_GLANCES = 1000
"""How often to look whether the last pieces are done, before sleeping: waking up takes longer than most pieces."""


def run_in_parallel(kernel: np.ufunc, ports: Sequence[Port], arrays: Sequence[Any], *, out: Any, workers: int) -> Any:
    """Call ``kernel`` on a batch, in pieces, by several threads; as many as cores where ``workers`` is -1.

    A batch that is small, and results that pieces cannot be written to as they are, are left to NumPy and one thread.
    """
    threads = _number_of_threads(workers)
    given = [np.asarray(a) for a in arrays]
    results = _in_pieces(kernel, ports, given, out, threads) if threads > 1 else None
    if results is None:
        return kernel(*given) if out is None else kernel(*given, out=out)
    return out if out is not None else results if len(results) > 1 else results[0]


def _in_pieces(
    kernel: np.ufunc, ports: Sequence[Port], given: Sequence[NDArray[Any]], out: Any, threads: int
) -> tuple[NDArray[Any], ...] | None:
    """The results; None, and nothing done, where one thread has to do it."""
    batch = np.broadcast_shapes(*(_batch(a, port) for a, port in zip(given, ports, strict=True)))
    states = math.prod(batch)
    if states < 2:
        return None
    # What the first state gives tells the type, and all that is wrong with the arguments.
    samples = _as_tuple(kernel(*(_first(a, port) for a, port in zip(given, ports, strict=True))))
    shapes, dtype = [sample.shape[len(batch) :] for sample in samples], samples[0].dtype
    numbers = sum(math.prod(shape) for shape in (*(port.shape for port in ports), *shapes))
    threads = min(threads, states * numbers // SMALLEST_SHARE)
    loop = machine_code_loop(kernel, dtype.char)
    if threads < 2 or loop is None or sharing.function() is None:
        return None
    results = tuple(np.empty(batch + shape, dtype) for shape in shapes) if out is None else _as_tuple(out)
    if out is not None and not _fit(results, [(dtype, batch + s) for s in shapes], given, flat=len(batch) == 1):
        return None
    rows = [_rows(a.astype(dtype, copy=False), port.shape, batch) for a, port in zip(given, ports, strict=True)]
    rows += [_rows(result, shape, batch) for result, shape in zip(results, shapes, strict=True)]
    piece = -(-states // (threads * PIECES * GROUP)) * GROUP
    _share(Job(loop, rows, states, piece), threads)
    return results


def _batch(array: NDArray[Any], port: Port) -> tuple[int, ...]:
    return array.shape[: array.ndim - len(port.shape)]


def _first(array: NDArray[Any], port: Port) -> NDArray[Any]:
    """The array's first state, as a batch of one."""
    return array[(slice(1),) * len(_batch(array, port))]


def _rows(array: NDArray[Any], shape: tuple[int, ...], batch: tuple[int, ...]) -> NDArray[Any]:
    """The states in a row, shape (states, ...); one where all states share it. Copied only where it must be."""
    if array.size == math.prod(shape):
        return array.reshape(1, *shape)
    whole = array if array.shape == batch + shape else np.broadcast_to(array, batch + shape)
    return whole if len(batch) == 1 else whole.reshape(-1, *shape)


def _fit(results: Sequence[Any], wanted: Sequence[Any], given: Sequence[NDArray[Any]], *, flat: bool) -> bool:
    """Whether pieces can be written to these arrays as they are, and no piece overwrites what another still reads."""
    return len(results) == len(wanted) and all(
        isinstance(result, np.ndarray)
        and (result.dtype, result.shape) == kind
        and result.flags.writeable
        and result.flags.aligned
        and (flat or result.flags.c_contiguous)  # else its states cannot be put in a row without a copy
        and not any(np.may_share_memory(result, array) for array in given)
        for result, kind in zip(results, wanted, strict=True)
    )


def _share(job: Job, threads: int) -> None:
    """Work on a job together with threads of the pool, until it is finished."""
    others: list[Future[None]] = [_pool().submit(job.work) for _ in range(threads - 1)]
    job.work()
    for _ in range(_GLANCES):
        if job.is_finished():
            return  # a thread that wakes up only now finds nothing left
    for other in others:
        other.result()


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
