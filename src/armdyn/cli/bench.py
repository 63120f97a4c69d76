"""``armdyn bench``: how fast a robot's functions are on this machine."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable
from typing import Annotated, Any

import numpy as np
import typer
from rich.progress import track

from armdyn.cli.info import compiled_methods
from armdyn.cli.screen import screen
from armdyn.cli.tables import new_table, show, show_notes
from armdyn.errors import ModelError
from armdyn.functions import CompiledFunction
from armdyn.robot import Robot

ROUNDS = 7

MOST_STATES = 10_000_000
"""In a batch: the largest results of a six-joint arm take some gigabytes then."""


def _threads(workers: int) -> int:
    if workers < 1 and workers != -1:
        raise typer.BadParameter(f"{workers} is no number of threads; expected 1 or more, or -1 for one a core.")
    return workers


def bench(
    arm: Robot,
    states: Annotated[int, typer.Option("--states", min=1, max=MOST_STATES, help="Random states a batch.")] = 100_000,
    workers: Annotated[
        int, typer.Option("--workers", callback=_threads, help="Threads of the last column; -1: one a core.")
    ] = -1,
) -> None:
    """Time every function: first call, one state a call, large batches.

    Medians of several rounds, on random states. For comparisons with other libraries see the folder benchmarks of the
    source.

    [bold]Examples[/]

      armdyn bench ur5

      armdyn bench arm.urdf --states 1000000
    """
    headings = ("function", "first,\nms", "one,\nµs", "float64,\nns", "float32,\nns", "threads,\nns")
    table = new_table(f"{arm.name}: first call, one call, and a state in batches of {states:,}", *headings)
    for name, function in track(compiled_methods(arm).items(), description="timing", transient=True):
        if arm.tip is None and ("frame" in function.function.options or name == "tip_forces"):
            continue
        try:
            figures = _measure(function, states, workers)
        except ModelError:  # forward dynamics of an arm that moves no mass
            figures = ["not defined"] * 5
        table.add_row(name, *figures)
    console = screen()
    show(console, table)
    show_notes(console, arm.notes)


def _measure(function: CompiledFunction, states: int, workers: int) -> list[str]:
    """The figures of one function, as text."""
    random = np.random.default_rng(1)
    shapes = [port.shape for port in function.program().inputs]
    batch = [random.uniform(-2.0, 2.0, (states, *shape)) for shape in shapes]
    one = [array[0] for array in batch]
    first = _seconds(lambda: function(*one))
    single = _median(lambda: _repeat(function, one, 1000)) / 1000
    double = _median(lambda: function(*batch)) / states
    half = [array.astype(np.float32) for array in batch]
    function(*half)
    single_precision = _median(lambda: function(*half)) / states
    threads = _median(lambda: function(*batch, workers=workers)) / states
    numbers = (first * 1e3, single * 1e6, double * 1e9, single_precision * 1e9, threads * 1e9)
    return [f"{number:.3g}" if number < 1000 else f"{number:.0f}" for number in numbers]


def _repeat(function: CompiledFunction, arrays: list[Any], times: int) -> None:
    for _ in range(times):
        function(*arrays)


def _seconds(run: Callable[[], Any]) -> float:
    start = time.perf_counter()
    run()
    return time.perf_counter() - start


def _median(run: Callable[[], Any]) -> float:
    return statistics.median(_seconds(run) for _ in range(ROUNDS))
