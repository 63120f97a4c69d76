"""A compiled function over a large batch, in several threads."""

from __future__ import annotations

import math
import operator
import os
import threading
from collections.abc import Sequence
from contextlib import suppress
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from armdyn.targets import sharing
from armdyn.targets.gufunc import Shape, core_shapes
from armdyn.targets.kernels import machine_code_loop
from armdyn.targets.sharing import Job, Meeting, do_alone

SMALLEST_SHARE = 1 << 16
"""Numbers a thread must get to read and write to be worth waking."""

PIECES = 16
"""Pieces of a thread's share. Whoever is done first takes the next one, so that a slow core or a late start of a thread
is made up for by the others."""

GROUP = 16
"""States that a loop computes together at most; pieces are made of whole groups."""


def run_in_parallel(kernel: np.ufunc, arrays: Sequence[Any], *, out: Any, workers: int) -> Any:
    """Call ``kernel`` on a batch, in pieces, by up to ``workers`` threads, at most one a core; -1: one a core.

    A batch that is small, and results that pieces cannot be written to as they are, are left to NumPy and one thread.
    """
    threads = _number_of_threads(workers)
    results = _in_pieces(kernel, arrays, out, threads) if threads > 1 else None
    if results is None:
        return kernel(*arrays) if out is None else kernel(*arrays, out=out)
    return results if len(results) > 1 else results[0]


def _in_pieces(kernel: np.ufunc, arrays: Sequence[Any], out: Any, threads: int) -> tuple[NDArray[Any], ...] | None:
    """The results; None, and nothing done, where one thread has to do it."""
    inputs, outputs = core_shapes(kernel)
    given = [np.asarray(a) for a in arrays]
    batch = np.broadcast_shapes(*(a.shape[: a.ndim - len(shape)] for a, shape in zip(given, inputs, strict=True)))
    states = math.prod(batch)
    threads = min(threads, states * sum(map(math.prod, (*inputs, *outputs))) // SMALLEST_SHARE)
    if threads < 2 or states < 2 or not sharing.is_available():
        return None
    dtype = _dtype(kernel, arrays, inputs)
    loop = machine_code_loop(kernel, dtype.char)
    results = tuple(np.empty(batch + shape, dtype) for shape in outputs) if out is None else _as_tuple(out)
    fit = out is None or _fit(results, [(dtype, batch + shape) for shape in outputs], given, flat=len(batch) == 1)
    if loop is None or not fit:
        return None
    rows = [_rows(a.astype(dtype, copy=False), shape, batch) for a, shape in zip(given, inputs, strict=True)]
    rows += [_rows(result, shape, batch) for result, shape in zip(results, outputs, strict=True)]
    piece = -(-states // (threads * PIECES * GROUP)) * GROUP
    _share(Job(loop, rows, states, piece, threads - 1))
    return results


def _dtype(kernel: np.ufunc, arrays: Sequence[Any], inputs: Sequence[Shape]) -> np.dtype[Any]:
    """What NumPy computes in. It is asked with one state, and complains of all that is wrong with the arguments."""
    one = [_first(a, shape) for a, shape in zip(arrays, inputs, strict=True)]
    dtype: np.dtype[Any] = _as_tuple(kernel(*one))[0].dtype
    return dtype


def _first(array: Any, shape: Shape) -> Any:
    """The first state; Python's own numbers as they are, for they adapt to the type of the others."""
    if isinstance(array, int | float):
        return array
    array = np.asarray(array)
    return array[(slice(1),) * (array.ndim - len(shape))]


def _rows(array: NDArray[Any], shape: Shape, batch: Shape) -> NDArray[Any]:
    """The states in a row, shape (states, ...); one where all states share it. Copied only where it must be."""
    if array.size == math.prod(shape):
        return array.reshape(1, *shape)
    whole = array if array.shape == batch + shape else np.broadcast_to(array, batch + shape)
    return whole if len(batch) == 1 else whole.reshape(-1, *shape)


def _fit(results: Sequence[Any], wanted: Sequence[Any], given: Sequence[NDArray[Any]], *, flat: bool) -> bool:
    """Whether pieces can be written to these arrays as they are, and none overwrites what another reads or writes."""
    return (
        len(results) == len(wanted)
        and all(
            isinstance(result, np.ndarray)
            and (result.dtype, result.shape) == kind
            and result.flags.writeable
            and result.flags.aligned
            and (flat or result.flags.c_contiguous)  # else its states cannot be put in a row without a copy
            and not any(np.may_share_memory(result, array) for array in (*given, *results[:number]))
            for number, (result, kind) in enumerate(zip(results, wanted, strict=True))
        )
    )


class Team:
    """Threads that stay, for starting one takes as long as some thousands of states, and where they meet."""

    def __init__(self) -> None:
        from concurrent.futures import ThreadPoolExecutor  # noqa: PLC0415 - ten modules that one thread does not need

        self._pool = ThreadPoolExecutor(os.cpu_count(), thread_name_prefix="armdyn")
        self._meeting = Meeting()
        self._leading = threading.Lock()
        self._helpers: list[threading.Event] = []  # for each who was summoned: whether it has gone

    def share(self, job: Job) -> None:
        """Do a job together. While another thread leads one, which has the helpers and the processors, do it alone."""
        if self._leading.locked():
            do_alone(job)
            return
        with self._leading:
            self._summon(job.helpers)
            self._meeting.lead(job)

    def _summon(self, helpers: int) -> None:
        """See that so many helpers are there or on their way, as far as there can be."""
        self._helpers = [gone for gone in self._helpers if not gone.is_set()]
        with suppress(RuntimeError):  # no thread can be started: there are too many, or the interpreter shuts down
            while len(self._helpers) < helpers:
                gone = threading.Event()
                self._pool.submit(self._help, gone)
                self._helpers.append(gone)

    def _help(self, gone: threading.Event) -> None:
        try:
            self._meeting.help()
        finally:
            gone.set()


_team = cache(Team)


def _share(job: Job) -> None:
    try:
        team = _team()
    except RuntimeError:  # the interpreter shuts down
        do_alone(job)
    else:
        team.share(job)


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_team.cache_clear)  # threads do not survive a fork


def _number_of_threads(workers: int) -> int:
    expected = f"workers is {workers!r}; expected a positive number of threads, or -1 for one a core"
    try:
        count = operator.index(workers)
    except TypeError:
        raise TypeError(expected) from None
    if count < 1 and count != -1:
        raise ValueError(expected)
    return _processors() if count == -1 else min(count, _processors())


def _processors() -> int:
    cores = os.cpu_count() or 1
    return min(len(os.sched_getaffinity(0)), cores) if hasattr(os, "sched_getaffinity") else cores


def _as_tuple(results: Any) -> tuple[Any, ...]:
    return results if isinstance(results, tuple) else (results,)
