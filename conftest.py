"""What every test and doctest of the repository gets: a fresh folder for compiled code, and names for doctests."""

import gc
import os
import sys
import tempfile
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest
from _pytest.doctest import DoctestModule

collect_ignore_glob = [] if find_spec("torch") else ["src/armdyn/targets/torch/*"]
"""Modules that import a large library at once, left out where it is not installed."""


def pytest_configure(config: pytest.Config) -> None:
    """Compile into a folder of this run's own (shared by its workers), so that no earlier run's code is tested."""
    gc.disable()  # while tests are collected: what is collected stays
    if "ARMDYN_CACHE_DIR" not in os.environ:
        folder = tempfile.TemporaryDirectory(prefix="armdyn-tests-")
        os.environ["ARMDYN_CACHE_DIR"] = folder.name
        config.add_cleanup(folder.cleanup)


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report(collector: pytest.Collector) -> Iterator[None]:
    """Every second worker collects from the end, so that two do not rewrite and compile for the same file at once.

    Each then reads from disk what the other one did.
    """
    report = yield
    worker = os.environ.get("PYTEST_XDIST_WORKER", "gw0").removeprefix("gw")
    if int(worker) % 2 and isinstance(collector, pytest.Session | pytest.Directory):
        report.result.reverse()
    return report


@pytest.hookimpl(wrapper=True)
def pytest_collect_file(file_path: Path) -> Iterator[list[pytest.Collector]]:
    """Look for doctests only in files with a prompt: to look through all that a module has takes time."""
    collectors = yield
    if any(isinstance(one, DoctestModule) for one in collectors) and b">>>" not in file_path.read_bytes():
        return [one for one in collectors if not isinstance(one, DoctestModule)]
    return collectors


@pytest.hookimpl(tryfirst=True)  # before fixtures group the tests, and before Hypothesis looks for constants
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """The same order in all workers; constants of armdyn's sources are examples of the long tests alone.

    Hypothesis parses all modules for them, six seconds in each process.
    """
    items.sort(key=lambda item: item.path)
    if "hypothesis" in sys.modules and config.getoption("markexpr"):
        from hypothesis.internal.conjecture import providers  # noqa: PLC0415 - where it is in use

        providers.is_local_module_file = lambda _: False


def pytest_collection_finish() -> None:
    """Exclude modules and collected tests from garbage collections, each of which would traverse all of them."""
    gc.collect()
    gc.freeze()
    gc.enable()


@pytest.fixture(autouse=True)
def _doctest_names(doctest_namespace: dict[str, object]) -> None:
    import armdyn  # noqa: PLC0415 - tests that import nothing of armdyn pay nothing

    np.set_printoptions(legacy=False, precision=8, suppress=False)
    doctest_namespace.update(armdyn=armdyn, np=np)
