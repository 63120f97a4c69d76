"""Pytest plugin: processor time of each test, with that of its processes and of the code it compiles.

    PYTHONPATH=tests python -m pytest -p costs.plugin --costs out/costs.csv tests/robot

A row per test: seconds of processor time of pytest's process, of the processes that the test started and waited for, of
LLVM, and of building LLVM's text; the number of compiled modules and of started processes; seconds by the clock. The
summary names the dearest files. Fixtures count for the test that first requests them.
"""

from __future__ import annotations

import csv
import os
import sys
import time
from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import asdict, astuple, dataclass, field, fields
from functools import wraps
from pathlib import Path
from typing import Any

import pytest

from armdyn.targets import kernels
from armdyn.targets.llvm import compiler

STARTS = {"subprocess.Popen", "os.fork", "os.posix_spawn"}
"""Audit events that count as a started process."""


@dataclass
class Cost:
    """Costs of a test: seconds of processor time, counts, and seconds by the clock."""

    own: float = 0.0
    children: float = 0.0
    llvm: float = 0.0
    text: float = 0.0
    compiled: float = 0
    processes: float = 0
    clock: float = 0.0

    def __add__(self, other: Cost) -> Cost:
        return Cost(*(a + b for a, b in zip(astuple(self), astuple(other), strict=True)))

    def __sub__(self, other: Cost) -> Cost:
        return Cost(*(a - b for a, b in zip(astuple(self), astuple(other), strict=True)))

    @property
    def total(self) -> float:
        """Processor time of all processes, s."""
        return self.own + self.children


@dataclass
class Meter:
    """Counters of this process since its start."""

    counted: Cost = field(default_factory=Cost)

    def read(self) -> Cost:
        """All counters now."""
        children = os.times()
        return self.counted + Cost(
            own=time.process_time(),
            children=children.children_user + children.children_system,
            clock=time.perf_counter(),
        )

    def audit(self, event: str, _: Any) -> None:
        if event in STARTS:
            self.counted.processes += 1

    def timed(self, function: Callable[..., Any], name: str, *counts: str) -> Callable[..., Any]:
        """The function; its processor time is added to ``name``, its calls to ``counts``."""

        @wraps(function)
        def call(*args: Any, **kwargs: Any) -> Any:
            start, before = time.thread_time(), self.counted.llvm
            try:
                return function(*args, **kwargs)
            finally:
                within = self.counted.llvm - before if name != "llvm" else 0.0
                spent = time.thread_time() - start - within
                setattr(self.counted, name, getattr(self.counted, name) + spent)
                for count in counts:
                    setattr(self.counted, count, getattr(self.counted, count) + 1)

        return call


METER = Meter()
sys.addaudithook(METER.audit)
compiler.compile_ir = METER.timed(compiler.compile_ir, "llvm", "compiled")
kernels.Loops._module = METER.timed(kernels.Loops._module, "text")  # type: ignore[method-assign]


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--costs", default="out/costs.csv", help="file for the processor time of each test")


class Costs:
    """Costs by test, collected from the reports of all workers."""

    def __init__(self, file: Path | None) -> None:
        self.rows = None
        if file is not None:
            file.parent.mkdir(parents=True, exist_ok=True)
            self.rows = csv.writer(file.open("w", newline="", buffering=1))
            self.rows.writerow(["test", *(part.name for part in fields(Cost))])
        self.last = METER.read()
        self.of_test: dict[str, Cost] = defaultdict(Cost)

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(self) -> Iterator[None]:
        report = yield
        now = METER.read()
        report.costs, self.last = asdict(now - self.last), now
        return report

    def pytest_runtest_logreport(self, report: Any) -> None:
        self.of_test[report.nodeid] += Cost(**report.costs)
        if self.rows is not None and report.when == "teardown":
            parts = astuple(self.of_test[report.nodeid])
            self.rows.writerow([report.nodeid, *(round(part, 4) for part in parts)])

    def pytest_terminal_summary(self, terminalreporter: Any) -> None:
        of_file: dict[str, Cost] = defaultdict(Cost)
        for test, cost in self.of_test.items():
            of_file[test.split("::")[0]] += cost
        everything = sum(self.of_test.values(), Cost())
        dearest = sorted(of_file.items(), key=lambda pair: -pair[1].total)[:10]
        terminalreporter.section("processor time (s): own + processes, of it LLVM and its text; modules, processes")
        for name, cost in [*dearest, ("all", everything)]:
            terminalreporter.line(
                f"{cost.own:8.1f} + {cost.children:6.1f}   {cost.llvm:6.1f} {cost.text:6.1f}"
                f"   {cost.compiled:5.0f} {cost.processes:5.0f}   {name}"
            )


def pytest_configure(config: pytest.Config) -> None:
    file = None if hasattr(config, "workerinput") else Path(config.getoption("--costs"))
    config.pluginmanager.register(Costs(file), "armdyn-costs")
