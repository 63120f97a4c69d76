"""A second process that does the same on a core of its own: what two cores are worth where nothing is shared."""

from __future__ import annotations

import multiprocessing
import os
from functools import partial
from multiprocessing.connection import Connection
from types import TracebackType

from benchmarks.cases import Case
from benchmarks.functions import FUNCTIONS
from benchmarks.states import States
from benchmarks.timing import repeated


class Companion:
    """Measures one function of one robot at the same time as somebody else; it sleeps between the measurements."""

    def __init__(self, case: Case, function: str, states: int) -> None:
        self._connection, theirs = multiprocessing.Pipe()
        context = multiprocessing.get_context("spawn")
        self._process = context.Process(target=_accompany, args=(theirs, case, function, states), daemon=True)

    def __enter__(self) -> Companion:
        self._process.start()
        self._connection.recv()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._connection.send(False)
        self._process.join()

    def start(self) -> None:
        """Begin a measurement."""
        self._connection.send(True)

    def seconds(self) -> float:
        """The time of one call, by the measurement that was begun."""
        return float(self._connection.recv())


def _accompany(connection: Connection, case: Case, name: str, count: int) -> None:
    import armdyn

    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[1:2])
    robot, function = armdyn.Robot.from_urdf(case.urdf), FUNCTIONS[name]
    arguments = function.arguments(States.random(case.joint_names, count).ordered(robot.joint_names))
    call = partial(getattr(robot, name), *arguments, out=function.empty(count, case.size))
    call()
    connection.send(True)
    while connection.recv():
        connection.send(repeated(call))
