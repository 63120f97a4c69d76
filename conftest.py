"""What every test and doctest of the repository gets: a fresh folder for compiled code, and names for doctests."""

import gc
import os
import tempfile
from importlib.util import find_spec

import numpy as np
import pytest

collect_ignore_glob = [] if find_spec("torch") else ["src/armdyn/targets/torch/*"]
"""Modules that import a large library at once, left out where it is not installed."""


def pytest_configure(config: pytest.Config) -> None:
    """Compile into a folder of this run's own (shared by its workers), so that no earlier run's code is tested."""
    gc.disable()  # while tests are collected: what is collected stays
    if "ARMDYN_CACHE_DIR" not in os.environ:
        folder = tempfile.TemporaryDirectory(prefix="armdyn-tests-")
        os.environ["ARMDYN_CACHE_DIR"] = folder.name
        config.add_cleanup(folder.cleanup)


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
