"""Chapters 4 to 6 against the package, on screws of every kind."""

from typing import Any

import modern_robotics as package
import numpy as np
import pytest

import armdyn
import armdyn.modern_robotics as mr
from oracles.screw_lists import CASES, Lists
from oracles.states import assert_close

UR5 = armdyn.load("ur5")
SCREWS, HOME = UR5.jacobian(np.zeros(6), expressed_in="space"), UR5.forward_kinematics(np.zeros(6))


@pytest.fixture(params=CASES, ids=str)
def lists(request: pytest.FixtureRequest) -> Lists:
    return CASES[request.param]


def states(n: int, count: int = 3) -> np.ndarray:
    return np.random.default_rng(n).uniform(-3.0, 3.0, (count, n))


def in_body(home: np.ndarray, S: np.ndarray) -> np.ndarray:
    return package.Adjoint(np.linalg.inv(home)) @ S


@pytest.mark.short_run(without=("twelve joints", "of any length", "with pitch"))
def test_forward_kinematics(lists: Lists) -> None:
    for q in states(len(lists.G)):
        assert_close(mr.FKinSpace(lists.home, lists.S, q), package.FKinSpace(lists.home, lists.S, q))
        B = in_body(lists.home, lists.S)
        assert_close(mr.FKinBody(lists.home, B, q), package.FKinBody(lists.home, B, q))


@pytest.mark.short_run(without=("twelve joints", "turning", "of any length"))
def test_jacobians(lists: Lists) -> None:
    for q in states(len(lists.G)):
        for name in ("JacobianSpace", "JacobianBody"):
            ours, theirs = (getattr(library, name)(lists.S, q) for library in (mr, package))
            assert ours.shape == theirs.shape == lists.S.shape
            assert_close(ours, theirs)


@pytest.mark.parametrize("name", ["FKinSpace", "FKinBody"])
def test_lists_and_integers_work_like_arrays(name: str) -> None:
    q = [1, 0, 2, -1, 1, 3]
    from_lists = getattr(mr, name)(HOME.tolist(), SCREWS.tolist(), q)
    assert_close(from_lists, getattr(package, name)(HOME, SCREWS, q))
    assert from_lists.dtype == float
    assert_close(
        getattr(mr, "Jacobian" + name[4:])(SCREWS.tolist(), q), getattr(package, "Jacobian" + name[4:])(SCREWS, q)
    )


def test_single_precision_is_computed_in_double() -> None:
    q = np.array([0.3, -1.0, 1.2, 0.4, 0.5, -2.0], dtype=np.float32)
    S, home = SCREWS.astype(np.float32), HOME.astype(np.float32)
    T = mr.FKinSpace(home, S, q)
    assert T.dtype == np.float64
    assert_close(T, package.FKinSpace(home.astype(float), S.astype(float), q.astype(float)))


def test_fewer_joints_than_screws_move_the_first_ones() -> None:
    q = states(6)[0]
    for count in range(6):
        for name in ("FKinSpace", "FKinBody"):
            ours = getattr(mr, name)(HOME, SCREWS, q[:count])
            np.testing.assert_allclose(ours, getattr(package, name)(HOME, SCREWS, q[:count]), rtol=0, atol=1e-14)


def test_a_column_of_joint_positions() -> None:
    q = states(6)[0]
    for name in ("FKinSpace", "FKinBody"):
        np.testing.assert_array_equal(getattr(mr, name)(HOME, SCREWS, q[:, None]), getattr(mr, name)(HOME, SCREWS, q))


def test_at_home() -> None:
    np.testing.assert_array_equal(mr.FKinSpace(HOME, SCREWS, np.zeros(6)), HOME)
    np.testing.assert_array_equal(mr.JacobianSpace(SCREWS, np.zeros(6)), SCREWS)
    np.testing.assert_array_equal(mr.JacobianBody(SCREWS, np.zeros(6)), SCREWS)


GOALS = [
    ("near", states(6)[0], 0.1, 1e-5),
    ("farther", states(6)[1], 0.4, 1e-5),
    ("coarse", states(6)[2], 0.2, 1e-2),
    ("there already", states(6)[0], 0.0, 1e-6),
]


@pytest.mark.parametrize(("q", "away", "tolerance"), [g[1:] for g in GOALS], ids=[g[0] for g in GOALS])
@pytest.mark.parametrize("space", [True, False])
def test_inverse_kinematics(q: np.ndarray, away: float, tolerance: float, space: bool) -> None:
    """The same steps: the same joint positions where it stops, to what the angle from a trace allows."""
    name, axes = ("IKinSpace", SCREWS) if space else ("IKinBody", in_body(HOME, SCREWS))
    start = q + away * np.random.default_rng(4).normal(size=6)
    before = start.copy()
    arguments: tuple[Any, ...] = (axes, HOME, package.FKinSpace(HOME, SCREWS, q), start, tolerance, tolerance)
    ours, theirs = getattr(mr, name)(*arguments), getattr(package, name)(*arguments)
    assert type(ours) is tuple
    assert type(ours[1]) is bool
    assert ours[1] is theirs[1] is True
    np.testing.assert_allclose(ours[0], theirs[0], rtol=0, atol=1e-8)
    np.testing.assert_allclose(package.FKinSpace(HOME, SCREWS, ours[0]), arguments[2], rtol=0, atol=3 * tolerance)
    np.testing.assert_array_equal(start, before)
    assert ours[0] is not start


@pytest.mark.parametrize("name", ["IKinSpace", "IKinBody"])
def test_what_cannot_be_reached_is_not_found(name: str) -> None:
    goal = HOME + np.array([[0.0, 0, 0, 50.0], [0] * 4, [0] * 4, [0] * 4])
    q, found = getattr(mr, name)(SCREWS, HOME, goal, [0.1] * 6, 1e-3, 1e-3)
    assert found is getattr(package, name)(SCREWS, HOME, goal, [0.1] * 6, 1e-3, 1e-3)[1] is False
    assert np.isfinite(q).all()


def test_a_singular_start_takes_the_shortest_step_as_the_package_does() -> None:
    """The UR5 is singular at home: the least-squares step of least norm, here the first and only one that is needed."""
    goal = package.FKinSpace(HOME, SCREWS, [0.02, 0.0, 0.0, 0.0, 0.0, 0.0])
    ours, theirs = (library.IKinSpace(SCREWS, HOME, goal, np.zeros(6), 1e-3, 1e-3) for library in (mr, package))
    assert ours[1] is theirs[1] is True
    np.testing.assert_allclose(ours[0], theirs[0], rtol=0, atol=1e-10)


@pytest.mark.parametrize("n", [3, 8])
def test_fewer_and_more_joints_than_six(n: int) -> None:
    lists = CASES["twelve joints"]
    S, q = lists.S[:, :n], states(12)[0][:n]
    goal = package.FKinSpace(lists.home, S, q)
    ours, theirs = (library.IKinSpace(S, lists.home, goal, q + 0.05, 1e-5, 1e-5) for library in (mr, package))
    assert ours[1] is theirs[1] is True
    np.testing.assert_allclose(ours[0], theirs[0], rtol=0, atol=1e-8)
