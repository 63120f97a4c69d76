"""Chapter 11 against the package."""

from collections.abc import Iterator

import matplotlib as mpl
import modern_robotics as package
import numpy as np
import pytest
from matplotlib import pyplot as plt

import armdyn
import armdyn.modern_robotics as mr
from armdyn.modern_robotics import integration
from oracles.screw_lists import BOOK, CASES, Lists
from oracles.short_run import each_once
from oracles.states import assert_close


@pytest.mark.short_run(
    without=(
        "book",
        "of any length",
        "turning",
        "twelve joints",
        "wild inertias",
        "with pitch",
        "turning and sliding",
        "rounded to 3 digits",
        "massless link",
    )
)
@pytest.mark.parametrize("name", CASES)
def test_computed_torque(name: str) -> None:
    lists = CASES[name]
    rng, n = np.random.default_rng(7), len(lists.G)
    q, qd, eint, q_goal, qd_goal, qdd_goal = rng.normal(size=(6, n))
    for gains in ((1.3, 1.2, 1.1), (20, 10, 18), tuple(rng.uniform(1, 9, (3, n)))):
        arguments = (q, qd, eint, rng.normal(size=3), *lists, q_goal, qd_goal, qdd_goal, *gains)
        assert_close(
            mr.ComputedTorque(*arguments).reshape(1, n),
            package.ComputedTorque(*arguments).reshape(1, n),
        )


def test_computed_torque_from_lists() -> None:
    arguments = ([0.1, 0.2, 0.3], [0, 1, 2], [0, 0, 0], [0, 0, -9.8], *BOOK, [1, 1, 1], [2, 2, 2], [3, 3, 3], 2, 3, 4)
    assert_close(mr.ComputedTorque(*arguments), package.ComputedTorque(*arguments))


def test_a_matrix_of_gains_is_refused() -> None:
    with pytest.raises(armdyn.ShapeError, match="gains are one number or one for each joint"):
        mr.ComputedTorque([0.1] * 3, [0] * 3, [0] * 3, [0, 0, -9.8], *BOOK, [1] * 3, [1] * 3, [1] * 3, np.eye(3), 1, 1)


@pytest.fixture
def shown(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[int]]:
    """How many lines there were each time a figure was shown; nothing appears."""
    lines: list[int] = []
    mpl.use("Agg")
    monkeypatch.setattr(plt, "show", lambda: lines.append(len(plt.gca().get_lines())))
    yield lines
    plt.close("all")


def simulated(library: object, lists: Lists, wrong: Lists, f: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    n = len(lists.G)
    rng = np.random.default_rng(3)
    q, qd = rng.normal(size=(2, n))
    goal = package.JointTrajectory(q, q + 0.3, 1.0, 8, 5)
    rates = np.gradient(goal, 0.05, axis=0)
    return library.SimulateControl(
        q, qd, [0.1, 0.2, -9.8], f, *lists, goal, rates, np.gradient(rates, 0.05, axis=0),
        [0.8, 0.2, -8.8], wrong.M, wrong.G, 20, 10, 18, 0.05, 3,
    )  # fmt: skip


@pytest.mark.short_run("book-False")
@pytest.mark.usefixtures("shown")
@pytest.mark.parametrize(("name", "long"), each_once(["book", "turning and sliding", "with pitch"], [False, True]))
def test_simulate_control(name: str, long: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(integration, "LONG", 1 if long else 10**9)
    lists = CASES[name]
    wrong = lists._replace(G=1.2 * lists.G)
    f = np.random.default_rng(4).normal(size=(8, 6))
    ours, theirs = (simulated(library, lists, wrong, f) for library in (mr, package))
    for a, b in zip(ours, theirs, strict=True):
        assert a.shape == b.shape == (8, len(lists.G))
        assert_close(a, b, relative=1e-9)


def test_draws_both_angles_of_every_joint(shown: list[int]) -> None:
    taumat, thetamat = simulated(mr, BOOK, BOOK, np.zeros((8, 6)))
    assert taumat.shape == (8, 3)
    assert shown == [6]
    lines = plt.gca().get_lines()
    assert len(lines) == 6
    np.testing.assert_array_equal(lines[0].get_ydata(), thetamat[:, 0])
    assert [text.get_text() for text in plt.gca().get_legend().get_texts()][:2] == ["ActualTheta1", "DesiredTheta1"]
