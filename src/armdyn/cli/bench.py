"""``armdyn bench``: how fast a robot's functions are on this machine."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Iterator
from typing import Annotated, Any

import numpy as np
import typer
from rich.progress import track

from armdyn.actuators.flexible_joints import flexible_places
from armdyn.base.errors import ArmdynError, ModelError
from armdyn.cli.description import compiled_methods
from armdyn.cli.json_output import AsJson, print_json
from armdyn.cli.screen import screen
from armdyn.cli.tables import new_table, show, show_notes
from armdyn.functions import CompiledFunction
from armdyn.robot import Robot
from armdyn.simulation import SaveAt, simulate
from armdyn.simulation.drivers.grid import SAMPLES
from armdyn.simulation.elements.dry_joints import rubbing_bodies
from armdyn.spatial.rotations import Array

ROUNDS = 7

DURATION, BATCH = 3.0, 100
"""The time that motions last, s, and the number of motions in a batch."""

TIMES = ("first_call", "one_call", "state_float64", "state_float32", "state_threads")
"""The measured times, s: of the first call, of a call with one state, and of a state in a batch."""

MOST_STATES = 10_000_000
"""Largest number of states in a batch: the largest results of a six-joint arm take some gigabytes then."""


def _threads(workers: int) -> int:
    if workers < 1 and workers != -1:
        raise typer.BadParameter(f"{workers} is not a number of threads; expected 1 or more, or -1 for one a core.")
    return workers


def bench(
    arm: Robot,
    states: Annotated[int, typer.Option("--states", min=1, max=MOST_STATES, help="Random states a batch.")] = 100_000,
    workers: Annotated[
        int, typer.Option("--workers", callback=_threads, help="Threads of the last column; -1: one a core.")
    ] = -1,
    json: AsJson = False,
) -> None:
    """Time every function: first call, one state a call, large batches; and motions by the adaptive method.

    Medians of several rounds, on random states. For comparisons with other libraries see the folder benchmarks of the
    source.

    [bold]Examples[/]

      armdyn bench ur5

      armdyn bench arm.urdf --states 1000000
    """
    measured, motions = dict(_measured(arm, states, workers)), dict(_motions(arm))
    if json:
        functions = {
            name: None if times is None else dict(zip(TIMES, times, strict=True)) for name, times in measured.items()
        }
        print_json(
            {"robot": arm.name, "states": states, "functions": functions, "motions": motions, "notes": arm.notes}
        )
        return
    headings = ("function", "first,\nms", "one,\nµs", "float64,\nns", "float32,\nns", "threads,\nns")
    table = new_table(f"{arm.name}: first call, one call, and a state in batches of {states:,}", *headings)
    for name, times in measured.items():
        table.add_row(name, *(["not defined"] * len(TIMES) if times is None else _cells(times)))
    console = screen()
    show(console, table)
    if motions:
        table = new_table(
            f"{arm.name}: motions of {DURATION:g} s by the adaptive method", "motions", "ms each", "a second"
        )
        for name, seconds in motions.items():
            table.add_row(name, f"{1e3 * seconds:.3g}", f"{1.0 / seconds:,.0f}")
        show(console, table)
    show_notes(console, arm.notes)


def _motions(arm: Robot) -> Iterator[tuple[str, float]]:
    """The times of motions with error control from rest, s each: of one step, of one motion, and in a batch."""
    q = np.random.default_rng(1).uniform(-1.0, 1.0, (BATCH, arm.dof))
    one_step = SaveAt(times=[0.0, 1e-3])
    calls: dict[str, tuple[Callable[[], Any], int]] = {
        "one, of one step": (lambda: simulate(arm, q[0], duration=1e-3, save=one_step), 1),
        "one": (lambda: simulate(arm, q[0], duration=DURATION), 1),
        f"{BATCH} at once": (lambda: simulate(arm, q, duration=DURATION), BATCH),
    }
    if not (arm.model.constraints or rubbing_bodies(arm.mechanism.drive) or flexible_places(arm.model)):
        calls["one, by SciPy's DOP853"] = (lambda: _by_scipy(arm, q[0]), 1)
    for name, (call, count) in calls.items():
        try:
            call()
        except ArmdynError:  # states that constraints do not allow, or arms that move no mass
            return
        yield name, _median(call) / count


def _by_scipy(arm: Robot, q: Array) -> None:
    """The motion from rest by `scipy.integrate.solve_ivp` around the compiled accelerations, with the same settings."""
    from scipy.integrate import solve_ivp  # noqa: PLC0415 - slow to import

    n, tau = arm.dof, np.zeros(arm.dof)

    def rates(_: float, y: Array) -> Array:
        return np.concatenate([y[n:], arm.forward_dynamics(y[:n], y[n:], tau)])

    options = {"method": "DOP853", "rtol": 1e-10, "atol": 1e-10, "t_eval": np.linspace(0.0, DURATION, SAMPLES + 1)}
    solve_ivp(rates, (0.0, DURATION), np.concatenate([q, np.zeros(n)]), **options)


def _measured(arm: Robot, states: int, workers: int) -> Iterator[tuple[str, list[float] | None]]:
    """The times of every function; None of one that is not defined for the robot."""
    functions = compiled_methods(arm).items()
    for name, function in track(functions, description="timing", transient=True, console=screen(stderr=True)):
        if arm.tip is None and ("frame" in function.function.options or name == "tip_forces"):
            continue
        try:
            yield name, _measure(function, states, workers)
        except ModelError:  # forward dynamics of an arm that moves no mass
            yield name, None


def _cells(times: list[float]) -> list[str]:
    numbers = (time * scale for time, scale in zip(times, (1e3, 1e6, 1e9, 1e9, 1e9), strict=True))
    return [f"{number:.3g}" if number < 1000 else f"{number:.0f}" for number in numbers]


def _measure(function: CompiledFunction, states: int, workers: int) -> list[float]:
    """The times of one function, s, as `TIMES` names them."""
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
    return [first, single, double, single_precision, threads]


def _repeat(function: CompiledFunction, arrays: list[Any], times: int) -> None:
    for _ in range(times):
        function(*arrays)


def _seconds(run: Callable[[], object]) -> float:
    start = time.perf_counter()
    run()
    return time.perf_counter() - start


def _median(run: Callable[[], object]) -> float:
    return statistics.median(_seconds(run) for _ in range(ROUNDS))
