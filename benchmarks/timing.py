"""How time is measured: rounds that go through all contestants in turn, on a pinned core, collector off."""

from __future__ import annotations

import gc
import os
import statistics
import time
from collections.abc import Callable, Hashable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TypeVar

Key = TypeVar("Key", bound=Hashable)


@dataclass(frozen=True)
class Timing:
    """Seconds of each round."""

    seconds: tuple[float, ...]

    @property
    def median(self) -> float:
        """The middle round: what is reported."""
        return statistics.median(self.seconds)

    @property
    def best(self) -> float:
        """The quickest round: the least disturbed one."""
        return min(self.seconds)


def interleaved(calls: Mapping[Key, Callable[[], object]], rounds: int, repeats: int = 1) -> dict[Key, Timing]:
    """Time every call once a round, A B C A B C ..., after one untimed call each; ``repeats`` calls make one time."""
    for call in calls.values():
        call()
    seconds: dict[Key, list[float]] = {key: [] for key in calls}
    for _ in range(rounds):
        for key, call in calls.items():
            seconds[key].append(_time(call, repeats))
    return {key: Timing(tuple(values)) for key, values in seconds.items()}


def repeated(call: Callable[[], object], seconds: float = 0.05) -> float:
    """Time one call, as the average over as many as fill some time, after one untimed call."""
    call()
    start = time.perf_counter()
    calls = 0
    while (passed := time.perf_counter() - start) < seconds:
        call()
        calls += 1
    return passed / calls


@contextmanager
def quiet(cores: int = 1) -> Iterator[None]:
    """Keep this process on the first ``cores`` of its cores, with the garbage collector off."""
    can_pin = hasattr(os, "sched_setaffinity")
    before = os.sched_getaffinity(0) if can_pin else set()
    if can_pin:
        os.sched_setaffinity(0, sorted(before)[:cores])
    collecting = gc.isenabled()
    gc.collect()
    gc.disable()
    try:
        yield
    finally:
        if can_pin:
            os.sched_setaffinity(0, before)
        if collecting:
            gc.enable()


def available_cores() -> int:
    """The number of cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _time(call: Callable[[], object], repeats: int) -> float:
    start = time.perf_counter()
    for _ in range(repeats):
        call()
    return (time.perf_counter() - start) / repeats
