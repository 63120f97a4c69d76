import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))  # for the oracles, which many test files share

from collections.abc import Iterator

import pytest
from matplotlib.figure import Figure

from armdyn.base import writing
from armdyn.targets import parallel
from oracles.cases import CASES, Case
from oracles.shell import shell  # noqa: F401 - a fixture
from oracles.short_run import mark_long_cases, short_run


@pytest.fixture(scope="session", autouse=True)
def _any_batch_is_shared() -> Iterator[None]:
    """``workers=`` starts threads for a few states too, which would not be worth it."""
    usual, parallel.SMALLEST_SHARE = parallel.SMALLEST_SHARE, 1
    yield
    parallel.SMALLEST_SHARE = usual


@pytest.fixture(scope="session", autouse=True)
def _nobody_waits_for_the_disk() -> Iterator[None]:
    """Files are written without waiting until they are on the disk, some 10 ms each; `tests/writing` waits."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(writing, "_flush", lambda path: None)
        patch.setattr(writing, "_flush_folder", lambda folder: None)
        yield


@pytest.hookimpl(tryfirst=True)  # before tests are chosen by their marks
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    mark_long_cases(items)


@pytest.fixture
def undrawn(monkeypatch: pytest.MonkeyPatch) -> None:
    """Write a few bytes in place of each picture: for tests of what else a verb does, most of whose time is drawing."""
    monkeypatch.setattr(Figure, "savefig", lambda _, target, **__: target.write(b"<svg>a picture, not drawn</svg>"))


SHORT_RUN = ("random_tree", "ur5")
"""Branches with general axes and slides, and right angles: what other robots have in other sizes."""


@pytest.fixture(
    scope="session",
    params=short_run(CASES, *SHORT_RUN),
)
def case(request: pytest.FixtureRequest) -> Case:
    """A robot in armdyn and the same robot in Pinocchio, under a gravity of general direction."""
    return CASES[request.param]()


@pytest.fixture(scope="session")
def ur5() -> Case:
    return CASES["ur5"]()


@pytest.fixture(scope="session")
def panda() -> Case:
    """The Panda with its fingers held: seven revolute joints."""
    return CASES["panda_locked"]()


@pytest.fixture(scope="session")
def tree() -> Case:
    """A branched tree of revolute and prismatic joints whose file order is not its tree order."""
    return CASES["random_tree"]()


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--mutants", default="sample", help="of the mutation check: a sample of them, all, or those of a module"
    )
